# From a campaign to jobs. Sourced, never run; needs common, options, campaign, settings,
# scheduler.

# shellcheck disable=SC2154 # options is submit's, campaign_tmp and plan_* are campaign.bash's
submit_folder=''              # of the campaign, absolute
submit_number=0               # of this submission to the folder
submit_cells=0 submit_count=0 # cells to measure, array tasks
declare -a submit_first=()    # of each array: the first line of its part of the tasks
declare -a submit_sizes=()    # and how many lines
declare -a submit_ids=()      # of the arrays
submit_report=''              # id of the job that reports

# submit_plan CAMPAIGN: makes the campaign's folder with its plan, or takes the
# one that is there. CAMPAIGN is a file, the name of a ready one, or a folder.
submit_plan() {
    submit_folder=${options[output]}
    if [[ -d $1 ]]; then
        [[ -n ${options[resume]} ]] || usage_error "$1 is a folder: continue with it by --resume, or give a campaign file"
        [[ -z $submit_folder && -z ${options[set]} ]] || usage_error "$1 is the folder of a campaign: it takes neither --output nor --set"
        submit_folder=$1
    elif [[ -n ${options[resume]} && -z $submit_folder ]]; then
        usage_error '--resume needs the folder to continue with: jostle submit --resume DIR'
    fi
    [[ -z ${options[resume]} || -r $submit_folder/campaign.json ]] || usage_error "$submit_folder holds no campaign: submit without --resume"
    if [[ -d $1 ]]; then
        campaign_copy "$1/campaign.json" plan
    else
        campaign_find "$1"
        campaign_make "$REPLY" "${options[set]}"
    fi
    campaign_describe
    [[ -z ${plan[prepares]:-} ]] ||
        usage_error 'session-prepare cannot run between the tasks of a job array: prepare each session yourself, take it out of the file, and submit one session at a time (--session N)'
    submit_name_folder
    [[ -z ${options[resume]} ]] || submit_unqueued
    [[ -d $1 || -n ${options[dry_run]} ]] || campaign_keep_plan "$submit_folder"
}

# submit_name_folder: makes submit_folder absolute, and refuses what will not do.
submit_name_folder() {
    local stamp
    printf -v stamp '%(%Y%m%d-%H%M%S)T' -1
    submit_folder=$(readlink -m -- "${submit_folder:-jostle-results/${plan[name]}.$stamp}")
    [[ $submit_folder != *[$' \t\n%\\']* ]] ||
        usage_error "$submit_folder: a job cannot take a folder with spaces or % in its name: choose another --output"
    [[ -n ${options[resume]} || ! -e $submit_folder/campaign.json ]] ||
        usage_error "$submit_folder already holds a campaign: continue with it by --resume, or choose another --output"
}

