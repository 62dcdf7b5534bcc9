# Sourced by the tests of drawings: skips, and draws the gallery into the folder $work.
skip() {
    echo "skipped: $1"
    exit 77
}

need_node() {
    node -e 'process.exit(parseInt(process.versions.node) >= 20 ? 0 : 1)' 2>/dev/null ||
        skip "there is no Node.js 20 or newer"
}

draw() {
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    "$1" "$work"
}
