# Sourced by the tests of foreign clients: starts the sample scripted_endpoint, whose settings it exports.

skip() {
    echo "skipped: $1"
    exit 77
}

fail() {
    echo "failed: $1" >&2
    exit 1
}

# It ends with this shell, which holds its standard input.
coproc endpoint { "$1"; }
while read -r setting <&"${endpoint[0]}" && [ -n "$setting" ]; do
    export "${setting?}"
done
[ -n "${WEFT_LLM_URL:-}" ] || fail "$1 does not say where it is"
