#!/usr/bin/env bash
# weft run with an MCP server that wants tokens of OAuth, which is out of the protocol's own SDK, as its authorization
# server is: a person agrees at a terminal (curl is the browser), tokens are kept in a file, refreshed, and refused.
# usage: mcp_oauth.sh <program weft> <source folder> <folder of node_modules>
modules=$(cd "$3" 2>/dev/null && pwd) || modules=$3
. "$(dirname "$0")/../cli/program.sh"
. "$source/async_tests/interop/server.sh"
unset WEFT_LLM_PROVIDER WEFT_LLM_URL WEFT_LLM_API_KEY WEFT_LLM_MODEL OPENAI_API_KEY OPENAI_BASE_URL \
    ANTHROPIC_API_KEY GEMINI_API_KEY GOOGLE_API_KEY WEFT_STORE http_proxy https_proxy HTTP_PROXY HTTPS_PROXY
need_node
command -v script >/dev/null || skip "there is no program script, which gives a terminal"
command -v curl >/dev/null || skip "there is no program curl"
[ -r "$modules/@modelcontextprotocol/sdk/package.json" ] ||
    skip "there is no package @modelcontextprotocol/sdk; scripts/install-deps --tools installs it"

start_server() { node "$source/async_tests/interop/mcp_oauth_server.mjs" "$modules" "$1" >>server.log 2>&1 & }
start_on_some_port start_server || fail "the server does not start: $(cat server.log)"
disown "$server"
trap 'kill -KILL "$server" 2>/dev/null; rm -rf "$work"' EXIT
at=http://127.0.0.1:$port

cat >echo.json <<END_OF_GRAPH
{
  "name": "echo",
  "state": [{"name": "answer", "type": "string"}, {"name": "messages", "type": "messages", "reducer": "append"}],
  "mcp": {"guarded": {"url": "$at/mcp", "oauth": {}}},
  "nodes": [{"name": "work", "kind": "react", "writes": ["messages", "answer"],
             "settings": {"system": "You echo.", "prompt": "Echo.", "tools": ["guarded__echo"], "scripted": [
    "<tool_call>{\"name\": \"guarded__echo\", \"arguments\": {\"message\": \"told\"}}</tool_call>", "done"]}}],
  "edges": [{"from": "__start__", "to": "work"}]
}
END_OF_GRAPH

# Without a terminal no person can agree.
run 2 run echo.json --allow mcp=guarded --mcp-tokens tokens.json
has "$err" "MCP server 'guarded'" "a person has to agree in a browser" "--mcp-tokens FILE"
[ ! -e tokens.json ] || fail "there are tokens that were not given"

# At a terminal the URL is shown, and the browser comes back.
script --quiet --flush --command "'$weft' run echo.json --allow mcp=guarded --mcp-tokens tokens.json --json" terminal.log \
    >/dev/null </dev/null &
shown=$!
url=""
for _ in $(seq 100); do
    url=$(grep -aom1 "$at/authorize?[^[:space:]]*" terminal.log 2>/dev/null || true)
    if [ -n "$url" ] || ! kill -0 "$shown" 2>/dev/null; then break; fi
    sleep 0.1
done
[ -n "$url" ] || fail "no URL is shown: $(cat terminal.log)"
has "$(curl --silent --show-error --location "$url")" "You can close this window"
wait "$shown" || true
has "$(cat terminal.log)" '"status":"finished"' "Echo: told"
is "$(stat --format=%a tokens.json)" 600
is "$(curl --silent "$at/counts")" '{"agreed":1,"refreshed":0}'

# The file has what later runs need: the token, then the refresh token, which rotates.
run 0 run echo.json --allow mcp=guarded --mcp-tokens tokens.json --json
has "$out" "Echo: told"
for refreshed in 1 2; do
    curl --silent "$at/forget" >/dev/null
    run 0 run echo.json --allow mcp=guarded --mcp-tokens tokens.json --json
    has "$out" "Echo: told"
    is "$(curl --silent "$at/counts")" "{\"agreed\":1,\"refreshed\":$refreshed}"
done
case $out$err in *again-*) fail "a token is shown" ;; esac

# Others may not read it.
chmod 644 tokens.json
run 2 run echo.json --allow mcp=guarded --mcp-tokens tokens.json
has "$err" "tokens.json" "chmod 600"
echo "mcp_oauth: all is well"
