#!/usr/bin/env python3
"""stand-in-channel.py CHANNEL: makes a channel of conda packages from what Debian's packages have
installed on this system, for machines that do not reach conda-forge: the names, the layout and the
compiler's flags are conda-forge's, the files are Debian's. Needs py-rattler-build.
stand-in-channel.py CHANNEL RECIPE OUT: builds and tests RECIPE with that channel, into OUT."""

import pathlib
import subprocess
import sys

from rattler_build import Package, RenderConfig, Stage0Recipe, ToolConfiguration, VariantConfig

TRIPLET = "x86_64-linux-gnu"

# conda-forge's name: Debian's packages, the first of which has the version
LIBRARIES = {
    "gsl": ["libgsl-dev", "libgsl27", "libgslcblas0"],
    "jansson": ["libjansson-dev", "libjansson4"],
    "libgcrypt-devel": ["libgcrypt20-dev", "libgcrypt20", "libgpg-error-dev", "libgpg-error0"],
    "libhwloc": ["libhwloc-dev", "libhwloc15", "hwloc-nox"],
    "libjemalloc": ["libjemalloc-dev", "libjemalloc2"],
    "liburing": ["liburing-dev", "liburing2"],
    "libuv": ["libuv1-dev", "libuv1"],
}
# Programs of this system, by a link.
PROGRAMS = {
    "git": ["git"],
    "help2man": ["help2man"],
    "jq": ["jq"],
    "make": ["make"],
    "pkg-config": ["pkg-config"],
    "slurm": ["sbatch", "srun", "squeue", "sinfo", "scontrol", "sacct", "scancel"],
    "sysroot_linux-64": [],
}

# What conda-forge's package of a compiler sets when it is activated.
ACTIVATE = r"""
export CC=x86_64-conda-linux-gnu-cc AR=x86_64-conda-linux-gnu-ar
export BUILD=x86_64-conda-linux-gnu HOST=x86_64-conda-linux-gnu
export CFLAGS="-march=nocona -mtune=haswell -ftree-vectorize -fPIC -fstack-protector-strong -fno-plt -O2 -ffunction-sections -pipe -isystem $PREFIX/include"
export CPPFLAGS="-DNDEBUG -D_FORTIFY_SOURCE=2 -O2 -isystem $PREFIX/include"
export LDFLAGS="-Wl,-O2 -Wl,--sort-common -Wl,--as-needed -Wl,-z,relro -Wl,-z,now -Wl,--disable-new-dtags -Wl,--gc-sections -Wl,-rpath,$PREFIX/lib -Wl,-rpath-link,$PREFIX/lib -L$PREFIX/lib"
"""


def version(package):
    """The version of a Debian package, as conda writes versions."""
    text = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True, check=True
    ).stdout
    return text.split(":")[-1].split("-")[0].split("+")[0].split("~")[0]


def place(file):
    """Where a file of Debian is in an environment of conda; None where it is not."""
    for debian, conda in (
        (f"/usr/lib/{TRIPLET}/", "lib/"),
        (f"/lib/{TRIPLET}/", "lib/"),
        (f"/usr/include/{TRIPLET}/", "include/"),
        ("/usr/include/", "include/"),
        ("/usr/bin/", "bin/"),
    ):
        if file.startswith(debian):
            return conda + file[len(debian) :]
    return None


def library(name, packages):
    """The output of a library: its files, and that who is linked with it needs it."""
    files = subprocess.run(["dpkg", "-L", *packages], capture_output=True, text=True, check=True).stdout
    script = []
    for file in sorted(set(files.split("\n"))):
        to = place(file)
        if to and not pathlib.Path(file).is_dir() and not to.endswith(".a"):
            script += [f'mkdir -p "$PREFIX/{pathlib.Path(to).parent}"', f'cp -a {file} "$PREFIX/{to}"']
    script.append(
        f'for pc in "$PREFIX"/lib/pkgconfig/*.pc; do [ ! -e "$pc" ] || '
        f'sed -i -e "s,/{TRIPLET},,g" -e "s,=/usr,=$PREFIX,g" "$pc"; done'
    )
    return output(name, version(packages[0]), script, {"run_exports": [name]})


def program(name, programs):
    """The output of programs: links to those of this system."""
    script = ['mkdir -p "$PREFIX/bin" "$PREFIX/share/stand-in"', f'touch "$PREFIX/share/stand-in/{name}"']
    script += [f'ln -s "$(command -v {one})" "$PREFIX/bin/{one}"' for one in programs]
    known = {"git": "git", "jq": "jq"}
    return output(name, version(known[name]) if name in known else "2.28", script, {})


def compiler():
    """The output of the compiler."""
    script = ['mkdir -p "$PREFIX/bin" "$PREFIX/etc/conda/activate.d"']
    for one in ("cc", "ar"):
        script.append(f'ln -s /usr/bin/{one} "$PREFIX/bin/x86_64-conda-linux-gnu-{one}"')
    script.append(f"cat >\"$PREFIX/etc/conda/activate.d/compiler.sh\" <<'END'\n{ACTIVATE}END")
    return output("gcc_linux-64", "14.3.0", script, {})


def output(name, version_, script, requirements):
    """One package of the recipe; its files are taken as they are."""
    return {
        "package": {"name": name, "version": version_},
        "build": {
            "script": script,
            "dynamic_linking": {"binary_relocation": False},
            "prefix_detection": {"ignore_binary_files": True},
        },
        "requirements": requirements,
    }


def build(recipe, out, channels, variants=None):
    """Builds a recipe; returns the packages."""
    results = recipe.run_build(
        variant_config=variants,
        tool_config=ToolConfiguration(test_strategy="skip"),
        output_dir=out,
        channels=channels,
        render_config=RenderConfig(),
    )
    return [str(path) for result in results for path in result.packages]


def test(package, channels):
    """Runs the tests of a package in an environment that has it, and what it depends on; ends us if one fails."""
    results = Package.from_file(package).run_tests(channel=channels)
    if not results or not all(result.success for result in results):
        sys.exit("\n".join(line for result in results for line in result.output) or f"{package} has no tests")


def main():
    channel = pathlib.Path(sys.argv[1]).resolve()
    if len(sys.argv) == 2:
        outputs = [library(*one) for one in LIBRARIES.items()]
        outputs += [program(*one) for one in PROGRAMS.items()] + [compiler()]
        channel.mkdir(parents=True, exist_ok=True)
        recipe = {"recipe": {"name": "stand-ins", "version": "1"}, "outputs": outputs}
        print(*build(Stage0Recipe.from_dict(recipe, recipe_dir=channel), channel, []), sep="\n")
        return
    recipe = Stage0Recipe.from_file(sys.argv[2])
    beside = pathlib.Path(sys.argv[2]).parent / "conda_build_config.yaml"
    variants = VariantConfig.from_file(beside)
    out = pathlib.Path(sys.argv[3]).resolve()
    for package in build(recipe, out, [channel.as_uri()], variants):
        test(package, [channel.as_uri(), out.as_uri()])
        print(package)


if __name__ == "__main__":
    main()