# submit_unqueued: ends when jobs of the folder still wait or run: they would
# measure the same cells.
submit_unqueued() {
    local -a queued words
    [[ -e $submit_folder/jobs/jobs.tsv ]] || return 0
    [[ -f $submit_folder/jobs/jobs.tsv ]] || die "$submit_folder/jobs/jobs.tsv is not a regular file: which jobs measure the folder is not known"
    scheduler_of "$submit_folder"
    [[ $REPLY == "$scheduler" ]] ||
        usage_error "$submit_folder was submitted to $REPLY: give --scheduler $REPLY, or another --output"
    scheduler_queue "$submit_folder" >"$campaign_tmp/queue" || die "the scheduler ($scheduler) does not answer: try again when it does"
    mapfile -t queued < <(comm -12 <(cut -f 2 "$campaign_tmp/queue" | sort -u) <(cut -f 4 "$submit_folder/jobs/jobs.tsv" | sort -u))
    [[ ${#queued[@]} -gt 0 ]] || return 0
    scheduler_cancel_words words "${queued[@]}"
    shell_quote "${words[@]}"
    die "$submit_folder: its jobs still wait or run: wait for them, or end them first with: $REPLY"
}

# submit_tasks: groups the cells that are to be measured: a line a task, with its
# cells as a list such as 3-7,9, in $campaign_tmp/tasks.
submit_tasks() {
    local -a size=(--cells-per-task "${options[cells_per_task]}")
    if [[ -z ${options[cells_per_task]} ]]; then
        scheduler_nodes "${scheduler_options[@]}"
        size=(--nodes "$REPLY")
    fi
    campaign_tasks "$submit_folder" "$campaign_tmp/tasks" "${size[@]}" ${options[retry_failed]:+--retry-failed} \
        ${options[session]:+--session "${options[session]}"}
    submit_cells=$CELLS submit_count=$TASKS
    ((submit_cells > 0)) || {
        print '%s: nothing is left to do\n' "${submit_folder//[[:cntrl:]]/?}"
        exit 0
    }
}

# submit_arrays: cuts the tasks into arrays that the scheduler takes.
submit_arrays() {
    local most left first=1
    scheduler_array_limit
    most=$REPLY
    [[ -z $REMARK ]] || {
        # It need not answer to be asked what would be submitted.
        [[ -n ${options[dry_run]} ]] || die "$REMARK: start it, or submit later"
        warn "$REMARK"
    }
    ((most > 0)) || die 'this cluster takes no job arrays: use jostle campaign in a job of your own'
    for ((left = submit_count; left > 0; left -= most)); do
        submit_first+=("$first")
        submit_sizes+=($((left < most ? left : most)))
        first=$((first + most))
    done
    submit_number=1
    while [[ -e $submit_folder/jobs/$submit_number.tasks ]]; do submit_number=$((submit_number + 1)); done
}

# submit_before I: sets REPLY to the id of the array that the Ith has to wait for, or to nothing. The
# limit is on all of them together, so as many run at a time as have room in it.
submit_before() {
    local abreast
    REPLY=''
    [[ -n ${options[array_limit]} ]] || return 0
    abreast=$((options[array_limit] / submit_sizes[0]))
    ((abreast > 0)) || abreast=1
    (($1 < abreast)) || REPLY=${submit_ids[$1 - abreast]}
}

# submit_command I: sets COMMAND to what submits the Ith array (from 0), after
# the arrays that are in submit_ids.
submit_command() {
    # shellcheck disable=SC2034 # read by scheduler_submit_words
    local -A job=([name]="jostle:${submit_folder##*/}" [script]="$JOSTLE_ROOT/jobs/cell" [log]="$submit_folder/jobs/%j_%i.log"
        [words]="$JOSTLE_ROOT $submit_folder $submit_folder/jobs/$submit_number.tasks $((submit_first[$1] - 1))"
        [tasks]="${submit_sizes[$1]}" [at_once]="${options[array_limit]}" [after]='' [nodes]="${plan[nodes]}" [exclusive]="${options[exclusive]:-default}" [light]='')
    submit_before "$1"
    job[after]=$REPLY
    [[ -z ${options[share]} ]] || job[exclusive]=''
    scheduler_submit_words job COMMAND
}

# submit_report_command: sets COMMAND to what submits the report, after all arrays.
submit_report_command() {
    # shellcheck disable=SC2034 # read by scheduler_submit_words
    local -A job=([name]="jostle:${submit_folder##*/}:report" [script]="$JOSTLE_ROOT/jobs/report" [log]="$submit_folder/jobs/%j.log"
        [words]="$JOSTLE_ROOT $submit_folder" [tasks]='' [at_once]='' [after]="${submit_ids[*]}" [nodes]=1 [exclusive]='' [light]=1)
    scheduler_submit_words job COMMAND
}

# submit_show: what would be submitted.
submit_show() {
    local i
    local arrays="${#submit_sizes[@]} arrays"
    ((${#submit_sizes[@]} != 1)) || arrays='1 array'
    print '%d cells in %d array tasks, %s; folder %s\n' "$submit_cells" "$submit_count" "$arrays" "${submit_folder//[[:cntrl:]]/?}"
    for i in "${!submit_sizes[@]}"; do
        submit_command "$i"
        submit_ids[i]="ARRAY$((i + 1))"
        shell_quote "${COMMAND[@]}"
        print '%s\n' "$REPLY"
    done
    submit_report_command
    shell_quote "${COMMAND[@]}"
    print '%s\n\n%s:\n' "$REPLY" "jobs/$submit_number.tasks, the cells of each task"
    print '%s\n' "$(head -n 10 "$campaign_tmp/tasks")"
    ((submit_count <= 10)) || print '... %d more\n' $((submit_count - 10))
    print '\n%s:\n' "$JOSTLE_ROOT/jobs/cell"
    print_file "$JOSTLE_ROOT/jobs/cell"
}

# submit_take_back: cancels what was submitted.
submit_take_back() {
    local -a words
    ((${#submit_ids[@]} > 0)) || return 0
    scheduler_cancel_words words "${submit_ids[@]}"
    "${words[@]}"
}

# submit_jobs LINE: prints jobs.tsv with one more line.
submit_jobs() {
    [[ ! -e $submit_folder/jobs/jobs.tsv ]] || cat -- "$submit_folder/jobs/jobs.tsv" || return
    printf '%s\n' "$1"
}

# submit_one ROLE: runs COMMAND; sets REPLY to the job's id, and notes it in jobs.tsv.
# What was submitted before is taken back when it fails: half a campaign in the
# queue helps nobody.
submit_one() {
    local id stamp line
    if ! id=$("${COMMAND[@]}"); then
        submit_take_back
        die "$scheduler refused the job (see above): fix the options after --, or $settings_file; nothing is in the queue"
    fi
    # With several clusters it is ID;CLUSTER, of an array perhaps ID.1-9:1.
    id=${id%%[;.]*}
    TZ=UTC0 printf -v stamp '%(%Y-%m-%dT%H:%M:%SZ)T' -1
    printf -v line '%s\t%s\t%s\t%s' "$stamp" "$scheduler" "$1" "$id"
    save_kept "$submit_folder/jobs/jobs.tsv" submit_jobs "$line" || {
        submit_ids+=("$id")
        submit_take_back
        die "nothing is in the queue: make room, then submit again"
    }
    REPLY=$id
}

# submit_all: the tasks, the arrays, the report.
submit_all() {
    local i
    [[ ! -L $submit_folder/jobs ]] || die "$submit_folder/jobs is a link, which may lead anywhere: remove it, or choose another folder"
    mkdir -p "$submit_folder/jobs"
    save_kept "$submit_folder/jobs/$submit_number.tasks" cat "$campaign_tmp/tasks" || exit
    for i in "${!submit_sizes[@]}"; do
        submit_command "$i"
        submit_one cells
        submit_ids[i]=$REPLY
    done
    submit_report_command
    submit_one report
    submit_report=$REPLY
}

# submit_summary: the ids, and what to do with them.
submit_summary() {
    local -a words
    # shellcheck disable=SC2034 # print reads it
    OUTPUT_KEPT="the jobs are in $submit_folder/jobs/jobs.tsv"
    if [[ -n ${options[quiet]} ]]; then
        print '%s\n' "${submit_ids[@]}" "$submit_report"
        return
    fi
    print '%d cells in %d array tasks: job %s; report: job %s; records: %s\n' \
        "$submit_cells" "$submit_count" "${submit_ids[*]}" "$submit_report" "$submit_folder"
    shell_quote "$submit_folder"
    print '  watch:  jostle status %s\n' "$REPLY"
    print '  resume: jostle submit --resume %s\n' "$REPLY"
    scheduler_cancel_words words "${submit_ids[@]}" "$submit_report"
    shell_quote "${words[@]}"
    print '  cancel: %s\n' "$REPLY"
}
