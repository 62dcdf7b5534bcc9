# Sourced by the tests that start nginx, which need `work` and `start_on_some_port` of server.sh.

PATH=$PATH:/usr/sbin
command -v nginx >/dev/null || skip "there is no nginx; scripts/install-deps --tools installs it"

# run_nginx: in the background, with what standard input has for its block `http`; all its files are in `work`.
run_nginx() {
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
$(cat)
}
END
    nginx -c "$work/nginx.conf" -e "$work/error.log" &
}
