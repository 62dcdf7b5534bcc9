#!/usr/bin/env bash
# usage: otlp.sh <program otlp_bytes> <program weft> <environment of Python>
# Spans as OpenTelemetry's own decoder reads them: bytes of every shape; and a run that one process begins and another
# one ends, with what its caller says of the trace, and with nothing of what was said in it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/server.sh"
bytes=$1 weft=$2 python=$3/bin/python
"$python" -c 'import opentelemetry.proto.collector.trace.v1.trace_service_pb2' 2>/dev/null ||
    skip "opentelemetry-proto is not installed: scripts/install-deps --tools"
command -v curl >/dev/null || skip "curl is not installed"
unset WEFT_STORE WEFT_LLM_PROVIDER WEFT_LLM_URL WEFT_LLM_MODEL OPENAI_API_KEY ANTHROPIC_API_KEY GEMINI_API_KEY
work=$(mktemp -d)
processes=
trap 'kill $processes 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"

mkdir bytes
"$bytes" bytes
PYTHONDONTWRITEBYTECODE=1 "$python" "$here/telemetry/compare_bytes.py" bytes

start_collector() {
    PYTHONDONTWRITEBYTECODE=1 "$python" "$here/telemetry/collector.py" "$1" spans.txt 2>collector.log &
}
start_on_some_port start_collector || fail "the collector does not start: $(cat collector.log)"
collector=http://127.0.0.1:$port processes=$server
cat >asking.json <<END
{"name": "asking",
 "state": [{"name": "topic", "type": "string"}, {"name": "draft", "type": "string"}, {"name": "ok", "type": "string"},
           {"name": "rated", "type": "string"}],
 "nodes": [{"name": "write", "kind": "llm", "reads": ["topic"], "writes": ["draft"],
            "settings": {"prompt": "About {topic}"}},
           {"name": "rate", "kind": "http", "reads": ["draft"], "writes": ["rated"],
            "settings": {"url": "$collector/rate"}},
           {"name": "review", "kind": "human", "writes": ["ok"], "settings": {"question": "Fine?"}}],
 "edges": [{"from": "__start__", "to": "write"}, {"from": "write", "to": "rate"},
           {"from": "rate", "to": "review"}]}
END
export OTEL_BSP_SCHEDULE_DELAY=50 OTEL_SERVICE_NAME=shop
export WEFT_LLM_PROVIDER=openai WEFT_LLM_URL=$collector/v1 WEFT_LLM_MODEL=gpt-x WEFT_LLM_API_KEY=k
start_weft() {
    "$weft" serve asking.json --otlp "$collector" --allow http=127.0.0.1 --listen "127.0.0.1:$1" >>weft.log 2>&1 &
}
# begin: a life of the server.
begin() {
    start_on_some_port start_weft || fail "weft serve does not start: $(cat weft.log)"
    life=$server at=http://127.0.0.1:$port
    processes="$processes $life"
}
# until_said <pattern>: until the collector has got a line like that.
until_said() {
    for _ in $(seq 200); do ! grep -qE "$1" spans.txt 2>/dev/null || return 0; sleep 0.05; done
    fail "no '$1' in: $(cat spans.txt weft.log)"
}
caller=0af7651916cd43dd8448eb211c80319c
begin
curl -s "$at/threads/t/runs/wait" -H 'content-type: application/json' \
    -H "traceparent: 00-$caller-b7ad6b7169203331-01" \
    -d '{"assistant_id": "asking", "input": {"topic": "canary-in-an-input"}, "if_not_exists": "create"}' >/dev/null
until_said '^span invoke_workflow'
kill "$life" && wait "$life" 2>/dev/null || true
OTEL_EXPORTER_OTLP_PROTOCOL=http/json begin
curl -s "$at/threads/t/runs/wait" -H 'content-type: application/json' \
    -d '{"assistant_id": "asking", "command": {"resume": "canary-in-an-answer"}}' >answer.json
until_said '^ link '
kill "$life" && wait "$life" 2>/dev/null || true

# One trace, that of the caller; the second part is linked to the first.
traces=$(sed -n 's/^span [^|]*|\([^|]*\)|.*/\1/p' spans.txt | sort -u)
[ "$traces" = "$caller" ] || fail "the traces $traces instead of $caller in: $(cat spans.txt)"
first=$(sed -n 's/^span invoke_workflow asking|[^|]*|\([^|]*\)|b7ad6b7169203331|.*/\1/p' spans.txt | sed -n 1p)
[ -n "$first" ] || fail "no first part within the caller's span in: $(cat spans.txt)"
has "$(cat spans.txt)" " link $caller|$first" "service.name = text shop" "weft.status = text paused" \
    "weft.status = text finished" "path /v1/traces json" "gen_ai.operation.name = text chat" \
    "gen_ai.usage.input_tokens = int 12" "gen_ai.response.finish_reasons = list text stop"
# chat is within the node, and that within the run.
node=$(sed -n "s/^span weft.node write|[^|]*|\([^|]*\)|$first|.*/\1/p" spans.txt)
chat=$(sed -n "s/^span chat gpt-x|[^|]*|\([^|]*\)|$node|3|.*/\1/p" spans.txt)
# What the model was sent names the request over HTTP, which is within the call.
request=$(sed -n "s/^span POST|[^|]*|\([^|]*\)|$chat|3|.*/\1/p" spans.txt)
# sent <number>: the call of this number was told of the request that was just found.
sent() {
    [ "$(sed -n "$1p" spans.txt.called)" = "00-$caller-$request-01" ] ||
        fail "call $1 of $(cat spans.txt.called) beside: $(cat spans.txt)"
}
sent 1
# So does what a service was sent, which is within its node.
node=$(sed -n "s/^span weft.node rate|[^|]*|\([^|]*\)|$first|.*/\1/p" spans.txt)
request=$(sed -n "s/^span POST|[^|]*|\([^|]*\)|$node|3|.*/\1/p" spans.txt)
sent 2
has "$(cat answer.json)" canary
lacks "$(tr -d '\0' <spans.txt.raw)" canary
