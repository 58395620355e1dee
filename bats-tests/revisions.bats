#!/usr/bin/env bats
# --revision and --build: git revisions as variants.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    export TMPDIR=$PWD/tmp
    export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
    mkdir tmp repository
    cd repository || return
    git init --quiet -b main .
    mkdir src
    printf '#!/bin/sh\necho one >>"$RAN"\n' >src/solver.in
    printf 'solver: solver.in\n\tcp solver.in solver\n\tchmod +x solver\n' >src/Makefile
    git add -A && git commit --quiet -m one && git tag first
    sed -i s/one/two/ src/solver.in
    git commit --quiet -am two
    export RAN=$BATS_TEST_TMPDIR/ran
    cd src || return
}

# left: what is left of worktrees, which should be nothing.
left() {
    git worktree list | tail -n +2
    git worktree list --porcelain | grep prunable
    ls "$TMPDIR"
    git status --short
}

# bats test_tags=slow
@test "each revision is built and run in a folder of its own, of which nothing stays" {
    "$JOSTLE" run --quiet --runs 2 --output ../../out --revision old=first --revision new=main --build make -- ./solver in.dat
    diff <(sort "$RAN") - <<<$'one\none\ntwo\ntwo'
    [[ -z $(left) ]]
    holds --arg old "$(git rev-parse first)" --arg new "$(git rev-parse main)" --arg tree "$(git rev-parse 'main^{tree}')" \
        '[.variants[] | [.name, .revision.name, .revision.commit]] == [["old", "first", $old], ["new", "main", $new]] and .variants[1].revision.tree == $tree
        and .variants[0].command == ["./solver", "in.dat"] and .variants[0].program.path == "./solver" and .variants[0].program.sha256 != .variants[1].program.sha256' <../../out/experiment.json
    is_valid experiment ../../out/experiment.json
    holds '.build == "make"' <../../out/experiment.json
    "$JOSTLE" report ../../out --format html >../../page
    page_model ../../page | jq -r '.cells[0].again' | grep -qE '^jostle slowdown --revision old=[0-9a-f]{40} --revision new=[0-9a-f]{40} --build make '
    # Resumed, it is built again; a branch that has moved is another experiment.
    # That its file is then another one, as of most compilers, is no other program.
    "$JOSTLE" run --quiet --runs 3 --output ../../out --resume --revision old=first --revision new=main --build 'make && echo "# $$" >>solver' -- ./solver in.dat
    [[ $(wc -l <../../out/runs.jsonl) -eq 6 ]]
    holds '.warnings | all(.flag != "changed")' <../../out/result.json
    git commit --quiet --allow-empty -m three # the same files
    "$JOSTLE" run --quiet --runs 3 --output ../../out --resume --revision old=first --revision new=main --build make -- ./solver in.dat
    echo >>solver.in && git commit --quiet -am four
    run -2 "$JOSTLE" run --quiet --runs 3 --output ../../out --resume --revision old=first --revision new=main --build 'touch built; make' -- ./solver in.dat
    [[ $output == *'revision new=main is no longer what was measured'* && -z $(left) ]]
}

@test "that a shell is used is said once" {
    run -0 "$JOSTLE" run --runs 1 --revision first --revision main --build make -- './solver && true'
    [[ $(grep -c 'is run by sh' <<<"$output") -eq 1 ]]
}

