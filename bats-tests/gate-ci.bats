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

# commit_here TEXT: the same in the repository that we are in.
commit_here() {
    printf '%s\n' "$1" >program
    git -c user.name=x -c user.email=x commit -qam "$1"
}

# slower_fails: measures both revisions; 0 when the gate says that one is slower. A ratio that resembles its neighbours
# by chance (`unsteady`) leaves it undecided.
slower_fails() {
    rm -rf perf ../summary ../output
    GITHUB_STEP_SUMMARY=$PWD/../summary GITHUB_OUTPUT=$PWD/../output run "$GATE" --max-time=10s --build true 'sh program' 'sleep 0.01'
    [[ $status -eq 3 ]]
}

# bats test_tags=slow
@test "a slower revision fails the gate, the same one passes, and what CI shows is there" {
    cd repository
    in_tries 5 slower_fails
    [[ $output == *'### ❌ 1 of 1 ratio above the limit'*'- new is '*'slower'*'### '* ]]
    cmp perf/summary.md ../summary
    grep -qx 'status=3' ../output
    grep -q '<failure ' perf/1.sh_program.xml
    grep -q '<html' perf/2.sleep_0.01.html
    holds '.gate.verdict == "above"' <perf/1.sh_program/result.json
    run -0 "$GATE" --old slower --max-time=10s --output same 'sh program'
}

# bats test_tags=slow
@test "undecided is no failure; a command that fails is one; wrong use is refused" {
    cd repository
    # The truth is the limit.
    run -0 "$GATE" --old=slower --at-most=1.0001 --confidence=99.99999% --max-runs=3 --min-runs=3 'sh program'
    [[ $output == *'1 of 1 commands undecided, which is no failure'* ]]
    run -0 "$GATE" --old=slower --output=dashed --at-most=99 -- 'sh program'
    run -5 "$GATE" --output failed 'sh program && false'
    run -2 "$GATE"
    run -2 "$GATE" --max-time
    run -2 "$GATE" --at-most
    run -2 "$GATE" --old=nowhere 'sh program'
    [[ $output == 'jostle: --old nowhere: there is no such revision'* ]]
}

# bats test_tags=slow
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

# bats test_tags=slow
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
    [[ $output == *'- new is '*'faster'* ]]
}

# bats test_tags=slow
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

