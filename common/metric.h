#ifndef COMMON_METRIC_H
#define COMMON_METRIC_H

// What a run is judged by: metrics that jostle knows by name, and those that a user
// defines, which are found in what the target writes.
//
// A definition is NAME=SOURCE[,OPTION=VALUE...]. SOURCE is one of
//
//     stdout:/REGEX/   stderr:/REGEX/   file:PATH:/REGEX/
//     jq:EXPRESSION    file:PATH:jq:EXPRESSION
//     command:/REGEX/      what the target is called with: the rate that a client was told to make
//     perf:EVENT[/EVENT]   energy:package   energy:idle-share
//
// REGEX is a POSIX extended regular expression with exactly one group, which is the
// figure; EXPRESSION is of jq, and reads JSON from stdout or the file. EVENT is one that the kernel
// counts of the target (perf_event.h), the second one what the first is divided by; perf:IPC is
// instructions/cycles, perf:MPKI cache-misses/instructions times 1000. energy:package is what all
// packages took over the run, in J, whoever used it, energy:idle-share how much of that they take
// when nothing runs. Of these two sources NAME= may be left out. Options are read from the end of
// the text backwards, so an expression may have commas:
//
//     take=first|last|sum|mean|max   which of several matches counts; last. halves: the mean
//                                    of the later half of them by that of the earlier half;
//                                    only: several are no figure (each is of another client)
//     take=pN                        the percentile of all matches: p50, p99, p99.9
//     scale=X                        what is printed, times X, is in the metric's unit; 1
//     comma=thousands|decimal        what a comma is in a figure; without it 1,234 is refused
//     unit=TEXT                      as it is printed; none. Where it is a unit of time, a
//                                    figure with another one behind it ("1.2s") is converted
//     better=lower|higher            lower
//     role=requests|errors|...       says something about the run instead of being its
//                                    result (METRIC_ROLES), and may be missing; result
//     quantile=Q                     the figure is this quantile of the requests, 0 to 1
//     idle=X                         of energy: how many watts the packages take when nothing runs
//     loop=open|closed               whether requests were made when they were due, or when
//                                    the answer to the one before had come; rated: the first
//                                    where the client was told a rate (role=offered), else the
//                                    second
//
// NAME@VARIANT=SOURCE is the source for one variant only; that of NAME holds for all others. What
// the metric is (unit, better, role, quantile, loop) is the same for all: what one of its sources
// says holds for the others, too.
//
// PATH of a regular expression may be a pattern of the shell (log.*): then it is all files
// that match it and that the run wrote, in the order of their names.

#include <stdbool.h>
#include <stddef.h>

enum metric_source {
    METRIC_STDOUT,
    METRIC_STDERR,
    METRIC_FILE,
    METRIC_COMMAND, // the target's own words
    METRIC_PERF,    // expression is for perf_ratio_read()
    METRIC_ENERGY,  // expression is package or idle-share
    METRIC_SOURCES
};
enum metric_take {
    TAKE_LAST,
    TAKE_FIRST,
    TAKE_SUM,
    TAKE_MEAN,
    TAKE_MAX,
    TAKE_HALVES,
    TAKE_ONLY,
    METRIC_TAKES, // those that have a name
    TAKE_PERCENTILE = METRIC_TAKES
};

// The longest name, with the '\0' behind it.
enum { METRIC_NAME_SIZE = 65 };

// The characters that make the path of a file a pattern.
#define METRIC_PATTERN "*?["

// What a metric says of a run. One that is not its result is recorded, and nothing more.
enum metric_role {
    ROLE_RESULT,
    ROLE_REQUESTS, // how many the client made
    ROLE_ERRORS,   // how many of them failed
    ROLE_OFFERED,  // the rate that the client was told to make, a second
    ROLE_ACHIEVED, // the rate that it made
    ROLE_HALVES,   // how the later part of the run was to the earlier one
    ROLE_THREADS,  // how many threads the client had
    METRIC_ROLES
};

