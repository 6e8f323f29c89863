#!/bin/sh
# SPDX-License-Identifier: ISC
# From v3 of what the leaders agree upon to v4, without a moment in which both lead. v3 and v4 are two
# locks; so as long as an old one may still come, the new one leads under both.
#
#	deploy.sh COMMAND [ARG...]
set -eu

# The old leader steps down, and its standbys wait behind us.
exec lockrun --replace --note 'deploy of v4' shop:v3:leader:sync -- lockrun shop:v4:leader:sync -- "$@"

# When no old one is left on this machine (lockrun status shop:v3:leader:sync shows no waiter), the
# next deploy is of v4 alone:
#
#	lockrun --replace shop:v4:leader:sync -- COMMAND
