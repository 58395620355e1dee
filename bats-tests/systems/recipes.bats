#!/usr/bin/env bats
# The recipes of EasyBuild, conda and Spack, with the real tools as far as they can be had: EasyBuild and
# rattler-build come from PyPI, what they would build or fetch before jostle is taken from this system
# (stand-in-*). Spack is in no registry that is reached here: its package.py is run by a stand-in.

load ../helpers

setup_file() {
    make --no-print-directory -C "$ROOT" recipes BUILD="$BATS_FILE_TMPDIR/build"
}

setup() {
    RECIPES=$BATS_FILE_TMPDIR/build/recipes
    VERSION=$(sed -n 's/^VERSION *:= *//p' "$ROOT/Makefile")
    # Those who install have none of these.
    unset BUILD BIN JOSTLE JOSTLE_BUILD JOSTLE_NO_PROBE
}

# from_pypi MODULE PACKAGE: what the python3 on the PATH does not have comes from PyPI, into a folder of these tests;
# skips the test where that is not possible.
from_pypi() {
    ! python3 -c "import $1" 2>/dev/null || return 0
    [[ -d $BATS_FILE_TMPDIR/venv ]] || python3 -m venv "$BATS_FILE_TMPDIR/venv" || skip 'python3-venv is missing: packaging/install-deps systems'
    PATH=$BATS_FILE_TMPDIR/venv/bin:$PATH
    python3 -c "import $1" 2>/dev/null || pip install --quiet --disable-pip-version-check "$2" || skip "$2 cannot be had from PyPI"
}

# easybuild: EasyBuild and its modules, for the tests that follow.
easybuild() {
    local lmod=/usr/share/lmod/lmod/init/bash
    [[ -r $lmod ]] || skip 'lmod is missing: packaging/install-deps systems'
    from_pypi easybuild.framework easybuild
    # shellcheck source=/dev/null
    source "$lmod"
    export EASYBUILD_PREFIX=$BATS_FILE_TMPDIR/easybuild EASYBUILD_ALLOW_USE_AS_ROOT_AND_ACCEPT_CONSEQUENCES=1
}

@test "a tarball of the same commit is the same, and the recipes have its address and checksum" {
    local tarball=$BATS_FILE_TMPDIR/build/jostle-$VERSION.tar.gz sum file
    sum=$(sha256sum <"$tarball")
    make --no-print-directory -C "$ROOT" recipes BUILD="$BATS_TEST_TMPDIR" URL=https://files.example.net/r
    cmp "$tarball" "$BATS_TEST_TMPDIR/jostle-$VERSION.tar.gz"
    for file in spack/spack_repo/jostle/packages/jostle/package.py conda/recipe.yaml "easybuild/jostle-$VERSION-GCC-14.3.0.eb"; do
        grep -qF "${sum%% *}" "$BATS_TEST_TMPDIR/recipes/$file"
        grep -qF "https://files.example.net/r/" "$BATS_TEST_TMPDIR/recipes/$file"
    done
    run -1 grep -rE 'example\.org/jostle/releases|0{64}' "$BATS_TEST_TMPDIR/recipes"
}

@test "EasyBuild has all that the easyconfigs depend on" {
    easybuild
    local file
    local -a files=()
    for file in "$RECIPES"/easybuild/*.eb; do
        # The one for Slurm is refused where Slurm is not.
        [[ $file != *-slurm.eb ]] || type -P sbatch || continue
        files+=("$file")
    done
    run -0 eb --dry-run --robot "${files[@]}"
    for file in "${files[@]}"; do
        file=${file##*/jostle-}
        [[ $output == *"(module: jostle/${file%.eb})"* ]]
    done
}

@test "EasyBuild builds jostle, and its module measures" {
    easybuild
    local name=jostle-$VERSION-GCC-14.3.0 suffix='' prefix
    ! type -P sbatch >/dev/null || suffix=-slurm
    eb --dry-run --robot "$RECIPES/easybuild/$name$suffix.eb" |
        "$ROOT/bats-tests/systems/stand-in-modules" "$BATS_FILE_TMPDIR/modules"
    module use "$BATS_FILE_TMPDIR/modules" "$EASYBUILD_PREFIX/modules/all"
    eb "$RECIPES/easybuild/$name$suffix.eb"
    module load "jostle/${name#jostle-}$suffix"
    prefix=$EASYBUILD_PREFIX/software/jostle/${name#jostle-}$suffix
    [[ $(type -P jostle) == "$prefix/bin/jostle" ]]
    [[ $(jostle --version) == "jostle $VERSION ($(git -C "$ROOT" rev-parse HEAD | head -c 10))" ]]
    jostle slowdown --min-runs 2 --max-runs 3 --load 'half=cpu --percent 50' --output "$BATS_TEST_TMPDIR/r" -- "$prefix/lib/jostle/build/workloads/mmul" 400
    holds '.conditions | map(.name) == ["baseline", "half"]' <"$BATS_TEST_TMPDIR/r/result.json"
    [[ -e $prefix/share/man/man1/jostle.1 ]]
}

@test "rattler-build builds the conda packages, and their tests pass in an environment of their own" {
    from_pypi rattler_build py-rattler-build
    "$ROOT/bats-tests/systems/stand-in-channel.py" "$BATS_FILE_TMPDIR/channel"
    run -0 "$ROOT/bats-tests/systems/stand-in-channel.py" "$BATS_FILE_TMPDIR/channel" "$RECIPES/conda/recipe.yaml" "$BATS_FILE_TMPDIR/conda"
    [[ $output == *"/jostle-$VERSION-"*.conda*"/jostle-slurm-$VERSION-"*.conda* ]]
}

@test "Spack's package builds, installs and passes its stand-alone tests with a stand-in for Spack" {
    local prefix=$BATS_TEST_TMPDIR/prefix slurm=''
    ! type -P sbatch >/dev/null || slurm=+slurm
    run -0 "$ROOT/bats-tests/systems/stand-in-spack.py" "$RECIPES/spack/spack_repo/jostle/packages/jostle/package.py" \
        "$BATS_FILE_TMPDIR/build/jostle-$VERSION.tar.gz" "$prefix" "~jemalloc~liburing$slurm"
    [[ $output == *'PASSED: Jostle::test_slowdown'*'PASSED: Jostle::test_version'* ]]
    [[ -z $slurm || $output == *'PASSED: Jostle::test_submit'* ]]
    # What was left out is named.
    run -0 "$prefix/bin/loadgen" --version
    [[ $output == *'without: '* ]]
}
