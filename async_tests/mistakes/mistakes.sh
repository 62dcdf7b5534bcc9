#!/bin/bash
# usage: mistakes.sh COMPILER FLAG…   The compiler says what is wrong in few lines, and one of them says what to do.
here=$(dirname "${BASH_SOURCE[0]}")
mistakes=$(grep -c '^    WEFT_MISTAKE(' "$here/mistakes.cpp")
says_await=$("$1" -dM -E -x c++ /dev/null | grep -cE '__clang__|__GNUC__ (1[4-9]|[2-9][0-9])')
if [ "$says_await" != 0 ]; then mistakes=$((mistakes + $(grep -c '^    WEFT_AWAIT_MISTAKE(' "$here/mistakes.cpp"))); fi
lines_max=$((15 * mistakes))
out=$(mktemp)
trap 'rm -f "$out"' EXIT

says=(
    'a node is a callable on weft::node_context& or on nothing that returns void, weft::command'
    'a condition is a text, a weft::expression or a callable bool(const weft::state_view&)'
    'the value does not convert to the type of its state key'
    "a key's type converts to and from JSON, or the key is declared weft::transient"
)
if [ "$says_await" != 0 ]; then
    says+=("a weft::task awaits weft's tasks and operations: await Asio operations with weft::use_task")
fi

compile() { "$@" -std=c++20 -fsyntax-only "$here/mistakes.cpp" >"$out" 2>&1; }
fail() {
    cat "$out"
    echo "$1"
    exit 1
}

compile "$@" -DWEFT_MISTAKES=0 || fail 'the program without mistakes does not compile'
compile "$@" -DWEFT_MISTAKES=1 && fail 'the mistakes compile'
lines=$(wc -l <"$out")
[ "$lines" -le $lines_max ] || fail "$lines lines for $mistakes mistakes, at most $lines_max are allowed"
for text in "${says[@]}"; do
    grep -qF -- "$text" "$out" || fail "nothing says: $text"
done
