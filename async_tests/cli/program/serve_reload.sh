#!/usr/bin/env bash
# weft serve: graph files that change while the server runs.
. "$(dirname "$0")/../program.sh"
command -v curl >/dev/null || skip "curl is not installed"

# file <name> <word> <further nodes>
file() {
    cat <<JSON
{
  "name": "$1",
  "state": [{"name": "said", "type": "string"}],
  "nodes": [{"name": "greet", "kind": "set", "writes": ["said"], "settings": {"values": {"said": "$2"}}}],
  "edges": [{"from": "__start__", "to": "greet"}]
}
JSON
}
# asking <name of the node that asks>
asking() {
    cat <<JSON
{
  "name": "support",
  "state": [{"name": "said", "type": "string"}],
  "nodes": [{"name": "$1", "kind": "human", "writes": ["said"], "settings": {"question": "Where?"}}],
  "edges": [{"from": "__start__", "to": "$1"}]
}
JSON
}
mkdir graphs
file hello one >graphs/hello.json
asking ask >graphs/support.json

"$weft" serve graphs --listen unix:serve.sock 2>serve.log &
server=$!
trap 'kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
for _ in $(seq 100); do [ -S serve.sock ] && break || sleep 0.1; done
[ -S serve.sock ] || fail "it does not listen: $(<serve.log)"
# ask <path> <argument of curl>…
ask() {
    local path=$1
    shift
    curl -s --unix-socket serve.sock "http://localhost$path" -H 'content-type: application/json' "$@"
}
run_of() { ask /runs/wait -d "{\"assistant_id\": \"$1\", \"input\": {}}"; }
# told <text> <how often>: waits until the log has it so often.
told() {
    for _ in $(seq 100); do [ "$(grep -cF -- "$1" serve.log)" -ge "${2:-1}" ] && return || sleep 0.1; done
    fail "the log does not say '$1' ${2:-1} times: $(<serve.log)"
}
is "$(run_of hello)" '{"said":"one"}'
ask /threads -d '{"thread_id": "waiting"}' >/dev/null
has "$(ask /threads/waiting/runs/wait -d '{"assistant_id": "support", "input": {}}')" "__interrupt__"

# Saved by a rename, as editors do it.
file hello two >graphs/.hello.new
mv graphs/.hello.new graphs/hello.json
told "loaded again: hello has changed"
is "$(run_of hello)" '{"said":"two"}'

# A mistake is told with its line, and the version before stays; another file is taken all the same.
sed 's/"kind": "set"/"kind": "sett"/' graphs/hello.json >graphs/hello.json.new
file second second >graphs/second.json
mv graphs/hello.json.new graphs/hello.json
told "files with mistakes stay as they were before"
told "hello.json:4:"
told "second is new"
is "$(run_of hello)" '{"said":"two"}'
is "$(run_of second)" '{"said":"second"}'
has "$(ask /info)" '"graphs":3'

# A graph of another shape: what waits in the old one is told, and goes on with it.
asking question >graphs/support.json
told "1 thread of 'support' waits: 0 go on with the new version, 1 cannot (waiting: node 'ask'"
is "$(ask /threads/waiting/runs/wait -d '{"assistant_id": "support", "command": {"resume": "here"}}')" \
    '{"said":"here"}'

# A file that is gone takes its graph along; the signal does all of it at once.
rm graphs/second.json
told "second is gone"
has "$(run_of second)" "no assistant or graph 'second'"
file hello three >graphs/hello.json
told "hello has changed" 2
is "$(run_of hello)" '{"said":"three"}'
before=$(grep -c "loaded again" serve.log)
kill -HUP "$server"
told "loaded again" $((before + 1))
is "$(run_of hello)" '{"said":"three"}'
kill "$server"
wait "$server" || fail "the server did not end in order: $(<serve.log)"

# With --no-reload only the signal counts.
rm -f serve.sock
"$weft" serve graphs --listen unix:serve.sock --no-reload 2>serve.log &
server=$!
for _ in $(seq 100); do [ -S serve.sock ] && break || sleep 0.1; done
[ -S serve.sock ] || fail "it does not listen: $(<serve.log)"
file hello four >graphs/hello.json
sleep 1
is "$(run_of hello)" '{"said":"three"}'
kill -HUP "$server"
told "hello has changed"
is "$(run_of hello)" '{"said":"four"}'
# Nothing is left to serve: the graphs stay.
rm graphs/*.json
kill -HUP "$server"
told "the folder has no graph file"
is "$(run_of hello)" '{"said":"four"}'
kill "$server"
wait "$server" || fail "the server did not end in order: $(<serve.log)"
echo "serve_reload: all is well"
