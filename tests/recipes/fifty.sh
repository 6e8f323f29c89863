#!/bin/sh
# SPDX-License-Identifier: ISC
# Fifty at once. What each of them has to do, they do one after the other:
set -eu
echo 0 >counter
# shellcheck disable=SC2016
seq 50 | xargs -P 50 -I {} lockrun shop:v1:mutation:counter -- sh -ec 'n=$(cat counter); echo $((n + 1)) >counter'
cat counter

# What is enough once, is done once for all that have come before its end:
seq 50 | xargs -P 50 -I {} lockrun --join shop:v1:single-flight:image -- ./make-image
