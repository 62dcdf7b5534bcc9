#!/usr/bin/env bash
# openai_model against nginx, which stands before the scripted endpoint with a certificate of its own.
# usage: nginx.sh <program scripted_endpoint> <program proxy_client>
set -euo pipefail
client=$2
. "$(dirname "$0")/server.sh"
. "$(dirname "$0")/nginx_start.sh"
unset WEFT_LLM_URL SSL_CERT_FILE SSL_CERT_DIR
. "$(dirname "$0")/endpoint.sh"

work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
make_certificate "$work"
cat "$SSL_CERT_FILE" >"$work/upstream.pem"
upstream=${WEFT_LLM_URL%/v1}

# start_nginx <port>
start_nginx() {
    run_nginx <<END
    server {
        listen 127.0.0.1:$1 ssl;
        ssl_certificate $work/certificate.pem;
        ssl_certificate_key $work/key.pem;
        location /v1/ {
            proxy_pass $upstream;
            proxy_http_version 1.1;
            proxy_buffering off;
            proxy_ssl_verify on;
            proxy_ssl_name localhost;
            proxy_ssl_trusted_certificate $work/upstream.pem;
        }
        location /down/ { return 502; }
    }
END
}
start_on_some_port start_nginx || fail "nginx does not start: $(cat "$work/error.log")"

export SSL_CERT_FILE=$work/certificate.pem
answer=$("$client" "https://localhost:$port/v1") || fail "the call through nginx failed"
grep -q 'You said: hello proxy' <<<"$answer" || fail "nginx changed the answer: $answer"
pieces=$(sed -n 's/^pieces: //p' <<<"$answer")
[ "$pieces" -gt 2 ] || fail "the answer came in $pieces pieces"

if refusal=$("$client" "https://localhost:$port/down" 2>&1); then fail "a 502 was taken for an answer: $refusal"; fi
grep -q 502 <<<"$refusal" || fail "the error does not name the status: $refusal"
if refusal=$("$client" "https://127.0.0.1:$port/v1" 2>&1); then fail "a certificate of another host was believed"; fi
if SSL_CERT_FILE=$work/upstream.pem "$client" "https://localhost:$port/v1" 2>/dev/null; then
    fail "a certificate without its authority was believed"
fi
echo "nginx: all is well"
