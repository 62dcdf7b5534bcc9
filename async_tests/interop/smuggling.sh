#!/usr/bin/env bash
# Ambiguous requests, to the server directly and through a real nginx: never two interpretations.
# usage: smuggling.sh <program smuggling_server>
set -euo pipefail
program=$1
. "$(dirname "$0")/server.sh"
PATH=$PATH:/usr/sbin
command -v nginx >/dev/null || skip "there is no nginx; scripts/install-deps --tools installs it"

work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
coproc ours { "$program"; }
read -r upstream <&"${ours[0]}" || fail "the server does not start"

# start_nginx <port>
start_nginx() {
    cat >"$work/nginx.conf" <<END
daemon off;
master_process off;
pid $work/pid;
error_log $work/error.log;
events {}
http {
    access_log off;
    client_body_temp_path $work/body;
    proxy_temp_path $work/proxy;
    fastcgi_temp_path $work/fastcgi;
    uwsgi_temp_path $work/uwsgi;
    scgi_temp_path $work/scgi;
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
}
END
    nginx -c "$work/nginx.conf" -e "$work/error.log" &
}
start_on_some_port start_nginx || fail "nginx does not start: $(cat "$work/error.log")"
echo "$port" >&"${ours[1]}"
pid=$ours_PID
cat <&"${ours[0]}" || true
wait "$pid" || fail "a request means two things"
echo "smuggling: all is well"
