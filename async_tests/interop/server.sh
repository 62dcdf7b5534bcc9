# Sourced by the tests that start a server which others wrote.

. "$(dirname "${BASH_SOURCE[0]}")/../verdicts.sh"

# make_certificate <folder>: key.pem and certificate.pem for localhost, its own authority.
make_certificate() {
    command -v openssl >/dev/null || skip "there is no program openssl"
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
        -addext subjectAltName=DNS:localhost -keyout "$1/key.pem" -out "$1/certificate.pem" 2>"$1/openssl.log" ||
        fail "openssl: $(cat "$1/openssl.log")"
}

# wait_for_port <port> <process>: until it listens. It fails if the process ends before that, or takes too long.
wait_for_port() {
    for _ in $(seq 100); do
        if ! kill -0 "$2" 2>/dev/null; then return 1; fi
        if (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; then return 0; fi
        sleep 0.1
    done
    return 1
}

# start_on_some_port <command…>: runs `command… <port>`, which starts a process in the background, with ports of which
# one is free in the end. Sets `port` and `server`, the process.
start_on_some_port() {
    for _ in 1 2 3 4 5; do
        port=$((20000 + RANDOM % 20000))
        "$@" "$port"
        server=$!
        if wait_for_port "$port" "$server"; then return 0; fi
    done
    return 1
}
