#!/usr/bin/env bash
# Agents of weft, from end to end, against mock servers of models that others maintain, over HTTPS.
# usage: agents.sh <program interop_agents> <folder of node_modules> all|some|failures|mcp <API>
set -euo pipefail
here=$(dirname "$0")
. "$here/node_server.sh"

program=$1 modules=$2 what=$3 api=$4
more=()
if [ "$what" = mcp ]; then
    need_node
    mcp=$modules/@modelcontextprotocol/server-everything/dist/index.js
    [ -r "$mcp" ] ||
        skip "there is no package @modelcontextprotocol/server-everything; scripts/install-deps --tools installs it"
    more=(node "$mcp" stdio)
fi
export AGENTS_API=$api
if [ "$api" = other_openai ]; then
    start_node_server "$here/agents/openai_mock.mjs" openai-mock-api "$modules"
else
    start_node_server "$here/agents/mock.mjs" @copilotkit/aimock "$modules"
fi
"$program" "$what" "$api" "$said" "${more[@]}"
