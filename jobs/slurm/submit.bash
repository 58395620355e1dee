# From a campaign to jobs. Sourced, never run; needs measuring,
# campaign, campaign-folder, queue.

# shellcheck disable=SC2154 # options and sbatch_given are submit's
submit_folder=''              # of the campaign, absolute
submit_tmp=''                 # our own temporary folder
submit_number=0               # of this submission to the folder
submit_cells=0 submit_count=0 # cells to measure, array tasks
declare -a submit_first=()    # of each array: the first line of its part of the tasks
declare -a submit_sizes=()    # and how many lines
declare -a submit_common=()   # sbatch's options for cells
declare -a submit_ids=()      # of the arrays
submit_report=''              # id of the job that reports
# A task should take about so long: so that starting it costs little, and what
# is lost with a node is little, too.
readonly SUBMIT_CELL_S=60 # of whose time nothing is known
readonly SUBMIT_TASK_S=600 SUBMIT_TASK_LEAST_S=20 SUBMIT_TASKS_PER_NODE=4

# submit_tidy: at the end, whatever the reason.
submit_tidy() {
    [[ -z $submit_tmp ]] || rm -rf -- "$submit_tmp"
    [[ -z $campaign_tmp ]] || rm -rf -- "$campaign_tmp"
}

# submit_settings: what jobs/settings says for sbatch.
submit_settings() {
    local file=${JOSTLE_SETTINGS:-$JOSTLE_ROOT/jobs/settings} partition='' scratch='' restarts=''
    local -a sbatch_options=() modules=() measure_options=()
    submit_tmp=$(mktemp -d) || die 'cannot make a temporary folder: set TMPDIR to one that can be written'
    if [[ -r $file ]]; then
        # shellcheck source=../settings.example
        source "$file"
    elif [[ -n ${JOSTLE_SETTINGS:-} ]]; then
        die "$file cannot be read: mend JOSTLE_SETTINGS"
    fi
    : "$scratch" "$restarts" "${modules[@]}" "${measure_options[@]}"
    submit_common=(${partition:+--partition="$partition"} "${sbatch_options[@]}")
}

# submit_plan CAMPAIGN: makes the campaign's folder with its plan, or takes the
# one that is there. CAMPAIGN is a file, the name of a ready one, or a folder.
submit_plan() {
    submit_folder=${options[output]}
    if [[ -d $1 ]]; then
        [[ -n ${options[resume]} ]] || usage_error "$1 is a folder: go on with it by --resume, or give a campaign file"
        [[ -z $submit_folder && -z ${options[set]} ]] || usage_error "$1 is the folder of a campaign: it takes neither --output nor --set"
        submit_folder=$1
    elif [[ -n ${options[resume]} && -z $submit_folder ]]; then
        usage_error '--resume needs the folder to go on with: jostle submit --resume DIR'
    fi
    [[ -z ${options[resume]} || -r $submit_folder/campaign.json ]] || usage_error "$submit_folder holds no campaign: submit without --resume"
    campaign_begin
    if [[ -d $1 ]]; then
        cp "$1/campaign.json" "$campaign_tmp/plan"
    else
        campaign_find "$1"
        campaign_make "$REPLY" "${options[set]}"
    fi
    submit_name_folder
    [[ -z ${options[resume]} ]] || submit_unqueued
    [[ -d $1 || -n ${options[dry_run]} ]] || submit_write "$1"
}

# submit_name_folder: makes submit_folder absolute, and refuses what will not do.
submit_name_folder() {
    local stamp
    printf -v stamp '%(%Y%m%d-%H%M%S)T' -1
    [[ -n $submit_folder ]] || submit_folder=jostle-results/$(jq -r '.name | gsub("[^A-Za-z0-9._-]"; "_")' "$campaign_tmp/plan").$stamp
    submit_folder=$(readlink -m -- "$submit_folder")
    [[ $submit_folder != *[$' \t\n%\\']* ]] ||
        usage_error "$submit_folder: sbatch cannot take a folder with spaces or % in its name: choose another --output"
    [[ -n ${options[resume]} || ! -e $submit_folder/campaign.json ]] ||
        usage_error "$submit_folder already holds a campaign: go on with it by --resume, or choose another --output"
}

# submit_unqueued: ends when jobs of the folder still wait or run: they would
# measure the same cells.
submit_unqueued() {
    local jobs queued
    [[ -r $submit_folder/slurm/jobs.jsonl ]] || return 0
    queue_read "$submit_folder" "$submit_tmp/queue" || die 'squeue does not answer: try again when it does'
    jobs=$(jq -r '.arrays[], .report' "$submit_folder/slurm/jobs.jsonl")
    queued=$(cut -f 2 "$submit_tmp/queue" | sort -u | grep -xF -- "$jobs" | paste -sd ' ') || true
    [[ -z $queued ]] || die "$submit_folder: its jobs still wait or run: let them, or end them first with: scancel $queued"
}

