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
has "$(ask /store/items?key=a -H "x-api-key: $key")" "store:get"
kill "$server"
wait "$server" || fail "the server did not end in order"
lacks "$(<serve.log)" "$key" "$doomed"
echo "serve: all is well"
