# From a profile to what people see. Sourced, never run; needs lib/messages.bash.

# profile_formats: sets the array FORMATS to the names of the formats.
profile_formats() {
    local file
    FORMATS=()
    for file in "$JOSTLE_HARNESS"/profile/format/*.jq; do
        ! grep -q '^# files: ' "$file" || FORMATS+=("$(basename "$file" .jq)")
    done
}

# profile_layout FORMAT FILE: prints a profile. Returns 0 also when its reader has had enough.
profile_layout() {
    local colour=false status=0
    local -a FORMATS
    profile_formats
    [[ " ${FORMATS[*]} " == *" $1 "* ]] ||
        usage_error "--format $1: not for a profile$(nearest "$1" "${FORMATS[@]}"): give one of ${FORMATS[*]}"
    ! is_terminal 1 || [[ -n ${NO_COLOR:-} ]] || colour=true
    jq -r -L "$JOSTLE_HARNESS" --argjson colour "$colour" -f "$JOSTLE_HARNESS/profile/format/$1.jq" "$2" || status=$?
    [[ $status -eq 0 || $status -eq 141 ]] || die "$2 cannot be shown: is it a profile that jostle profile has made, and is the disk not full?"
}

# profile_noise FOLDER: prints what runs alone show, from stdin.
profile_noise() {
    jq -r -L "$JOSTLE_HARNESS" --arg folder "$1" -f "$JOSTLE_HARNESS/profile/noise.jq"
}
