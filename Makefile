# jostle: how much does a program slow down when it has noisy neighbours?
# `make help` lists the targets.

PREFIX  ?= /usr/local
DESTDIR ?=
BUILD   ?= build
CC      ?= cc
VERSION := 0.1.0

CFLAGS  ?= -O2 -g
WARN    := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
STD     := -std=gnu17 -D_GNU_SOURCE -DJOSTLE_VERSION='"$(VERSION)"'
ALLOC   := -ljemalloc
STATIC  := -static

# make sanitize builds everything a second time with these: jemalloc and a
# static libc do not go together with ASan's own allocator and interceptors.
ifdef SANITIZE
SAN     := -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer
ALLOC   :=
STATIC  :=
endif

# Where a target builds everything first. Who runs `make all` gives -j as he likes.
PARALLEL := -j$(shell nproc)

COMPILE  = $(CC) $(STD) $(CFLAGS) $(WARN) $(SAN) -I. -MMD -MP

BIN       := $(BUILD)/bin
objects    = $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard $(1)))
LOADGEN   := $(call objects,loadgen/*.c) $(call objects,loadgen/*/*.c)
COMMON    := $(BUILD)/libcommon.a
# A folder of harness/ with a main.c is a program of that name.
PARTS     := $(patsubst harness/%/main.c,%,$(wildcard harness/*/main.c))
WORKLOADS := $(patsubst workloads/%.c,$(BUILD)/workloads/%,$(wildcard workloads/*.c))
PROGRAMS  := $(BIN)/loadgen $(PARTS:%=$(BIN)/%) $(WORKLOADS)

.PHONY: all help deps deps-test demo test check check-quick lint format sanitize bench simulate man install clean
.DEFAULT_GOAL := all

all: $(PROGRAMS) ## build everything into build/

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

deps: ## install what building and running needs (Debian packages; root or sudo), or name it
	@packaging/install-deps

deps-test: deps ## install what tests and benches need, too; no service is started
	@packaging/install-deps test bench || true

demo: deps ## install, build, measure nbody and delannoy under CPU load, print the slowdown
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@harness/demo

test: deps-test ## install, build, lint, run every test
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@$(MAKE) --no-print-directory lint check

check: all ## run every test against build/, without lint
	@JOSTLE_BUILD=$(abspath $(BUILD)) bats-tests/run

check-quick: all ## run what needs no measuring and little time, in under two minutes
	@JOSTLE_BUILD=$(abspath $(BUILD)) bats-tests/run --quick

lint: ## shellcheck, shfmt, clang-format, and all compiler warnings as errors
	@.ci/lint

format: ## format C and shell sources in place
	@.ci/lint --fix

sanitize: deps-test ## build with ASan and UBSan, run every test with that build
	@$(MAKE) --no-print-directory $(PARALLEL) all BUILD=build/sanitize SANITIZE=address,undefined
	@$(MAKE) --no-print-directory check BUILD=build/sanitize SANITIZE=address,undefined

simulate: all ## simulate experiments: do the intervals cover what they promise?
	$(BIN)/simulate $(patsubst %,--resample %,$(wildcard results/reference/disk/*/runs.jsonl))

bench: all ## jostle and its peers in one run, as a table of ratios (bench/all: in detail)
	@bench/table

