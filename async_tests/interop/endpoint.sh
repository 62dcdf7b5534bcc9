# Sourced by the tests of foreign clients: starts the sample scripted_endpoint, whose settings it exports.

. "$(dirname "${BASH_SOURCE[0]}")/../verdicts.sh"

# It ends with this shell, which holds its standard input.
coproc endpoint { "$1"; }
while read -r setting <&"${endpoint[0]}" && [ -n "$setting" ]; do
    export "${setting?}"
done
[ -n "${WEFT_LLM_URL:-}" ] || fail "$1 does not say where it is"
