#!/usr/bin/env bats
# bats-tests/run: which tests are tried again, and what is said of that.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# suite FILE: runs the tests of FILE as make check does; from outside of this one, as it were.
suite() {
    local name
    for name in $(compgen -v BATS_); do
        [[ -R $name || $name == BATS_VERSION ]] || unset "$name" 2>/dev/null || true
    done
    "$ROOT/bats-tests/run" "$1"
}

# a_test NAME BODY: prints a test. (A line of this file that began as one does would be one of it.)
a_test() {
    printf '@test "%s" {\n%s\n}\n' "$1" "$2"
}

# bats test_tags=slow
@test "a test that passes only at the second try is named, and one that is skipped then fails" {
    {
        a_test passes true
        a_test 'a (strange) [name] of 5 * 3 + more' '[[ -e ran ]] || { touch ran; false; }'
        a_test skipped skip
    } >one.bats
    run -0 suite "$PWD/one.bats"
    [[ ${lines[-1]} == '# 2 ok, 0 not ok, 1 skipped, 1 only at the second try' ]]
    [[ ${lines[-2]} == '# passed only at the second try: '*'one.bats: a (strange) [name] of 5 * 3 + more' ]]
    a_test hides '[[ ! -e hid ]] || skip; touch hid; false' >two.bats
    run -1 suite "$PWD/two.bats"
    [[ ${lines[-1]} == '# 0 ok, 1 not ok, 0 skipped, 0 only at the second try' ]]
}

# bats test_tags=slow
@test "what fails again is a failure, and so are more than three" {
    local i
    {
        a_test fails false
        a_test passes true
    } >one.bats
    run -1 suite "$PWD/one.bats"
    [[ ${lines[-1]} == '# 1 ok, 1 not ok, 0 skipped, 0 only at the second try' ]]
    for i in 1 2 3 4; do a_test "late $i" "[[ -e ran$i ]] || { touch ran$i; false; }"; done >two.bats
    run -1 suite "$PWD/two.bats"
    [[ ${lines[-1]} == '# 0 ok, 4 not ok, 0 skipped, 0 only at the second try' ]]
    head -n 9 two.bats >three.bats
    rm ran?
    run -0 suite "$PWD/three.bats"
    [[ ${lines[-1]} == '# 3 ok, 0 not ok, 0 skipped, 3 only at the second try' ]]
}

# bats test_tags=slow
@test "what all tests of a file need is tried again with all of them" {
    {
        echo 'setup_file() { [[ -e ran ]] || { touch ran; false; }; }'
        a_test one true
        a_test two true
    } >one.bats
    run -0 suite "$PWD/one.bats"
    [[ ${lines[-1]} == '# 2 ok, 0 not ok, 0 skipped, 1 only at the second try' ]]
}

# bats test_tags=slow
@test "what a test has left running is named last, ended, and a failure" {
    a_test 'leaves a process behind' '( setsid sleep 987 >/dev/null 2>&1 3>&- & )' >one.bats
    run -1 suite "$PWD/one.bats"
    [[ ${lines[-2]} == '# 1 ok, 0 not ok, 0 skipped, 0 only at the second try' ]]
    [[ ${lines[-1]} =~ ^'# left running by a test: '([0-9]+)' sleep 987'$ ]]
    run ! kill -0 "${BASH_REMATCH[1]}"
}

