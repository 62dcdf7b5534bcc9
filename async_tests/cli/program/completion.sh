#!/usr/bin/env bash
# Completion: the scripts are right for their shells, and complete there.
. "$(dirname "$0")/../program.sh"
mkdir files
cd files
touch support.json 'with blank.json'
mkdir graphs
run 0 completion bash
cp "$work/.out" "$work/weft.bash"
bash -n "$work/weft.bash"

# complete <word>…: what bash would offer for the last word, sorted, in one line.
complete_in_bash() {
    bash --norc -c '
        source "$1"
        shift
        COMP_WORDS=(weft "$@")
        COMP_CWORD=$#
        _weft
        printf "%s\n" "${COMPREPLY[@]}"' bash "$work/weft.bash" "$@" | sort | paste -sd' '
}
has " $(complete_in_bash '') " " check " " completion " " draw " " explain " " new "
[[ " $(complete_in_bash '') " != *" man "* ]] || fail "the hidden command is offered"
is "$(complete_in_bash che)" "check"
is "$(complete_in_bash --v)" "--version"
has " $(complete_in_bash check -) " " --format " " --strict " " --kinds " " --help "
is "$(complete_in_bash check --for)" "--format"
is "$(complete_in_bash check --format '')" "json sarif text"
is "$(complete_in_bash check --format = sa)" "sarif"
is "$(complete_in_bash check --format =)" "json sarif text"
is "$(complete_in_bash check sup)" "support.json"
is "$(complete_in_bash check support.json wi)" "with blank.json"
is "$(complete_in_bash draw -o gr)" "graphs"
is "$(complete_in_bash draw --direction r)" "right"
is "$(complete_in_bash check --strict sup)" "support.json"
is "$(complete_in_bash draw --title sup)" ""
is "$(complete_in_bash new --template re)" "research review"
is "$(complete_in_bash completion z)" "zsh"
is "$(complete_in_bash resume trip --graph sup)" "support.json"
is "$(complete_in_bash run support.json --on-busy q)" "queue"
is "$(complete_in_bash threads --store sup)" "support.json"
is "$(complete_in_bash res)" "resume"
is "$(complete_in_bash nonsense x)" ""

# The way it is installed: bash itself asks for completions of the word before the cursor.
is "$(bash --norc -c 'source "$1"; complete -p weft' bash "$work/weft.bash")" "complete -F _weft weft"

run 0 completion zsh
cp "$work/.out" "$work/_weft"
has "$out" "#compdef weft" "'check:"
if command -v zsh >/dev/null; then
    zsh -n "$work/_weft"
    zsh -f -c 'autoload -U compinit && compinit -u -D && source "$1" && [[ $_comps[weft] == _weft ]]' zsh "$work/_weft"
fi
run 0 completion fish
cp "$work/.out" "$work/weft.fish"
if command -v fish >/dev/null; then
    fish --no-execute "$work/weft.fish"
    ask_fish() { HOME=$work fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$work/weft.fish" "$1" | cut -f1 | paste -sd' '; }
    has " $(ask_fish 'weft ') " " check " " draw "
    is "$(ask_fish 'weft check --format s')" "sarif"
    is "$(ask_fish 'weft draw --dir')" "--direction"
    has " $(ask_fish 'weft check sup') " "support.json"
fi
run 2 completion tcsh
has "$err" "tcsh"
run 2 completion
echo "completion: all is well"
