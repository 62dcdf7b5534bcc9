#!/usr/bin/env bash
# The compliance suite of Open Responses against a server of weft. It is in no registry: it runs where its repository is,
# with tsx, ws and zod installed there:
#   git clone https://github.com/openresponses/openresponses build/interop/open-responses
#   cd build/interop/open-responses && npm install --no-save --ignore-scripts tsx zod@3
# usage: open_responses.sh <program openai_server> <folder of the suite>
set -euo pipefail
. "$(dirname "$0")/langgraph_start.sh"
[ -x "$2/node_modules/.bin/tsx" ] || skip "the compliance suite of Open Responses is not in $2"
suite=$(realpath "$2")
start_langgraph_server "$1"
export NODE_OPTIONS=--experimental-websocket  # without a flag from Node 22 on
(cd "$suite" && beside_langgraph_server node_modules/.bin/tsx bin/compliance-test.ts -u "$url/v1" -k key -m chat)
end_langgraph_server
