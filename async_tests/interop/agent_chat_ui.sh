#!/usr/bin/env bash
# agent-chat-ui of LangChain, in Chromium, against a server of weft. It is on no registry: this runs where its sources
# lie with their packages.
#   git clone https://github.com/langchain-ai/agent-chat-ui build/interop/agent-chat-ui
#   npm install --prefix build/interop/agent-chat-ui --legacy-peer-deps
# usage: agent_chat_ui.sh <program langgraph_server> <folder of its sources>
set -euo pipefail
. "$(dirname "$0")/langgraph_start.sh"
command -v node >/dev/null || skip "there is no node"
[ -d "$2/node_modules/@langchain/langgraph-sdk" ] || skip "there is no agent-chat-ui in $2"
start_langgraph_server "$1"
beside_langgraph_server node "$(dirname "$0")/agent_chat_ui/agent_chat_ui.mjs" "$url" "$2"
end_langgraph_server
