#!/usr/bin/env bash
# A2A's own client in Python against a server of weft, and the sample of it.
# usage: a2a_python.sh <program langgraph_server> <folder with a Python environment>
set -euo pipefail
. "$(dirname "$0")/langgraph_start.sh"
python=$2/bin/python
[ -x "$python" ] && "$python" -c 'import a2a.client' 2>/dev/null ||
    skip "Python has no package a2a-sdk; scripts/install-deps --tools installs it"
loops=3  # connections meet any of them
start_langgraph_server "$1"
beside_langgraph_server "$python" "$(dirname "$0")/a2a_python.py" "$url"
said=$("$python" "$(dirname "$0")/../../samples/clients/a2a_client.py" "$url/a2a/chat" hello)
[[ $said == *"You said: hello"* ]] || fail "the sample says: $said"
end_langgraph_server
