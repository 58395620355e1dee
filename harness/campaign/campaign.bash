# A campaign file becomes a plan: the list of its cells. Sourced, never run; needs
# common and options, and the table of measuring options.
#
# Everything is worked out by a handful of processes, whatever the number of cells.

# shellcheck disable=SC2154 # measuring_options comes from measuring.bash
campaign_tmp=''   # our own temporary folder
campaign_where='' # FILE:LINE of what is being checked, for error messages

# Options of slowdown that a campaign gives itself, or that make no sense in one.
readonly CAMPAIGN_NOT=' load output json quiet verbose help resume cell show-output '

# usage_error MESSAGE: as in common.bash, but told with the place in the file.
usage_error() {
    [[ -z $campaign_where ]] || die "$campaign_where: ${1#--}" "$EXIT_USAGE"
    die "$1" "$EXIT_USAGE"
}

# campaign_begin: makes the temporary folder; whoever calls this removes it.
campaign_begin() {
    campaign_tmp=$(mktemp -d) || die 'cannot make a temporary folder: set TMPDIR to one that can be written'
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

# campaign_git FILE: what git config makes of FILE, a line an origin, a line a key
# with its value (\x01 between them, and where the value has a line break).
campaign_git() {
    local text
    git config -f "$1" --includes --list -z --show-origin 2>"$campaign_tmp/git" | tr '\0\n' '\n\001' >"$campaign_tmp/rows" || {
        text=$(head -n 1 "$campaign_tmp/git")
        if [[ $text =~ 'bad config line '([0-9]+)' in file '(.*) ]]; then
            usage_error "${BASH_REMATCH[2]}:${BASH_REMATCH[1]}: this is not the syntax of git config: write [section \"NAME\"], and key = value below it"
        fi
        usage_error "$1 cannot be read: ${text#fatal: }"
    }
}

# campaign_entries FILE: the entries of FILE and of what it includes, with the
# lines where they stand, as JSON in $campaign_tmp/entries.
campaign_entries() {
    local where file
    local -a files
    campaign_git "$1"
    mapfile -t files < <(awk -v main="$1" 'BEGIN { seen[main] = 1; print main } NR % 2 { sub(/^file:/, ""); if (!seen[$0]++) print }' "$campaign_tmp/rows")
    LC_ALL=C awk -f "$JOSTLE_HARNESS/campaign/lines.awk" "${files[@]}" >"$campaign_tmp/lines"
    jq -nc --rawfile text "$campaign_tmp/rows" --rawfile lines "$campaign_tmp/lines" -f "$JOSTLE_HARNESS/campaign/entries.jq" >"$campaign_tmp/entries" ||
        die "$1 could not be read: it needs jq 1.6 or later"
    # git passes over an include that is not there.
    while IFS=$'\t' read -r where file; do
        [[ $file == /* ]] || file=$(dirname "${where%:*}")/$file
        [[ -f ${file/#'~'/$HOME} ]] || usage_error "$where: $file is not there: mend the path of the include"
    done < <(jq -r '.entries[] | select(.section == "include") | "\(.file):\(.line)\t\(.value)"' "$campaign_tmp/entries")
}

# campaign_options: {option: kind} of all that a file may set, as JSON.
campaign_options() {
    local row name kind
    REPLY=''
    for row in "${measuring_options[@]}"; do
        IFS='|' read -r name _ kind _ <<<"$row"
        # Words, which may come from a parameter: place = {where}.
        [[ $kind != place && $kind != cores ]] || kind=text
        [[ $CAMPAIGN_NOT == *" $name "* ]] || REPLY+=",\"$name\":\"$kind\""
    done
    REPLY="{${REPLY#,}}"
}

# campaign_value NAME KIND VALUE: sets REPLY to the value in the form that
# programs read; ends with an error that tells campaign_where.
campaign_value() {
    local kind=$2
    case $2:$3 in
        flag:true | flag:yes | flag:on | flag:1) REPLY=1 ;;
        flag:false | flag:no | flag:off | flag:0) REPLY='' ;;
        flag:*) usage_error "$1 $3: give true or false" ;;
        text:*'{'*) REPLY=$3 ;;
        text:*)
            [[ $1 != place ]] || kind=place
            [[ $1 != place-cpus ]] || kind=cores
            option_check "$kind" "$1" "$3"
            ;;
        *) option_check "$kind" "$1" "$3" ;;
    esac
}

# campaign_values OPTIONS: checks every setting; {index: value} in $campaign_tmp/values.
campaign_values() {
    local index name kind value json=''
    while IFS=$'\x01' read -r index name kind campaign_where value; do
        campaign_value "$name" "$kind" "$value"
        json_string "$REPLY"
        json+=",\"$index\":$REPLY"
    done < <(jq -r --argjson options "$1" '.entries | to_entries[] | .key as $i | .value
        | select(((.section | IN("campaign", "target", "load")) and (.key as $k | $options | has($k))) or (.section == "campaign" and .key == "calibrate"))
        | [($i | tostring), .key, $options[.key] // "time", "\(.file):\(.line)", (.value | gsub("\n"; " "))] | join("\u0001")' "$campaign_tmp/entries")
    campaign_where=''
    printf '{%s}\n' "${json#,}" >"$campaign_tmp/values"
}

# campaign_overrides OPTIONS LINES: KEY=VALUE lines, checked, as a JSON object.
campaign_overrides() {
    local line name kind json=''
    local -a known
    mapfile -t known < <(jq -r 'keys[]' <<<"$1")
    while IFS= read -r line; do
        [[ -n $line ]] || continue
        name=${line%%=*} name=${name#campaign.}
        [[ $line == *=* ]] || usage_error "--set $line: give NAME=VALUE, such as max-runs=8"
        kind=$(jq -r --arg name "$name" '.[$name] // empty' <<<"$1")
        [[ -n $kind ]] || usage_error "--set $line: unknown setting$(nearest "$name" "${known[@]}"): give one of ${known[*]}"
        campaign_value "$name" "$kind" "${line#*=}"
        json_string "$REPLY"
        json+=",\"$name\":$REPLY"
    done <<<"$2"
    REPLY="{${json#,}}"
}

# campaign_builtin FILE: the placeholders that every file has, as JSON.
campaign_builtin() {
    local folder=${1%/*} instances=$JOSTLE_ROOT/workloads/instances workloads=${JOSTLE_BIN%/bin}/workloads
    REPLY=$(jq -nc --arg f "$folder" --arg i "$instances" --arg w "$workloads" '{ "campaign-dir": $f, instances: $i, workloads: $w }')
}

# campaign_error LINE: ends with what expand.jq found wrong.
campaign_error() {
    local where message word advice text=''
    local -a known
    IFS=$'\x01' read -r where message word advice < <(jq -r '.error | [.where // "", .message, .word, .advice] | map(gsub("\n"; " ")) | join("\u0001")' <<<"$1")
    mapfile -t known < <(jq -r '.error.known[]' <<<"$1")
    [[ -z $word ]] || text=$(nearest "$word" "${known[@]}")
    usage_error "${where:-$campaign_file}: $message$text: $advice"
}

# campaign_program WORD FOLDER: sets REPLY to the program that WORD names: one of
# the workloads, or one in PATH; relative paths count from FOLDER.
campaign_program() {
    local workloads=${JOSTLE_BIN%/bin}/workloads
    case $1 in
        /*) REPLY=$1 ;;
        */*) REPLY=$2/${1#./} ;;
        *)
            REPLY=$workloads/$1
            [[ -x $REPLY ]] || REPLY=$(type -P -- "$1") || REPLY=''
            [[ -z $REPLY || $REPLY == /* ]] || REPLY=$PWD/$REPLY
            ;;
    esac
    [[ -n $REPLY && ($1 == /* || -x $REPLY) ]]
}

# campaign_programs FOLDER: {word: program} of all commands, in $campaign_tmp/programs.
campaign_programs() {
    local word json=''
    while IFS=$'\x01' read -r campaign_where word; do
        campaign_program "$word" "$1" || usage_error "$word: no such program in workloads, nor in PATH: mend the command, or build it"
        json_string "$REPLY"
        json+=",$(jq -n --arg w "$word" '$w'):$REPLY"
    done < <(head -n 1 "$campaign_tmp/expanded" | jq -r '.programs[] | "\(.where)\u0001\(.word)"')
    campaign_where=''
    printf '{%s}\n' "${json#,}" >"$campaign_tmp/programs"
}

# campaign_keys KIND: the SHA-256 of every definition of KIND, as a JSON list. One
# file each, since a process each would take minutes.
campaign_keys() {
    local folder=$campaign_tmp/$1
    mkdir "$folder"
    head -n 1 "$campaign_tmp/expanded" | jq -r --arg kind "$1" '.definitions[$kind][]' | split -l 1 -a 6 - "$folder/"
    find "$folder" -type f | LC_ALL=C sort | xargs -r sha256sum | cut -c1-64 | jq -Rnc '[inputs]'
    rm -r "$folder"
}

# campaign_make FILE OVERRIDES: writes the plan of FILE, a jostle.campaign/1, to
# $campaign_tmp/plan, and the one file that it is made from to $campaign_tmp/conf.
campaign_make() {
    local options overrides builtin name=${1##*/}
    campaign_file=$1
    campaign_options
    options=$REPLY
    campaign_overrides "$options" "$2"
    overrides=$REPLY
    campaign_entries "$1"
    campaign_values "$options"
    campaign_builtin "$1"
    builtin=$REPLY
    jq -r --argjson options "$options" --slurpfile values "$campaign_tmp/values" --argjson overrides "$overrides" --argjson builtin "$builtin" \
        -f "$JOSTLE_HARNESS/campaign/expand.jq" "$campaign_tmp/entries" >"$campaign_tmp/expanded" || die "$1 could not be expanded"
    ! tail -n 1 "$campaign_tmp/expanded" | grep -q '^{"error":' || campaign_error "$(tail -n 1 "$campaign_tmp/expanded")"
    campaign_programs "${1%/*}"
    tail -n +2 "$campaign_tmp/expanded" |
        jq -nc --slurpfile target_keys <(campaign_keys target) --slurpfile load_keys <(campaign_keys load) --slurpfile programs "$campaign_tmp/programs" \
            --arg file "$1" --arg name "${name%.conf}" --slurpfile campaign <(head -n 1 "$campaign_tmp/expanded") -f "$JOSTLE_HARNESS/campaign/plan.jq" >"$campaign_tmp/plan" ||
        die "$1 could not be planned"
    campaign_resolved "$1"
}

# campaign_resolved FILE: FILE with everything that it includes, as one file.
campaign_resolved() {
    if jq -e '.entries | any(.section == "include")' "$campaign_tmp/entries" >/dev/null; then
        jq -r '.entries[] | select(.section != "include")
            | "[\(.section)\(if .sub == "" then "" else " " + (.sub | tojson) end)]\n    \(.key) = \(.value | tojson)"' "$campaign_tmp/entries" >"$campaign_tmp/conf"
    else
        cp -- "$1" "$campaign_tmp/conf"
    fi
}
