#!/usr/bin/env bash
# weft mcp: the official clients of MCP start the program, and call a graph file as a tool; its run is in the store.
# usage: mcp_stdio.sh <program weft> <source folder> <folder of foreign programs>
foreign=$(cd "$3" 2>/dev/null && pwd) || foreign=$3
. "$(dirname "$0")/../cli/program.sh"
. "$source/async_tests/interop/mcp_packages.sh"
need_mcp_clients "$foreign"
unset WEFT_LLM_PROVIDER WEFT_LLM_URL WEFT_LLM_API_KEY WEFT_LLM_MODEL OPENAI_API_KEY OPENAI_BASE_URL \
    ANTHROPIC_API_KEY GEMINI_API_KEY GOOGLE_API_KEY WEFT_STORE
mkdir graphs
cat >graphs/hello.json <<'END_OF_GRAPH'
{
  "name": "hello", "description": "Greets a person.",
  "state": [{"name": "who", "type": "string"}, {"name": "text", "type": "string"}],
  "nodes": [{"name": "greet", "kind": "llm", "writes": ["text"],
             "settings": {"prompt": "Greet {who}", "scripted": ["Hello, Ada"]}}],
  "edges": [{"from": "__start__", "to": "greet"}]
}
END_OF_GRAPH
timeout 60 "$node22" "$source/async_tests/interop/mcp_clients.mjs" "$clients" stdio "$weft" mcp graphs || fail "JavaScript"
python=$foreign/mcp_python/bin/python
if [ -x "$python" ]; then
    timeout 60 "$python" "$source/async_tests/interop/mcp_clients.py" stdio "$weft" mcp graphs || fail "Python"
fi
run 0 threads
has "$out" "hello"
run 2 mcp nothing.json
has "$err" "nothing.json"
echo "mcp_stdio: all is well"
