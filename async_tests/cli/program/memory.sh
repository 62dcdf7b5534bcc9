#!/usr/bin/env bash
# weft run --memory: what one run remembers a later one recalls, of one user only; results of cached nodes stay.
. "$(dirname "$0")/../program.sh"

cat >keep.json <<'END'
{
  "name": "keep",
  "memory": {"scope": ["users", "{user}"]},
  "state": [{"name": "user", "type": "string"}, {"name": "fact", "type": "string"}],
  "nodes": [{"name": "keep", "kind": "remember", "settings": {"name": "city", "key": "fact"}}],
  "edges": [{"from": "__start__", "to": "keep"}]
}
END
cat >find.json <<'END'
{
  "name": "find",
  "memory": {"scope": ["users", "{user}"]},
  "state": [{"name": "user", "type": "string"}, {"name": "found", "type": "string"}],
  "nodes": [{"name": "find", "kind": "recall", "writes": ["found"], "settings": {"query": "{user}"}}],
  "edges": [{"from": "__start__", "to": "find"}]
}
END
run 0 check keep.json find.json
has "$out" "2 files: no errors, no warnings"
run 0 explain keep.json
has "$out" "Memory" "users / {user}" "at most 1000"

run 0 run keep.json --memory notes.db -i user=ada -i 'fact=ada is in Lima'
run 0 run find.json --memory notes.db -i user=ada
has "$out" "city: ada is in Lima"
run 0 run find.json --memory notes.db -i user=bob
lacks "$out" "Lima"
run 1 run keep.json --memory notes.db -i fact=x
has "$err" "whose memory this is"

# Without a place it ends with the run, and that is said; a thread has one.
run 0 run keep.json -i user=ada -i fact=x
has "$err" "ends with this run" "--memory FILE"
run 0 run keep.json --thread t -i user=ada -i 'fact=ada is in Oslo'
run 0 run find.json --thread u -i user=ada
has "$out" "ada is in Oslo"

cat >cached.json <<'END'
{
  "name": "cached",
  "state": [{"name": "topic", "type": "string"}, {"name": "text", "type": "string"}],
  "nodes": [{"name": "ask", "kind": "llm", "reads": ["topic"], "writes": ["text"], "cache": {"keep_for": "1h"},
             "settings": {"prompt": "{topic}", "scripted": ["rain"]}}],
  "edges": [{"from": "__start__", "to": "ask"}]
}
END
run 0 explain cached.json
has "$out" "its result is kept for 1h"
run 0 run cached.json --memory notes.db -i topic=Rome --log first.jsonl
run 0 run cached.json --memory notes.db -i topic=Rome --log second.jsonl
has "$out" "rain"
run 0 trace first.jsonl
lacks "$out" "cached "
run 0 trace second.jsonl
has "$out" "cached "
echo "memory: all is well"