# submit_write CAMPAIGN: the plan into the folder.
submit_write() {
    campaign_open "$1" "$submit_folder" exclusive
    # The first task may begin before we end, and wants to share the folder.
    exec {campaign_lock_fd}>&-
}

# submit_todo: writes to $submit_tmp/todo a line for each cell that is to be
# measured: its number and how many seconds it may take.
submit_todo() {
    options[only]='' options[cells]=''
    campaign_choose "$submit_folder"
    jq -c --slurpfile plan "$campaign_tmp/plan" --rawfile probes /dev/null -f "$JOSTLE_HARNESS/campaign/estimate.jq" "$campaign_tmp/states" |
        jq -r --argjson unknown "$SUBMIT_CELL_S" '.cells[] | select(.todo) | "\(.number) \(.estimate_s // $unknown)"' >"$submit_tmp/todo"
    submit_cells=$(wc -l <"$submit_tmp/todo")
    ((submit_cells > 0)) || {
        printf '%s: nothing is left to do\n' "$submit_folder"
        exit 0
    }
}

# submit_nodes: sets REPLY to the number of nodes of the partition, 1 where Slurm
# does not tell.
submit_nodes() {
    local word partition='' next=''
    for word in "${submit_common[@]}" "${sbatch_given[@]}"; do
        [[ -z $next ]] || partition=$word
        next=''
        case $word in
            --partition=*) partition=${word#*=} ;;
            -p | --partition) next=1 ;;
            -p?*) partition=${word#-p} ;;
        esac
    done
    REPLY=$(sinfo -h -o %D ${partition:+-p "$partition"} 2>/dev/null | awk '{ n += $1 } END { print n + 0 }') || REPLY=1
    ((REPLY > 0)) || REPLY=1
}

# submit_tasks: groups the cells that are to be measured: a line a task, with its
# cells as a list such as 3-7,9, in $submit_tmp/tasks.
submit_tasks() {
    local total task_s
    submit_todo
    if [[ -n ${options[cells_per_task]} ]]; then
        task_s=0
    else
        # Enough tasks to keep every node busy to the end, none for a trifle.
        total=$(awk '{ s += $2 } END { printf "%d", s }' "$submit_tmp/todo")
        submit_nodes
        task_s=$((total / (REPLY * SUBMIT_TASKS_PER_NODE)))
        ((task_s <= SUBMIT_TASK_S)) || task_s=$SUBMIT_TASK_S
        ((task_s >= SUBMIT_TASK_LEAST_S)) || task_s=$SUBMIT_TASK_LEAST_S
    fi
    awk -v each="${options[cells_per_task]:-0}" -v task_s="$task_s" '
        function flush() { if (n) { print list (last > first ? "-" last : ""); n = 0; sum = 0; list = "" } }
        { if (n && (each ? n >= each : sum + $2 > task_s)) flush()
          if (n && $1 == last + 1) last = $1
          else { if (n) list = list (last > first ? "-" last : "") ","; list = list $1; first = last = $1 }
          n++; sum += $2 }
        END { flush() }' "$submit_tmp/todo" >"$submit_tmp/tasks"
    submit_count=$(wc -l <"$submit_tmp/tasks")
}

# submit_arrays: cuts the tasks into arrays that the cluster takes, and makes
# submit_common complete.
submit_arrays() {
    local most left first=1
    most=$(scontrol show config | sed -n 's/^MaxArraySize *= *//p') || die 'scontrol does not answer: is the Slurm controller up?'
    [[ $most =~ ^[0-9]+$ ]] || die 'scontrol does not tell MaxArraySize: is the Slurm controller up?'
    # Indices go from 1 to one below it; 0 forbids arrays.
    ((most > 1)) || die 'this cluster takes no job arrays (MaxArraySize): use jostle campaign in a job of your own'
    for ((left = submit_count; left > 0; left -= most - 1)); do
        submit_first+=("$first")
        submit_sizes+=($((left < most - 1 ? left : most - 1)))
        first=$((first + most - 1))
    done
    [[ -n ${options[share]} ]] || submit_common=(--exclusive "${submit_common[@]}")
    submit_needed_nodes
    submit_common+=(--nodes="$REPLY" --output="$submit_folder/slurm/%A_%a.log" "${sbatch_given[@]}")
    submit_number=1
    while [[ -e $submit_folder/slurm/$submit_number.tasks ]]; do submit_number=$((submit_number + 1)); done
}

# submit_needed_nodes: sets REPLY to how many nodes a cell needs at most: loads may
# be placed on node 2 and so on.
submit_needed_nodes() {
    REPLY=$(jq '[1, (.cells[] | (.node // "", .spec // "") | (select(contains("@all-others")) | 2),
        (scan("@[1-9][0-9]*(?:-[1-9][0-9]*)?|\\{node[1-9][0-9]*\\}") | scan("[0-9]+") | tonumber))] | max' "$campaign_tmp/plan")
}

