#!/bin/sh
# SPDX-License-Identifier: ISC
# A pid namespace of its own, as a container has, with lockrun as its pid 1: signals arrive, what the
# command leaves is collected, and all of it ends with lockrun. Signal lockrun, the child of unshare(1).
#
#	pid1.sh COMMAND [ARG...]
exec unshare --pid --fork --mount-proc lockrun -k 5s shop:v1:leader:mailer -- "$@"
