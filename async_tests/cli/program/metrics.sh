#!/usr/bin/env bash
# GET /metrics of weft serve, its scope, and the dashboard and the alerts that are made for it.
. "$(dirname "$0")/../program.sh"
. "$source/async_tests/interop/server.sh"
command -v curl >/dev/null || skip "curl is not installed"
unset WEFT_STORE

# A name that the program does not have would stay empty for ever.
known=$(grep -oE '"weft_[a-z_]+"' "$source/lib/observe/metric/weft_metrics.cpp" | tr -d '"')
telemetry=$source/docs/server/telemetry
for name in $(grep -ohE '\bweft_[a-z_]+' "$telemetry/dashboard.json" "$telemetry/alerts.yml" | sort -u); do
    plain=$(sed -E 's/_(total|bucket|count|sum)$//' <<<"$name")
    grep -qx "$plain" <<<"$known" || fail "$name: weft has no such metric"
done
for name in $known; do
    grep -q "$name" "$source/docs/server/TELEMETRY.md" || fail "docs/server/TELEMETRY.md does not name $name"
done

cat >hello.json <<'END'
{"name": "hello",
 "state": [{"name": "said", "type": "string"}],
 "nodes": [{"name": "greet", "kind": "set", "writes": ["said"], "settings": {"values": {"said": "hello"}}}],
 "edges": [{"from": "__start__", "to": "greet"}]}
END
run 0 keys --add scraper --scope metrics:read
scraper=$out
run 0 keys --add everything
everything=$out
start_server() {
    "$weft" serve hello.json --api-keys --listen "127.0.0.1:$1" --access-log access.jsonl --run-log runs.jsonl \
        >serve.log 2>&1 &
}
start_on_some_port start_server || fail "weft serve does not start: $(cat serve.log)"
trap 'kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
# ask <path> <argument of curl>…
ask() {
    local path=$1
    shift
    curl -s "http://127.0.0.1:$port$path" "$@"
}
# It tells of all tenants: a key for everything else does not open it.
is "$(ask /metrics -o /dev/null -w '%{http_code}')" 401
is "$(ask /metrics -H "x-api-key: $everything" -o /dev/null -w '%{http_code}')" 403
is "$(ask /runs/wait -H "x-api-key: $everything" -H 'content-type: application/json' \
    -d '{"assistant_id": "hello", "input": {}}')" '{"said":"hello"}'
ask /metrics -H "authorization: Bearer $scraper" >metrics.txt
has "$(cat metrics.txt)" 'weft_runs_total{graph="hello",outcome="finished"} 1' \
    'weft_http_requests_total{route="/metrics",method="GET",code="403"} 1' 'weft_workers{state="alive"} 1'
ask /metrics -H "x-api-key: $scraper" -H 'accept: application/openmetrics-text' >open.txt
is "$(tail -n 1 open.txt)" "# EOF"

# Lines about requests and runs name the thread, the run and the trace.
trace=0af7651916cd43dd8448eb211c80319c
ask /threads/t1/runs/wait -H "x-api-key: $everything" -H 'content-type: application/json' \
    -H "traceparent: 00-$trace-b7ad6b7169203331-01" -o /dev/null \
    -d '{"assistant_id": "hello", "input": {}, "if_not_exists": "create"}'
has "$(tail -n 1 access.jsonl)" '"path":"/threads/t1/runs/wait"' '"thread_id":"t1"' "\"trace_id\":\"$trace\""
has "$(tail -n 1 runs.jsonl)" '"event":"run_ended"' '"graph":"hello"' '"thread_id":"t1"' '"status":"finished"' \
    "\"trace_id\":\"$trace\"" '"run_id":"'

# weft top reads the same.
run 2 top "127.0.0.1:$port" --pages 1
has "$err" "metrics:read"
WEFT_API_KEY=$scraper "$weft" top "127.0.0.1:$port" --every 1s --pages 1 >top.txt &
top=$!
for _ in $(seq 10); do
    ask /runs/wait -H "x-api-key: $everything" -H 'content-type: application/json' -o /dev/null \
        -d '{"assistant_id": "hello", "input": {}}'
    sleep 0.05
done
wait "$top" || fail "weft top: $(cat top.txt)"
has "$(cat top.txt)" "runs    0 under way" "workers 1" "GRAPH  NODE   ATTEMPTS" "hello  greet"

PATH=$PATH:$source/build/interop/prometheus/usr/bin
command -v promtool >/dev/null || skip "promtool is not installed; the rest went well"
said=$(promtool check metrics <metrics.txt 2>&1) || fail "promtool check metrics: $said"
is "$said" ""
said=$(promtool check rules "$telemetry/alerts.yml" 2>&1) || fail "promtool check rules: $said"
cp "$telemetry/alerts.yml" "$source/async_tests/interop/telemetry/alerts_test.yml" .
said=$(promtool test rules alerts_test.yml 2>&1) || fail "promtool test rules: $said"
# Each expression of the dashboard is one that Prometheus understands.
python3 - "$telemetry/dashboard.json" >rules.yml <<'END' || fail "the dashboard is no JSON"
import json, sys
rules = []
for panel in json.load(open(sys.argv[1]))["panels"]:
    for target in panel.get("targets", []):
        rules.append({"record": "r%d:x" % len(rules), "expr": target["expr"].replace("$__rate_interval", "5m")})
print(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
END
said=$(promtool check rules rules.yml 2>&1) || fail "the dashboard: $said"
