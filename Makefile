# jostle: how much does a program slow down when it has noisy neighbours?
# `make help` lists the targets.

PREFIX  ?= /usr/local
DESTDIR ?=
BUILD   ?= build
VERSION := 0.2.0

# Of the C library; RHEL has that in a package of its own (glibc-static).
STATIC   = $(if $(HAVE_static),-static)

# What a build is made with is kept in its folder, as by a configure: `make install` installs what
# `make CC=gcc-9 WITHOUT=jemalloc` has built. What is given again counts instead: `make WITHOUT=` has
# all libraries.
KEPT    := $(BUILD)/kept.mk
KEEPS   := CC AR CPPFLAGS CFLAGS LDFLAGS PKG_CONFIG SANITIZE STATIC WITHOUT
-include $(KEPT)
given    = $(filter command environment,$(firstword $(origin $(1))))
kept     = $(filter-out undefined,$(flavor KEPT_$(1)))
$(foreach one,$(KEEPS),$(if $(call given,$(one)),,$(if $(call kept,$(one)),$(eval $(one) = $$(KEPT_$(one))))))
# Before anything else gives them a value.
CHOSEN  := $(foreach one,$(KEEPS),$(if $(call given,$(one))$(call kept,$(one)),$(one)))

CC      ?= cc
CFLAGS  ?= -O2 -g
# WERROR=1, as make test and make lint have it: a warning is an error.
WARN    := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes $(if $(WERROR),-Werror)
STD     := -std=gnu17 -D_GNU_SOURCE -DJOSTLE_VERSION='"$(VERSION)"'
# Libraries to leave out, of those that jostle can be built without: liburing jemalloc
WITHOUT ?=

define newline


endef

# make sanitize builds everything a second time with these: jemalloc and a
# static libc do not go together with ASan's own allocator and interceptors.
ifneq ($(SANITIZE),)
SAN     := -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer
# Both runtimes in the program: as two shared libraries of gcc, only one of them looks at log_path.
# (clang does this by itself.)
SANLIBS := $(if $(findstring clang,$(CC)),,-static-libasan -static-libubsan)
LESS    := jemalloc
STATIC  :=
endif
# make fuzz builds with clang, whose warnings are others than those that we keep to.
ifdef LIBFUZZER
SAN     += -fsanitize=fuzzer-no-link
WARN    :=
endif

# What make soak runs: a folder of tests, or one file of it.
SOAK    ?= bats-tests/soak

# Where a target builds everything first. Who runs `make all` gives -j as he likes.
PARALLEL := -j$(shell nproc)

# Which of the optional libraries are there. The targets that only call make again, or build
# nothing, do not ask.
OPTIONAL := $(BUILD)/optional.mk
ifneq ($(filter-out help deps deps-test demo test sanitize tsan valgrind fuzz soak lint format deb bundle container dist recipes clean,$(or $(MAKECMDGOALS),all)),)
ANSWER   := $(shell CC='$(CC)' CPPFLAGS='$(CPPFLAGS)' CFLAGS='$(CFLAGS)' LDFLAGS='$(LDFLAGS)' \
              PKG_CONFIG='$(PKG_CONFIG)' packaging/optional '$(BUILD)' $(sort $(WITHOUT) $(LESS)))
ifneq ($(.SHELLSTATUS),0)
$(error packaging/optional failed)
endif
include $(OPTIONAL)
# Written only when it is new, and by no dry run: who installs may not be able to.
KEEP     = $(foreach one,$(CHOSEN),define KEPT_$(one)$(newline)$(value $(if $(call given,$(one)),,KEPT_)$(one))$(newline)endef$(newline))
ifeq (,$(findstring n,$(firstword -$(MAKEFLAGS))))
ifneq ($(strip $(KEEP)),$(strip $(file <$(KEPT))))
$(file >$(KEPT),$(KEEP))
endif
endif
endif
# For the sources that use them: each is one file that has two forms.
optional  = $(if $(HAVE_$(1)),$(INCLUDE_$(1)),-DWITHOUT_$(1))

# A recipe's short line in place of its command, which V=1 shows. (make -s: neither.)
V       ?=
short    = $(if $(filter-out 0,$(V))$(findstring s,$(firstword -$(MAKEFLAGS))),,@printf '  %-3s %s\n' $(1) $@ && )

LINK     = $(CC) $(CFLAGS) $(LDFLAGS) $(SAN) $(SANLIBS)
COMPILE  = $(CC) $(STD) $(CPPFLAGS) $(CFLAGS) $(WARN) $(SAN) -I. -MMD -MP

