# Sourced by the tests that are scripts: how they end other than well.

skip() {
    echo "skipped: $1"
    exit 77
}

need_node() {
    node -e 'process.exit(parseInt(process.versions.node) >= 20 ? 0 : 1)' 2>/dev/null ||
        skip "there is no Node.js 20 or newer"
}

fail() {
    echo "failed: $1" >&2
    exit 1
}

# has <text> <part>…: each stands in the text.
has() {
    local text=$1 part
    shift
    for part in "$@"; do
        [[ $text == *"$part"* ]] || fail "no '$part' in: $text"
    done
}

# lacks <text> <part>…: none does.
lacks() {
    local text=$1 part
    shift
    for part in "$@"; do
        [[ $text != *"$part"* ]] || fail "'$part' in: $text"
    done
}
