// What the command line of meter asks for.
#ifndef METER_COMMAND_LINE_H
#define METER_COMMAND_LINE_H

#include "sought.h"

#include "common/options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum exit_code {
    EXIT_RECORDED = 0,
    EXIT_NOT_RUN = 1,
    EXIT_WRONG_USE = 2,
    EXIT_LOST = 125,
    EXIT_BY_SIGNAL = 128,
};

// How the CPU time of the tree is found.
enum accounting {
    ACCOUNTING_AUTO,    // the first of the following that this machine allows
    ACCOUNTING_CGROUP2, // a group of its own in the unified hierarchy
    ACCOUNTING_CGROUP1, // a group of its own in the cpuacct hierarchy
    ACCOUNTING_RUSAGE,  // the sum over all processes that were waited for
    ACCOUNTING_CGROUP,  // as auto, but refuse when there is no group to have
};

// One of the commands that may be run.
struct target {
    size_t number;      // of --commands, from 0 on
    const char *folder; // where it runs; NULL: where meter does
    char **words;       // NULL-terminated, at least one
    bool variables;     // words in front may be NAME=VALUE, for its environment
};

// A metric's source holds for all targets that have none of their own.
#define ANY_TARGET SIZE_MAX

struct command_line {
    struct options *given; // whose lists are used
    int64_t timeout_ns;    // 0: none
    const char *output;    // "-": stdout
    const char *in_path;   // NULL: the target inherits ours; with serve it reads nothing
    const char *out_path;
    const char *error_path;
    const char *errors_kept; // where the end of a failed run's stderr goes; NULL: nowhere
    const char *kept;        // the folder that the end of all output goes to; NULL: nowhere
    bool show_output;        // of what is captured, after each run
    bool drains_out;         // stdout goes to a pipe of ours
    bool captures_out;       // and what comes is kept
    bool captures_errors;    // stderr goes to a file of ours
    const char *cpus;        // NULL: not bound
    bool has_nice;
    int64_t nice;
    bool with_parent;
    bool serve;                    // run for each line on stdin
    int accounting;                // enum accounting
    struct option_list account;    // folders of a group that is counted in its place
    int counters;                  // enum counter_set
    struct option_list definition; // of the metrics, as texts
    struct sought *sought;         // as many metrics
    const char *vary;      // {NAME} in the words of a target stands for the value of `run N VALUE`
    bool commands;         // several are on the command line
    struct target *target; // at least one
    size_t target_count;
    bool service; // keep a server running for others; then:
    const char *ready;
    int64_t ready_timeout_ns;
    const char *stop_name;
    int stop_signal;
};

// Reads the command line into *asked; the strings stay argv's. Ends
// meter with --help, --version and wrong use.
void command_line_read(struct command_line *asked, int argc, char **argv);

void command_line_free(struct command_line *asked);

// Its name, as in --accounting and in the record.
const char *accounting_name(enum accounting accounting);

#endif