BIN       := $(BUILD)/bin
objects    = $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard $(1)))
LOADGEN   := $(call objects,loadgen/*.c) $(call objects,loadgen/*/*.c)
COMMON    := $(BUILD)/libcommon.a
# A folder of harness/ with a main.c is a program of that name; two are of the tests.
PARTS     := $(patsubst %/main.c,%,$(wildcard harness/*/main.c bats-tests/*/main.c))
WORKLOADS := $(patsubst workloads/%.c,$(BUILD)/workloads/%,$(wildcard workloads/*.c))
PROGRAMS  := $(BIN)/loadgen $(addprefix $(BIN)/,$(notdir $(PARTS))) $(WORKLOADS)
# A parser that is fuzzed is a file of bats-tests/fuzz/.
FUZZERS   := $(patsubst bats-tests/fuzz/%.c,$(BUILD)/fuzz/%,$(wildcard bats-tests/fuzz/*.c))

.PHONY: FORCE all help deps deps-test demo test check check-quick soak systems lint format sanitize tsan valgrind fuzzers fuzz bench evidence simulate man install deb bundle container dist recipes clean
.DEFAULT_GOAL := all

all: $(PROGRAMS) ## build everything into build/ (V=1 shows each command)

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

deps: ## install what building and running needs (Debian packages; root or sudo), or name it
	@packaging/install-deps

deps-test: deps ## install what tests and benches need, too; no service is started
	@packaging/install-deps test bench || true

demo: deps ## install, build, measure nbody and delannoy under CPU load, print the slowdown
	@printf 'jostle: building (make V=1 shows each command)\n'
	@$(MAKE) -s --no-print-directory $(PARALLEL) all
	@harness/demo

test: deps-test ## install, build, lint, run every test
	@$(MAKE) --no-print-directory $(PARALLEL) WERROR=1 all fuzzers
	@$(MAKE) --no-print-directory lint check

check: all fuzzers ## run every test against build/, without lint
	@JOSTLE_BUILD=$(abspath $(BUILD)) bats-tests/run

check-quick: all fuzzers ## lint what has changed, run what needs no measuring and little time: under two minutes
	@.ci/lint --changed
	@JOSTLE_BUILD=$(abspath $(BUILD)) bats-tests/run --quick

soak: all ## faults at random and long use: what takes too long for make test; hours
	@JOSTLE_BUILD=$(abspath $(BUILD)) bats --tap --timing --print-output-on-failure $(SOAK)

# What make systems runs: a folder of tests, or one file of it.
SYSTEMS ?= bats-tests/systems

systems: all ## packages, other shells, other processors, containers, schedulers: needs downloads
	@packaging/install-deps systems || true
	@JOSTLE_BUILD=$(abspath $(BUILD)) bats --tap --timing --print-output-on-failure $(SYSTEMS)

lint: ## shellcheck, shfmt, clang-format, and all compiler warnings as errors
	@.ci/lint

format: ## format C and shell sources in place
	@.ci/lint --fix

# What make sanitize runs: all tests, or some files.
TESTS   ?=

sanitize: deps-test ## build with ASan and UBSan, run every test with that build
	@$(MAKE) --no-print-directory $(PARALLEL) all BUILD=build/sanitize SANITIZE=address,undefined
	@$(MAKE) --no-print-directory $(PARALLEL) fuzzers BUILD=build/sanitize SANITIZE=address,undefined
	@bats-tests/checks/sanitize build/sanitize $(TESTS)

tsan: ## build loadgen with ThreadSanitizer, give every load all orders with four threads
	@$(MAKE) --no-print-directory $(PARALLEL) build/tsan/bin/loadgen BUILD=build/tsan SANITIZE=thread
	@TSAN_OPTIONS=halt_on_error=1 bats-tests/checks/loads build/tsan/bin/loadgen

valgrind: ## every load, and whole experiments, with all of jostle's programs under valgrind
	@packaging/install-deps fuzz
	@$(MAKE) --no-print-directory $(PARALLEL) all BUILD=build/valgrind CFLAGS='-O1 -g' STATIC= WITHOUT='$(sort $(WITHOUT) jemalloc)'
	@bats-tests/checks/valgrind build/valgrind

fuzzers: $(FUZZERS)

# How long each parser is fuzzed: an hour for all of them. Before a release 3600: an hour each.
FUZZ_SECONDS ?= 225

fuzz: ## fuzz every parser with libFuzzer for FUZZ_SECONDS each (needs clang)
	@packaging/install-deps fuzz
	@$(MAKE) --no-print-directory $(PARALLEL) fuzzers BUILD=build/fuzz CC=clang SANITIZE=address,undefined LIBFUZZER=1
	@bats-tests/fuzz/run build/fuzz/fuzz $(FUZZ_SECONDS) $(FUZZ)

simulate: all ## simulate experiments: do the intervals cover what they promise?
	$(BIN)/simulate $(patsubst %,--resample %,$(wildcard results/reference/disk/*/runs.jsonl))

