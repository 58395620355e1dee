# Where a campaign is: a bar on a terminal, a line a cell in a log. Sourced, never
# run; needs common.
#
# While a cell is measured we sleep, but for one look at its status.json a second,
# and that only on a terminal.

# shellcheck disable=SC2154 # campaign_folder is folder.bash's
declare -A progress_waiting=() progress_spent=() progress_known=() # by target: cells to be measured; seconds and number of those that were
progress_terminal=''                                               # not empty where there is a terminal that may be written to
progress_ticker=''                                                 # the process that wakes us up once a second
progress_total=0 progress_finished=0
progress_target='' progress_name='' progress_since_us=0

# seconds_text SECONDS: sets REPLY to a time for people.
seconds_text() {
    if (($1 < 100)); then
        REPLY="$1 s"
    elif (($1 < 6000)); then
        REPLY="$((($1 + 30) / 60)) min"
    else
        printf -v REPLY '%d h %02d min' $(($1 / 3600)) $(($1 % 3600 / 60))
    fi
}

# progress_begin STATES QUIET: STATES is a file of campaign_states: all cells of
# the campaign that are to be measured or were.
progress_begin() {
    local target state spent
    while IFS=$'\x01' read -r target state spent; do
        if [[ $state == 'done' ]]; then
            progress_spent[$target]=$((${progress_spent[$target]:-0} + spent))
            progress_known[$target]=$((${progress_known[$target]:-0} + 1))
            progress_finished=$((progress_finished + 1))
        elif [[ $state == todo ]]; then
            progress_waiting[$target]=$((${progress_waiting[$target]:-0} + 1))
        else
            progress_finished=$((progress_finished + 1))
        fi
        progress_total=$((progress_total + 1))
    done < <(jq -r '.[] | [.target, (if .todo then "todo" else .state end), (.status.spent_s // 0 | floor | tostring)] | join("\u0001")' "$1")
    progress_quiet=$2
    [[ -t 2 && -z $progress_quiet && ${TERM:-dumb} != dumb ]] || return 0
    progress_terminal=1
    trap : USR1
    # Without a fork a second: a read that waits for what never comes.
    (
        trap - EXIT INT TERM HUP
        exec {never}<> <(:)
        while kill -0 $$ 2>/dev/null; do
            read -r -t 1 -u "$never" || kill -s USR1 $$ 2>/dev/null
        done
    ) 2>/dev/null &
    progress_ticker=$!
}

# progress_stop: takes the bar away.
progress_stop() {
    [[ -n $progress_terminal ]] || return 0
    printf '\r\033[K' >&2
    [[ -z $progress_ticker ]] || kill "$progress_ticker" 2>/dev/null || true
    progress_terminal='' progress_ticker=''
}

# progress_cell NUMBER NAME TARGET: a cell begins.
progress_cell() {
    progress_name=$2 progress_target=$3
    now_us
    progress_since_us=$REPLY
    progress_tick
}

# progress_current: sets CURRENT to how far the current cell is, and CURRENT_LEFT to
# the seconds that it still takes, or nothing.
progress_current() {
    local status='' runs expected error asked
    CURRENT='' CURRENT_LEFT=''
    { read -r status <"$campaign_folder/cells/$progress_name/status.json"; } 2>/dev/null || return 0
    [[ $status =~ \"state\":\"running\".*\"runs\":([0-9]+).*\"error\":([0-9.e+-]+|null),\"asked_error\":([0-9.e-]+),\"expected_runs\":([0-9]+|null) ]] || return 0
    runs=${BASH_REMATCH[1]} error=${BASH_REMATCH[2]} asked=${BASH_REMATCH[3]} expected=${BASH_REMATCH[4]}
    CURRENT="$runs runs"
    if [[ $error != null ]]; then
        LC_ALL=C printf -v error '%.1f' "${error}e2"
        LC_ALL=C printf -v asked '%.1f' "${asked}e2"
        CURRENT+=", error $error % of $asked %"
    fi
    [[ $expected != null && $runs -gt 0 ]] || return 0
    now_us
    CURRENT_LEFT=$(((REPLY - progress_since_us) * (expected > runs ? expected - runs : 0) / runs / 1000000))
}

# progress_left: sets REPLY to the seconds that the waiting cells will take, by
# those of the same target that were measured, else by all; or to nothing.
progress_left() {
    local target spent=0 known=0 sum=0
    for target in "${!progress_known[@]}"; do
        spent=$((spent + progress_spent[$target])) known=$((known + progress_known[$target]))
    done
    REPLY=''
    ((known > 0)) || return 0
    for target in "${!progress_waiting[@]}"; do
        if ((${progress_known[$target]:-0} > 0)); then
            sum=$((sum + progress_waiting[$target] * progress_spent[$target] / progress_known[$target]))
        else
            sum=$((sum + progress_waiting[$target] * spent / known))
        fi
    done
    REPLY=$sum
}

# progress_bar DONE TOTAL: sets REPLY to a bar.
progress_bar() {
    local width=20 full bar
    full=$(($2 > 0 ? $1 * width / $2 : width))
    printf -v bar '%*s' "$full" ''
    printf -v REPLY '%-*s' "$width" "${bar// /#}"
    REPLY="[${REPLY// /.}] $1/$2"
}

# progress_tick: draws the bar.
progress_tick() {
    local text left=''
    [[ -n $progress_terminal && -n $progress_name ]] || return 0
    progress_current
    progress_left
    [[ -z $REPLY ]] || left=$((REPLY + ${CURRENT_LEFT:-0}))
    # The current cell is among those that wait until it has ended.
    if [[ -n $left && -n $CURRENT_LEFT && ${progress_known[$progress_target]:-0} -gt 0 ]]; then
        left=$((left - progress_spent[$progress_target] / progress_known[$progress_target]))
    fi
    progress_bar "$progress_finished" "$progress_total"
    text="$REPLY $progress_name${CURRENT:+: $CURRENT}"
    if [[ -n $left ]]; then
        seconds_text $((left > 0 ? left : 0))
        text+=", about $REPLY left"
    fi
    printf '\r\033[K%s' "${text:0:${COLUMNS:-80}-1}" >&2
}

# progress_cell_end NAME TARGET STATE REASON: a cell has ended: a line about it.
progress_cell_end() {
    local folder=$campaign_folder/cells/$1 seconds text=''
    now_us
    seconds=$(((REPLY - progress_since_us + 500000) / 1000000))
    progress_name=''
    [[ $3 == interrupted ]] || progress_finished=$((progress_finished + 1))
    progress_waiting[$2]=$((${progress_waiting[$2]:-1} - 1))
    if [[ $3 == 'done' ]]; then
        progress_spent[$2]=$((${progress_spent[$2]:-0} + seconds))
        progress_known[$2]=$((${progress_known[$2]:-0} + 1))
        text=$(jq -r -L "$JOSTLE_LIB" -L "$JOSTLE_HARNESS" -f "$JOSTLE_HARNESS/campaign/progress.jq" "$folder/result.json" 2>/dev/null) || text='done'
    else
        text="$3${4:+: $4}"
    fi
    [[ -z $progress_quiet || $3 != 'done' ]] || return 0
    [[ -z $progress_terminal ]] || printf '\r\033[K' >&2
    seconds_text "$seconds"
    printf '%*d/%d %s: %s (%s)\n' "${#progress_total}" "$progress_finished" "$progress_total" "$1" "$text" "$REPLY" >&2
}
