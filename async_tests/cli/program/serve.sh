#!/usr/bin/env bash
# weft keys and weft serve: who may call, as a person sets it up.
. "$(dirname "$0")/../program.sh"
command -v curl >/dev/null || skip "curl is not installed"

cat >hello.json <<'END'
{
  "name": "hello",
  "state": [{"name": "said", "type": "string"}],
  "nodes": [{"name": "greet", "kind": "set", "writes": ["said"], "settings": {"values": {"said": "hello"}}}],
  "edges": [{"from": "__start__", "to": "greet"}]
}
END

# What nobody could use, or everybody, is refused before anything listens.
echo '{}' >auth.json
run 2 serve hello.json --auth auth.json
has "$err" "auth.json: it lets nobody in"
echo '{"jwt": {"issuer": "i", "audience": "a"}}' >auth.json
run 2 serve hello.json --auth auth.json
has "$err" "jwks_url, jwks: give one of them"
echo '{"api_keyz": true}' >auth.json
run 2 serve hello.json --auth auth.json
has "$err" 'unknown member "api_keyz"'
run 2 serve hello.json --listen 0.0.0.0:0
has "$err" "--listen 0.0.0.0:0" "--api-keys"
run 2 serve hello.json --api-keys --insecure-no-auth
has "$err" "which ask who calls"

# Options stand in a file as well; what is wrong in it is named.
printf '[serve]\nlisen = "127.0.0.1:0"\n' >weft.toml
run 2 serve hello.json --config weft.toml
has "$err" "--config weft.toml: [serve]: there is no option '--lisen'" "--listen"
printf '[serve\n' >weft.toml
run 2 serve hello.json --config weft.toml
has "$err" "--config weft.toml"
run 2 serve hello.json --config none.toml
has "$err" "none.toml"
printf '[serve]\nlisten = ["0.0.0.0:0"]\n' >weft.toml
run 2 --config weft.toml serve hello.json
has "$err" "--listen 0.0.0.0:0"
WEFT_SERVE_LISTEN=0.0.0.0:0 run 2 serve hello.json
has "$err" "--listen 0.0.0.0:0"

run 0 keys
is "$out" "No keys."
run 0 keys --add "web shop" --tenant acme --scope 'threads:*,assistants:read'
key=$out
has "$err" "shown this once"
lacks "$(strings weft.db)" "$key"
run 0 keys --add doomed --tenant acme --days 3
doomed=$out
run 0 keys --add all --tenant acme
all=$out
run 0 keys --tenant acme
has "$out" "web shop" "threads:*,assistants:read" "doomed" "never"
lacks "$out" "$key" "$doomed"
id=$(awk '/doomed/ {print $1}' <<<"$out")
run 2 keys --tenant other --revoke "$id"
has "$err" "no such key"
run 0 keys --tenant acme --revoke "$id"

echo '{"api_keys": true, "limits": {"open_requests": 20}}' >auth.json
"$weft" serve hello.json --auth auth.json --listen unix:serve.sock 2>serve.log &
server=$!
trap 'kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
for _ in $(seq 100); do [ -S serve.sock ] && break || sleep 0.1; done
# ask <path> <argument of curl>…
ask() {
    local path=$1
    shift
    curl -s --unix-socket serve.sock "http://localhost$path" "$@"
}
has "$(ask /ok)" "true"
has "$(ask /threads/search -d '{}' -H 'content-type: application/json')" "unauthenticated"
has "$(ask /threads/search -H "x-api-key: $doomed" -d '{}' -H 'content-type: application/json')" "revoked"
is "$(ask /runs/wait -H "authorization: Bearer $key" -H 'content-type: application/json' \
    -d '{"assistant_id": "hello", "input": {}}')" '{"said":"hello"}'
