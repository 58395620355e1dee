# jostle: how much does a program slow down when it has noisy neighbours?
# `make help` lists what can be asked for.

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

COMPILE  = $(CC) $(STD) $(CFLAGS) $(WARN) $(SAN) -MMD -MP

BIN       := $(BUILD)/bin
objects    = $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard $(1)))
LOADGEN   := $(call objects,loadgen/*.c) $(call objects,loadgen/*/*.c)
METER     := $(call objects,harness/meter/*.c)
ESTIMATE  := $(call objects,harness/estimate/*.c)
COVERAGE  := $(call objects,harness/coverage/*.c)
TOPOLOGY  := $(call objects,harness/topology/*.c)
WORKLOADS := $(patsubst workloads/%.c,$(BUILD)/workloads/%,$(wildcard workloads/*.c))
PROGRAMS  := $(BIN)/loadgen $(BIN)/meter $(BIN)/estimate $(BIN)/coverage $(BIN)/topology $(WORKLOADS)

SCRIPTS   := harness/jostle harness/install-deps .ci/run \
             $(wildcard harness/commands/* harness/lib/* bats-tests/*.bash jobs/*.sbatch)
TESTS     := $(sort $(wildcard bats-tests/*.bats))

.PHONY: all help deps demo test check lint format sanitize bench coverage man install clean
.DEFAULT_GOAL := all

all: $(PROGRAMS) ## build everything into build/

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

deps: ## install what is missing (Debian packages; root or sudo), or name it
	@harness/install-deps

demo: deps ## install, build, measure nbody and delannoy under CPU load, print the slowdown
	@$(MAKE) --no-print-directory all
	@harness/demo

test: deps ## install, build, lint, run every test
	@$(MAKE) --no-print-directory all lint check

check: all ## run every test against build/, without lint
	@JOSTLE_BUILD=$(abspath $(BUILD)) bats --tap --print-output-on-failure $(TESTS)

lint: ## shellcheck, shfmt, clang-format, and all compiler warnings as errors
	@harness/lint

format: ## format C and shell sources in place
	clang-format -i $(wildcard */*.[ch] */*/*.[ch])
	shfmt -i 4 -ci -w $(SCRIPTS)

sanitize: deps ## build with ASan and UBSan, run every test with that build
	@$(MAKE) --no-print-directory check BUILD=build/sanitize SANITIZE=address,undefined

coverage: all ## simulate experiments: do the intervals cover what they promise?
	$(BIN)/coverage $(patsubst %,--resample %,$(wildcard results/reference/disk/*/runs.jsonl))

bench: all ## speed and exactness side by side with the peers, in one run
	@harness/bench

# A load of several files is a folder; all know the frame, which stands above them.
$(LOADGEN): COMPILE += -Iloadgen
$(BIN)/loadgen: $(LOADGEN)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(SAN) -o $@ $^ -luv -lhwloc -luring -lm -pthread $(ALLOC)

# Small and static, so that starting it costs little and the memory image
# that the target inherits before its exec is a few hundred KiB.
$(BIN)/meter: $(METER)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(SAN) $(STATIC) -o $@ $^

$(BIN)/estimate: $(ESTIMATE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(SAN) -o $@ $^ -lgsl -lgslcblas -ljansson -lm

# The simulator drives the very objects that decide in production.
$(BIN)/coverage: $(COVERAGE) $(filter-out %/main.o,$(ESTIMATE))
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(SAN) -o $@ $^ -lgsl -lgslcblas -ljansson -lm -pthread

# What is allowed here is read by the same code as in the loads.
$(BIN)/topology: $(TOPOLOGY) $(addprefix $(BUILD)/obj/loadgen/,cpus.o quota.o cgroup.o)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(SAN) -o $@ $^ -lhwloc -lm

$(BUILD)/workloads/%: $(BUILD)/obj/workloads/%.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(SAN) -o $@ $^ -lm -pthread

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<

.SECONDARY:
-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)

man: all ## manual pages from every --help, into build/man (needs help2man)
	@harness/man '$(BUILD)'

install: all ## install into PREFIX (default /usr/local)
	@harness/install '$(DESTDIR)$(PREFIX)' '$(BUILD)'

clean: ## remove build/
	rm -rf build
