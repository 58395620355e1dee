#include "options.h"

#include "common/cpus.h"
#include "common/messages.h"
#include "common/units.h"
#include "harness/report/memory.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIELD(member) .offset = offsetof(struct request, member)
#define TEXT(title, word, member, words)                                                           \
    {                                                                                              \
        .name = title, .argument = word, .type = OPTION_TEXT, FIELD(member), .help = words         \
    }
#define FLAG(title, member, words)                                                                 \
    {                                                                                              \
        .name = title, .type = OPTION_FLAG, FIELD(member), .help = words                           \
    }
#define HIDDEN(title, word, member, words)                                                         \
    {                                                                                              \
        .name = title, .argument = word, .type = OPTION_TEXT, FIELD(member), .hidden = true,       \
        .help = words                                                                              \
    }
#define COUNT(title, member, most, words)                                                          \
    {                                                                                              \
        .name = title, .argument = "N", .type = OPTION_COUNT, FIELD(member), .minimum = 1,         \
        .maximum = most, .help = words                                                             \
    }

static const struct option_row what_rows[] = {
    FLAG("quick", quick, "a small matrix, short runs: ends within 5 minutes"),
    TEXT("threads", "LIST", threads,
         "numbers of threads to measure with, such as 1,2,4,8 (default: 1,2,4,8; with --quick 1 "
         "and the number of allowed CPUs)"),
    FLAG("peers", peers, "measure standard tools in the same runs, too, as far as installed"),
    COUNT("samples", samples, MOST_SAMPLES,
          "a series for each part, too: N figures of --every TIME each, from one run"),
    {.name = "every",
     .argument = "TIME",
     .type = OPTION_TIME,
     FIELD(every_ns),
     .minimum = 1e6,
     .maximum = 3600e9,
     .preset = "1s",
     .help = "with --samples: the time between two figures"},
    TEXT("peer", "HOST", peer,
         "network: the other end, reached with ssh, or a node of this job (default: this machine)"),
    TEXT("rsh", "COMMAND", rsh,
         "with --peer: what starts a command there, as COMMAND HOST WORDS (default: ssh; in an "
         "allocation of Slurm srun)"),
    TEXT("peer-address", "ADDR", peer_address,
         "with --peer: the address to measure, where it is not that of HOST"),
    {.name = "port",
     .argument = "N",
     .type = OPTION_COUNT,
     FIELD(port),
     .minimum = 1,
     .maximum = 65528,
     .preset = "15300",
     .help = "network: the first of 8 ports that servers may listen on"},
    TEXT("dir", "DIR", dir,
         "disk: folder on the disk to measure (default: $TMPDIR, else /var/tmp)"),
    {.name = "file-size",
     .argument = "SIZE",
     .type = OPTION_SIZE,
     FIELD(file_bytes),
     .minimum = 1048576,
     .maximum = 1e18,
     .help = "disk: size of the work file (default: 1 GiB; with --quick 256 MiB)"},
    TEXT("duration", "TIME", duration,
         "of a run of jostle's own loads (default: 1s; with --quick 300ms)"),
    {0}};

static const struct option_row how_rows[] = {
    TEXT("error", "E", error,
         "stop when the relative error is at most E (default: 0.05; with --quick 0.1)"),
    TEXT("confidence", "C", confidence, "confidence of every interval (default: 0.95)"),
    COUNT("min-runs", min_runs, 1e6, "runs of each variant at least (default: 5; with --quick 3)"),
    COUNT("max-runs", max_runs, 1e6, "runs of each variant at most (default: 15; with --quick 5)"),
    TEXT("max-time", "TIME", max_time,
         "start no further run of a cell after TIME (with --quick: what 5 minutes leave for it)"),
    {.name = "set",
     .argument = "NAME=VALUE",
     .type = OPTION_LIST,
     FIELD(set),
     .help = "overrides a setting for all cells, as of jostle campaign, such as timeout=1m"},
    {0}};

