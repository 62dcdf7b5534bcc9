#!/usr/bin/env bash
# The version of a store's tables: shown, planned, migrated; in a file, and in PostgreSQL where it is installed.
. "$(dirname "$0")/../program.sh"
unset WEFT_STORE WEFT_STORE_KEYS PGPASSWORD

run 2 store version --store runs.db
has "$err" "there is no file runs.db"
run 2 store burn
has "$err" "burn"

cat >one.json <<'END_OF_GRAPH'
{
  "name": "one", "state": [{"name": "rounds", "type": "integer", "reducer": "add"}],
  "nodes": [{"name": "turn", "kind": "set", "settings": {"values": {"rounds": 1}}}],
  "edges": [{"from": "__start__", "to": "turn"}, {"from": "turn", "to": "__end__"}]
}
END_OF_GRAPH
run 0 run one.json --thread first -q --store runs.db
if grep -q "built without SQLite" <<<"$err"; then skip "this weft is built without SQLite"; fi
run 0 store version --store runs.db
has "$out" "runs.db has tables of version" "this weft knows version"
run 0 store migrate --plan --store runs.db
has "$out" "There is nothing to do."
run 0 store migrate --store runs.db
has "$out" "There was nothing to do."
run 0 store version --store runs.db --json
has "$out" '"is_usable":true' '"statements":[]'

. "$source/async_tests/cli/postgres.sh"
export WEFT_STORE=postgresql://weft:topsecret@127.0.0.1:$port/postgres
if "$weft" store version 2>&1 | grep -q "built without PostgreSQL"; then
    skip "this weft is built without PostgreSQL"
fi
run 1 store version
has "$out" "has no tables of weft" "postgresql://weft:***@"
run 0 store migrate --plan
has "$out" "CREATE TABLE run (" "Nothing was done."
run 1 store version
run 0 store migrate
has "$out" "has tables of version"
run 0 store version
run 0 store migrate
has "$out" "There was nothing to do."
run 0 run one.json --thread first -q