# Long answers come compressed to clients that accept it; those to cookies do not.
# encoded <argument of curl>…: what the answer of /openapi.json says of its encoding.
encoded() {
    ask /openapi.json -H "x-api-key: $all" -o /dev/null -D - "$@" | tr -d '\r' |
        grep -i -e '^HTTP' -e '^content-encoding'
}
is "$(encoded --compressed)" $'HTTP/1.1 200 OK\nContent-Encoding: gzip'
is "$(encoded)" "HTTP/1.1 200 OK"
is "$(encoded --compressed -H 'cookie: a=b')" "HTTP/1.1 200 OK"
is "$(ask /openapi.json -H "x-api-key: $all" --compressed | sha256sum)" "$(ask /openapi.json -H "x-api-key: $all" | sha256sum)"
long=$(ask /openapi.json -H "x-api-key: $all" -o /dev/null -w '%{size_download}')
short=$(ask /openapi.json -H "x-api-key: $all" --compressed -o /dev/null -w '%{size_download}')
[ "$short" -lt $((long / 4)) ] || fail "$short of $long bytes are left"
has "$(ask /store/items?key=a -H "x-api-key: $key")" "store:get"
# While the server runs its keys are changed over it; what a key has open ends with it.
run 0 keys --help
has "$out" "keys:*" "--server"
kill "$server"
wait "$server" || fail "the server did not end in order"
run 0 keys --add admin --tenant acme --scope '*,keys:*'
admin=$out
port=$((20000 + RANDOM % 10000))
WEFT_SERVE_GZIP_MIN=0 "$weft" serve hello.json --studio --auth auth.json --listen "127.0.0.1:$port" 2>serve.log &
server=$!
for _ in $(seq 100); do curl -s "localhost:$port/ok" >/dev/null && break || sleep 0.1; done
export WEFT_API_KEY=$admin
run 0 keys --server "http://localhost:$port/" --add "while it runs" --scope threads:*
made=$out
run 0 keys --server "http://localhost:$port"
has "$out" "while it runs" "threads:*" "web shop"
lacks "$out" "$made"
id=$(awk '/while it runs/ {print $1}' <<<"$out")
# over <path> <argument of curl>…
over() {
    local path=$1
    shift
    curl -s "http://localhost:$port$path" -H 'content-type: application/json' "$@"
}
# The page of the studio has no key, and what it shows needs one. A run of a thread is a page without a server as well.
has "$(<serve.log)" "the studio is at http://127.0.0.1:$port/studio/"
has "$(over /studio/)" '<script type="module" src="app.mjs">'
has "$(over /studio/api/runs)" "unauthenticated"
over /threads -H "x-api-key: $all" -d '{"thread_id": "shown"}' >/dev/null
over /threads/shown/runs/wait -H "x-api-key: $all" -d '{"assistant_id": "hello", "input": {}}' >/dev/null
has "$(over /studio/api/runs?phase=finished -H "x-api-key: $all")" '"thread_id":"shown"'
is "$(over /openapi.json -H "x-api-key: $key" --compressed -o /dev/null -D - | grep -ci '^content-encoding' || true)" 0
over /threads -H "x-api-key: $made" -d '{"thread_id": "t"}' >/dev/null
over /threads/t/stream -N -H "x-api-key: $made" >stream.log &
stream=$!
for _ in $(seq 50); do grep -q ready stream.log && break || sleep 0.1; done
run 0 keys --server "http://localhost:$port" --revoke "$id"
wait "$stream" || fail "the stream was cut off: $(<stream.log)"
has "$(<stream.log)" "event: error" "revoked"
has "$(over /threads/search -H "x-api-key: $made" -d '{}')" "unauthenticated"
run 2 keys --server "http://localhost:$port" --revoke "$id"
has "$err" "there is no such key"
WEFT_API_KEY=$key run 2 keys --server "http://localhost:$port"
has "$err" "keys:read"
WEFT_API_KEY='' run 2 keys --server "http://localhost:$port"
has "$err" "--api-key" "WEFT_API_KEY"

# Limits change with the signal; a bad file changes nothing.
echo '{"api_keys": true, "limits": {"requests_per_second": 0.01, "burst": 1}}' >auth.json
kill -HUP "$server"
for _ in $(seq 50); do grep -q "rules for callers are loaded again" serve.log && break || sleep 0.1; done
over /threads/search -H "x-api-key: $key" -d '{}' >/dev/null
has "$(over /threads/search -H "x-api-key: $key" -d '{}')" "too_many_requests"
echo '{"api_keyz": true}' >auth.json
kill -HUP "$server"
for _ in $(seq 50); do grep -q "api_keyz" serve.log && break || sleep 0.1; done
has "$(<serve.log)" 'unknown member "api_keyz"'
has "$(over /threads/search -H "x-api-key: $key" -d '{}')" "too_many_requests"
kill "$server"
wait "$server" || fail "the server did not end in order"
lacks "$(<serve.log)" "$key" "$all" "$doomed" "$admin" "$made"

run 2 show shown --tenant acme --html shown.html
has "$err" "--graph FILE"
run 0 show shown --tenant acme --html shown.html --graph hello.json
has "$(<shown.html)" '"kind":"run_finished"' "require-trusted-types-for"
echo "serve: all is well"
