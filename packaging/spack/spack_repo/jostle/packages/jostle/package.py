# Copyright Spack Project Developers. See COPYRIGHT file for details.
#
# SPDX-License-Identifier: (Apache-2.0 OR MIT)

from spack_repo.builtin.build_systems.makefile import MakefilePackage

from spack.package import *


class Jostle(MakefilePackage):
    """jostle measures how much a program slows down when it has noisy neighbours.

    It puts a controlled load on CPU, memory, cache, allocator, processes, disk or network, runs
    any program with and without it in random order until the statistical error is small enough,
    and reports the slowdown with its confidence interval, together with proof of the load that
    was really delivered. It needs no root privileges, and ranges from one command on a laptop to
    a campaign on a Slurm cluster."""

    # There is no public release yet: `make recipes` writes this file with the address and the
    # checksum of a tarball that `make dist` has made.
    homepage = "https://example.org/jostle"
    url = "https://example.org/jostle/releases/jostle-0.2.0.tar.gz"

    license("MIT")

    version("0.2.0", sha256="0000000000000000000000000000000000000000000000000000000000000000")

    variant("hyperfine", default=False, description="Let hyperfine time runs (--engine hyperfine)")
    variant("jemalloc", default=True, description="The load on the allocator uses jemalloc")
    variant("liburing", default=True, description="The load on disks can use io_uring")
    variant("man", default=False, description="Manual pages (the --help of each command has all)")
    variant("slurm", default=False, description="Run campaigns as Slurm job arrays")

    depends_on("c", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("help2man", type="build", when="+man")

    depends_on("gsl@2.5:")
    depends_on("jansson@2.11:")
    depends_on("libgcrypt@1.8:")
    depends_on("libuv@1.34:")
    # lstopo-no-graphics draws what `jostle topology` prints.
    depends_on("hwloc@2.1:", type=("build", "link", "run"))
    depends_on("jemalloc@5: jemalloc_prefix=none", when="+jemalloc")
    depends_on("liburing@2.3:", when="+liburing")

    # What its commands start.
    depends_on("bash@4.4:", type="run")
    depends_on("git@2.18:", type="run")
    depends_on("jq@1.5:", type="run")
    depends_on("hyperfine@1.12:", type="run", when="+hyperfine")
    depends_on("slurm", type="run", when="+slurm")

    requires("platform=linux", msg="jostle reads Linux's /proc, cgroups and perf events")

    # `make test` would install Debian packages; what is installed is tested below.
    build_time_test_callbacks = []

    sanity_check_is_file = [
        join_path("bin", "jostle"),
        join_path("bin", "loadgen"),
        join_path("lib", "jostle", "build", "bin", "meter"),
    ]

    @property
    def build_targets(self):
        optional = ("jemalloc", "liburing")
        without = [name for name in optional if self.spec.satisfies(f"~{name}")]
        return ["all", "WITHOUT=" + " ".join(without)]

    @property
    def install_targets(self):
        # The same arguments: others would build everything anew.
        return ["install", f"PREFIX={self.prefix}", *self.build_targets[1:]]

    def test_version(self):
        """the programs start and are of this version"""
        for program in ("jostle", "loadgen"):
            with test_part(self, f"test_version_{program}", purpose=f"{program} --version"):
                out = Executable(join_path(self.prefix.bin, program))("--version", output=str)
                assert str(self.spec.version) in out

    def test_slowdown(self):
        """a program is measured alone and beside a load"""
        jostle = Executable(join_path(self.prefix.bin, "jostle"))
        out = jostle(
            "slowdown",
            "--min-runs=2",
            "--max-runs=2",
            "--load=half=cpu --percent 50",
            "--output=records",
            "--",
            join_path(self.prefix, "lib", "jostle", "build", "workloads", "mmul"),
            "400",
            output=str,
            error=str,
        )
        assert "baseline" in out and "half" in out

    def test_submit(self):
        """a campaign becomes a job array"""
        if self.spec.satisfies("~slurm"):
            raise SkipTest("needs jostle+slurm")
        jostle = Executable(join_path(self.prefix.bin, "jostle"))
        out = jostle("submit", "quick", "--dry-run", "--scheduler=slurm", output=str, error=str)
        assert "sbatch" in out