// What a comma in a figure does: it groups digits, and a point is the decimal mark, or the other
// way round.
enum metric_comma { COMMA_UNKNOWN, COMMA_THOUSANDS, COMMA_DECIMAL, METRIC_COMMAS };

enum metric_loop { LOOP_UNKNOWN, LOOP_OPEN, LOOP_CLOSED, LOOP_RATED, METRIC_LOOPS };

extern const char *const metric_better_names[]; // lower, higher: by higher_is_better

struct metric {
    char *name;
    char *variant;     // whose source this is; NULL: of all that have none of their own
    unsigned given;    // which options the definition has; for metric_agree()
    char *source_text; // as it was given: stdout:/REGEX/ ...
    enum metric_source source;
    char *path;       // of METRIC_FILE, maybe a pattern; NULL
    bool is_jq;       // expression is jq's; else a regular expression
    char *expression; // without the slashes around it
    enum metric_take take;
    double percentile; // of TAKE_PERCENTILE
    double scale;
    enum metric_comma comma;
    char *unit; // "": none
    bool higher_is_better;
    enum metric_role role;
    double quantile; // NAN: it is none, or not said
    enum metric_loop loop;
    double idle_w;       // of METRIC_ENERGY; NAN: not known
    const char *adapter; // whose definition it is, borrowed; NULL: of none
};

// Whether text is meant as a definition: it has a `=`, or begins with perf: or energy:.
bool metric_is_definition(const char *text);

// Reads a definition; metric_free() frees what it holds. False with one line about what is
// wrong and what to do in error ("metric p99: ..."); metric then holds nothing. A jq
// expression is not compiled here: see child.h.
bool metric_parse(struct metric *metric, const char *text, char *error, size_t size);

// Whether it is found in what the target writes.
bool metric_is_output(const struct metric *metric);

// Makes two sources of one metric say the same of it: what one of them leaves out is that of the
// other. False with one line in error where they contradict each other.
bool metric_agree(struct metric *one, struct metric *other, char *error, size_t size);

// The definition that gives the same metric again, to be freed. NULL: out of memory.
char *metric_definition(const struct metric *metric);

// Its take= as in a definition: "last", "p99.9". Returns text.
enum { METRIC_VALUE_SIZE = 32 };
const char *metric_take_text(const struct metric *metric, char text[METRIC_VALUE_SIZE]);

// The names of all options, ended by NULL, and the value of one of them as a definition has it; ""
// where that is what no value means. It may be in `text`.
extern const char *const metric_option_names[];
const char *metric_option(const struct metric *metric, size_t option, char text[METRIC_VALUE_SIZE]);

void metric_free(struct metric *metric);

// What a machine must have for a metric: events that meter counts (its --counters), or a
// cgroup with the memory controller.
enum metric_counters {
    NEEDS_NO_COUNTERS,
    NEEDS_HARDWARE_COUNTERS,
    NEEDS_SOFTWARE_COUNTERS,
    NEEDS_TREE_MEMORY,
};

enum { METRIC_MEMBERS = 2 };

// A metric that every run's record has: jostle.run/1.
struct builtin_metric {
    const char *name;
    const char *member[METRIC_MEMBERS]; // "wall_s", "counters.cycles": the value is their sum
    bool without_wait;                  // less its waiting for a CPU (harness/record/figure.h)
    double scale;                       // of the member, to have the unit
    const char *unit;                   // "s", "B", "" of a count
    enum metric_counters counters;
};

// All of them, ended by one without a name. The first METRICS_ALWAYS are measured in every
// run, also of old records, and are what the name `all` stands for.
enum { METRICS_ALWAYS = 4 };
extern const struct builtin_metric builtin_metrics[];

// NULL: none has that name.
const struct builtin_metric *builtin_metric(const char *name);
// The built-in metric that is nearest to a mistyped name; NULL.
const char *builtin_metric_nearest(const char *name);

#endif
