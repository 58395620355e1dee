# The noise floor of a machine: the same work again and again, how much do its
# times differ? Sourced, never run; needs common, facts and doctor.

noise_folder='' # of the work files, in the current folder: its disk is meant
readonly NOISE_LEAST_ROUNDS=5 NOISE_MOST_ROUNDS=200

# noise_prepare: makes the work files; 1 when nothing can be written here.
noise_prepare() {
    noise_folder=$(mktemp -d ./.jostle-doctor.XXXXXX 2>/dev/null) || return 1
    # Random data, so that no file system or disk can make it smaller.
    head -c 16M /dev/urandom >"$noise_folder/data" 2>/dev/null
}

# noise_tidy: removes the work files.
noise_tidy() {
    [[ -z $noise_folder ]] || rm -rf -- "$noise_folder"
    noise_folder=''
}

# noise_command KIND: sets COMMAND to fixed work of about 50 ms. Nothing but
# what every system has, so that the doctor needs no workload.
noise_command() {
    case $1 in
        cpu) COMMAND=(bash -c 'for ((i = 0; i < 20000; i++)); do :; done') ;;
        # Writes and reads a block that no cache holds.
        memory) COMMAND=(dd if=/dev/zero of=/dev/null bs=64M count=3 status=none) ;;
        disk) COMMAND=(dd "if=$noise_folder/data" "of=$noise_folder/copy" bs=1M 'conv=notrunc,fdatasync' status=none) ;;
    esac
}

# noise_once KIND BLOCK: appends a record to noise_records; 1 when the work failed.
noise_once() {
    local record
    local -a COMMAND
    noise_command "$1"
    record=$("$JOSTLE_BIN/meter" --stdout /dev/null --stderr /dev/null -- "${COMMAND[@]}") || return 1
    [[ $record == *'"exit_code":0,'* ]] || return 1
    noise_records+="{\"condition\":\"$1\",\"block\":$2,${record#'{"schema":"jostle.meter/1",'}"$'\n'
}

# noise_measure SECONDS: works for SECONDS, in rounds of all kinds; sets NOISE to
# a JSON array, a member a kind. A kind whose work fails is left out.
noise_measure() {
    local kind block deadline_us noise_records=''
    local -a kinds=(cpu memory) able=()
    ! noise_prepare || kinds+=(disk)
    for kind in "${kinds[@]}"; do
        # The first time pays for what is not in memory yet.
        ! noise_once "$kind" 0 || able+=("$kind")
    done
    noise_records=''
    time_to_seconds "$1"
    number_us "$REPLY"
    deadline_us=$REPLY
    now_us
    deadline_us=$((REPLY + deadline_us))
    for ((block = 1; block <= NOISE_MOST_ROUNDS; block++)); do
        now_us
        ((block <= NOISE_LEAST_ROUNDS || REPLY < deadline_us)) || break
        for kind in "${able[@]}"; do
            noise_once "$kind" "$block" || die "the fixed work for $kind failed: is the disk full?"
        done
    done
    noise_tidy
    noise_judge "${able[@]}"
}

# noise_judge KIND...: sets NOISE from noise_records, by estimate.
noise_judge() {
    local names
    names=$(
        IFS=,
        printf '%s' "$*"
    )
    NOISE='[]'
    [[ -n $names ]] || return 0
    NOISE=$(printf '%s' "$noise_records" |
        "$JOSTLE_BIN/stats" --conditions "$names" --min-runs "$NOISE_MOST_ROUNDS" --max-runs "$NOISE_MOST_ROUNDS" \
            --summary-only --summary - |
        jq -c -f "$JOSTLE_HARNESS/doctor/noise.jq") || die 'the noise floor cannot be computed: stats failed'
}

# check_noise: a finding for each member of NOISE.
check_noise() {
    local kind status text advice
    while IFS=$'\t' read -r kind status text advice; do
        finding "$kind" "$status" "$text" "$advice"
    done < <(jq -r -L "$JOSTLE_LIB" -L "$JOSTLE_HARNESS" -f "$JOSTLE_HARNESS/doctor/noise-findings.jq" <<<"$NOISE")
}
