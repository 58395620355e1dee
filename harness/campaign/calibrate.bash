# What percentages refer to, before a campaign, for as long as `calibrate = TIME` says. Sourced,
# never run; needs common, campaign.

# shellcheck disable=SC2154 # options, campaign_tmp and campaign_folder are the command's
# calibrate_all [SECONDS]: measures what the limits in percent of all loads refer to, where
# that is not known yet. The cells of a load that cannot be calibrated will say so, too.
calibrate_all() {
    local i load=''
    local -a text words=() CHOICE PIN=()
    campaign_choice
    answer_read text "$JOSTLE_BIN/campaign" calibrations "$campaign_tmp/plan" "$campaign_folder" "${CHOICE[@]}" || exit
    for ((i = 0; i + 1 < ${#text[@]}; i += 2)); do
        case ${text[i]} in
            load) load=${text[i + 1]} PIN=() words=() ;;
            cpus) PIN=("$JOSTLE_BIN/start" --cpus "${text[i + 1]}" --) ;;
            word) words+=("${text[i + 1]}") ;;
            end) calibrate_load "$load" "${words[@]}" --calib --if-missing "$@" ;;
        esac
    done
}

# calibrate_load SPEC WORD...: calibrates one load, unless that was done.
calibrate_load() {
    local -a command=("${PIN[@]}" "$JOSTLE_BIN/loadgen" "${@:2}")
    if [[ -n ${options[quiet]} ]]; then
        "${command[@]}" >/dev/null 2>"$campaign_tmp/calibration" || tail -n 1 "$campaign_tmp/calibration" >&2
    else
        "${command[@]}" >/dev/null || warn "load '$1' cannot be calibrated, see above: its cells will fail"
    fi
}
