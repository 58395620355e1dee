#!/usr/bin/env bats
# What the documentation promises, compared with the programs.

load helpers

setup() {
    cd "$ROOT" || return
}

# anchors PAGE: the places in it that a link can lead to: its headings, as GitHub names them, and ids.
anchors() {
    sed -nE 's/^#+ +(.*)/\1/p' "$1" | sed -E 's/\[([^]]*)\]\([^)]*\)/\1/g; s/.*/\L&/; s/[^[:alnum:]_ -]//g; s/ /-/g'
    grep -oE '<a id="[^"]+"' "$1" | cut -d'"' -f2 || true
}

# bats test_tags=slow
@test "every link between the pages leads somewhere" {
    local page link file place broken=''
    for page in README.md ARCHITECTURE.md CONTRIBUTING.md docs/*.md results/reference/*/README.md; do
        while IFS= read -r link; do
            [[ $link != *://* ]] || continue
            file=${link%%#*} place=${link#"${link%%#*}"}
            file=${file:+$(dirname "$page")/$file}
            file=${file:-$page}
            [[ -e $file ]] && { [[ -z $place || $file != *.md ]] || anchors "$file" | grep -qxF -- "${place#\#}"; } || broken+="$page: $link"$'\n'
        done < <(grep -oE '\]\([^) ]+\)' "$page" | sed 's/^](//; s/)$//')
    done
    printf '%s' "$broken"
    [[ -z $broken ]]
}

# bats test_tags=slow
@test "every page that a program or a file names is there" {
    local page missing=''
    while IFS= read -r page; do
        [[ -e $page ]] || missing+=" $page"
    done < <(git grep -ohE '\bdocs/[A-Za-z/-]+\.md' -- . ':!CHANGELOG.md' | sort -u)
    printf '%s\n' "$missing"
    [[ -z $missing ]]
}

@test "the index names every page" {
    local page missing=''
    for page in docs/*.md; do
        page=${page##*/}
        [[ $page == README.md ]] || grep -qF "($page)" docs/README.md || missing+=" $page"
    done
    printf '%s\n' "$missing"
    [[ -z $missing ]]
}

@test "every warning is in the table of docs/measuring.md, with its severity" {
    # FLAG(NAME, "flag", SEVERITY, of the one table in C
    sed -nE 's/^(FLAG\(| *)[A-Z_]+, "([a-z-]+)", ([A-Z_]+),.*/\2 \3/p' harness/stats/flags.h | sort -u >"$BATS_TEST_TMPDIR/code"
    sed -n '/^## Problems and notes/,/^## Exit/p' docs/measuring.md | awk -F'|' '/^\| `/ {
        severity = $3 ~ /many/ ? "PROBLEM_OF_SOME" : $3 ~ /where/ ? "PROBLEM_THAT_MATTERS" : $3 ~ /problem/ ? "PROBLEM" : "NOTE"
        n = split($2, flag, "`"); for (i = 2; i <= n; i += 2) print flag[i], severity }' | sort -u >"$BATS_TEST_TMPDIR/docs"
    [[ -s $BATS_TEST_TMPDIR/code ]]
    diff "$BATS_TEST_TMPDIR/code" "$BATS_TEST_TMPDIR/docs"
}

@test "every warning is in the schema of results" {
    local results=results/schema/jostle.result.schema.json
    sed -nE 's/^(FLAG\(| *)[A-Z_]+, "([a-z-]+)",.*/\2/p' harness/stats/flags.h | sort -u >"$BATS_TEST_TMPDIR/code"
    jq -r '.definitions.warning.properties.flag.enum[]' "$results" | sort >"$BATS_TEST_TMPDIR/schema"
    [[ -s $BATS_TEST_TMPDIR/code ]]
    diff "$BATS_TEST_TMPDIR/code" "$BATS_TEST_TMPDIR/schema"
}

# bats test_tags=slow
@test "every option that a page shows is one of the programs'" {
    local command option page
    {
        for command in harness/commands/* jobs/commands/*; do "$JOSTLE" "${command##*/}" --help-all; done
        "$BIN/loadgen" --help | sed -nE 's/^  ([a-z]+)  .*/\1/p' | while read -r command; do "$BIN/loadgen" "$command" --help; done
        for command in stats conduct meter simulate decide copies; do "$BIN/$command" --help-all; done
        "$BIN/probe" sample --help-all
        for command in linpack gemm; do "$WORKLOADS/$command" --help; done
        packaging/install-deps --help
        sed -n 's/^# --/--/p' jobs/examples/gate-ci
    } | grep -oE -- '--[a-z][a-z0-9-]+' | sort -u >"$BATS_TEST_TMPDIR/known"
    # Those of other programs.
    printf -- '--%s\n' thread ioengine norandommap overlap partition time cpus-per-task ntasks-per-node requeue signal exclusive account gres constraint reservation qos het-group nodes wait cpu-load vm \
        version help output-format open-mode array \
        small sort time-unit show-elapsed min-benchmarking-time init port save log log-prefix name rw bs direct size seconds protocol latency appendonly bind \
        invalidate loaded memory-access-mode memory-scope stream stream-l3-size full-rtt \
        channel check-contrib filter-env-vars optarch recipe robot rpath \
        cpuset-cpus file memory read-only rm security-opt tag tmpfs user userns >>"$BATS_TEST_TMPDIR/known"
    for page in README.md docs/*.md; do
        # It shows mostly the commands of package managers and container engines.
        [[ $page != docs/install.md ]] || continue
        grep -oE -- '(^|[ `(])--[a-z][a-z0-9-]+' "$page" | grep -oE -- '--[a-z0-9-]+' | sort -u | while read -r option; do
            grep -qxF -- "$option" "$BATS_TEST_TMPDIR/known" || printf '%s: %s\n' "$page" "$option"
        done
    done >"$BATS_TEST_TMPDIR/unknown"
    cat "$BATS_TEST_TMPDIR/unknown"
    [[ ! -s $BATS_TEST_TMPDIR/unknown ]]
}

# shape: the kinds of lines of a table on stdin, in order, once each; what depends on
# the machine (problems, notes, where the time went) is left out, and so are figures and widths.
shape() {
    sed -E '/^[0-9]+ [a-z-]+( \(.*\))?: /d; /^[0-9]+ notes?: /d; /^busy machine: /d; /^[0-9]+ runs? may not show /d; /: outliers in runs /d; / it waited for a CPU[: ]/d; /: --metric wall_without_wait_s /d; s/^time: .*/time/; /^\* /d; s/^Records: .*/Records/; s/^(Beside|Sharing|Its CPU time) .*/ANSWER/; s/^closer: .*/CLOSER/; /^protect: /d; /: Besides, /d
        s/^(condition .*[^ ]) +problems$/\1/; s/ +/ /g
        s/^([A-Za-z0-9-]+) [0-9]+ [0-9.]+ (±|\[[0-9.]+,) .*/\1 ROW/
        s/^cpu ROW/sharing ROW/ # its name in older records
        /^[A-Za-z0-9-]+: (mean )?[+-]?[0-9]+ %: /d; /^[0-9]+ more problems?: /d; /^$/d'
}

# sample: the output in the README's sample, without its indentation.
sample() {
    sed -n '/^    \$ jostle report/,/^jostle runs any/p' README.md | sed -n '3,$s/^    //p; 3,$s/^$//p'
}

@test "the README's sample is what the program prints of these records, converged and quiet" {
    local folder
    folder=$(sed -n "s/^    \\$ jostle report \(.*\)/\1/p" README.md)
    "$JOSTLE" report "$folder" >"$BATS_TEST_TMPDIR/said"
    diff <(sample | sed '$d') "$BATS_TEST_TMPDIR/said"
    # No problem marks it: no column for them, no line of one.
    sed -i '/^[0-9]* notes\{0,1\}: /d' "$BATS_TEST_TMPDIR/said"
    run ! grep -E '^[0-9]+ [a-z-]+( \(.*\))?: |problems$' "$BATS_TEST_TMPDIR/said"
}

@test "what a page shows of jostle report is what it prints" {
    local page folder shown=0
    for page in README.md docs/*.md; do
        while IFS= read -r folder; do
            # From the line after the command to the first one that is not indented.
            awk -v command="    \$ jostle report $folder" 'index($0, command) == 1 { inside = 1; getline; next } inside && /^[^ ]/ { exit } inside' "$page" |
                sed 's/^    //' | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' >"$BATS_TEST_TMPDIR/sample"
            folder=${folder#\'}
            "$JOSTLE" report "${folder%\'}" | diff "$BATS_TEST_TMPDIR/sample" -
            shown=$((shown + 1))
        done < <(sed -n 's/^    \$ jostle report //p' "$page")
    done
    ((shown >= 2))
}

# bats test_tags=slow
@test "the README's sample has the shape of what jostle slowdown prints" {
    quick_machine
    "$JOSTLE" slowdown --max-runs 6 --output "$BATS_TEST_TMPDIR/out" -- "$WORKLOADS/delannoy" 11 2>/dev/null |
        shape | sed '1s/.*/TARGET/; /^Records/d; /^Page: /d; /^CLOSER/d; /^PROTECT/d' >"$BATS_TEST_TMPDIR/said"
    diff <(sample | shape | sed '1s/.*/TARGET/') "$BATS_TEST_TMPDIR/said"
}
