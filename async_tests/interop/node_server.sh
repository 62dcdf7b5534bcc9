# Sourced by the tests that talk to a server of npm: starts it and reads what it says, a line, into `said`.
# usage: start_node_server <script .mjs> <package> <folder of node_modules>
# Its files lie in the folder $work, if there is one, else in one of its own.

. "$(dirname "${BASH_SOURCE[0]}")/server.sh"

start_node_server() {
    local script=$1 package=$2 modules=$3
    need_node
    [ -r "$modules/$package/package.json" ] ||
        skip "there is no package $package; scripts/install-deps --tools installs it"

    if [ -z "${work:-}" ]; then
        work=$(mktemp -d)
        trap 'rm -rf "$work"' EXIT
    fi
    make_certificate "$work"

    # It ends with this shell, which holds its standard input.
    coproc server { exec node "$script" "$modules" "$work/certificate.pem" "$work/key.pem" 2>"$work/server.log"; }
    read -r said <&"${server[0]}" || fail "$script does not say where it is: $(cat "$work/server.log")"
    unset SSL_CERT_DIR
    export SSL_CERT_FILE=$work/certificate.pem
}
