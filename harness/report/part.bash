# From the record of a part of jostle that has one of its own (a bench, a pack) to what people see:
# its program reads (--show, --page), a format of its folder lays out. Sourced, never run; needs
# lib/common.bash.

# shellcheck source-path=SCRIPTDIR source=layout.bash
source "$JOSTLE_HARNESS/report/layout.bash"

# part_formats PART: sets the array FORMATS to the names of its formats.
part_formats() {
    local file
    FORMATS=()
    for file in "$JOSTLE_HARNESS/$1"/format/*.jq; do
        part_says "$file" files || continue
        file=${file##*/}
        FORMATS+=("${file%.jq}")
    done
}

# part_says FILE NAME [VALUE]: 0 when a line of the format FILE begins with "# NAME: VALUE".
part_says() {
    [[ $'\n'$(<"$1") == *$'\n'"# $2: ${3:-}"* ]]
}

# part_check_format PART FORMAT: refuses one that it does not have.
part_check_format() {
    local -a FORMATS
    part_formats "$1"
    [[ " ${FORMATS[*]} " == *" $2 "* ]] ||
        usage_error "--format $2: not for a $1$(nearest "$2" "${FORMATS[@]}"): give one of ${FORMATS[*]}"
}

# part_layout PART FORMAT DIR [ARG...]: prints the record in DIR, with further options of the
# program. Returns 0 also when its reader has had enough (… | head -1).
part_layout() {
    local reads=show file=$JOSTLE_HARNESS/$1/format/$2.jq
    local -a layout status=(0 0)
    ! part_says "$file" reads page || reads=page
    layout_options layout "$reads"
    "$JOSTLE_BIN/$1" "--$reads" "$3" "${@:4}" | jq "${layout[@]}" -f "$file" || status=("${PIPESTATUS[@]}")
    layout_ended "${status[@]}"
}
