#!/usr/bin/env bash
# The official clients of MCP, in JavaScript of both lines and in Python, and the inspector, call graphs as tools: at
# /mcp of a server with three loops.
# usage: mcp_clients.sh <program langgraph_server> <folder of foreign programs>
set -euo pipefail
. "$(dirname "$0")/langgraph_start.sh"
. "$(dirname "$0")/mcp_packages.sh"
need_mcp_clients "$2"
loops=3  # connections meet any of them
start_langgraph_server "$1"
beside_langgraph_server timeout 60 "$node22" "$(dirname "$0")/mcp_clients.mjs" "$clients" http "$url/mcp"
python=$2/mcp_python/bin/python
if [ -x "$python" ]; then
    beside_langgraph_server timeout 60 "$python" "$(dirname "$0")/mcp_clients.py" http "$url/mcp"
    said=$(beside_langgraph_server "$python" "$(dirname "$0")/../../samples/clients/mcp_client.py" "$url/mcp" approval \
        '{"input": "it"}' <<<yes)
    case $said in *' sent') ;; *) fail "the sample says: $said" ;; esac
fi
inspector=$clients/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js
if [ -r "$inspector" ]; then
    said=$(cd "$work" && timeout 60 "$node22" "$inspector" --cli "$url/mcp" --transport http --method tools/call \
        --tool-name echo --tool-arg input=hello) || fail "the inspector: $said"
    case $said in *"first hello"*) echo "the inspector calls a tool" ;; *) fail "the inspector: $said" ;; esac
fi
end_langgraph_server