# submit_command I: sets COMMAND to what submits the Ith array (from 0), after
# the arrays that are in submit_ids.
submit_command() {
    local array=1-${submit_sizes[$1]}
    [[ -z ${options[array_limit]} ]] || array+=%${options[array_limit]}
    COMMAND=(sbatch --parsable --job-name="$(submit_name)" --array="$array")
    # The limit is on all of them together.
    if [[ -n ${options[array_limit]} && $1 -gt 0 ]]; then
        COMMAND+=(--dependency="afterany:${submit_ids[$1 - 1]}")
    fi
    COMMAND+=("${submit_common[@]}" "$JOSTLE_ROOT/jobs/cell.sbatch" "$JOSTLE_ROOT" "$submit_folder"
        "$submit_folder/slurm/$submit_number.tasks" $((submit_first[$1] - 1)))
}

# submit_name: prints the jobs' name: the campaign's folder says which it is.
submit_name() {
    printf 'jostle:%s' "${submit_folder##*/}"
}

# submit_report_command: sets COMMAND to what submits the report, after all arrays.
submit_report_command() {
    local after word
    after=$(
        IFS=:
        printf '%s' "${submit_ids[*]}"
    )
    COMMAND=(sbatch --parsable --job-name="$(submit_name):report" --dependency="afterany:$after" --output="$submit_folder/slurm/%j.log")
    # Where the cells may run, by whom and for what account, so may the report; it
    # needs no node of its own.
    for word in "${submit_common[@]}"; do
        case $word in
            --partition=* | --account=* | --qos=* | --reservation=* | --clusters=*) COMMAND+=("$word") ;;
        esac
    done
    COMMAND+=("$JOSTLE_ROOT/jobs/report.sbatch" "$JOSTLE_ROOT" "$submit_folder")
}

# submit_show: what would be submitted.
submit_show() {
    local i
    printf '%d cells in %d array tasks, %d array(s); folder %s\n' "$submit_cells" "$submit_count" "${#submit_sizes[@]}" "$submit_folder"
    for i in "${!submit_sizes[@]}"; do
        submit_command "$i"
        submit_ids[i]="ARRAY$((i + 1))"
        shell_quote "${COMMAND[@]}"
        printf '%s\n' "$REPLY"
    done
    submit_report_command
    shell_quote "${COMMAND[@]}"
    printf '%s\n\n%s:\n' "$REPLY" "slurm/$submit_number.tasks, the cells of each task"
    head -n 10 "$submit_tmp/tasks"
    ((submit_count <= 10)) || printf '... %d more\n' $((submit_count - 10))
    printf '\n%s:\n' "$JOSTLE_ROOT/jobs/cell.sbatch"
    cat "$JOSTLE_ROOT/jobs/cell.sbatch"
}

# submit_one: runs COMMAND; sets REPLY to the job's id. What was submitted before
# is taken back when it fails: half a campaign in the queue helps nobody.
submit_one() {
    if ! REPLY=$("${COMMAND[@]}"); then
        [[ ${#submit_ids[@]} -eq 0 ]] || scancel "${submit_ids[@]}"
        die 'sbatch refused (see above): mend the options after --, or jobs/settings; nothing is in the queue'
    fi
    # With several clusters it is ID;CLUSTER.
    REPLY=${REPLY%%;*}
}

# submit_all: the tasks, the arrays, the report, and a note of their ids.
submit_all() {
    local i ids stamp
    mkdir -p "$submit_folder/slurm"
    cp "$submit_tmp/tasks" "$submit_folder/slurm/$submit_number.tasks" || die "cannot write to $submit_folder: is the disk full?"
    for i in "${!submit_sizes[@]}"; do
        submit_command "$i"
        submit_one
        submit_ids[i]=$REPLY
    done
    submit_report_command
    submit_one
    submit_report=$REPLY
    printf -v ids ',"%s"' "${submit_ids[@]}"
    TZ=UTC0 printf -v stamp '%(%Y-%m-%dT%H:%M:%SZ)T' -1
    printf '{"submitted":"%s","arrays":[%s],"report":"%s","cells":%d,"tasks":%d}\n' \
        "$stamp" "${ids#,}" "$submit_report" "$submit_cells" "$submit_count" >>"$submit_folder/slurm/jobs.jsonl"
}

# submit_tell: the ids, and what to do with them.
submit_tell() {
    if [[ -n ${options[quiet]} ]]; then
        printf '%s\n' "${submit_ids[@]}" "$submit_report"
        return
    fi
    printf '%d cells in %d array tasks: job %s; report: job %s; records: %s\n' \
        "$submit_cells" "$submit_count" "${submit_ids[*]}" "$submit_report" "$submit_folder"
    shell_quote "$submit_folder"
    printf '  watch:  jostle status %s\n' "$REPLY"
    printf '  cancel: scancel %s\n' "${submit_ids[*]} $submit_report"
    printf '  resume: jostle submit --resume %s\n' "$REPLY"
}
