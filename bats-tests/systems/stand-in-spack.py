#!/usr/bin/env python3
"""stand-in-spack.py PACKAGE.PY TARBALL PREFIX SPEC: builds and installs the package into PREFIX and runs its
stand-alone tests, as Spack does with SPEC (variants such as +slurm~hwloc), for machines that do not
reach Spack: its directives are recorded and checked, its build system is what MakefilePackage does, and
the dependencies are those of this system."""

import contextlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import types

directives = []


def directive(name):
    """A directive of package.py: says what it was called with."""
    return lambda *args, **options: directives.append((name, args, options))


class Prefix(str):
    """A folder; .bin is a folder in it."""

    def __getattr__(self, name):
        return Prefix(os.path.join(self, name))


class Executable:
    """A program, called with its arguments; output=str returns what it prints."""

    def __init__(self, name):
        self.name = name

    def __call__(self, *args, output=None, error=None):
        run = subprocess.run(
            [self.name, *args],
            check=True,
            text=True,
            stdout=subprocess.PIPE if output else None,
            stderr=subprocess.STDOUT if error else None,
        )
        return run.stdout


class SkipTest(Exception):
    """A stand-alone test that does not apply."""


@contextlib.contextmanager
def test_part(_package, _name, purpose):
    """A part of a stand-alone test."""
    print(f"  {purpose}")
    yield


class Spec:
    """A concrete spec: a version, and which variants are on."""

    def __init__(self, version, variants):
        self.version, self.variants = version, variants

    def satisfies(self, text):
        """Whether a variant is as the text says."""
        assert re.fullmatch(r"[+~]\w+", text) and text[1:] in self.variants, text
        return self.variants[text[1:]] == (text[0] == "+")


class MakefilePackage:
    """The phases of the build system for Makefiles."""

    build_targets = []
    install_targets = ["install"]

    def __init__(self, spec, prefix):
        self.spec, self.prefix = spec, Prefix(prefix)

    def build(self):
        Executable("make")(f"-j{os.cpu_count()}", *self.build_targets)

    def install(self):
        Executable("make")(f"-j{os.cpu_count()}", *self.install_targets)


def load(file):
    """The class of package.py."""
    package = types.ModuleType("spack.package")
    for name in ("depends_on", "license", "maintainers", "requires", "variant", "version", "conflicts"):
        setattr(package, name, directive(name))
    vars(package).update(Executable=Executable, SkipTest=SkipTest, test_part=test_part, join_path=os.path.join)
    makefile = types.ModuleType("spack_repo.builtin.build_systems.makefile")
    makefile.MakefilePackage = MakefilePackage
    for name in ("spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules["spack.package"], sys.modules[makefile.__name__] = package, makefile
    names = {}
    exec(compile(file.read_text(), str(file), "exec"), names)  # pylint: disable=exec-used
    return names["Jostle"]


def check_directives(variants):
    """What Spack refuses: a dependency without a name, a condition on a variant that there is not."""
    for name, args, options in directives:
        if name == "depends_on":
            assert re.match(r"[a-z][a-z0-9-]*(@[0-9.:]+)?( \w+=\w+)?$", args[0]), args
            kinds = options.get("type", ("build", "link"))
            assert set([kinds] if isinstance(kinds, str) else kinds) <= {"build", "link", "run", "test"}, options
        if "when" in options:
            assert options["when"][0] in "+~" and options["when"][1:] in variants, options
        if name == "version":
            assert re.fullmatch(r"[0-9a-f]{64}", options["sha256"]), options


def main():
    file, tarball, prefix, wanted = (pathlib.Path(sys.argv[1]), *sys.argv[2:5])
    cls = load(file)
    variants = {args[0]: options["default"] for name, args, options in directives if name == "variant"}
    for sign, variant in re.findall(r"([+~])(\w+)", wanted):
        assert variant in variants, variant
        variants[variant] = sign == "+"
    check_directives(variants)
    [version] = [args[0] for name, args, _ in directives if name == "version"]
    package = cls(Spec(version, variants), prefix)
    with tempfile.TemporaryDirectory() as stage:
        subprocess.run(["tar", "-C", stage, "--strip-components=1", "-xzf", tarball], check=True)
        os.chdir(stage)
        package.build()
        package.install()
        for one in cls.sanity_check_is_file:
            assert os.path.isfile(os.path.join(prefix, one)), one
        with tempfile.TemporaryDirectory() as scratch:
            os.chdir(scratch)
            for name in sorted(dir(cls)):
                if name.startswith("test_"):
                    try:
                        getattr(package, name)()
                        print(f"PASSED: {cls.__name__}::{name}")
                    except SkipTest as reason:
                        print(f"SKIPPED: {cls.__name__}::{name}: {reason}")
            os.chdir(stage)
        os.chdir("/")


if __name__ == "__main__":
    main()
