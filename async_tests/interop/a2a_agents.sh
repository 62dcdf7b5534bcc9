#!/usr/bin/env bash
# Agents made with A2A's own SDKs, in Python and in JavaScript, called by nodes of the kind a2a; and an agent of weft,
# whose question crosses a second server.
# usage: a2a_agents.sh <program weft> <source folder> <folder with a Python environment and node_modules> <program
#        langgraph_server>
foreign=$(cd "$3" 2>/dev/null && pwd) || foreign=$3
talkers=$4
. "$(dirname "$0")/../cli/program.sh"
. "$source/async_tests/interop/server.sh"
unset WEFT_STORE
need_node
python=$foreign/bin/python
[ -x "$python" ] && "$python" -c 'import a2a.server, uvicorn' 2>/dev/null ||
    skip "Python has no package a2a-sdk; scripts/install-deps --tools installs it"
[ -d "$foreign/node_modules/@a2a-js/sdk" ] ||
    skip "there is no package @a2a-js/sdk; scripts/install-deps --tools installs it"
processes=
trap '[ -z "$processes" ] || kill $processes 2>/dev/null; rm -rf "$work"' EXIT

interop=$source/async_tests/interop
start_python() { "$python" "$interop/a2a_agent.py" "$1" >python.log 2>&1 & }
start_node() { node "$interop/a2a_agent.mjs" "$foreign" "$1" >node.log 2>&1 & }
start_talkers() { "$talkers" "$1" >talkers.log 2>&1 & }
start_on_some_port start_python || fail "the agent in Python does not start: $(cat python.log)"
in_python=http://127.0.0.1:$port processes=$server
start_on_some_port start_node || fail "the agent in JavaScript does not start: $(cat node.log)"
in_node=http://127.0.0.1:$port processes="$processes $server"

# asking <url of an agent>: the sample, with another agent.
asking() { sed "s#http://localhost:8123#$1#" "$source/samples/graphs/ask_an_agent.json" >ask.json; }

for agent in "$in_python" "$in_python/http" "$in_node"; do
    asking "$agent"
    run 0 check --strict ask.json
    run 1 run ask.json -q
    has "$err" "the host is not on the public internet" "--allow http=127.0.0.1"
    run 0 run ask.json --allow http=127.0.0.1 -q -i question=hello
    has "$out" "answer" "It heard: hello"
    run 0 run ask.json --allow http=127.0.0.1 --json -i question=hello
    has "$out" '"label":"output","text":"It "' '"text":"heard: "'
    run 1 run ask.json --allow http=127.0.0.1 -q -i question=fail
    has "$err" "is failed: It is out of ink"
    # What the agent asks, the run asks; the answer goes back in another life of the program.
    rm -f weft.db*
    run 3 run ask.json --allow http=127.0.0.1 --thread t -q -i question=ask
    run 0 answer t
    has "$out" "Which one?"
    run 0 answer t "the old one"
    run 0 resume t --graph ask.json --allow http=127.0.0.1 -q
    has "$out" "It heard: the old one"
done

# A server that asks an agent of another server, in the words of the official client.
start_on_some_port start_talkers || fail "the server of agents does not start: $(cat talkers.log)"
asking "http://127.0.0.1:$port/a2a/assistant"
processes="$processes $server"
start_weft() { "$weft" serve ask.json --allow http=127.0.0.1 --listen "127.0.0.1:$1" --store s.db >weft.log 2>&1 & }
start_on_some_port start_weft || fail "weft serve does not start: $(cat weft.log)"
processes="$processes $server"
"$python" "$interop/a2a_chain.py" "http://127.0.0.1:$port"
