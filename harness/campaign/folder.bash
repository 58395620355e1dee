# The folder of a campaign: its plan, its locks, how its cells stand. Sourced, never
# run; needs common and campaign.

# shellcheck disable=SC2154 # campaign_tmp is campaign.bash's
campaign_folder=''
campaign_lock_fd=''
readonly CAMPAIGN_CONFLICT=9 CAMPAIGN_WAIT_S=2

# campaign_lock shared|exclusive: holds the folder until we end. Tasks that measure
# some of its cells share it; whoever measures all of them has it alone.
campaign_lock() {
    local status=0
    exec {campaign_lock_fd}>>"$campaign_folder/lock" || die "cannot write to $campaign_folder: choose another folder with --output"
    flock "--$1" -E "$CAMPAIGN_CONFLICT" -w "$CAMPAIGN_WAIT_S" "$campaign_lock_fd" 2>/dev/null || status=$?
    case $status in
        0) ;;
        "$CAMPAIGN_CONFLICT") die "another jostle campaign works in $campaign_folder: wait for it (jostle watch $campaign_folder), or choose another folder" ;;
        *) warn "$campaign_folder: files cannot be locked there: see to it that no other campaign works in it" ;;
    esac
}

# campaign_states FOLDER PLAN: how the cells of PLAN stand, as JSON. Only their
# status.json are looked at: each of the many tasks of a job array would else read the
# whole folder, on a file system that all nodes share.
campaign_states() {
    local name
    jq -r '.cells[].name' "$2" |
        while IFS= read -r name; do
            [[ ! -s $1/cells/$name/status.json ]] || printf '%s\0' "$1/cells/$name/status.json"
        done | xargs -0 -r cat -- |
        jq -Rsc --arg retry "${options[retry_failed]:-}" --slurpfile plan "$2" -f "$JOSTLE_HARNESS/campaign/states.jq"
}

# cell_is_held FOLDER CELL: 0 while a process measures the cell.
cell_is_held() {
    [[ -e $1/cells/$2/runs.jsonl ]] && ! flock -n -s "$1/cells/$2/runs.jsonl" true 2>/dev/null
}

# campaign_changes PLAN: tells in what the plan in the folder differs from PLAN.
campaign_changes() {
    [[ -s $campaign_folder/campaign.json ]] || return 0
    jq -rn --slurpfile old "$campaign_folder/campaign.json" --slurpfile new "$1" '
        def keys_of: [.cells[] | { (.name): .key }] | add // {};
        def some: if length > 3 then (.[:3] | join(", ")) + " and \(length - 3) more" else join(", ") end;
        ($old[0] | keys_of) as $o | ($new[0] | keys_of) as $n
        | [$n | keys_unsorted[] | select($o[.] == null)] as $added
        | [$n | keys_unsorted[] | select($o[.] != null and $o[.] != $n[.])] as $changed
        | [$o | keys_unsorted[] | select($n[.] == null)] as $gone
        | (select($added | length > 0) | "\($added | length) cell(s) are new: \($added | some)"),
          (select($changed | length > 0) | "\($changed | length) cell(s) are measured again, their definition changed: \($changed | some)"),
          (select($gone | length > 0) | "\($gone | length) cell(s) are no longer in the file, and are left as they are: \($gone | some)")' |
        while IFS= read -r line; do warn "$line"; done
}

# campaign_keep: writes plan and file into the folder, by renames.
campaign_keep() {
    local name
    for name in conf plan; do
        cp "$campaign_tmp/$name" "$campaign_folder/.$name.part" || die "cannot write to $campaign_folder: is the disk full?"
        sync "$campaign_folder/.$name.part"
    done
    mv "$campaign_folder/.conf.part" "$campaign_folder/campaign.conf"
    mv "$campaign_folder/.plan.part" "$campaign_folder/campaign.json"
}

# campaign_open FILE FOLDER shared|exclusive: makes or opens the folder, with the
# plan that is in $campaign_tmp/plan.
campaign_open() {
    mkdir -p "$2/cells" 2>/dev/null || die "cannot make the folder $2: choose another with --output"
    campaign_folder=$(cd "$2" && pwd)
    campaign_lock "$3"
    [[ -s $campaign_folder/campaign.json ]] && cmp -s "$campaign_tmp/plan" "$campaign_folder/campaign.json" && return
    if [[ $3 == shared && -s $campaign_folder/campaign.json ]]; then
        die "$1 is not what $campaign_folder was planned from: run jostle campaign $1 without --cells first, or give another --output"
    fi
    campaign_changes "$campaign_tmp/plan"
    campaign_keep
}

# campaign_choose FOLDER: the cells that options ask for, as a plan of their own in
# $campaign_tmp/chosen, and how they stand, in $campaign_tmp/states.
campaign_choose() {
    jq -c --arg only "${options[only]}" --arg cells "${options[cells]}" -f "$JOSTLE_HARNESS/campaign/choose.jq" "$campaign_tmp/plan" >"$campaign_tmp/chosen"
    campaign_states "$1" "$campaign_tmp/chosen" >"$campaign_tmp/states"
    [[ $(head -c 2 "$campaign_tmp/states") != '[]' ]] ||
        usage_error "${options[only]:+--only ${options[only]}}${options[cells]:+--cells ${options[cells]}}: no cell matches: jostle plan lists them"
}