@test "lines of code are counted, and a circle of modules is refused" {
    mkdir -p tree/.ci tree/loadgen tree/common && cp "$ROOT/.ci/lines" tree/.ci/ && cd tree
    git init -q .
    printf '#include "common/b.h"\n/* a comment\n   of two lines */\n\nint a;\nint also; // "with" one\n' >loadgen/a.c
    printf 'int b;\n' >common/b.h
    run -0 .ci/lines --check
    [[ -z $output ]]
    run -0 .ci/lines
    [[ ${lines[-1]} == *' 4 lines, 2 files, 1 headers, 0 modules in circles' ]]
    printf '#include "common/b.h"\n' >loadgen/a.h
    printf '#include "loadgen/a.h"\n' >common/b.h
    run -1 .ci/lines --check
    [[ ${#lines[@]} -eq 2 && ${lines[0]} == 'lint: common/b: a module that needs itself by way of others' ]]
    [[ ${lines[1]} == 'lint: loadgen/a: '* ]]
}

# bats test_tags=slow
@test "a circle of calls that one header hides is refused, too" {
    mkdir -p tree/.ci tree/common tree/build/obj/common && cp "$ROOT/.ci/lines" tree/.ci/ && cd tree
    git init -q .
    printf 'int a(void);\nint b(void);\n' >common/room.h
    printf '#include "room.h"\nint a(void) { return b(); }\n' >common/a.c
    printf '#include "room.h"\nint b(void) { return 1; }\n' >common/b.c
    cc -c -o build/obj/common/a.o common/a.c
    cc -c -o build/obj/common/b.o common/b.c
    run -0 .ci/lines --check
    printf '#include "room.h"\nint b(void) { return a(); }\n' >common/b.c
    cc -c -o build/obj/common/b.o common/b.c
    run -1 .ci/lines --check
    [[ ${#lines[@]} -eq 2 && ${lines[0]} == 'lint: common/a: a module'* && ${lines[1]} == 'lint: common/b: a module'* ]]
}

@test "a source that does not begin with a comment is refused" {
    mkdir -p tree/.ci tree/loadgen tree/bats-tests && cp "$ROOT/.ci/comments" tree/.ci/ && cd tree
    git init -q .
    printf '// What a is for.\nint a;\n' >loadgen/a.c
    printf '/* What b is for. */\nvar b\n' >b.js
    printf '#!/usr/bin/env bash\n# What c is for.\n' >c.bash
    printf '# What d is for.\n.\n' >d.jq
    printf 'int e;\n' >loadgen/e.h
    printf 'int f;\n' | tee bats-tests/f.c >loadgen/f.c
    cp bats-tests/f.c f.js
    printf '#!/usr/bin/env bash\n\n# Too late.\n' >g.bash
    printf '.\n' >h.jq
    : >i.c
    run -1 .ci/comments
    [[ ${lines[0]} == 'lint: f.js: does not begin with a comment that says what the file is for' ]]
    [[ ${lines[1]} == 'lint: g.bash: '* && ${lines[2]} == 'lint: h.jq: '* && ${lines[3]} == 'lint: i.c: '* ]]
    [[ ${lines[4]} == 'lint: loadgen/f.c: '* && ${#lines[@]} -eq 5 ]]
    run -1 .ci/comments loadgen f.js g.bash
    [[ ${#lines[@]} -eq 2 && ${lines[0]} == 'lint: h.jq: '* ]]
}

@test "a comment that names a file which is not there is refused" {
    mkdir -p tree/.ci tree/loadgen/net tree/jobs && cp "$ROOT/.ci/comments" tree/.ci/ && cd tree
    git init -q .
    printf '// As loadgen/net/b.h, net/b.h and b.h say; B.h says it, too.\n' >loadgen/a.c
    printf '// <gone.h>, NAME.c and dir/X.jq, Linux mm/gone.c, as fio has in gone.c.in and\n// fio 3.33, gone.c.\n' >>loadgen/a.c
    printf '#include "gone.h"\nconst char *text = "// gone.c"; // $gone.c\n' >>loadgen/a.c
    printf 'int b;\n' >loadgen/net/b.h
    run -0 .ci/comments
    [[ -z $output ]]
    printf '/* Of two lines:\n   see loadgen/b.h. */\n' >>loadgen/net/b.h
    printf '#!/usr/bin/env bash\n# gone.bash has more.\n: gone.jq # and gone.jq.\n' >jobs/submit
    printf '// As net/c.h.\n' >bats.js
    run -1 .ci/comments
    [[ ${lines[0]} == 'lint: bats.js:1: names net/c.h, which is not there' ]]
    [[ ${lines[1]} == 'lint: jobs/submit:2: names gone.bash, which is not there' ]]
    [[ ${lines[2]} == 'lint: jobs/submit:3: names gone.jq, which is not there' ]]
    [[ ${lines[3]} == 'lint: loadgen/net/b.h:3: names loadgen/b.h, which is not there' && ${#lines[@]} -eq 4 ]]
}
