#!/usr/bin/env bash
# weft run with a graph file that names the protocol's own test server in its member mcp, as a program and by its URL.
# usage: mcp_program.sh <program weft> <source folder> <folder of node_modules>
modules=$(cd "$3" 2>/dev/null && pwd) || modules=$3
. "$(dirname "$0")/../cli/program.sh"
. "$source/async_tests/interop/server.sh"
unset WEFT_LLM_PROVIDER WEFT_LLM_URL WEFT_LLM_API_KEY WEFT_LLM_MODEL OPENAI_API_KEY OPENAI_BASE_URL \
    ANTHROPIC_API_KEY GEMINI_API_KEY GOOGLE_API_KEY WEFT_STORE
need_node
server=$modules/@modelcontextprotocol/server-everything/dist/index.js
[ -r "$server" ] ||
    skip "there is no package @modelcontextprotocol/server-everything; scripts/install-deps --tools installs it"

# make_graph <server>: a scripted agent that calls two tools of it.
make_graph() {
    cat <<END_OF_GRAPH
{
  "name": "sums",
  "state": [{"name": "answer", "type": "string"}, {"name": "messages", "type": "messages", "reducer": "append"}],
  "mcp": {"all": $1},
  "nodes": [{"name": "work", "kind": "react", "writes": ["messages", "answer"],
             "settings": {"system": "You add.", "prompt": "Add.", "tools": ["all__get-sum", "all__echo"], "scripted": [
    "<tool_call>{\"name\": \"all__get-sum\", \"arguments\": {\"a\": 19, \"b\": 23}}</tool_call>",
    "<tool_call>{\"name\": \"all__echo\", \"arguments\": {\"message\": \"told\"}}</tool_call>",
    "done"]}}],
  "edges": [{"from": "__start__", "to": "work"}]
}
END_OF_GRAPH
}

make_graph "{\"command\": [\"node\", \"$server\", \"\${EVERYTHING_HOW}\"],
          \"tools\": [\"get-sum\", \"echo\"]}" >sums.json
run 0 check --strict sums.json
run 0 explain sums.json --prompt work
has "$out" "all__get-sum"
run 2 run sums.json
has "$err" "the tool 'all__get-sum' is not allowed: add --allow mcp=all"
run 2 run sums.json --allow mcp=al
has "$err" "has no server 'al' (did you mean 'all'?)"
unset EVERYTHING_HOW
run 2 run sums.json --allow mcp=all
has "$err" '$.mcp.all.command[2]: the environment variable EVERYTHING_HOW is not set'
export EVERYTHING_HOW=stdio
run 0 run sums.json --allow mcp=all --json
has "$out" '"status":"finished"' "42" "Echo: told"
run 0 run sums.json --allow mcp=all --thread kept --quiet
has "$out" "done"

# Nodes of the kind mcp call tools without a model: a text, and structured content.
cat >direct.json <<END_OF_GRAPH
{
  "name": "direct",
  "state": [{"name": "a", "type": "integer", "initial": 19}, {"name": "city", "type": "string", "initial": "New York"},
            {"name": "text", "type": "string"}, {"name": "temperature", "type": "number"},
            {"name": "conditions", "type": "string"}, {"name": "humidity", "type": "number"}],
  "mcp": {"all": {"command": ["node", "$server", "stdio"]}},
  "nodes": [
    {"name": "add", "kind": "mcp", "writes": ["text"],
     "settings": {"server": "all", "tool": "get-sum", "arguments": {"a": "{a}", "b": 23}}},
    {"name": "weather", "kind": "mcp", "writes": ["temperature", "conditions", "humidity"],
     "settings": {"server": "all", "tool": "get-structured-content", "arguments": {"location": "{city}"}}}
  ],
  "edges": [{"from": "__start__", "to": "add"}, {"from": "add", "to": "weather"}]
}
END_OF_GRAPH
run 0 check --strict direct.json
run 2 run direct.json
has "$err" "the tool 'all__get-sum' is not allowed: add --allow mcp=all"
run 0 run direct.json --allow mcp=all --json
has "$out" '"text":"The sum of 19 and 23 is 42."' '"conditions":"' '"status":"finished"'
sed 's/"b": 23/"b": "x"/' direct.json >wrong.json
run 1 run wrong.json --allow mcp=all -q
has "$err" "node 'add', tool 'get-sum' of the MCP server 'all'" "expected a number, got the string 'x'"

# By URL: the server is ours, and is stopped at the end.
port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => {
    console.log(s.address().port); s.close(); })')
PORT=$port node "$server" streamableHttp >server.log 2>&1 &
pid=$!
disown "$pid"
trap 'kill -KILL "$pid" 2>/dev/null; rm -rf "$work"' EXIT
wait_for_port "$port" "$pid" || fail "the server does not start: $(cat server.log)"
make_graph "{\"url\": \"http://127.0.0.1:$port/mcp\"}" >sums.json
run 0 check --strict sums.json
run 0 run sums.json --allow mcp=all --json
has "$out" '"status":"finished"' "42" "Echo: told"

# A server that is not there is named.
make_graph '{"command": ["weft-no-such-program"]}' >sums.json
run 2 run sums.json --allow mcp=all
has "$err" "MCP server 'all'" "weft-no-such-program"
echo "mcp_program: all is well"
