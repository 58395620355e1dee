# What percentages refer to, before a campaign that says `calibrate = TIME`. Sourced,
# never run; needs common, campaign.

# shellcheck disable=SC2154 # options, campaign_tmp and campaign_folder are the command's
# calibrate_all SECONDS: measures what the limits in percent of all loads refer to, where
# that is not known yet.
calibrate_all() {
    local i place='' place_cpus='' load_cpus='' load=''
    local -a text words=() CHOICE
    campaign_choice
    mapfile -d '' -t text < <("$JOSTLE_BIN/campaign" calibrations "$campaign_tmp/plan" "$campaign_folder" "${CHOICE[@]}")
    for ((i = 0; i + 1 < ${#text[@]}; i += 2)); do
        case ${text[i]} in
            load) load=${text[i + 1]} place='' place_cpus='' load_cpus='' words=() ;;
            place) place=${text[i + 1]} ;;
            place-cpus) place_cpus=${text[i + 1]} ;;
            load-cpus) load_cpus=${text[i + 1]} ;;
            word) words+=("${text[i + 1]}") ;;
            end)
                calibrate_pin "$place" "$place_cpus" "$load_cpus"
                calibrate_load "$1" "$load" "${words[@]}"
                ;;
        esac
    done
}

# calibrate_pin PLACE PLACE-CPUS LOAD-CPUS: sets the array PIN to what puts a load
# on the CPUs that it will have: how many they are is part of what 100 % is.
calibrate_pin() {
    local cpus=$3
    if [[ -n $1 && $1 != machine ]]; then
        cpus=$("$JOSTLE_BIN/placement" --json --place "$1" ${2:+--place-cpus "$2"} | jq -r .load_cpus) || exit
    fi
    PIN=()
    [[ -z $cpus ]] || PIN=(taskset -c "$cpus")
}

# calibrate_load SECONDS SPEC WORD...: calibrates one load, unless that was done.
calibrate_load() {
    local shown=/dev/stderr
    [[ -z ${options[quiet]} ]] || shown=/dev/null
    "${PIN[@]}" "$JOSTLE_BIN/loadgen" "$3" --calib --if-missing "${@:4}" "$1" >"$shown" 2>"$campaign_tmp/calibration" ||
        die "load '$2': $(tail -n 1 "$campaign_tmp/calibration")"
}
