#!/usr/bin/env bash
# Ambiguous requests, to the server directly and through a real nginx: never two interpretations.
# usage: smuggling.sh <program smuggling_server>
set -euo pipefail
program=$1
. "$(dirname "$0")/server.sh"
. "$(dirname "$0")/nginx_start.sh"

work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
coproc ours { "$program"; }
read -r upstream <&"${ours[0]}" || fail "the server does not start"

# start_nginx <port>
start_nginx() {
    run_nginx <<END
    upstream weft { server 127.0.0.1:$upstream; keepalive 1; }
    server {
        listen 127.0.0.1:$1;
        ignore_invalid_headers off;
        underscores_in_headers on;
        location / {
            proxy_pass http://weft;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_request_buffering off;
        }
    }
END
}
start_on_some_port start_nginx || fail "nginx does not start: $(cat "$work/error.log")"
echo "$port" >&"${ours[1]}"
pid=$ours_PID
cat <&"${ours[0]}" || true
wait "$pid" || fail "a request means two things"
echo "smuggling: all is well"
