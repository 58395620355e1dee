#!/usr/bin/env bats
# The gate for CI: action.yml, and the script that it calls.
# shellcheck disable=SC2016 # jq programs

load helpers
bats_require_minimum_version 1.5.0

setup_file() {
    local stage=$BATS_FILE_TMPDIR/stage
    install_small "$stage/jostle-here"
    # As fast as xz can: a smaller bundle takes 15 s.
    XZ_OPT=-0 tar -C "$stage" -cJf "$BATS_FILE_TMPDIR/bundle.tar.xz" jostle-here
    rm -r "$stage"
    (cd "$BATS_FILE_TMPDIR" && sha256sum bundle.tar.xz >bundle.tar.xz.sha256)
}

setup() {
    cd "$BATS_TEST_TMPDIR" || exit
    BUNDLE=$BATS_FILE_TMPDIR/bundle.tar.xz
    mkdir repository
    git -C repository init -q -b main
    commit 'sleep 0.01'
    commit 'sleep 0.03' slower
    GATE=$ROOT/jobs/examples/gate-ci
}

# commit TEXT [TAG]: the next revision of the program.
commit() {
    printf '%s\n' "$1" >repository/program
    git -C repository add program
    git -C repository -c user.name=x -c user.email=x commit -qm "$1"
    [[ -z ${2:-} ]] || git -C repository tag "$2"
}

# slower_fails: measures both revisions; 0 when the gate says that one is slower. A ratio that resembles its neighbours
# by chance (`unsteady`) leaves it undecided.
slower_fails() {
    rm -rf perf ../summary ../output
    GITHUB_STEP_SUMMARY=$PWD/../summary GITHUB_OUTPUT=$PWD/../output run "$GATE" --max-time=10s --build true 'sh program' 'sleep 0.01'
    [[ $status -eq 3 ]]
}

@test "a slower revision fails the gate, the same one passes, and what CI shows is there" {
    cd repository
    in_tries 5 slower_fails
    [[ $output == *'### ❌ 1 of 1 ratio above the limit'*'- new is '*'slower alone'*'### '* ]]
    cmp perf/summary.md ../summary
    grep -qx 'status=3' ../output
    grep -q '<failure ' perf/1.sh_program.xml
    grep -q '<html' perf/2.sleep_0.01.html
    holds '.gate.verdict == "above"' <perf/1.sh_program/result.json
    run -0 "$GATE" --old slower --max-time=10s --output same 'sh program'
}

@test "undecided is no failure; a command that fails is one; wrong use is refused" {
    cd repository
    # The truth is the limit.
    run -0 "$GATE" --old=slower --at-most=1.0001 --confidence=99.99999% --max-runs=3 --min-runs=3 'sh program'
    [[ $output == *'1 of 1 commands undecided, which is no failure'* ]]
    run -5 "$GATE" --output failed 'sh program && false'
    run -2 "$GATE"
    run -2 "$GATE" --max-time
    run -2 "$GATE" --at-most
    run -2 "$GATE" --old=nowhere 'sh program'
    [[ $output == 'jostle: --old nowhere: there is no such revision'* ]]
}

@test "Ctrl-C ends the gate, not only the command that is measured, and no bundle stays" {
    local gate status=0
    mkdir temporary
    cd repository
    RUNNER_TEMP=$PWD/../temporary env --default-signal=INT setsid "$GATE" --bundle "file://$BUNDLE" --max-runs=1000 --min-runs=1000 \
        'sleep 0.05' 'sleep 0.06' >said 2>&1 </dev/null 3>&- &
    gate=$!
    eventually 60 test -s perf/1.sleep_0.05/runs.jsonl
    kill -INT -- "-$gate"
    wait "$gate" || status=$?
    [[ $status -eq 130 && ! -e perf/2.sleep_0.06 && -z $(ls -A ../temporary) ]]
}