# bats test_tags=slow
@test "the working tree as it is: changed and new files, without the records; the index stays" {
    sed -i s/two/three/ solver.in && git add solver.in && sed -i s/three/four/ solver.in && echo >new.in
    git status --short >../../before
    "$JOSTLE" run --quiet --runs 1 --revision first --revision . --build 'make && [[ -e new.in || $(<solver.in) == *one* ]]' -- ./solver
    diff <(sort "$RAN") - <<<$'four\none'
    diff ../../before <(git status --short | grep -v jostle-results)
    holds '[.variants[] | [.name, .revision.commit == null]] == [["first", false], ["worktree", true]]' <jostle-results/*/experiment.json
    tree=$(jq -r '.variants[1].revision.tree[:12]' jostle-results/*/experiment.json)
    "$JOSTLE" report jostle-results/* | grep -qF "built from . (tree $tree)"
    "$JOSTLE" run --quiet --runs 2 --output jostle-results/* --resume --revision first --revision . --build make -- ./solver
}

# bats test_tags=slow
@test "what cannot be is refused in one line, before anything is built" {
    local -a wrong
    while IFS='|' read -r -a wrong; do
        echo "${wrong[*]}"
        run "-${wrong[0]}" "$JOSTLE" run --output ../../out "${wrong[@]:2}" </dev/null
        [[ ${lines[-1]} == *"${wrong[1]}"* && -z $(left) && ! -e ../../out ]] || {
            echo "$output"
            left
            false
        }
    done <<'WRONG'
2|there is no such revision|--revision|a=main|--revision|b=nowhere|--build|touch /built|--|./solver
2|one is nothing to compare|--revision|a=main|--|./solver
2|the name main is taken|--revision|main|--revision|main|--|./solver
2|give one of them|--revision|main|--revision|first|--variant|true|--variant|false
2|--build: of what|--build|make|--|true
2|there is no program ./solver|--revision|main|--revision|first|--|./solver
1|--build of a failed with status 3|--revision|a=main|--revision|b=first|--build|echo last words; exit 3|--|./solver
WRONG
    run -1 "$JOSTLE" run --output ../../out --revision a=main --revision b=first --build 'echo last words; exit 3' -- ./solver
    [[ ${lines[0]} == 'last words' ]]
    cd /
    run -2 "$JOSTLE" run --output "$BATS_TEST_TMPDIR/out" --revision a=main --revision b=first -- ./solver
    [[ $output == *'not a git repository'* ]]
}

# bats test_tags=slow
@test "Ctrl-C during a build leaves no process and no worktree" {
    "$JOSTLE" run --output ../../out --revision a=main --revision b=first --build 'sleep 300 & echo $! >"$RAN"; wait' -- ./solver 2>../../err &
    local pid=$! code=0
    eventually 30 test -s "$RAN"
    kill -s TERM "$pid"
    wait "$pid" || code=$?
    [[ $code -eq 143 ]]
    grep -q 'interrupted by SIGTERM' ../../err
    eventually 30 gone "$(<"$RAN")"
    [[ -z $(left) && ! -e ../../out ]]
}

# bats test_tags=slow
@test "what a jostle that was killed has left is removed by the next" {
    "$JOSTLE" run --output ../../out --revision a=main --revision b=first --build 'echo $$ >"$RAN"; exec sleep 300' -- ./solver &
    local pid=$! all one
    eventually 30 test -s "$RAN"
    # One that lives is left alone.
    "$JOSTLE" run --quiet --runs 1 --output ../../out2 --revision a=main --revision b=first -- true
    [[ -n $(left) ]]
    # All of it at once, or who lives on tidies up; stopped first, or who is missed sees the others gone.
    all="$pid $(below "$pid")"
    # shellcheck disable=SC2086 # a word each
    {
        kill -s STOP $all
        kill -s KILL $all
    }
    wait "$pid" || true
    for one in $all; do eventually 30 gone "$one"; done
    [[ $(git worktree list | wc -l) -eq 2 ]] # the main one, and that of a
    "$JOSTLE" run --quiet --runs 1 --output ../../out3 --revision a=main --revision b=first -- true
    [[ $(git worktree list | wc -l) -eq 1 && ! -e $(echo "$TMPDIR"/jostle-revisions.*) ]]
}

@test "what another jostle removes right now is left to that" {
    # Its lock can no longer be opened, as it is gone; here it is none.
    mkdir -p "$TMPDIR/jostle-revisions.going/lock"
    git rev-parse --show-toplevel >"$TMPDIR/jostle-revisions.going/repository"
    "$JOSTLE" run --quiet --runs 1 --output ../../out --revision a=main --revision b=first -- true 2>../../err
    [[ ! -s ../../err && -e ../../out/result.json ]]
}

# bats test_tags=slow
@test "two at once in one repository: git is at one worktree at a time" {
    # It may fail on what another one has half written.
    mkdir ../../bin
    cat >../../bin/git <<END
#!/bin/bash
[[ " \$* " == *' worktree '* ]] || exec "$(type -P git)" "\$@"
echo "\$*" >>"$BATS_TEST_TMPDIR/calls"
mkdir "$BATS_TEST_TMPDIR/busy" || echo "\$*" >>"$BATS_TEST_TMPDIR/overlaps"
sleep 0.3
"$(type -P git)" "\$@" || code=\$?
rmdir "$BATS_TEST_TMPDIR/busy"
exit "\${code:-0}"
END
    chmod +x ../../bin/git
    PATH=$BATS_TEST_TMPDIR/bin:$PATH "$JOSTLE" run --quiet --runs 1 --output ../../one --revision a=main --revision b=first -- true 3>&- &
    PATH=$BATS_TEST_TMPDIR/bin:$PATH "$JOSTLE" run --quiet --runs 1 --output ../../two --revision a=main --revision b=first -- true
    wait "$!"
    # Each has made and removed two.
    [[ $(grep -c 'worktree add' ../../calls) -eq 4 && ! -e ../../overlaps && -z $(left) ]]
}

@test "SIGKILL during a build leaves no process and no worktree" {
    nothing_left() { [[ -z $(left) ]]; }
    "$JOSTLE" run --output ../../out --revision a=main --revision b=first --build 'echo $$ >"$RAN"; exec sleep 300' -- ./solver &
    local pid=$!
    eventually 30 test -s "$RAN"
    kill -s KILL "$pid"
    wait "$pid" || true
    eventually 30 gone "$(<"$RAN")"
    eventually 30 nothing_left
}

# bats test_tags=slow
@test "a worktree of the user stays known, also while its disk is not mounted" {
    git worktree add --quiet "$BATS_TEST_TMPDIR/mine" first
    mv "$BATS_TEST_TMPDIR/mine" "$BATS_TEST_TMPDIR/away"
    "$JOSTLE" run --quiet --runs 1 --output ../../out --revision a=main --revision b=first -- true
    [[ $(git worktree list --porcelain | grep -c '^worktree ') -eq 2 && -z $(ls "$TMPDIR") ]]
    mv "$BATS_TEST_TMPDIR/away" "$BATS_TEST_TMPDIR/mine"
    git -C "$BATS_TEST_TMPDIR/mine" status --short
}
