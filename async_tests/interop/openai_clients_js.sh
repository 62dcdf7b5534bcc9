#!/usr/bin/env bash
# OpenAI's own client in JavaScript against a server of weft.
# usage: openai_clients_js.sh <program openai_server> <folder with node_modules>
set -euo pipefail
. "$(dirname "$0")/langgraph_start.sh"
folder=$2
[ -d "$folder/node_modules/openai" ] || skip "there is no package openai; scripts/install-deps --tools installs it"
node=$folder/node_modules/node/bin/node  # the client wants a newer one than Debian has
[ -x "$node" ] || node=$(command -v node || true)
[ -n "$node" ] && [ "$("$node" -p 'process.versions.node.split(".")[0]')" -ge 22 ] || skip "there is no node from 22 on"
loops=3
start_langgraph_server "$1"
client=$(realpath "$(dirname "$0")/openai_clients.mjs")
(cd "$folder" && beside_langgraph_server "$node" "$client" "$url/v1")
end_langgraph_server