static const struct option_row where_rows[] = {
    TEXT("only", "PATTERN", only,
         "only cells whose name matches, such as memory.read* or *.series"),
    TEXT("output", "DIR", output,
         "folder of the bench (default: jostle-results/bench, with --quick "
         "jostle-results/bench-quick); one that has records is continued"),
    TEXT("format", "FORMAT", format, "of what is shown at the end: see jostle report --help"),
    FLAG("retry-failed", retry_failed, "measure cells again whose program failed"),
    FLAG("dry-run", dry_run, "only print what would be measured, and how long that takes"),
    FLAG("verbose", verbose, "show each command on stderr as it is run"),
    FLAG("quiet", quiet, "print nothing but errors"),
    HIDDEN("workloads", "DIR", workloads, "jostle's workloads"),
    HIDDEN("peer-facts", "TEXT", peer_facts, "what the shell found out of --peer"),
    HIDDEN("expand", "DIR", expand, "write bench.conf and bench-plan.json into DIR"),
    HIDDEN("programs", "DIR", programs, "print the peers of the plan in DIR"),
    HIDDEN("derive", "DIR", derive, "make bench.json of the records in DIR"),
    HIDDEN("show", "DIR", show, "print DIR/bench.json as texts"),
    HIDDEN("page", "DIR", page, "the same, and its charts as drawings"),
    {0}};

static const char intro[] =
    "Measures what this machine can do, and how close that is to its limit: CPU, "
    "memory, disk and network, over types, patterns, block sizes and threads; each "
    "figure with its confidence interval and the theoretical peak where it is known, "
    "and with --peers beside the standard tools, which run in the same blocks.\n\n"
    "Without a PART all are measured. A bench is a campaign: the same command continues "
    "one that was interrupted. `jostle bench --output DIR` alone continues what is in "
    "DIR, and shows what is finished.\n";

static const char details[] =
    "Examples:\n"
    "  jostle bench --quick\n"
    "  jostle bench cpu memory --threads 1,2 --peers\n"
    "  jostle bench memory --samples 600 --every 1s --only '*.series'\n"
    "\n"
    "Exit status:\n"
    "  0  all chosen cells are measured, or are listed with the reason why they cannot be\n"
    "  1  jostle or the disk failed, or another jostle is measuring a cell\n"
    "  2  wrong use\n"
    "  5  a program failed in a cell, the others were measured\n"
    "  129, 130, 143  interrupted by a signal: the same command continues\n";

