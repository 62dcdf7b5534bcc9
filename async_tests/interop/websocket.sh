#!/usr/bin/env bash
# A WebSocket client that others wrote, the Python package websockets, against a server of weft.
# usage: websocket.sh <program langgraph_server> <folder with a Python environment>
set -euo pipefail
. "$(dirname "$0")/langgraph_start.sh"
python=$2/bin/python
[ -x "$python" ] && "$python" -c 'import websockets.asyncio.client' 2>/dev/null ||
    skip "Python has no package websockets; scripts/install-deps --tools installs it with langgraph_sdk"
start_langgraph_server "$1"
"$python" "$(dirname "$0")/websocket.py" "$url"
end_langgraph_server
