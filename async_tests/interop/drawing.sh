# Sourced by the tests of drawings: skips, and draws the gallery into the folder $work.

. "$(dirname "${BASH_SOURCE[0]}")/../verdicts.sh"

draw() {
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    "$1" "$work"
}
