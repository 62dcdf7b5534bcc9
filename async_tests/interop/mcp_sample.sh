#!/usr/bin/env bash
# The sample 27_mcp_server: a client at the other end of its pipe calls both tools, and answers the question of one.
# usage: mcp_sample.sh <program>
set -euo pipefail
. "$(dirname "$0")/../verdicts.sh"

said=$("$1" <<'END_OF_LINES'
{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fare","arguments":{"from":"Ulm","to":"Rom"}}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"book","arguments":{"to":"Rom"}}}
{"jsonrpc":"2.0","id":0,"result":{"action":"accept","content":{"seats":2}}}
END_OF_LINES
)
for part in 'Ulm to Rom: 12 €' '"method":"elicitation/create"' '2 seats to Rom'; do
    case $said in *"$part"*) ;; *) fail "the sample does not say '$part': $said" ;; esac
done
