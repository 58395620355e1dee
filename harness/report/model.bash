# From records to the model of a report. Sourced, never run; needs common, result.
#
# report_model WORK PATTERN DIR... leaves in WORK:
#   model.json   the model (jostle.report/1): one JSON document, each cell on a
#                line of its own, so that it can be read in parts, too
#   head.json    the model without its cells, one line
#   cells.jsonl  the cells, a line each, in the order of the report
#   runs.tsv     a line for each run, with a header line: experiment, condition, block, order, start,
#                wall_s, user_s, system_s, max_rss_bytes, exit_code, offered,
#                achieved, flags (commas), used (1, or 0 for a run that no
#                figure is made of), host, signal
# Memory does not grow with the number of runs: they pass through as text.

readonly REPORT_BATCH=250 # experiments that one process reads
readonly REPORT_DERIVED=100
readonly REPORT_RUN_COLUMNS=$'cell\tcondition\tblock\torder\tstart\twall_s\tuser_s\tsystem_s\tmax_rss_bytes\texit_code\toffered\tachieved\tflags\tused\thost\tsignal'

# report_folders DIR: prints the experiment folders of DIR, each ended by NUL:
# the cells of a campaign, DIR itself, or the experiments right below it.
report_folders() {
    if [[ -d $1/cells ]]; then
        find "$1/cells/" -mindepth 1 -maxdepth 1 -type d -print0 | LC_ALL=C sort -zV
    elif [[ -e $1/experiment.json || -e $1/runs.jsonl ]]; then
        printf '%s\0' "$1"
    elif [[ ! -e $1/campaign.json ]]; then
        find "$1/" -mindepth 2 -maxdepth 2 -name experiment.json -printf '%h\0' | LC_ALL=C sort -zV
    fi
}