@test "somebody without any right gets the bundle, if it is what its checksum says, and the old revision of a shallow clone" {
    ((EUID == 0)) || skip 'needs root, to be somebody else'
    type -P setpriv >/dev/null || skip 'setpriv is not installed'
    local -a nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups env "HOME=$PWD/home" "RUNNER_TEMP=$PWD/home" PATH=/usr/bin:/bin GITHUB_BASE_REF=main)
    git -C repository checkout -q -b feature
    commit 'sleep 0.01; :'
    git clone -q --depth=1 --branch feature "file://$PWD/repository" clone
    cp "$GATE" gate
    mkdir home
    chmod 755 . "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR"
    chown -R 65534:65534 home clone repository
    cd clone
    run -1 "${nobody[@]}" ../gate --bundle "file://$BUNDLE" --sha256 "$(printf '%064d' 0)" 'sh program'
    [[ $output == *'is not what --sha256 says: nothing of it is run' ]]
    run -0 "${nobody[@]}" ../gate --bundle "file://$BUNDLE" --max-time=10s --metric=wall_s,user_s 'sh program'
    [[ $output == *'- new is '*'faster alone'* ]]
}

@test "the job for GitLab in docs/ci.md is one that passes" {
    local job
    python3 -c 'import yaml' 2>/dev/null || skip 'python3-yaml is not installed'
    job=$(sed -n '/^## GitLab/,/^## W/s/^    //p' "$ROOT/docs/ci.md" | python3 -c 'import sys, yaml; print("\n".join(yaml.safe_load(sys.stdin)["perf"]["script"]))')
    printf 'all:\n\tcp program solver\n\tchmod +x solver\n' >repository/Makefile
    printf '#!/bin/sh\nsleep 0.01\n' >repository/program
    git -C repository add Makefile
    commit "$(<repository/program)"
    git clone -q "file://$PWD/repository" clone
    cd clone
    JOSTLE_GATE=file://$ROOT/jobs/examples/gate-ci JOSTLE_BUNDLE=file://$BUNDLE CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main PATH=/usr/bin:/bin \
        run -0 bash -e -c "${job/--build make/--build make --max-time=10s}"
    grep -q '<testsuite' perf/*.xml
}

@test "the action hands on every input, and actionlint has nothing to say of the workflow in docs/ci.md" {
    local name
    while read -r name; do
        grep -qF "\${{ inputs.$name }}" "$ROOT/action.yml" || grep -qF "inputs.$name ==" "$ROOT/action.yml"
    done < <(sed -n '/^inputs:/,/^outputs:/s/^  \([a-z0-9-]*\):$/\1/p' "$ROOT/action.yml")
    [[ $(grep -o 'inputs\.[a-z0-9-]*' "$ROOT/action.yml" | sort -u | wc -l) -eq $(sed -n '/^inputs:/,/^outputs:/s/^  \([a-z0-9-]*\):$/\1/p' "$ROOT/action.yml" | wc -l) ]]
    type -P actionlint >/dev/null || skip 'actionlint is not installed'
    mkdir -p repository/.github/workflows
    cp "$ROOT/action.yml" repository/
    sed -n '/^## GitHub Actions/,/^## /s/^    //p' "$ROOT/docs/ci.md" | sed 's|uses: .*/jostle@v1|uses: ./|' >repository/.github/workflows/perf.yml
    cd repository
    actionlint
}

@test "the script of the action's step is the gate with the inputs in its environment" {
    local step
    step=$(sed -n '/^      run: |$/,/^    - name: comment/s/^        //p' "$ROOT/action.yml")
    mkdir path
    cp -r "$ROOT/jobs" path/
    printf '#!/bin/sh\nprintf "%%s\\n" "$@"\n' >path/jobs/examples/gate-ci
    run -0 env GITHUB_ACTION_PATH="$PWD/path" GITHUB_ACTION_REPOSITORY=a/jostle GITHUB_ACTION_REF=v1 COMMAND=$'./a b\n./c\n' OLD='' NEW=HEAD \
        BUILD_COMMAND='make -j2' AT_MOST=1.1 MAX_TIME=5m METRIC='' LOADS=$'cpu --percent 50\n' OUTPUT=perf BUNDLE='' SHA256='' bash -c "$step"
    [[ $output == $'--old=\n--new=HEAD\n--build=make -j2\n--at-most=1.1\n'*"--bundle=https://github.com/a/jostle/releases/download/v1/jostle-linux-$(uname -m).tar.xz"*$'\n--load=cpu --percent 50\n./a b\n./c' ]]
}
