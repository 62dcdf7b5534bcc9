#!/usr/bin/env bash
# Nodes that reach outside: services by HTTP, spans of time, and events that other processes bring.
. "$(dirname "$0")/../program.sh"
. "$source/async_tests/interop/server.sh"
unset WEFT_LLM_PROVIDER WEFT_LLM_URL WEFT_LLM_API_KEY WEFT_LLM_MODEL OPENAI_API_KEY OPENAI_BASE_URL \
    ANTHROPIC_API_KEY GEMINI_API_KEY GOOGLE_API_KEY
export WEFT_STORE=runs.db

cat >order.json <<'END_OF_GRAPH'
{
  "name": "order",
  "state": [{"name": "receipt", "type": "string"}, {"name": "amount", "type": "number"}],
  "nodes": [
    {"name": "rest", "kind": "wait", "settings": {"span": "300ms"}},
    {"name": "pay", "kind": "wait", "writes": ["receipt", "amount"], "settings": {"event": "paid"}}
  ],
  "edges": [{"from": "__start__", "to": "rest"}, {"from": "rest", "to": "pay"}]
}
END_OF_GRAPH
run 0 check --strict order.json
if "$weft" run order.json --thread probe 2>&1 </dev/null | grep -q "built without SQLite"; then
    skip "this weft is built without SQLite"
fi

# The span passes, and the run waits in the store for the event.
run 3 run order.json --thread o
has "$out" "rest" "done after" "pay#1/event:paid#0" "Waits for the event 'paid'." "weft event o paid"
run 2 event o payed
has "$err" "no node waits for the event 'payed' now; awaited are 'paid'"
run 2 event o paid '{"amount": "much"}'
has "$err" "does not fit" "expected a number"
run 2 event oo paid
has "$err" "did you mean 'o'?"
run 0 event o paid '{"receipt": "r-1", "amount": 12.5}'
has "$out" "The event 'paid' is delivered." "weft resume o"
run 2 event o paid
run 0 resume o -q
has "$(tr -s ' ' <<<"$out")" "receipt r-1" "amount 12.5" "status finished"

# A run that is not kept cannot get it, and says so.
run 3 run order.json
has "$err" "--thread"

# An event that does not come in time; the time goes on while no process has the run.
sed 's/"event": "paid"/"event": "paid", "timeout": "400ms", "otherwise": {"receipt": "none"}/' order.json >late.json
run 0 run late.json --thread late -q
has "$(tr -s ' ' <<<"$out")" "receipt none"

# A killed process: another one waits for the rest of the span only.
sed 's/300ms/4s/' order.json >long.json
"$weft" run long.json --thread long >long.log 2>&1 </dev/null &
running=$!
for _ in $(seq 100); do
    grep -q "rest .*started" long.log && break
    sleep 0.05
done
sleep 1
kill -KILL "$running"
wait "$running" 2>/dev/null || true
began=$(date +%s%N)
run 3 resume long --graph long.json -q
took=$(($(date +%s%N) - began))
[ "$took" -lt 3500000000 ] || fail "the rest of 4 s took $took ns"

# Services: a public address, or one that is trusted.
command -v python3 >/dev/null || skip "there is no python3"
cat >service.py <<'END_OF_SERVICE'
import http.server, json, sys
class service(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = {"score": len(body["text"]), "told": self.headers.get("X-Token", "no token")}
        text = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)
    def log_message(self, *all): pass
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), service).serve_forever()
END_OF_SERVICE
start_service() { python3 service.py "$1" >service.log 2>&1 & }
start_on_some_port start_service || fail "the service does not start: $(cat service.log)"
trap 'kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
cat >score.json <<END_OF_GRAPH
{
  "name": "score",
  "state": [{"name": "text", "type": "string", "initial": "four"}, {"name": "score", "type": "integer"},
            {"name": "told", "type": "string"}],
  "nodes": [{"name": "call", "kind": "http", "reads": ["text"], "writes": ["score", "told"],
             "settings": {"url": "http://127.0.0.1:$port/score", "headers": {"X-Token": "\${SCORE_TOKEN}"}}}],
  "edges": [{"from": "__start__", "to": "call"}]
}
END_OF_GRAPH
export SCORE_TOKEN=token-of-the-test
run 0 check --strict score.json
run 1 run score.json -q
has "$err" "trust the host, as with weft run --allow http=127.0.0.1"
lacks "$out$err" "token-of-the-test"
run 0 run score.json -q --allow "http=127.0.0.1:$port"
has "$(tr -s ' ' <<<"$out")" "score 4" "told token-of-the-test"
run 2 run score.json --allow http=
has "$err" "name the host"
run 2 run score.json --allow htpp=x
has "$err" "did you mean 'http'?"
echo "outside: all is well"
