# A campaign file becomes a plan: the program campaign reads and writes, git reads the
# file. Sourced, never run; needs common, options.

# shellcheck disable=SC2034,SC2154 # for those who source this; what options and common have set
# shellcheck source-path=SCRIPTDIR source=../lib/study.bash
source "$JOSTLE_LIB/study.bash"

campaign_tmp=''  # our own temporary folder
campaign_file='' # the campaign file that the plan was made from

# campaign_begin: makes the temporary folder; whoever calls this closes it (temporary_close).
campaign_begin() {
    [[ -x $JOSTLE_BIN/campaign ]] || die "$JOSTLE_BIN/campaign is missing: run make"
    temporary_open
    campaign_tmp=$temporary_folder
}

# campaign_ready: prints the names of the ready campaigns, with commas between.
campaign_ready() {
    local file names=''
    for file in "$JOSTLE_HARNESS"/campaign/ready/*.conf; do
        file=${file##*/}
        names+="${names:+, }${file%.conf}"
    done
    print '%s' "$names"
}

# campaign_find NAME: sets REPLY to the campaign file: a path, or a ready one.
campaign_find() {
    local ready=$JOSTLE_HARNESS/campaign/ready
    local -a names=("$ready"/*.conf)
    names=("${names[@]##*/}")
    if [[ -f $1 ]]; then
        REPLY=$(readlink -f -- "$1")
    elif [[ $1 != */* && -f $ready/$1.conf ]]; then
        REPLY=$(readlink -f -- "$ready/$1.conf")
    else
        usage_error "$1: no such campaign file$(nearest "$1" "${names[@]%.conf}"): give a file, or one of the ready ones: ${names[*]%.conf}"
    fi
}

# campaign_copy FILE NAME: copies it to our temporary folder.
campaign_copy() {
    local said
    [[ -f $1 ]] || die "$1 is not a regular file: give another campaign"
    said=$(cp -- "$1" "$campaign_tmp/$2" 2>&1) ||
        die "$1 cannot be copied (${said#cp: }): make it readable, or set TMPDIR to a folder with room"
}

readonly CAMPAIGN_FILES=1000 # how many files git may have to read for one campaign
readonly CAMPAIGN_DEPTH=20   # git itself reads 10 below each other

# campaign_includes FILE DEPTH: refuses a campaign file that includes what is there and is no regular file (git
# would wait for a pipe), and one for which git would read CAMPAIGN_FILES or more: it reads a file again each time it
# is included. Sets files[FILE] of the caller to how many it reads for FILE; each is looked into once, so that a circle
# is left to git, which knows why it refuses one.
campaign_includes() {
    local entry path real
    local -i count=1
    local -a entries
    files[$1]=1
    [[ $2 -le $CAMPAIGN_DEPTH ]] || usage_error "$1 is included more than $CAMPAIGN_DEPTH files deep: include it further up"
    mapfile -d '' -t entries < <(git config -f "$1" --no-includes --type=path -z --get-regexp '^include(if\..*)?\.path$' 2>/dev/null)
    for entry in "${entries[@]}"; do
        path=${entry#*$'\n'}
        [[ $path == /* ]] || path=${1%/*}/$path
        [[ -e $path ]] || continue
        [[ -f $path ]] || usage_error "$1 includes $path, which is not a regular file: take it out"
        if [[ -z ${files[$path]:-} ]]; then
            # A link is a file of its own: what it includes is looked for beside it.
            real=$(readlink -f -- "${path%/*}/")/${path##*/}
            [[ -n ${files[$real]:-} ]] || campaign_includes "$real" $(($2 + 1))
            files[$path]=${files[$real]}
        fi
        count+=${files[$path]}
        [[ $count -lt $CAMPAIGN_FILES ]] || usage_error "$1 includes $CAMPAIGN_FILES files or more: include each once"
    done
    files[$1]=$count
}

# campaign_make FILE OVERRIDES: writes the plan of FILE, a jostle.campaign/1, to
# $campaign_tmp/plan, and the file as one, includes and all, to $campaign_tmp/conf.
# OVERRIDES are NAME=VALUE lines.
campaign_make() {
    local line why
    local -a set=()
    local -A files=()
    campaign_file=$1
    type -P git >/dev/null || die 'git is not installed: it reads campaign files: install it'
    campaign_includes "$1" 0
    if ! git config -f "$1" --includes --list -z --show-origin >"$campaign_tmp/entries" 2>"$campaign_tmp/git"; then
        why=$(tr -s '\n\t' '  ' <"$campaign_tmp/git")
        [[ $why != *include* ]] || usage_error "$1 cannot be read (${why% }): take an include out"
        usage_error "$1 cannot be read (${why% }): write [section \"NAME\"], and key = value below it"
    fi
    while IFS= read -r line; do
        [[ -z $line ]] || set+=(--set "$line")
    done <<<"$2"
    campaign_copy "$1" conf
    "$JOSTLE_BIN/campaign" expand --file "$1" --instances "$JOSTLE_ROOT/workloads/instances" --workloads "${JOSTLE_BIN%/bin}/workloads" \
        "${set[@]}" --plan "$campaign_tmp/plan" --conf "$campaign_tmp/conf" <"$campaign_tmp/entries" || exit
}

# campaign_describe: what the shell has to know of $campaign_tmp/plan, into plan: name (fit for a folder), nodes (how many
# the loads need), and where there are some: scratch (where working folders are to be made), calibrate (how long),
# prepares (the session-prepare), input (a cell gives its runs a file on stdin).
campaign_describe() {
    local -a answer
    answer_read answer "$JOSTLE_BIN/campaign" describe "$campaign_tmp/plan" || exit
    study_obey : "${answer[@]}" || true
}

# campaign_keep_plan FOLDER: makes FOLDER, and brings the plan into it.
campaign_keep_plan() {
    "$JOSTLE_BIN/campaign" keep "$campaign_tmp/plan" "$1" --conf "$campaign_tmp/conf" --file "$campaign_file" || exit
}

# campaign_tasks FOLDER FILE OPTION...: groups the cells to measure into tasks: writes a
# line for each with its cells, such as 3-7,9, to FILE; sets CELLS and TASKS to how many
# there are. OPTIONs: --nodes N or --cells-per-task N, and --retry-failed.
campaign_tasks() {
    local answer
    answer=$("$JOSTLE_BIN/campaign" tasks "$campaign_tmp/plan" "$1" --output "$2" "${@:3}") || exit
    IFS=$'\t' read -r CELLS TASKS <<<"$answer"
}

# campaign_choice: sets the array CHOICE to the options that choose cells, of those in
# the array options.
campaign_choice() {
    CHOICE=(${options[only]:+--only "${options[only]}"} ${options[cells]:+--cells "${options[cells]}"}
        ${options[session]:+--session "${options[session]}"}
        ${options[retry_failed]:+--retry-failed})
}

# campaign_status FOLDER: writes how far FOLDER is, a jostle.campaign-status/1, to
# $campaign_tmp/status; sets LEFT and FAILED to the numbers of cells that are to be
# measured and that failed. Needs scheduler.
campaign_status() {
    local id answer
    local -a queue=()
    if scheduler_queue "$1" >"$campaign_tmp/queue"; then
        queue=(--queue "$campaign_tmp/queue" --fates "$campaign_tmp/fates")
        : >"$campaign_tmp/fates"
        # Of a job that a cell names, and that is gone, people want to know why.
        "$JOSTLE_BIN/campaign" status "$1" "${queue[@]}" --lost >"$campaign_tmp/lost" || exit
        while IFS= read -r id; do
            printf '%s\t%s\n' "$id" "$(scheduler_fate "$id")" >>"$campaign_tmp/fates"
        done <"$campaign_tmp/lost"
    fi
    answer=$("$JOSTLE_BIN/campaign" status "$1" "${queue[@]}" --output "$campaign_tmp/status") || exit
    IFS=$'\t' read -r LEFT FAILED <<<"$answer"
}

# campaign_folder_check FOLDER: refuses a FOLDER that holds no campaign.
campaign_folder_check() {
    [[ -d $1 ]] || usage_error "$1 is no folder: give one that jostle campaign or submit has made"
    [[ -r $1/campaign.json ]] || usage_error "$1 holds no campaign (campaign.json): give a folder that jostle campaign or submit has made"
}

# campaign_look NAME: what commands that look at a campaign begin with: one operand, its folder. Sets folder. Needs scheduler.
campaign_look() {
    [[ ${#operands[@]} -eq 1 ]] || usage_error "$1 takes one folder, ${#operands[@]} given: jostle $1 DIR"
    folder=${operands[0]%/}
    campaign_folder_check "$folder"
    trap temporary_close EXIT
    campaign_begin
    scheduler_of "$folder"
    scheduler_use "$REPLY"
}
