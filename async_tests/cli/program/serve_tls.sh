#!/usr/bin/env bash
# weft serve speaks TLS, knows clients by certificates, and takes new ones without a restart.
. "$(dirname "$0")/../program.sh"

command -v openssl >/dev/null && command -v curl >/dev/null || skip "there is no openssl or curl"

# issue <file> <common name> <usage>: a certificate of our authority, and its key.
issue() {
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1.key" -subj "/CN=$2" -out "$1.csr" \
        2>/dev/null
    openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca.key -days 2 -out "$1.pem" 2>/dev/null -extfile <(
        printf 'subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=%s\n' "$3")
}
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem -days 2 \
    -subj "/CN=authority" 2>/dev/null
issue first "first" serverAuth
issue second "second" serverAuth
issue client "client" clientAuth
cp first.pem cert.pem
cp first.key key.pem

run 0 new hello

# serve <argument>…: starts a server; its process is $server and its port $port then.
serve() {
    : >served  # the program in the background may make it later than it is read here
    "$weft" serve "$@" --listen 127.0.0.1:0 2>served &
    server=$!
    trap 'kill $server 2>/dev/null || true; wait; rm -rf "$work"' EXIT
    for _ in $(seq 200); do
        port=$(sed -n 's|.*https://127.0.0.1:||p' served)
        [ -z "$port" ] || return 0
        kill -0 $server 2>/dev/null || fail "the server ended: $(<served)"
        sleep 0.05
    done
    fail "the server does not begin: $(<served)"
}
end() {
    kill $server
    wait $server || fail "the server ended badly: $(<served)"
}
# said <text>: waits until the server has said it.
said() {
    for _ in $(seq 200); do
        ! grep -qF "$1" served || return 0
        sleep 0.05
    done
    fail "the server did not say '$1' but: $(<served)"
}
shown() { openssl s_client -connect "127.0.0.1:$port" </dev/null 2>/dev/null | sed -n 's/^subject=CN *= *//p'; }
get() { curl -s --max-time 10 --cacert ca.pem "$@"; }
# encoded <argument of curl>…: how a long answer is encoded for a client that takes it compressed.
encoded() {
    get --compressed -o /dev/null -D - "https://localhost:$port/openapi.json" "$@" | tr -d '\r' |
        grep -i -e '^HTTP' -e '^content-encoding'
}

serve hello.json --tls cert.pem key.pem
is "$(get "https://localhost:$port/ok")" '{"ok":true}'
is "$(encoded)" $'HTTP/1.1 200 OK\nContent-Encoding: gzip'
is "$(get --tlsv1.2 --tls-max 1.2 -o /dev/null -w '%{http_version}' "https://localhost:$port/ok")" 1.1
! get "http://127.0.0.1:$port/ok" >/dev/null || fail "plain HTTP was answered"
is "$(shown)" first

# A key that does not fit changes nothing; the whole pair does.
cp second.pem cert.pem
kill -HUP $server
said "key.pem: the key does not belong to the certificate in cert.pem"
is "$(shown)" first
cp second.key key.pem
kill -HUP $server
said "the certificates are loaded again"
is "$(shown)" second
is "$(get "https://localhost:$port/ok")" '{"ok":true}'
end

serve hello.json --tls cert.pem key.pem --tls-client-ca ca.pem
! get "https://localhost:$port/ok" >/dev/null || fail "a client without a certificate was let in"
is "$(get --cert client.pem --key client.key "https://localhost:$port/ok")" '{"ok":true}'
# Browsers send a certificate by themselves, so what it opens is not compressed.
is "$(encoded --cert client.pem --key client.key)" "HTTP/1.1 200 OK"
end

# What is wrong is said before anything begins.
run 2 serve hello.json --tls none.pem none.key
has "$err" "none.pem: the file cannot be read"
has "$err" "none.key: the file cannot be read"
run 2 serve hello.json --tls-client-ca ca.pem
has "$err" "say --tls as well"
run 2 serve hello.json --listen 0.0.0.0:0 --tls cert.pem key.pem
has "$err" "--insecure-no-auth"
