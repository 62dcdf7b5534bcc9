# Sourced by the tests that are scripts: how they end other than well.

skip() {
    echo "skipped: $1"
    exit 77
}

fail() {
    echo "failed: $1" >&2
    exit 1
}
