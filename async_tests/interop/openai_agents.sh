#!/usr/bin/env bash
# Nodes of the kind openai_agent with a server of OpenAI's API that others maintain as the agent, in both APIs.
# usage: openai_agents.sh <program weft> <source folder> <folder of node_modules>
modules=$(cd "$3" 2>/dev/null && pwd) || modules=$3
. "$(dirname "$0")/../cli/program.sh"
. "$source/async_tests/interop/node_server.sh"
unset WEFT_STORE
start_node_server "$source/async_tests/interop/aimock.mjs" @copilotkit/aimock "$modules"
agent=${said%% *}

# asking <api> <message> <further members of the node>
asking() {
    cat >ask.json <<END
{"name": "ask", "state": [{"name": "answer", "type": "string"}, {"name": "talk", "type": "string"}],
 "nodes": [{"name": "ask", "kind": "openai_agent", "writes": ["answer"], "retry": {"attempts_max": 1} $3,
            "settings": {"url": "$agent", "model": "gpt-x", "api": "$1", "message": "$2"}}],
 "edges": [{"from": "__start__", "to": "ask"}]}
END
}

for api in responses chat; do
    asking "$api" hello ""
    run 0 run ask.json --allow http=127.0.0.1 --json
    has "$out" 'Grüße 😀😀😀 from aimock 🌍!' '"label":"output"'
    asking "$api" count ""
    run 0 run ask.json --allow http=127.0.0.1 --json
    has "$out" '"label":"usage"' '\"input\":11'
    asking "$api" "what is the weather" ""
    run 1 run ask.json --allow http=127.0.0.1 -q
    has "$err" "it calls the function 'weather'"
    asking "$api" limit ""
    run 1 run ask.json --allow http=127.0.0.1 -q
    has "$err" "slow down" "node 'ask', the agent at http://127.0.0.1:"
    asking "$api" broken ""
    run 1 run ask.json --allow http=127.0.0.1 -q
    has "$err" "out of order"
    asking "$api" key ""
    run 1 run ask.json --allow http=127.0.0.1 -q
    has "$err" "status 401" "who are you?"
    asking "$api" vanish ""
    run 1 run ask.json --allow http=127.0.0.1 -q
    has "$err" "the agent at http://127.0.0.1:"
done
# The mock has no word for it in Responses.
asking chat short ""
run 1 run ask.json --allow http=127.0.0.1 -q
has "$err" "its answer is incomplete"
echo "openai_agents: all is well"
