#!/bin/sh
# SPDX-License-Identifier: ISC
# A migration of a database in a file. Each deployment calls this; the first one migrates, the others
# wait for it and find it done. DATABASE is shop.db.
#
#	lockrun -w 5m -m 30m shop:v1:migration:schema -- ./migrate.sh shop.db
set -eu
database=$1

# Asked inside of the lock: what was read before is old.
version=$(sqlite3 "$database" 'PRAGMA user_version')
[ "$version" -lt 2 ] || exit 0

# In one transaction, so that one that is killed has done nothing.
sqlite3 -bail "$database" <<'SQL'
BEGIN IMMEDIATE;
ALTER TABLE customer ADD COLUMN email TEXT;
UPDATE customer SET email = name || '@shop.example';
PRAGMA user_version = 2;
COMMIT;
SQL