# report_list DIR...: prints number, name and folder of every experiment, each
# ended by NUL. Of two by the same name the second is NAME#2.
report_list() {
    local dir folder name number=0 base
    local -A count=()
    local -a folders
    for dir in "$@"; do
        mapfile -d '' -t folders < <(report_folders "$dir")
        for folder in "${folders[@]}"; do
            base=${folder%/}
            [[ $base == */* && ${base##*/} != . && ${base##*/} != .. ]] || base=$(readlink -f -- "$folder")
            name=${base##*/}
            [[ $folder == /* ]] || folder=./$folder
            count[x$name]=$((${count[x$name]:-0} + 1))
            [[ ${count[x$name]} -eq 1 ]] || name+="#${count[x$name]}"
            number=$((number + 1))
            printf '%d\0%s\0%s\0' "$number" "$name" "$folder"
        done
    done
}

# report_unfinished FOLDER: 0 where there are runs enough for figures, two of each
# condition, but no result of them: interrupted, or still running.
report_unfinished() {
    [[ ! -e $1/result.json && -s $1/experiment.json && -s $1/runs.jsonl ]] || return 1
    [[ -x $JOSTLE_BIN/stats ]] || return 1
    jq -e -R -n --slurpfile experiment "$1/experiment.json" '[inputs | fromjson? | select(.schema == "jostle.run/1" and .block != 0) | .condition] as $runs
        | all($experiment[0].loads[].name; . as $name | [$runs[] | select(. == $name)] | length >= 2)' "$1/runs.jsonl" >/dev/null 2>&1
}

# report_derived WORK NUMBER FOLDER: derives the result of what is not finished
# from its whole lines; sets REPLY to a folder with it, or to FOLDER.
report_derived() {
    local folder=$1/derived/$2 file
    REPLY=$3
    mkdir -p "$folder"
    cp "$3/experiment.json" "$folder/" && jq -c -R 'fromjson? | select(.schema == "jostle.run/1")' "$3/runs.jsonl" >"$folder/runs.jsonl" || return 0
    "$JOSTLE_BIN/stats" --derive "$folder" >/dev/null 2>&1 || return 0
    for file in runs.jsonl status.json; do
        [[ ! -e $3/$file ]] || ln -sf "$(readlink -f -- "$3/$file")" "$folder/$file"
    done
    REPLY=$folder
}

# report_derive WORK: WORK/list with derived results, for at most REPORT_DERIVED
# experiments: each costs a few programs.
report_derive() {
    local number name folder derived=0
    while IFS= read -r -d '' number && IFS= read -r -d '' name && IFS= read -r -d '' folder; do
        if ((derived < REPORT_DERIVED)) && report_unfinished "$folder"; then
            derived=$((derived + 1))
            report_derived "$1" "$number" "$folder"
            folder=$REPLY
        fi
        printf '%d\0%s\0%s\0' "$number" "$name" "$folder"
    done <"$1/list" >"$1/list.derived"
    mv "$1/list.derived" "$1/list"
}

# report_campaigns WORK DIR...: prints the campaign.json of each DIR, a line each,
# and notes those that cannot be used in WORK/P.
report_campaigns() {
    local work=$1 dir line
    shift
    for dir in "$@"; do
        [[ -e $dir/campaign.json ]] || continue
        line=$(jq -c 'if type == "object" and (.cells | type) == "array" or .schema != "jostle.campaign/1" then . else error("form") end' "$dir/campaign.json" 2>/dev/null) || line=''
        if [[ -z $line || $line == *$'\n'* ]]; then
            printf '{"kind":"broken-record","cell":null,"message":"campaign.json is broken or half-written: cells that were not started are not known"}\n' >>"$work/P"
        elif jq -e '.schema == "jostle.campaign/1"' <<<"$line" >/dev/null 2>&1; then
            if [[ -r $dir/campaign.conf ]]; then
                line=$(jq -c --rawfile text "$dir/campaign.conf" '.text = $text' <<<"$line")
            fi
            printf '%s\n' "$line"
        else
            jq -c '{ kind: "unknown-schema", cell: null, message: "campaign.json has the schema \(.schema? | tojson), which is not known here (jostle.campaign/1)" }' <<<"$line" >>"$work/P"
        fi
    done
}

# report_name DIR...: sets REPLY to the name of a report without a campaign.
report_name() {
    local dir real
    local -a names=()
    for dir in "$@"; do
        real=$(readlink -f -- "$dir")
        names+=("${real##*/}")
    done
    printf -v REPLY '%s, ' "${names[@]}"
    REPLY=${REPLY%, }
}

# report_index_batch WORK NUMBER NAME FOLDER...: the records of some experiments
# as tagged lines (see index.jq) in WORK/part.NUMBER, a file a tag.
report_index_batch() {
    local part
    printf -v part '%s/part.%07d' "$1" "$2"
    mkdir "$part"
    awk -f "$JOSTLE_HARNESS/report/read.awk" "${@:2}" | tr -d '\000' |
        jq -nrR -L "$JOSTLE_LIB" -L "$JOSTLE_HARNESS" -f "$JOSTLE_HARNESS/report/index.jq" |
        awk -F '\t' -v part="$part" '{ print substr($0, 3) >> (part "/" $1) }'
}

# report_index WORK: all experiments of WORK/list in batches, a few at once, into
# WORK/C, H, N, P, W and runs.tsv.
report_index() {
    local work=$1 tag processes
    processes=$(nproc 2>/dev/null) || processes=1
    xargs -0 -r -n $((3 * REPORT_BATCH)) -P $((processes < 4 ? processes : 4)) \
        bash -c 'set -euo pipefail; source "$JOSTLE_HARNESS/report/model.bash"; report_index_batch "$@"' batch "$work" <"$work/list" ||
        die 'the records could not be read: see above'
    for tag in C H N P R W; do
        find "$work" -path "*/part.*/$tag" -print0 | sort -z | xargs -0 -r cat >>"$work/$tag"
    done
    {
        printf '%s\n' "$REPORT_RUN_COLUMNS"
        cat "$work/R"
    } >"$work/runs.tsv"
    rm -rf -- "$work/R" "$work"/part.*
}

# report_only PATTERN: sets REPLY to the regular expression of a shell pattern
# (* and ?); that of an empty one fits everything.
report_only() {
    local text=$1 char i
    REPLY=''
    [[ -n $text ]] || return 0
    for ((i = 0; i < ${#text}; i++)); do
        char=${text:i:1}
        case $char in
            '*') REPLY+='.*' ;;
            '?') REPLY+='.' ;;
            [A-Za-z0-9_%=@,:\ -]) REPLY+=$char ;;
            *) REPLY+=\\$char ;;
        esac
    done
    REPLY="^$REPLY\$"
}

# report_select WORK REGEX: leaves the cells whose name fits.
report_select() {
    local file
    [[ -n $2 ]] || return 0
    for file in cells.jsonl W; do
        jq -c --arg regex "$2" 'select(.name | test($regex))' "$1/$file" >"$1/selected"
        mv "$1/selected" "$1/$file"
    done
    jq -nc --slurpfile folders "$1/N" '[inputs | .experiment // .name] | unique
        | (map({ (.): true }) | add // {}) as $known | $folders[] | select($known[.name])' "$1/cells.jsonl" "$1/W" >"$1/selected"
    mv "$1/selected" "$1/N"
}

# report_model WORK PATTERN DIR...: see above; PATTERN selects cells by name.
report_model() {
    local work=$1 only name
    report_only "$2"
    only=$REPLY
    shift 2
    local -x LC_ALL=C
    report_list "$@" >"$work/list"
    report_derive "$work"
    report_campaigns "$work" "$@" >"$work/campaigns"
    report_index "$work"
    sort -s -S 32M -t $'\t' -k 1,1V -k 2,2V -k 3,3V -k 4,4V -k 5,5V -k 6,6V "$work/C" | cut -f 7- >"$work/cells.jsonl"
    report_select "$work" "$only"
    sort -u "$work/H" -o "$work/H"
    report_name "$@"
    name=$(jq -rn 'first(inputs.name | strings)' "$work/campaigns")
    jq -nc -L "$JOSTLE_LIB" -L "$JOSTLE_HARNESS" --arg name "${name:-$REPLY}" --arg only "$only" --slurpfile hosts "$work/H" --slurpfile waiting "$work/W" --slurpfile problems "$work/P" \
        --slurpfile campaigns "$work/campaigns" --slurpfile folders "$work/N" -f "$JOSTLE_HARNESS/report/head.jq" "$work/cells.jsonl" >"$work/head.json"
    report_join "$work" >"$work/model.json"
}

# report_join WORK: head.json and cells.jsonl as one document, a line a cell.
report_join() {
    local head
    head=$(<"$1/head.json")
    printf '%s,"cells":[\n' "${head%\}}"
    sed '$!s/$/,/' "$1/cells.jsonl"
    printf ']}\n'
}