bench: all ## jostle and its peers in one run, as a table of ratios (bench/all: in detail)
	@bench/table

# A script each, with its own --help; they ask for a quiet machine, and some for root or Slurm.
evidence: all ## what jostle says beside what is known to be true, and what it costs: bats-tests/evidence; half an hour
	@for one in $$(find bats-tests/evidence -maxdepth 1 -type f -executable | sort); do printf '\n== %s\n' "$${one##*/}"; "$$one" || exit; done

# The revision of the sources is in one object; it is compiled anew when that changes. Else nothing is
# written: who installs may not be able to (root, in a home folder of NFS).
$(BUILD)/obj/common/version.o: COMPILE += -DJOSTLE_REVISION="\"$$(cat $(BUILD)/revision)\""
$(BUILD)/obj/common/version.o: $(BUILD)/revision
$(BUILD)/revision: FORCE
	@mkdir -p $(@D)
	@now=$$(packaging/revision) && { [ -e $@ ] && [ "$$now" = "$$(cat $@)" ] || printf '%s\n' "$$now" >$@; }

# What two programs need is in common/ once; all include it as "common/NAME.h".
$(COMMON): $(call objects,common/*.c)
	@mkdir -p $(@D)
	$(call short,AR)rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/obj/loadgen/io/ring.o: COMPILE += $(call optional,liburing)
$(BUILD)/obj/loadgen/alloc/alloc.o: COMPILE += $(call optional,jemalloc)
OPTIONAL_TOLD := $(BUILD)/obj/common/version.o $(BUILD)/obj/loadgen/main.o
$(OPTIONAL_TOLD): COMPILE += $(foreach one,liburing jemalloc,$(call optional,$(one))) -DLIBURING_VERSION='"$(VERSION_liburing)"'
$(OPTIONAL_TOLD) $(patsubst %,$(BUILD)/obj/loadgen/%.o,io/ring alloc/alloc): $(OPTIONAL)

# A load of several files is a folder; all know the frame, which is in the folder above.
$(LOADGEN): COMPILE += -Iloadgen
$(BIN)/loadgen: $(LOADGEN) $(COMMON)
	@mkdir -p $(@D)
	$(call short,LD)$(LINK) -o $@ $^ -luv -lhwloc $(LINK_liburing) -ljansson -lm -pthread $(LINK_jemalloc)

# What a program calls of these is linked, and no other is loaded when it starts.
LIBRARIES := -Wl,--as-needed -lgsl -lgslcblas -ljansson -lgcrypt -lhwloc -lm -ldl -pthread
LIBS       = $(LIBRARIES)
# meter is small and static, so that starting it costs little and the memory image
# that the target inherits before its exec is a few hundred KiB.
$(BIN)/meter $(BIN)/keeper $(BIN)/start: LIBS = $(STATIC) -lm -pthread

# A room is a library, and a program is its main.c with the libraries of its room and of those that it
# uses: those first that need the ones behind them.
room      = $(patsubst %,$(BUILD)/lib/%.a,$(1))
uses_bench     := study report stats record
uses_blame     := stats record
uses_campaign  := experiment imitate profile pressure report study stats record
uses_compare   := stats record
uses_conduct   := stats record
uses_decide    := stats record
uses_doctor    := stats record
uses_draw      :=
uses_experiment := imitate profile pressure study report stats record
uses_imitate   := profile pressure study report stats record
uses_pack      := placement study report stats record
uses_placement := experiment imitate profile pressure study report stats record
uses_predict   := profile pressure study stats record
uses_probe     := stats record
uses_profile   := pressure study report stats record
uses_report    := stats record
uses_simulate  := stats record
uses_stats     := record

define library
$(BUILD)/lib/$(notdir $(1)).a: $(filter-out %/main.o,$(call objects,$(1)/*.c))
	@mkdir -p $$(@D)
	$$(call short,AR)rm -f $$@ && $$(AR) rcs $$@ $$^
endef
$(foreach one,$(PARTS) harness/pressure harness/record harness/study,$(eval $(call library,$(one))))

define part
$(BIN)/$(notdir $(1)): $(BUILD)/obj/$(1)/main.o $(call room,$(notdir $(1)) $(uses_$(notdir $(1)))) $(COMMON)
	@mkdir -p $$(@D)
	$$(call short,LD)$$(LINK) -o $$@ $$^ $$(LIBS)
endef
$(foreach one,$(PARTS),$(eval $(call part,$(one))))

# A fuzzer is a target, its frame, and what it is of. The linker has the ends of the program and
# its messages go to the frame. Without libFuzzer known inputs are all that it gets.
FUZZ_FRAME := $(patsubst %,$(BUILD)/obj/bats-tests/fuzz/frame/%.o,support mutate $(if $(LIBFUZZER),libfuzzer,replay))
FUZZ_WRAP  := -Wl,--wrap=exit,--wrap=usage_error,--wrap=complain
FUZZ       ?=

$(FUZZERS): COMPILE += -Iloadgen
# What each is of, by libraries.
# The frame of the loads, which knows none of them.
FRAME := $(filter-out %/main.o,$(call objects,loadgen/*.c))
$(BUILD)/fuzz/control $(BUILD)/fuzz/calibration: $(FRAME)
$(BUILD)/fuzz/control $(BUILD)/fuzz/calibration: LIBS += -luv
$(BUILD)/fuzz/load-profile: $(BUILD)/obj/loadgen/cpu/profile.o
$(BUILD)/fuzz/network: $(patsubst %,$(BUILD)/obj/loadgen/net/%.o,address message protocol seats)
$(BUILD)/fuzz/metric: $(call room,meter)
$(BUILD)/fuzz/experiment: $(call room,stats record)
$(BUILD)/fuzz/campaign: $(call room,campaign $(uses_campaign))
$(BUILD)/fuzz/cell: $(call room,experiment $(uses_experiment))
$(BUILD)/fuzz/watch: $(call room,blame $(uses_blame))
$(BUILD)/fuzz/program-profile: $(call room,predict $(uses_predict))
$(BUILD)/fuzz/report $(BUILD)/fuzz/view: $(call room,report $(uses_report))
$(BUILD)/fuzz/%: $(BUILD)/obj/bats-tests/fuzz/%.o $(FUZZ_FRAME) $(COMMON)
	@mkdir -p $(@D)
	$(call short,LD)$(LINK) $(if $(LIBFUZZER),-fsanitize=fuzzer) $(FUZZ_WRAP) -o $@ $(filter %.o,$^) $(filter %.a,$(filter-out $(COMMON),$^)) $(COMMON) $(LIBS)

$(BUILD)/workloads/%: $(BUILD)/obj/workloads/%.o
	@mkdir -p $(@D)
	$(call short,LD)$(LINK) -o $@ $^ -lm -ldl -pthread

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call short,CC)$(COMPILE) -c -o $@ $<

.SECONDARY:
-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)

man: all ## manual pages from every --help, into build/man (needs help2man)
	@packaging/man '$(BUILD)'

install: all ## install into PREFIX (default /usr/local)
	@packaging/install '$(DESTDIR)$(PREFIX)' '$(BUILD)'

deb: ## build the Debian packages into build/deb, with dpkg-buildpackage
	@packaging/deb '$(BUILD)/deb'

bundle: ## one tar of static programs and the harness, for systems without compilers, into build/
	@packaging/bundle '$(BUILD)' '$(VERSION)'

container: ## an image of Debian slim, by podman or docker (packaging/Containerfile)
	@packaging/container '$(VERSION)'

# A tarball of one commit is always the same: its times are the commit's.
DIST := $(BUILD)/jostle-$(VERSION).tar.gz

dist: ## the committed sources as build/jostle-VERSION.tar.gz
	@test -e .git || { printf 'jostle: make dist packs the last commit of a checkout: clone the repository\n' >&2; exit 1; }
	@mkdir -p $(BUILD)
	@git archive --format=tar --prefix=jostle-$(VERSION)/ --output=$(DIST:.gz=) HEAD
	@gzip --best --no-name --force $(DIST:.gz=)
	@printf '%s\n' $(DIST)

# Where the recipes fetch the tarball from: a folder, which is this one until there is a release.
URL ?= file://$(abspath $(BUILD))

recipes: dist ## recipes of Spack, EasyBuild and conda for that tarball, into build/recipes
	@packaging/recipes $(DIST) '$(URL)' $(BUILD)/recipes

clean: ## remove build/
	rm -rf build
