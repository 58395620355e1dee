# What a format of people is laid out with. Sourced, never run; needs lib/messages.bash.

# page_words ARRAY: adds to ARRAY the options that give jq $style and $script. (jq 1.5 has no --rawfile.)
page_words() {
    local -n page_words_result=$1
    local style script='' part name
    # There is no NUL in them, so each is read to its end, which `read` calls a failure.
    IFS= read -r -d '' style <"$JOSTLE_HARNESS/report/page.css" || true
    for name in charts report-charts report page; do
        IFS= read -r -d '' part <"$JOSTLE_HARNESS/report/$name.js" || true
        script+=$part
    done
    page_words_result+=(--arg style "$style" --arg script "$script")
}

# layout_options ARRAY READS: sets ARRAY to the options of jq for a format that reads READS: where its filters are,
# $width, $colour and $terminal of stdout, and what a page carries with it.
layout_options() {
    local -n layout_options_result=$1
    local width=0 colour=false terminal=false
    if [[ -t 1 ]]; then
        terminal=true
        { width=$(stty size <&3 2>/dev/null) || width='0 80'; } 3<&1
        width=${width#* }
    fi
    ! is_terminal 1 || [[ -n ${NO_COLOR:-} ]] || colour=true
    [[ ! ${COLUMNS:-} =~ ^[1-9][0-9]{0,3}$ ]] || width=$COLUMNS
    # shellcheck disable=SC2034 # the caller's
    layout_options_result=(-r -L "$JOSTLE_HARNESS" --argjson width "$width" --argjson colour "$colour" --argjson terminal "$terminal")
    [[ $2 != page ]] || page_words "$1"
}

# layout_ended STATUS STATUS: the status of a layout whose program and jq ended so: 0 also when its reader has had
# enough (… | head -1).
layout_ended() {
    case $* in
        '0 0' | '0 141' | '141 141') ;;
        '1 0' | '2 0') return "$1" ;; # it said why
        *) return 1 ;;                # jq did
    esac
}