# bats test_tags=slow
@test "a build that fails and a program that is missing are in the summary and in JUnit" {
    cd repository
    run -1 "$GATE" --output failed --build 'echo "<broken> \`x\`" >&2; exit 7' 'sh program'
    grep -qx '### ❌ build of old failed: `sh program`' failed/summary.md
    grep -qx '    <broken> `x`' failed/summary.md
    grep -q '<error message="build of old failed: sh program"' failed/1.sh_program.xml
    grep -q '&lt;broken&gt;' failed/1.sh_program.xml
    run -5 "$GATE" --output missing 'no-such-program --x'
    # The experiment began, so its own report says why it did not end.
    grep -qx '### ❌ 1 experiment not done: no-such-program --x' missing/summary.md
    grep -q 'the target could not be started (not found)' missing/summary.md
    grep -q '<error message=.*could not be started' missing/1.no-such-program_--x.xml
    type -P python3 >/dev/null || skip 'python3 is not installed'
    python3 -c 'import sys, xml.dom.minidom as m; [m.parse(f) for f in sys.argv[1:]]' failed/*.xml missing/*.xml
}

# bats test_tags=slow
@test "a revision is never an option of git, nor does it write to branches of the clone" {
    local name
    git clone -q --depth=1 "file://$PWD/repository" clone
    cd clone
    for name in '--upload-pack=touch pwned;' '-x' 'origin/--upload-pack=touch pwned;' '+refs/heads/*:refs/heads/*' 'main:made' 'origin/'; do
        run -2 "$GATE" --old="$name" true
        [[ $output == "jostle: --old $name: "* && ! -e pwned ]]
        run -2 "$GATE" --old=HEAD --new="$name" true
        [[ ! -e pwned ]]
    done
    [[ $(git for-each-ref refs/heads | wc -l) -eq 1 ]]
}

# bats test_tags=slow
@test "a branch is compared from where the new revision left it, and a shallow clone is called shallow" {
    cd repository
    git checkout -q -b feature HEAD^
    commit_here 'sleep 0.01; :'
    run -0 "$GATE" --old=main --at-most=99 --runs=2 'sh program'
    [[ $(jq -r '.variants[0].revision.commit // .variants[0].commit' perf/1.sh_program/experiment.json) == $(git rev-parse main^) ]]
    run -0 "$GATE" --old=slower --at-most=99 --runs=2 --output tag 'sh program'
    [[ $(jq -r '.variants[0].revision.commit // .variants[0].commit' tag/1.sh_program/experiment.json) == $(git rev-parse main) ]]
    git clone -q --depth=1 --branch feature "file://$PWD" ../clone
    cd ../clone
    run -2 "$GATE" --old=HEAD^ 'sh program'
    [[ $output == *'this clone is shallow: git fetch --unshallow'*'fetch-depth: 0'* ]]
    run -2 "$ROOT/harness/jostle" slowdown --revision old=HEAD^ --revision new=HEAD -- sh program
    [[ $output == *'this clone is shallow'*'git fetch --unshallow'* ]]
    run -0 "$GATE" --old=origin/main --at-most=99 --runs=2 'sh program'
    [[ $(head -n 1 perf/summary.md) == 'old is origin/main as it is now, not where new left it (this clone is shallow'* ]]
}

@test "what git has against a repository of somebody else is said, and what to do" {
    ((EUID == 0)) || skip 'needs root, to be somebody else'
    chown -R 65534:65534 repository
    cd repository
    export HOME=$BATS_TEST_TMPDIR/home GIT_CONFIG_NOSYSTEM=1
    mkdir "$HOME"
    ! git rev-parse --git-dir 2>/dev/null || skip 'this git takes repositories of others'
    run -2 "$GATE" 'sh program'
    [[ $output == 'jostle: git: '*"$PWD"*': run git config --global --add safe.directory '"$PWD" ]]
    run -2 "$ROOT/harness/jostle" slowdown --revision old=HEAD^ --revision new=HEAD -- sh program
    [[ $output == 'jostle: --revision: git refuses '*': run git config --global --add safe.directory '"$PWD" ]]
    git config --global --add safe.directory "$PWD"
    run -0 "$GATE" --at-most=99 --runs=2 --output "$HOME/perf" 'sh program'
}

# action_step CONTEXT=VALUE...: runs the step that measures, with the environment that the file gives it where the
# contexts have these values, and nothing else of GitHub's.
action_step() {
    local step name value of
    local -a words=(env -u GITHUB_ACTION_REPOSITORY -u GITHUB_ACTION_REF "GITHUB_ACTION_PATH=$PWD/path")
    while IFS=$'\t' read -r name value; do
        for of; do [[ ${of%%=*} != "$value" ]] || words+=("$name=${of#*=}"); done
        [[ ${words[-1]} == "$name="* ]] || words+=("$name=")
    done < <(sed -n '/^    - name: measure/,/^      run: /s/^        \([A-Z0-9_]*\): \${{ \(.*\) }}$/\1\t\2/p' "$ROOT/action.yml")
    step=$(sed -n '/^      run: |$/,/^    - name: comment/s/^        //p' "$ROOT/action.yml")
    "${words[@]}" bash -c "$step"
}

@test "the script of the action's step is the gate with the inputs in its environment" {
    step=$(sed -n '/^      run: |$/,/^    - name: comment/s/^        //p' "$ROOT/action.yml")
    mkdir path
    cp -r "$ROOT/jobs" path/
    printf '#!/bin/sh\nprintf "%%s\\n" "$@"\n' >path/jobs/examples/gate-ci
    local -a inputs=(github.action_repository=a/jostle inputs.command=$'./a b\n--c\n' inputs.new=HEAD inputs.build='make -j2'
        inputs.at-most=1.1 inputs.max-time=5m inputs.loads=$'cpu --percent 50\n' inputs.output=perf)
    run -0 action_step "${inputs[@]}" github.action_ref=v1
    [[ $output == $'--old=\n--new=HEAD\n--build=make -j2\n--at-most=1.1\n'*"--bundle=https://github.com/a/jostle/releases/download/v1/jostle-linux-$(uname -m).tar.xz"*$'\n--load=cpu --percent 50\n--\n./a b\n--c' ]]
    run -2 action_step "${inputs[@]}" github.action_ref="$(printf '%040d' 7)"
    [[ $output == *'give the input version, or bundle' ]]
    run -0 action_step "${inputs[@]}" github.action_ref="$(printf '%040d' 7)" inputs.version=v2
    [[ $output == *'/a/jostle/releases/download/v2/'* ]]
    run -2 action_step inputs.command=true
    run -0 action_step inputs.command=true inputs.bundle=file:///b
    [[ $output == *'--bundle=file:///b'* ]]
}
