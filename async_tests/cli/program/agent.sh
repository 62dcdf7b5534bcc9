#!/usr/bin/env bash
# weft run with a node that is an agent: scripted replies call a real tool, and a budget that is used up leads on.
. "$(dirname "$0")/../program.sh"
unset WEFT_LLM_PROVIDER WEFT_LLM_URL WEFT_LLM_API_KEY WEFT_LLM_MODEL OPENAI_API_KEY OPENAI_BASE_URL \
    ANTHROPIC_API_KEY GEMINI_API_KEY GOOGLE_API_KEY
mkdir notes
echo "It rains in Rome." >notes/today.txt

cat >agent.json <<'END2'
{
  "name": "agent",
  "state": [{"name": "question", "type": "string", "initial": "How is the weather?"},
            {"name": "answer", "type": "string"}],
  "nodes": [
    {"name": "work", "kind": "turn_agent", "reads": ["question"], "writes": ["answer"],
     "settings": {"prompt": "{question}", "tools": ["read_file"], "budget": {"turns": 3, "time": "1m"},
                  "scripted": ["<tool_call>{\"name\": \"read_file\", \"arguments\": {\"path\": \"today.txt\"}}</tool_call>",
                               "As the note says."]}},
    {"name": "rest", "kind": "set", "settings": {"values": {"answer": "nothing"}}}
  ],
  "edges": [{"from": "__start__", "to": "work"}, {"from": "work", "to": "rest", "kind": "on_budget"},
            {"from": "work", "to": "__end__"}]
}
END2
run 0 check agent.json
run 0 run agent.json --allow files=notes --json
has "$out" '"label":"tool_end"' '"label":"agent_end"' 'read_file' '"answer":"As the note says."' '"path":["work"]'
run 2 run agent.json
has "$err" "the tool 'read_file' is not allowed: add --allow files=FOLDER"

sed 's/"turns": 3/"turns": 1/' agent.json >short.json
run 0 run short.json --allow files=notes --json
has "$out" '"answer":"nothing"' '"path":["work","rest"]' "the agent's budget of turns is used up"

# A server of the file is not started while the file has mistakes.
cat >served.yaml <<'END2'
name: served
state: [{name: messages, type: messages, reducer: append}, {name: answer, type: string}]
mcp:
  files: {command: [touch, started], timeout: 1s}
nodes:
  - name: work
    kind: react
    writes: [messages, answer]
    settings: {prompt: Look., tools: [files__read]}
edges: [{from: __start__, to: work}]
END2
sed 's/to: work/to: wrok/' served.yaml >wrong.yaml
run 2 run wrong.yaml --allow mcp=files
has "$err" "wrong.yaml:10:31: error: \$.edges[0].to: there is no node 'wrok' (did you mean 'work'?)" "has 1 mistake:"
[ ! -e started ] || fail "the server was started"
"$weft" run served.yaml --allow mcp=files >/dev/null 2>&1 </dev/null || true
[ -e started ] || fail "the server was not started"

# A run with a thread is kept, and so is what the agent did.
run 0 run agent.json --allow files=notes --thread t --store runs.db
has "$out" "As the note says."
run 0 history t --store runs.db
has "$out" "work"
echo "agent: all is well"
