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

run 2 store prune --store runs.db
has "$err" "say --keep-runs SPAN"
run 2 store prune --keep-runs soon --store runs.db
has "$err" "--keep-runs soon: write a whole number and a unit"
run 0 store prune --keep-runs 24h --keep-events 24h --store runs.db
has "$out" "no runs forgotten in runs.db." "no events of no runs forgotten in runs.db."
run 2 store prune --keep-events 3 --store runs.db
has "$err" "--keep-events 3: write a whole number and a unit, e.g. 168h"
run 0 store prune --keep-runs 0s --store runs.db
has "$out" "1 run forgotten in runs.db."
run 0 history first --store runs.db

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

psql=("$bin/psql" -h 127.0.0.1 -p "$port" -U weft postgres -qAtc)
"${psql[@]}" "INSERT INTO weft.run_event (run, id, kind, data) SELECT id, n, 'output', 'x' FROM weft.run,
    generate_series(1, 3) n; INSERT INTO weft.event_log SELECT id, 1, 3, 21 FROM weft.run"
run 0 store prune --keep-events 0s
has "$out" "2 events of 1 run forgotten"
is "$("${psql[@]}" 'SELECT id FROM weft.run_event')" 3

# A worker forgets the run a second after its end.
"$weft" worker one.json --keep-runs 1s --keep-events 1s >worker.log 2>&1 </dev/null &
worker=$!
for (( i = 0; i < 300; i++ )); do
    left=$("${psql[@]}" 'SELECT count(*) FROM weft.run')
    [ "$left" != 0 ] || break
    sleep 0.1
done
is "$left" 0
kill "$worker"
wait "$worker" || fail "the worker ended with $?: $(<worker.log)"
run 0 history first
