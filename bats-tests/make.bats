#!/usr/bin/env bats
# The Makefile's promises to a user: help, deps, install.

load helpers

@test "make help lists every target with what it does" {
    run -0 make -C "$ROOT" help
    local target
    for target in all deps deps-test demo test check check-quick soak systems lint format sanitize tsan valgrind fuzz bench simulate man install deb dist recipes clean; do
        grep -qE "^  make $target +[a-z]" <<<"$output"
    done
}

@test "make deps has nothing to do where everything is there" {
    run -0 "$ROOT/packaging/install-deps" --check
    [[ -z $output ]]
}

@test "what building and running needs is no daemon, no browser, no TeX, no linter and no test" {
    local package
    local -a needed
    mapfile -t needed < <(awk -F'|' '$3 == "needed" || $3 == "optional" { print $1 }' "$ROOT/packaging/install-deps")
    [[ ${#needed[@]} -ge 10 ]]
    for package in slurmctld slurmd munge chromium librsvg2-bin texlive-latex-base shellcheck shfmt clang-format bats gnuplot-nox; do
        [[ " ${needed[*]} " != *" $package "* ]]
    done
}

# bats test_tags=slow
@test "make demo needs what building and running needs, and nothing else" {
    run -0 make -n -C "$ROOT" demo
    [[ $output == *packaging/install-deps* && $output != *'install-deps test'* ]]
}

@test "without root and without sudo, what is missing is named with how to get it" {
    # A PATH on which nothing but the essentials can be found.
    mkdir "$BATS_TEST_TMPDIR/bin"
    local tool
    for tool in bash env id cat dirname; do
        ln -s "$(type -P "$tool")" "$BATS_TEST_TMPDIR/bin/$tool"
    done
    run -1 env PATH="$BATS_TEST_TMPDIR/bin" "$ROOT/packaging/install-deps" --check
    [[ $output == *'jostle: jq is missing ('*'): apt-get install jq'* ]]
    [[ $output != *'fio is missing'* ]]
    run -1 env PATH="$BATS_TEST_TMPDIR/bin" "$ROOT/packaging/install-deps" --check test bench
    [[ $output == *'jostle: fio is missing ('* && $output == *'jostle: bats is missing ('* ]]
}

@test "where there is dnf and no apt, packages have the names of RHEL, and what is optional is no failure" {
    mkdir "$BATS_TEST_TMPDIR/bin"
    local tool
    for tool in bash env id cat; do
        ln -s "$(type -P "$tool")" "$BATS_TEST_TMPDIR/bin/$tool"
    done
    # shellcheck disable=SC2016 # expanded by the other shell
    printf '#!/bin/sh\necho "$@" >>"%s"\n' "$BATS_TEST_TMPDIR/asked" >"$BATS_TEST_TMPDIR/bin/dnf"
    chmod +x "$BATS_TEST_TMPDIR/bin/dnf"
    run -0 env PATH="$BATS_TEST_TMPDIR/bin" "$ROOT/packaging/install-deps" --check optional
    [[ $output == *'jostle: liburing-devel is missing (optional: asynchronous disk load): dnf install liburing-devel'* ]]
    [[ $(id -u) -eq 0 ]] || skip 'needs root'
    run -1 env PATH="$BATS_TEST_TMPDIR/bin" "$ROOT/packaging/install-deps"
    grep -qx 'install -y -q gcc glibc-devel make git libuv-devel gsl-devel jansson-devel libgcrypt-devel hwloc-devel jq' "$BATS_TEST_TMPDIR/asked"
    grep -qx 'install -y -q jemalloc-devel hwloc liburing-devel hyperfine' "$BATS_TEST_TMPDIR/asked"
}

@test "a library that nothing can be built without cannot be left out" {
    run -2 "$ROOT/packaging/optional" "$BATS_TEST_TMPDIR" libuv
    [[ $output == 'jostle: WITHOUT=libuv: not a library that can be left out: give liburing or jemalloc' ]]
}

# bats test_tags=slow
@test "what a build was made with is kept for make install, until it is given anew" {
    local build=$BATS_TEST_TMPDIR/build
    local -a one=(make -s -C "$ROOT" BUILD="$build" "$build/obj/loadgen/main.o")
    "${one[@]}" WITHOUT='jemalloc liburing' CFLAGS='-O1 -DKEPT="a,#b"'
    # Nothing is left to be made, and all is asked as before.
    "${one[@]}" -q
    read -r line <"$build/optional.mk"
    [[ $line == *' -O1 -DKEPT="a,#b" '*' without jemalloc liburing' ]]
    "${one[@]}" WITHOUT=
    "${one[@]}" -q
    read -r line <"$build/optional.mk"
    [[ $line == *' -O1 -DKEPT="a,#b" '*' without ' || $line == *' without' ]]
    # A build with sanitizers is never mixed with one without.
    "${one[@]}" SANITIZE=address,undefined
    [[ $("${one[@]}" -nW loadgen/main.c) == *' -fsanitize=address,undefined '* ]]
    [[ $("${one[@]}" -nW loadgen/main.c SANITIZE=) != *' -fsanitize='* ]]
}

@test "loadgen and doctor name the libraries that this build has, and those that it lacks" {
    "$BIN/loadgen" --version | {
        read -r name _ && [[ $name == loadgen ]]
        read -r line && [[ $line =~ ^'built with: libuv '[0-9.]+', jansson '[0-9.]+(', '[a-z]+' '[0-9.]+)*$ ]]
        ! read -r line || [[ $line == 'without: '*' ('*')' ]]
    }
    (cd "$BATS_TEST_TMPDIR" && "$JOSTLE" doctor --quick) | grep -q '^ok       libraries        built with'
}

@test "installing a daemon's package starts no service" {
    [[ $(id -u) -eq 0 ]] || skip 'needs root'
    export JOSTLE_POLICY=$BATS_TEST_TMPDIR/policy-rc.d
    # An apt-get that looks at the policy while it installs.
    mkdir "$BATS_TEST_TMPDIR/bin"
    printf '#!/bin/sh\n[ "$1" != install ] || { "%s"; echo $? >"%s"; }\n' "$JOSTLE_POLICY" "$BATS_TEST_TMPDIR/policy" >"$BATS_TEST_TMPDIR/bin/apt-get"
    chmod +x "$BATS_TEST_TMPDIR/bin/apt-get"
    run env PATH="$BATS_TEST_TMPDIR/bin:/usr/bin:/bin" bash -c 'source <(sed "/^main /d" "$0"); install_packages munge' "$ROOT/packaging/install-deps"
    # `env` finds the made-up one first.
    [[ $(cat "$BATS_TEST_TMPDIR/policy") == 101 ]]
    [[ ! -e $JOSTLE_POLICY ]]
}

# bats test_tags=slow
@test "make format changes nothing in sources that lint accepts" {
    run -0 make -n -C "$ROOT" format
    [[ $output == *'.ci/lint --fix'* ]]
}

# bats test_tags=slow
@test "an installed jostle works from its prefix alone" {
    run -0 make -C "$ROOT" install BUILD="$BUILD" PREFIX="$BATS_TEST_TMPDIR/prefix"
    cd "$BATS_TEST_TMPDIR"
    unset JOSTLE_BUILD
    run -0 prefix/bin/jostle slowdown --output out --max-runs 2 --load 'low=cpu --percent 5' -- true
    [[ $output == *'Records: '* ]]
    run -0 prefix/bin/loadgen --help
    local file
    for file in share/man/man1/jostle.1 share/bash-completion/completions/jostle share/zsh/site-functions/_jostle \
        share/fish/vendor_completions.d/jostle.fish share/fish/vendor_completions.d/loadgen.fish \
        share/doc/jostle/LICENSE share/doc/jostle/README.md share/doc/jostle/docs/statistics.md \
        share/jostle/schema/jostle.run.schema.json; do
        [[ -s prefix/$file ]]
    done
    [[ -z $(find prefix -name '*.[ch]') ]]
    "$BATS_TEST_TMPDIR/prefix/bin/jostle" adapters pgbench | diff "$ROOT/harness/adapters/pgbench" -
}

@test "an install where one may not write is refused with a way out" {
    touch "$BATS_TEST_TMPDIR/file"
    run ! "$ROOT/packaging/install" "$BATS_TEST_TMPDIR/file/x" "$BUILD"
    [[ $output == *'cannot write below'*'choose another PREFIX'* ]]
}

@test "the Debian changelog is of the Makefile's version, and its packages are described" {
    local version
    version=$(sed -n 's/^VERSION *:= *//p' "$ROOT/Makefile")
    [[ $(head -n 1 "$ROOT/packaging/debian/changelog") == "jostle ($version-"*') '* ]]
    [[ $(grep '^Package: ' "$ROOT/packaging/debian/control") == $'Package: jostle\nPackage: jostle-doc' ]]
    # What is suggested there is not needed.
    run ! grep -E '^ *(hyperfine|slurm-client|gnuplot)' <(sed -n '/^Depends:/,/^[A-Z]/p' "$ROOT/packaging/debian/control")
}

# bats test_tags=slow
@test "make dist without a checkout says what to do, and no file of the sources is empty" {
    cp "$ROOT/Makefile" "$BATS_TEST_TMPDIR/"
    run ! make --silent -C "$BATS_TEST_TMPDIR" dist
    [[ ${lines[0]} == 'jostle: make dist packs the last commit of a checkout: clone the repository' ]]
    [[ -e $ROOT/.git ]] || skip 'needs a checkout'
    # A command with a bare > has left one at the top several times.
    git -C "$ROOT" ls-files --stage >"$BATS_TEST_TMPDIR/files"
    run -1 grep e69de29bb2d1d6434b8b29ae775ad8c2e48c5391 "$BATS_TEST_TMPDIR/files"
}

@test "make bundle ends at the first static library that is missing, and names it" {
    # A compiler that knows no library.
    printf '#!/bin/sh\necho "${1#-print-file-name=}"\n' >"$BATS_TEST_TMPDIR/cc"
    chmod +x "$BATS_TEST_TMPDIR/cc"
    CC="env $BATS_TEST_TMPDIR/cc" run -1 --separate-stderr "$ROOT/packaging/bundle" "$BATS_TEST_TMPDIR/build" 0
    # shellcheck disable=SC2154 # bats sets it
    [[ $stderr == 'jostle: libuv_a.a is missing: install the development package of uv_a with its static library' ]]
}

# bats test_tags=slow
@test "what is built already is not written again, as root may only read it" {
    local folder=$BATS_TEST_TMPDIR/build before
    make --silent -C "$ROOT" BUILD="$folder" "$folder/revision"
    before=$(stat -c '%n %y' "$folder" "$folder"/*)
    make --silent -C "$ROOT" BUILD="$folder" "$folder/revision"
    [[ $(stat -c '%n %y' "$folder" "$folder"/*) == "$before" ]]
    echo other >"$folder/revision"
    make --silent -C "$ROOT" BUILD="$folder" "$folder/revision"
    [[ $(<"$folder/revision") == "$("$ROOT/packaging/revision")" ]]
}

# bats test_tags=slow
@test "make sanitize fails on what a sanitizer finds, also where no test looks at the program's status" {
    local name
    local -a fresh=(env)
    cd "$BATS_TEST_TMPDIR"
    mkdir -p build/bin
    printf 'int main(int n, char **words) { (void)words; static int few[1]; return few[n]; }\n' |
        "${CC:-cc}" -fsanitize=address,undefined -static-libasan -static-libubsan -x c -o build/bin/meter -
    printf '@test "a status is overlooked" {\n    %q/build/bin/meter || true\n}\n' "$PWD" >a.bats
    printf '@test "nothing is found" {\n    true\n}\n' >b.bats
    # These are tests of their own.
    for name in "${!BATS_@}"; do fresh+=(-u "$name"); done
    run -1 "${fresh[@]}" "$ROOT/bats-tests/checks/sanitize" build "$PWD/a.bats"
    [[ $output == *'ok 1 a status is overlooked'* && $output == *'found.meter.'*'index 1 out of bounds'* ]]
    run -0 "${fresh[@]}" "$ROOT/bats-tests/checks/sanitize" build "$PWD/b.bats"
}

# bats test_tags=slow
@test "make shows a short line for each file, and V=1 its command" {
    local build=$BATS_TEST_TMPDIR/build
    local -a one=(make -C "$ROOT" --no-print-directory BUILD="$build" CFLAGS=-O0)
    run -0 "${one[@]}" "$build/obj/common/text.o"
    [[ $output == "  CC  $build/obj/common/text.o" ]]
    run -0 "${one[@]}" V=1 "$build/obj/common/units.o"
    [[ $output == *' -O0 '*' -c -o '* && ${#lines[@]} -eq 1 ]]
    run -0 "${one[@]}" -s "$build/obj/common/mount.o"
    [[ -z $output ]]
}

@test "an image of a container is made of a revision that it knows" {
    printf '#!/bin/sh\nprintf "%%s\\n" "$@"\n' >"$BATS_TEST_TMPDIR/engine"
    chmod +x "$BATS_TEST_TMPDIR/engine"
    export JOSTLE_REVISION=0123456789
    run -0 env CONTAINER_ENGINE="$BATS_TEST_TMPDIR/engine" "$ROOT/packaging/container" 1.2.3
    [[ $output == *'REVISION=0123456789'* ]]
    # shellcheck disable=SC2016 # of the Containerfile
    grep -q '^RUN JOSTLE_REVISION="$REVISION" make ' "$ROOT/packaging/Containerfile"
    # There is no git in the image: what is passed on counts.
    cp -r "$ROOT/packaging" "$BATS_TEST_TMPDIR/packaging"
    [[ $("$BATS_TEST_TMPDIR/packaging/revision") == 0123456789 ]]
}

# bats test_tags=slow
@test "the table of the peers comes of its cells, without the peers that are not installed" {
    local peer
    run -0 --separate-stderr "$ROOT/bench/table" "$BATS_TEST_TMPDIR/peers" --only 'harness-*' --set min-runs=1 --set max-runs=1
    [[ $output == *' CPUs (allowed: '*$'\n| 200 runs of true | '*$'\n| 12 runs of true, with their table | '*$'\njostle is behind in '* ]]
    for peer in stress-ng rt-app fio iperf3 sockperf hyperfine; do
        command -v "$peer" >/dev/null || [[ $stderr == *"jostle: $peer is not installed: its rows are left out: "* ]]
        command -v "$peer" >/dev/null || ! grep -q "variant = $peer=" "$BATS_TEST_TMPDIR/peers/campaign.conf"
    done
}

# bats test_tags=slow
@test "the table of the peers, interrupted, says what continues, and does not measure again what it has" {
    local pid code=0
    cd "$BATS_TEST_TMPDIR"
    set -m
    "$ROOT/bench/table" "$BATS_TEST_TMPDIR/peers" --only 'harness-*' --set min-runs=1 --set max-runs=1 >out 2>err 3>&- &
    pid=$!
    set +m
    eventually 120 grep -q '^| 200 runs of true | ' out
    kill -s INT -- "-$pid"
    wait "$pid" || code=$?
    [[ $code -eq 130 ]]
    [[ $(tail -n 1 err) == "  resume: $ROOT/bench/table $BATS_TEST_TMPDIR/peers --only harness-\\* --set min-runs=1 --set max-runs=1" ]]
    run ! pgrep -f "$BATS_TEST_TMPDIR/peers"
    bash -c "$(sed -n 's/^  resume: //p' err)" >again 2>/dev/null
    # The same record.
    [[ $(grep '^| 200 runs of true | ' again) == "$(grep '^| 200 runs of true | ' out)" ]]
    grep -q '^| 12 runs of true, with their table | ' again
}