static int ascending(const void *a, const void *b)
{
    const unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

static void add_thread(struct request *request, unsigned threads)
{
    for (size_t i = 0; i < request->thread_count; i++)
        if (request->thread[i] == threads)
            return;
    request->thread[request->thread_count++] = threads;
}

/* A number of --threads; one beyond the limit is left out, and the rest measured. */
static void read_thread(struct request *request, const char *word)
{
    uint64_t threads;
    if (units_count(word, &threads) != 0 || threads == 0)
        usage_error("--threads %s: %s is no number of threads: give numbers from 1 to %d, such as "
                    "1,2,4,8",
                    request->threads, *word == '\0' ? "an empty word" : word, MOST_THREADS);
    if (threads > MOST_THREADS)
        complain("--threads %s: beyond the limit of %d: left out", word, MOST_THREADS);
    else
        add_thread(request, (unsigned)threads);
}

static void read_threads(struct request *request)
{
    char *copy = must(strdup(request->threads)), *rest = copy;
    request->thread = must(calloc(strlen(copy) / 2 + 1, sizeof *request->thread));
    for (char *word; (word = strsep(&rest, ",")) != NULL;)
        read_thread(request, word);
    free(copy);
    if (request->thread_count == 0)
        usage_error("--threads %s: nothing is left to measure: give numbers from 1 to %d",
                    request->threads, MOST_THREADS);
    qsort(request->thread, request->thread_count, sizeof *request->thread, ascending);
}

static unsigned allowed_cpus(void)
{
    struct cpu_list allowed;
    return cpus_allowed(&allowed) == 0 && allowed.count > 0 ? allowed.count : 1;
}

static void default_threads(struct request *request)
{
    static const unsigned full[] = {1, 2, 4, 8};
    request->thread = must(calloc(4, sizeof *request->thread));
    if (request->quick) {
        add_thread(request, 1);
        add_thread(request, allowed_cpus());
        return;
    }
    for (size_t i = 0; i < sizeof full / sizeof *full; i++)
        add_thread(request, full[i]);
}

static void choose_part(struct request *request, const char *name)
{
    const char *names[sizeof request->part + 2] = {"all"};
    const bool all = strcmp(name, "all") == 0;
    bool found = all;
    for (size_t i = 0; parts[i].name != NULL; i++) {
        names[i + 1] = parts[i].name;
        if (!all && strcmp(name, parts[i].name) != 0)
            continue;
        request->part[i] = found = true;
    }
    if (found)
        return;
    const char *near = nearest_name(name, names);
    usage_error("bench %s: no such part%s%s%s: give some of cpu, memory, disk, network, or all",
                name, near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}

static bool any_given(const struct request *request, const struct option_row *rows)
{
    while (rows->name != NULL && !options_given(request->given, rows->name))
        rows++;
    return rows->name != NULL;
}

static void check_dir(struct request *request)
{
    struct stat status;
    if (request->dir == NULL) {
        const char *tmp = getenv("TMPDIR");
        request->dir = tmp != NULL && *tmp == '/' ? tmp : "/var/tmp";
    }
    if (stat(request->dir, &status) != 0 || !S_ISDIR(status.st_mode) ||
        access(request->dir, W_OK | X_OK) != 0)
        usage_error("--dir %s: no folder that can be written to: give one on the disk to measure",
                    request->dir);
    request->work = text_of("%s/jostle-bench.%u", request->dir, (unsigned)geteuid());
}

/* Half an interval longer, so that the last one is whole. */
static char *series_options(const struct request *request)
{
    const double every_s = (double)request->every_ns / 1e9;
    return text_of("--duration %.9gs --interval %.9gs", every_s * ((double)request->samples + 0.5),
                   every_s);
}

/* A series runs as long as it does, also with --quick. */
static void check_series(const struct request *request)
{
    size_t count = 0;
    for (size_t i = 0; parts[i].name != NULL; i++)
        count += request->part[i];
    const double total_s =
        (double)request->samples * (double)request->every_ns / 1e9 * (double)count;
    if (request->quick && total_s > 60)
        usage_error("--samples %ju: the series of %zu parts take %.0f s, and --quick is to end "
                    "within 5 minutes: ask for less than 60 s, or leave out --quick",
                    (uintmax_t)request->samples, count, total_s);
}

static void check(struct request *request)
{
    int64_t time_ns;
    if (options_given(request->given, "every") && request->samples == 0)
        usage_error("--every: it is the time between samples: add --samples N");
    if (request->duration == NULL)
        request->duration = request->quick ? "300ms" : "1s";
    if (units_time(request->duration, &time_ns) != 0 || time_ns < 1000000)
        usage_error("--duration %s: no time: give one such as 300ms", request->duration);
    if (!options_given(request->given, "file-size"))
        request->file_bytes = request->quick ? 256ull << 20 : 1ull << 30;
    check_dir(request);
    check_series(request);
    if (request->samples > 0)
        request->series = series_options(request);
}

void request_read(struct request *request, int argc, char **argv)
{
    *request = (struct request){0};
    const struct option_group groups[] = {
        {.rows = what_rows, .values = request, .title = "What to measure:"},
        {.rows = how_rows, .values = request, .title = "How to measure:"},
        {.rows = where_rows, .values = request, .title = "Which rows, where, and what to print:"}};
    const struct program program = {.name = "jostle bench",
                                    .usage = "[cpu|memory|disk|network|all]...",
                                    .intro = intro,
                                    .details = details,
                                    .groups = groups,
                                    .group_count = 3};
    int rest;
    request->given = options_parse(&program, argc, argv, &rest);
    request->operand = argv + rest;
    for (char **operand = request->operand; *operand != NULL; operand++)
        choose_part(request, *operand);
    if (*request->operand == NULL)
        choose_part(request, "all");
    if (request->threads == NULL)
        default_threads(request);
    else
        read_threads(request);
    check(request);
    request->is_asked =
        *request->operand != NULL || any_given(request, what_rows) || any_given(request, how_rows);
}

void request_free(struct request *request)
{
    options_free(request->given);
    free(request->thread);
    free(request->work);
    free(request->series);
}

struct choice request_choice(const struct request *request)
{
    int64_t time_ns = 0;
    units_time(request->duration, &time_ns);
    return (struct choice){.quick = request->quick,
                           .peers = request->peers,
                           .threads = request->thread,
                           .thread_count = request->thread_count,
                           .allowed_cpus = allowed_cpus(),
                           .samples = (unsigned)request->samples,
                           .every_s = (double)request->every_ns / 1e9,
                           .host = request->peer,
                           .address = request->peer_address,
                           .rsh = request->rsh,
                           .port = (unsigned)request->port,
                           .peer_facts = request->peer_facts,
                           .threads_given = options_given(request->given, "threads"),
                           .file_bytes = request->file_bytes,
                           .dir = request->dir,
                           .work = request->work,
                           .duration = request->duration,
                           .series = request->series,
                           .duration_s = (double)time_ns / 1e9};
}
