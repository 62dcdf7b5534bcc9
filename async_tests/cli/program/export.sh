#!/usr/bin/env bash
# weft export: conversations of kept runs as lines of JSON, filtered, without secrets.
. "$(dirname "$0")/../program.sh"

cat >chat.json <<'END'
{
  "name": "chat",
  "state": [{"name": "question", "type": "string"}, {"name": "answer", "type": "string"},
            {"name": "stars", "type": "integer", "initial": 1},
            {"name": "messages", "type": "messages", "reducer": "append"}],
  "nodes": [{"name": "ask", "kind": "llm", "writes": ["messages", "answer"],
             "settings": {"prompt": "{question}", "messages": "messages", "scripted": ["It is sunny."]}}],
  "edges": [{"from": "__start__", "to": "ask"}]
}
END
run 0 run chat.json --thread a --quiet -i question='Weather? My password: hunter22' -i stars=5
run 0 run chat.json --thread b --quiet -i question='And DEPLOY-VALUE-77?'

export DEPLOY_TOKEN=DEPLOY-VALUE-77
run 0 export
has "$out" '{"role":"user","content":"Weather? My password: ***"},{"role":"assistant","content":"It is sunny."}' \
    'And ***?'
lacks "$out" hunter22
has "$err" "2 threads, 2 conversations"
run 0 export --format sharegpt --rating 'stars>=4' --quiet -o good.jsonl
is "$out$err" ""
said='{"from":"human","value":"Weather? My password: ***"},{"from":"gpt","value":"It is sunny."}'
is "$(cat good.jsonl)" '{"conversations":['"$said"']}'
run 0 export --outcome failed
is "$out" ""
has "$err" "left out by the filters: 2"
run 2 export --rating stars
has "$err" "--rating 'stars>=4'"
run 2 export --outcome good
has "$err" "finished, failed, cancelled or unfinished"
run 2 export --store nowhere.db
echo "export: all is well"
