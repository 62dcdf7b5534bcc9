# Sourced by scripts that need a PostgreSQL server: starts one, which ends with the script, and sets $port. Skips the
# script where none is installed.
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1 || true)
[ -n "$bin" ] && [ -x "$bin/initdb" ] || skip "PostgreSQL is not installed"
command -v setpriv >/dev/null || skip "there is no setpriv"
as_server=(setpriv --pdeathsig QUIT)
if [ "$(id -u)" = 0 ]; then
    chmod 755 "$work"
    install -d -o postgres -m 700 "$work/pg"
    as_server+=(--reuid postgres --regid postgres --clear-groups)
else
    mkdir "$work/pg"
fi
(cd / && LC_ALL=C "${as_server[@]}" "$bin/initdb" --pgdata "$work/pg/data" --username weft --auth trust \
    --encoding UTF8 --locale C --no-sync --no-instructions --wal-segsize 4) >initdb.log 2>&1 ||
    fail "initdb: $(<initdb.log)"
for try in 1 2 3 4 5; do
    port=$(( 20000 + RANDOM % 20000 ))
    (cd / && LC_ALL=C exec "${as_server[@]}" "$bin/postgres" -D "$work/pg/data" -p "$port" \
        -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off \
        -c shared_buffers=32MB) >server.log 2>&1 &
    server=$!
    trap 'kill -QUIT "$server" 2>/dev/null; wait "$server" 2>/dev/null; rm -rf "$work"' EXIT
    for (( i = 0; i < 100; i++ )); do
        grep -q "ready to accept connections" server.log && break 2
        kill -0 "$server" 2>/dev/null || break
        sleep 0.1
    done
done
grep -q "ready to accept connections" server.log || fail "no server: $(<server.log)"
