# What percentages refer to, before a campaign that has `calibrate = TIME`. Sourced,
# never run; needs common, campaign.

# shellcheck disable=SC2154 # campaign_tmp and options are the command's
# calibrate_parts: the loads of the cells that are to be measured whose limit is in
# percent, a line each, once each, behind the settings that place it: PLACE,
# PLACE-CPUS, LOAD-CPUS. Those of other nodes are calibrated there.
calibrate_parts() {
    jq -r --slurpfile states "$campaign_tmp/states" '
        ([$states[0][] | select(.todo) | .number]) as $todo
        | [.cells[$todo[] - 1] | select(.node == "" and .spec != null) | .settings as $s | .spec | splits(" \\+ ")
           | select(test("--limit[= ]?[0-9.]+%") and (test("^@") | not))
           | [$s.place // "", $s["place-cpus"] // "", $s["load-cpus"] // "", .] | join("\u0001")] | unique[]' "$campaign_tmp/plan"
}

# calibrate_pin PLACE PLACE-CPUS LOAD-CPUS: sets the array PIN to what puts a load
# on the CPUs that it will have: how many they are is part of what 100 % is.
calibrate_pin() {
    local cpus=$3
    if [[ -n $1 && $1 != machine ]]; then
        cpus=$("$JOSTLE_BIN/placement" --place "$1" ${2:+--place-cpus "$2"}) || exit
        cpus=$(jq -r .load_cpus <<<"$cpus")
    fi
    PIN=()
    [[ -z $cpus ]] || PIN=(taskset -c "$cpus")
}

# calibrate_missing SPEC: 0 when loadgen knows no calibration for SPEC; sets the
# array CALIBRATE to the command that it asks for. Nothing is loaded meanwhile: with
# --control a load begins paused, and ends with its input.
calibrate_missing() {
    local text
    local -a words
    split_words "$1" words || usage_error "load '$1': a quote is not closed"
    # A work file is only filled to know whether there is a calibration.
    [[ ${words[0]} != io ]] || words+=(--file-size 16M)
    text=$("${PIN[@]}" "$JOSTLE_BIN/loadgen" "${words[0]}" --control "${words[@]:1}" </dev/null 2>&1 >/dev/null) || true
    [[ $text == *'no calibration'*': make one: '* ]] || return 1
    split_words "${text##*: make one: }" CALIBRATE || return 1
}

# calibrate_all SECONDS: measures whatever is missing.
calibrate_all() {
    local place cores cpus spec
    local -a CALIBRATE PIN
    while IFS=$'\x01' read -r place cores cpus spec <&4; do
        calibrate_pin "$place" "$cores" "$cpus"
        calibrate_missing "$spec" || continue
        [[ -n ${options[quiet]} ]] || printf 'calibrating: %s\n' "${CALIBRATE[*]}" >&2
        case ${CALIBRATE[0]} in
            jostle) CALIBRATE=("$JOSTLE_HARNESS/jostle" "${CALIBRATE[@]:1}" --seconds "$1") ;;
            loadgen) CALIBRATE=("$JOSTLE_BIN/loadgen" "${CALIBRATE[@]:1}" "$1") ;;
            *) die "load '$spec': it cannot be calibrated here: run jostle calib" ;;
        esac
        [[ $spec != *--file-size* || ${CALIBRATE[1]} != calib ]] || calibrate_size "$spec"
        "${PIN[@]}" "${CALIBRATE[@]}" >"$campaign_tmp/calibration" 2>&1 ||
            warn "load '$spec': $(tail -n 1 "$campaign_tmp/calibration")"
        ! calibrate_missing "$spec" || die "load '$spec': it could not be calibrated: run jostle calib"
    done 4< <(calibrate_parts)
}

# calibrate_size SPEC: the work file is as large as that of the load.
calibrate_size() {
    [[ ! $1 =~ --file-size[=\ ]([^ ]+) ]] || CALIBRATE+=(--file-size "${BASH_REMATCH[1]}")
}
