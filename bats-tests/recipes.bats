#!/usr/bin/env bats
# The recipes of Spack, EasyBuild and conda agree with the Makefile and with packaging/install-deps.
# systems/recipes.bats builds them.

load helpers

SPACK=packaging/spack/spack_repo/jostle/packages/jostle/package.py
CONDA=packaging/conda/recipe.yaml

setup() {
    cd "$ROOT" || return
}

@test "every recipe is of the Makefile's version" {
    local version file
    version=$(sed -n 's/^VERSION *:= *//p' Makefile)
    [[ -n $version ]]
    grep -qF "version(\"$version\", sha256=" "$SPACK"
    grep -qF "/jostle-$version.tar.gz\"" "$SPACK"
    grep -qF "version: \"$version\"" "$CONDA"
    for file in packaging/easybuild/*; do
        [[ ${file##*/} == "jostle-$version-GCC-"*.eb ]]
        grep -qxF "version = '$version'" "$file"
    done
}

@test "recipes are Python and YAML, and an easyconfig's name says its toolchain and its suffix" {
    python3 - packaging/easybuild/*.eb <<'END'
import ast, glob, os, sys
for name in sys.argv[1:]:
    is_ = {constant: constant for constant in ("SOURCE_TAR_GZ", "SHLIB_EXT", "ARCH")}
    exec(compile(open(name).read(), name, "exec"), is_)
    expected = "{name}-{version}-{toolchain[name]}-{toolchain[version]}".format(**is_) + is_.get("versionsuffix", "")
    assert os.path.basename(name) == expected + ".eb", name
for name in glob.glob("packaging/spack/**/*.py", recursive=True):
    ast.parse(open(name).read(), name)
try:
    import yaml
except ImportError:
    sys.exit() # Debian's python3-yaml
for name in glob.glob("packaging/conda/*.yaml") + glob.glob("packaging/spack/**/*.yaml", recursive=True):
    yaml.safe_load(open(name))
END
}

# Debian's name, Spack's, EasyBuild's, conda-forge's; `-`: comes with the compiler or the system there.
NAMES='
gcc c - compiler
libc6-dev - - stdlib
make - - make
git git git git
libuv1-dev libuv libuv libuv
libjemalloc-dev jemalloc jemalloc libjemalloc
libgsl-dev gsl GSL gsl
libjansson-dev jansson Jansson jansson
libgcrypt20-dev libgcrypt libgcrypt libgcrypt-devel
libhwloc-dev hwloc hwloc libhwloc
hwloc-nox hwloc hwloc libhwloc
liburing-dev liburing liburing liburing
jq jq jq jq
hyperfine hyperfine - hyperfine
'

# named NAME FILE PATTERN...: a line of FILE matches one of the patterns, % being NAME; without NAME all is well.
named() {
    local name=$1 file=$2
    shift 2
    [[ $name == - ]] || grep -qE "$(printf '%s\n' "${@//%/$name}")" "$file" || {
        printf '%s does not name %s\n' "$file" "$name"
        return 1
    }
}

@test "every recipe names all that building and running needs" {
    local debian spack easybuild conda file wanted
    wanted=$(awk -F'|' '$3 == "needed" || $3 == "optional" { print $1 }' packaging/install-deps)
    # Nothing has been added there that is not here, and nothing removed.
    diff <(sort <<<"$wanted") <(awk 'NF { print $1 }' <<<"$NAMES" | sort)
    while read -r debian spack easybuild conda; do
        [[ -n $debian ]] || continue
        named "$spack" "$SPACK" '^ +depends_on\("%["@ ]'
        named "$conda" "$CONDA" "^ +- %( |\$)" "\\{\\{ %\\('c'\\)"
        for file in packaging/easybuild/*.eb; do
            [[ $debian == liburing-dev ]] && grep -q 'WITHOUT=liburing' "$file" || named "$easybuild" "$file" "^    \\('%', "
        done
    done <<<"$NAMES"
}
