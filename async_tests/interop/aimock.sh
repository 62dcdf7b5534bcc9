#!/usr/bin/env bash
# A client of weft against a mock server that others maintain, with TLS and, on this machine only, without.
# usage: aimock.sh <program> <folder of node_modules>
set -euo pipefail
client=$1
modules=$2
here=$(dirname "$0")

skip() {
    echo "skipped: $1"
    exit 77
}

command -v openssl >/dev/null || skip "there is no program openssl"
node -e 'process.exit(parseInt(process.versions.node) >= 20 ? 0 : 1)' 2>/dev/null ||
    skip "there is no Node.js 20 or newer"
[ -r "$modules/@copilotkit/aimock/dist/index.js" ] ||
    skip "there is no package @copilotkit/aimock; scripts/install-deps --tools installs it"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost -keyout "$work/key.pem" -out "$work/certificate.pem" 2>"$work/log" || {
    cat "$work/log" >&2
    exit 1
}

coproc server { exec node "$here/aimock.mjs" "$modules" "$work/certificate.pem" "$work/key.pem"; }
if ! read -r plain secure <&"${server[0]}"; then
    echo "failed: the server does not say where it is" >&2
    exit 1
fi
unset SSL_CERT_DIR
export SSL_CERT_FILE=$work/certificate.pem
"$client" "$secure"
"$client" "$plain"
