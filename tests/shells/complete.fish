#!/usr/bin/env fish
# SPDX-License-Identifier: ISC
# complete.fish PLACE LINE...: what fish offers at the end of each line, written as
# "LINE => MATCH...". PLACE is the directory that lockrun.fish is in.
source $argv[1]/lockrun.fish
for line in $argv[2..-1]
    set -l matches (complete -C $line | string split -f1 \t | LC_ALL=C sort -u)
    echo "$line => $matches"
end
