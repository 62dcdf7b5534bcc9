#!/usr/bin/env bash
# A run that has failed goes on where it failed, by `run` and by `resume`, and begins anew only when asked.
. "$(dirname "$0")/../program.sh"
unset WEFT_STORE

cat >share.json <<'END_OF_GRAPH'
{
  "name": "share",
  "state": [{"name": "divisor", "type": "integer"}, {"name": "share", "type": "number"},
            {"name": "steps", "type": "integer", "reducer": "add"}],
  "nodes": [{"name": "first", "kind": "set", "settings": {"values": {"steps": 1}}},
            {"name": "beside", "kind": "set", "settings": {"values": {"steps": 10}}},
            {"name": "divide", "kind": "set", "settings": {"expressions": {"share": "100 / divisor"}}},
            {"name": "last", "kind": "set", "settings": {"values": {"steps": 100}}}],
  "edges": [{"from": "__start__", "to": "first"}, {"from": "first", "to": "beside"},
            {"from": "first", "to": "divide"}, {"from": "beside", "to": "last"}, {"from": "divide", "to": "last"}]
}
END_OF_GRAPH

if "$weft" run share.json --thread probe --input divisor=1 2>&1 </dev/null | grep -q "built without SQLite"; then
    skip "this weft is built without SQLite"
fi
rm -f weft.db*

run 1 run share.json --thread t --input divisor=0
has "$out" "status    failed"
run 0 threads
has "$out" "failed"

# The next run of the thread says what it does.
run 1 run share.json --thread t
has "$err" "the last run of thread 't' failed at 'divide'; going on there. --anew begins at the start"
has "$out" "status    failed" "steps     11"

# A value that was wrong is put right, and only what failed runs again.
run 0 resume t --input divisor=4
has "$out" "status    finished" "share     25" "steps     111"
run 0 history t
has "$out" "failed at divide" "finish"
run 2 resume t
has "$err" "nothing is left to do in thread 't'"

# Anew, with the state that was left.
run 1 run share.json --thread u --input divisor=0
run 0 run share.json --thread u --input divisor=4 --anew
has "$out" "status    finished" "steps     122"
[[ $err != *"going on there"* ]] || fail "it says that it goes on: $err"

# Within a node that is a graph it goes on as well: of a plan, a division and a summary only the division runs again.
cat >report.json <<'END_OF_GRAPH'
{
  "name": "report",
  "state": [{"name": "divisor", "type": "integer"}, {"name": "share", "type": "number"},
            {"name": "steps", "type": "integer", "reducer": "add"}],
  "nodes": [{"name": "begin", "kind": "set", "settings": {"values": {"steps": 1}}},
            {"name": "work", "kind": "subgraph", "settings": {"graph": {
               "name": "work",
               "state": [{"name": "share", "type": "number"}, {"name": "steps", "type": "integer", "reducer": "add"}],
               "nodes": [{"name": "plan", "kind": "set", "settings": {"values": {"steps": 10}}},
                         {"name": "divide", "kind": "set", "settings": {"expressions": {"share": "100 / 0"}}}],
               "edges": [{"from": "__start__", "to": "plan"}, {"from": "plan", "to": "divide"}]}}},
            {"name": "end", "kind": "set", "settings": {"values": {"steps": 100}}}],
  "edges": [{"from": "__start__", "to": "begin"}, {"from": "begin", "to": "work"}, {"from": "work", "to": "end"}]
}
END_OF_GRAPH
for durability in every_step on_exit; do
    run 1 run report.json --thread "r-$durability" --durability $durability --json
    is "$(grep -c '"kind":"node_started".*"node":"plan"' <<<"$out")" 1
    sed 's|100 / 0|100 / 4|' report.json >mended.json
    run 0 resume "r-$durability" --graph mended.json --json
    is "$(grep -c '"kind":"node_started".*"node":"plan"' <<<"$out")" 0
    is "$(grep -c '"kind":"node_started".*"node":"divide"' <<<"$out")" 1
    run 0 show "r-$durability"
    has "$out" "25" "111"
    run 0 history "r-$durability"
    has "$out" "failed at work"
done
