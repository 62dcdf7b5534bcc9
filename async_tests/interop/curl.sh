#!/usr/bin/env bash
# curl as a client of the scripted endpoint. usage: curl.sh <program scripted_endpoint>
set -euo pipefail
unset WEFT_LLM_URL SSL_CERT_FILE
. "$(dirname "$0")/endpoint.sh"
command -v curl >/dev/null || skip "there is no curl"

# ask <body>: what the endpoint answers.
ask() {
    curl --silent --show-error --fail --no-buffer --max-time 20 --cacert "$SSL_CERT_FILE" \
        -H 'Content-Type: application/json' -d "$1" "$WEFT_LLM_URL/chat/completions"
}

# expect <text> <pattern>…: each must stand in the text.
expect() {
    local text=$1 pattern
    shift
    for pattern in "$@"; do
        grep -q -e "$pattern" <<<"$text" || fail "no '$pattern' in: $text"
    done
}

hello='"model":"scripted","messages":[{"role":"user","content":"hello curl"}]'
expect "$(ask "{$hello}")" '"content":"You said: hello curl"' '"finish_reason":"stop"' '"total_tokens":' \
    '"object":"chat.completion"'

streamed=$(ask "{$hello,\"stream\":true,\"stream_options\":{\"include_usage\":true}}")
expect "$streamed" '^data: {' '"chat.completion.chunk"' '"finish_reason":"stop"' '"usage":{' '^data: \[DONE\]'
[ "$(grep -c '"content":"' <<<"$streamed")" -gt 2 ] || fail "the text came in one piece: $streamed"

weather='"tools":[{"type":"function","function":{"name":"weather","parameters":{"type":"object","properties":{"city":{"type":"string"}}}}}]'
called=$(ask "{$hello,$weather}")
expect "$called" '"name":"weather"' 'Lisbon' '"finish_reason":"tool_calls"'

# Nobody but the authority of this run vouches for the endpoint.
if curl --silent --max-time 20 "$WEFT_LLM_URL/chat/completions" --cacert /dev/null; then
    fail "curl believed a certificate without its authority"
fi
if ask '{"model":"scripted"}' 2>/dev/null; then fail "a request without messages was answered"; fi
echo "curl: all is well"