# What two programs need is in common/ once; all include it as "common/NAME.h".
$(COMMON): $(call objects,common/*.c)
	@mkdir -p $(@D)
	rm -f $@ && $(AR) rcs $@ $^

# A load of several files is a folder; all know the frame, which is in the folder above.
$(LOADGEN): COMPILE += -Iloadgen
$(BIN)/loadgen: $(LOADGEN) $(COMMON)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(SAN) -o $@ $^ -luv -lhwloc -luring -ljansson -lm -pthread $(ALLOC)

# meter is small and static, so that starting it costs little and the memory image
# that the target inherits before its exec is a few hundred KiB.
$(BIN)/meter: LIBS := $(STATIC) -lm
$(BIN)/stats: LIBS := -lgsl -lgslcblas -ljansson -lm
$(BIN)/compare: LIBS := -lgsl -lgslcblas -ljansson -lm
$(BIN)/simulate: LIBS := -lgsl -lgslcblas -ljansson -lgcrypt -lm -pthread
$(BIN)/doctor: LIBS := -ljansson -lm
$(BIN)/experiment $(BIN)/campaign: LIBS := -ljansson -lgcrypt -lm
$(BIN)/report: LIBS := -lgsl -lgslcblas -lm -pthread
$(BIN)/bench: LIBS := -lgsl -lgslcblas -ljansson -lhwloc -lm
$(BIN)/predict: LIBS := -lgsl -lgslcblas -ljansson -lgcrypt -lm
$(BIN)/arguments $(BIN)/copies: LIBS := -lm
$(BIN)/pack: LIBS := -lgsl -lgslcblas -ljansson -lhwloc -lm
$(BIN)/placement: LIBS := -lhwloc -ljansson -lgcrypt -lm
$(BIN)/probe $(BIN)/profile: LIBS := -lgsl -lgslcblas -ljansson -lgcrypt -lm

# The simulator drives the very objects that decide in production.
$(BIN)/simulate: $(filter-out %/main.o,$(call objects,harness/stats/*.c))
# The machine made of equations is profiled and predicted by what does so in production.
$(BIN)/simulate: $(filter-out %/main.o %/check.o,$(call objects,harness/predict/*.c)) $(patsubst %,$(BUILD)/obj/harness/profile/%.o,profile pressure noise gate) $(call objects,harness/pressure/*.c)
# Comparing two experiments is the statistics of two sets of records.
$(BIN)/compare: $(filter-out %/main.o,$(call objects,harness/stats/*.c))
# What is of all results of a report together is statistics, too.
$(BIN)/report: $(patsubst %,$(BUILD)/obj/harness/stats/%.o,discovery explain levels interval relation statistics)
# A prediction is of profiles.
$(BIN)/predict: $(patsubst %,$(BUILD)/obj/harness/%.o,profile/profile profile/loop profile/gate bench/json report/memory stats/json stats/output stats/interval) $(call objects,harness/pressure/*.c)
# A bench is a campaign, whose records are judged by the statistics of its experiments.
$(BIN)/bench: $(filter-out %/main.o,$(call objects,harness/stats/*.c))
$(BIN)/bench: $(BUILD)/obj/harness/campaign/folder.o $(patsubst %,$(BUILD)/obj/harness/report/%.o,memory numbers plot visible)
# So are the stages of a pack; its seats are those of hwloc, its charts are drawn as a bench's.
$(BIN)/pack: $(filter-out %/main.o,$(call objects,harness/stats/*.c))
$(BIN)/pack: $(patsubst %,$(BUILD)/obj/harness/%.o,bench/drawings bench/json campaign/folder placement/machine report/memory report/numbers report/plot report/visible)
# A campaign's settings are the options of an experiment; loads are parsed once.
$(BIN)/campaign: $(patsubst %,$(BUILD)/obj/harness/experiment/%.o,settings parameters placed percent_limit arena adapters metrics)
$(BIN)/campaign: $(BUILD)/obj/harness/report/numbers.o
$(BIN)/placement: $(filter-out %/main.o,$(call objects,harness/experiment/*.c))
# --washout, --statistic, --slo and --vary are read in one place, by those who check them and
# by stats.
$(BIN)/experiment $(BIN)/campaign $(BIN)/placement: $(patsubst %,$(BUILD)/obj/harness/stats/%.o,washout statistics objective)

# Pressure: the kinds of load that it is stated in, and the curves of a reference.
$(BIN)/probe: $(call objects,harness/pressure/*.c)
$(BIN)/probe: $(patsubst %,$(BUILD)/obj/harness/%.o,bench/drawings bench/json stats/json report/memory report/numbers report/plot report/visible)
# A profile is made of experiments, judged by their statistics.
$(BIN)/profile: $(filter-out %/main.o,$(call objects,harness/stats/*.c)) $(call objects,harness/pressure/*.c)
$(BIN)/profile: $(patsubst %,$(BUILD)/obj/harness/%.o,bench/json report/memory)

define part
$(BIN)/$(1): $(call objects,harness/$(1)/*.c) $(COMMON)
	@mkdir -p $$(@D)
	$$(CC) $$(CFLAGS) $$(SAN) -o $$@ $$(filter %.o,$$^) $(COMMON) $$(LIBS)
endef
$(foreach one,$(PARTS),$(eval $(call part,$(one))))

$(BUILD)/workloads/%: $(BUILD)/obj/workloads/%.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(SAN) -o $@ $^ -lm -pthread

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<

.SECONDARY:
-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)

man: all ## manual pages from every --help, into build/man (needs help2man)
	@packaging/man '$(BUILD)'

install: all ## install into PREFIX (default /usr/local)
	@packaging/install '$(DESTDIR)$(PREFIX)' '$(BUILD)'

clean: ## remove build/
	rm -rf build
