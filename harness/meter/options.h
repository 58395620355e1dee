#ifndef METER_OPTIONS_H
#define METER_OPTIONS_H

#include "counters.h"
#include "cpus.h"

#include <stdbool.h>
#include <stdint.h>

// How the CPU time of the tree is found.
enum accounting {
    ACCOUNTING_AUTO,    // the first of the following that this machine allows
    ACCOUNTING_CGROUP2, // a group of its own in the unified hierarchy
    ACCOUNTING_CGROUP1, // a group of its own in the cpuacct hierarchy
    ACCOUNTING_RUSAGE,  // the sum over all processes that were waited for
    ACCOUNTING_CGROUP,  // as auto, but refuse when there is no group to have
};

struct options {
    int64_t timeout_ns;  // 0: none
    const char *output;  // "-": stdout
    const char *in_path; // NULL: the target inherits ours; with serve it reads nothing
    const char *out_path;
    const char *error_path;
    bool has_cpus;
    struct cpus cpus;
    bool has_nice;
    int nice;
    bool with_parent;
    bool serve; // run for each line on stdin
    enum accounting accounting;
    enum counter_set counters;
    char **command; // NULL-terminated, at least one word
};

enum options_result {
    OPTIONS_RUN,
    OPTIONS_DONE,  // --help or --version was printed
    OPTIONS_WRONG, // a message was printed: exit 2
};

// options_parse: fills options from the command line; the strings stay argv's.
enum options_result options_parse(struct options *options, int argc, char **argv);

// accounting_name: as in --accounting and in the record.
const char *accounting_name(enum accounting accounting);

#endif
