# Sourced by the tests interop.langgraph_*: starts the server, whose address is `url`, and ends it with the test.

. "$(dirname "${BASH_SOURCE[0]}")/server.sh"

work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT

# start_langgraph_server <program>
start_langgraph_server() {
    start_one() { "$program" "$1" "${loops:-1}" ${graphs:-} >"$work/server.log" 2>&1 & }
    program=$1
    start_on_some_port start_one || fail "the server does not start: $(cat "$work/server.log")"
    url=http://127.0.0.1:$port
}

# beside_langgraph_server <command…>: runs a client; when it fails, shows what the server said.
beside_langgraph_server() {
    local code=0
    "$@" || code=$?
    [ "$code" = 0 ] || cat "$work/server.log" >&2
    return "$code"
}

# end_langgraph_server: it drains and ends well, and has told no trouble.
end_langgraph_server() {
    kill -TERM "$server"
    wait "$server" || fail "the server ended with $?: $(cat "$work/server.log")"
    server=
    [ "$(wc -l <"$work/server.log")" = 1 ] || fail "the server tells of trouble: $(cat "$work/server.log")"
}
