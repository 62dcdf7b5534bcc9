# Sourced by the scripts that run the program as people do. usage of each: <name>.sh <program weft> <source folder>
set -euo pipefail
weft=$1
source=$2
unset NO_COLOR
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

. "$source/async_tests/verdicts.sh"

# run <exit status> <argument>…: what the program says is in $out and $err then.
run() {
    local expected=$1 status=0
    shift
    "$weft" "$@" >"$work/.out" 2>"$work/.err" </dev/null || status=$?
    out=$(<"$work/.out")
    err=$(<"$work/.err")
    [ "$status" = "$expected" ] || fail "weft $* ended with $status instead of $expected; it said: $out $err"
}

# is <text> <expected text>
is() {
    [ "$1" = "$2" ] || fail "expected '$2' and got '$1'"
}
