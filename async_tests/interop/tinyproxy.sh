#!/usr/bin/env bash
# openai_model through the proxy tinyproxy: tunnels, credentials and refusals.
# usage: tinyproxy.sh <program scripted_endpoint> <program proxy_client>
set -euo pipefail
client=$2
. "$(dirname "$0")/server.sh"
command -v tinyproxy >/dev/null || skip "there is no tinyproxy; scripts/install-deps --tools installs it"
unset WEFT_LLM_URL SSL_CERT_FILE SSL_CERT_DIR
. "$(dirname "$0")/endpoint.sh"
target=${WEFT_LLM_URL#https://}
target_port=${target#*:}
target_port=${target_port%%/*}

work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT

# start_tinyproxy <port>
start_tinyproxy() {
    printf '%s\n' "Port $1" "Listen 127.0.0.1" "Timeout 20" "MaxClients 20" "LogFile \"$work/log\"" \
        "BasicAuth ann hunter2" "ConnectPort $target_port" >"$work/tinyproxy.conf"
    tinyproxy -d -c "$work/tinyproxy.conf" >"$work/out" 2>&1 &
}
start_on_some_port start_tinyproxy || fail "tinyproxy does not start: $(cat "$work/out")"

answer=$("$client" "$WEFT_LLM_URL" "http://ann:hunter2@127.0.0.1:$port") || fail "the call through the proxy failed"
grep -q 'You said: hello proxy' <<<"$answer" || fail "the proxy changed the answer: $answer"
grep -q "CONNECT localhost:$target_port" "$work/log" || fail "the proxy saw no CONNECT: $(cat "$work/log")"

# refused <base URL> <proxy> <status>: the call fails, and the error names proxy and status.
refused() {
    local error
    if error=$("$client" "$1" "$2" 2>&1); then fail "the proxy was to refuse $1: $error"; fi
    grep -q "127.0.0.1:$port answered $3" <<<"$error" || fail "the error does not name proxy and status $3: $error"
    if grep -q hunter <<<"$error"; then fail "the password stands in the error: $error"; fi
}

refused "$WEFT_LLM_URL" "http://127.0.0.1:$port" 407
refused "$WEFT_LLM_URL" "http://ann:hunter3@127.0.0.1:$port" 40
refused "https://localhost:1/v1" "http://ann:hunter2@127.0.0.1:$port" 403
echo "tinyproxy: all is well"
