// The command line of `jostle bench`.
#define OPTIONS_OF struct bench_request

#include "bench.h"

#include "common/memory.h"
#include "common/messages.h"
#include "common/text.h"
#include "common/units.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINPACK_LIMIT_NS 120e9 // of a solution, without --max-time

#define COUNT(name, member, most, words)                                                           \
    {                                                                                              \
        ROW(name, "N", OPTION_COUNT, member), .minimum = 1, .maximum = most, .help = words         \
    }

// Numbers that are handed on as they are typed.
#define NUMBER(name, argument, member, kind, least, most, without, words)                          \
    {                                                                                              \
        ROW(name, argument, OPTION_TEXT, member), .as = kind, .minimum = least, .maximum = most,   \
                                                  .exclusive = without, .help = words              \
    }

// It becomes a word of ssh's command line.
static bool check_host(const char *text, char *error, size_t size)
{
    snprintf(error, size, "no host: give a name or an address such as node2 or user@node2");
    return *text != '\0' && *text != '-';
}

static const struct option_row what_rows[] = {
    FLAG("quick", quick, "a small matrix, short runs: ends within 5 minutes"),
    {ROW("threads", "LIST", OPTION_TEXT, thread_list), .wrong = "1,x",
     .help = "numbers of threads to measure with, such as 1,2,4,8 (default: 1,2,4,8; with --quick "
             "and --sizes 1 and the number of allowed CPUs)"},
    {ROW("table", "NAME", OPTION_CHOICE, table), .choices = bench_table_names,
     .help = "a ready table: its part, rows, threads and blocks, as far as they are not given"},
    {ROW("blocks", "LIST", OPTION_TEXT, block_list), .wrong = "4K,x",
     .help = "sizes of blocks and messages, each with each of --threads, such as 4K,1M,100M "
             "(default: each part has its own)"},
    {ROW("sizes", "LIST", OPTION_TEXT, size_list), .wrong = "1000,x",
     .help = "cpu: numbers of equations of LINPACK, such as 1000,5000,10000 (default: 4000; with "
             "--quick 2000); one whose solution is expected to take longer than --max-time, or "
             "than 2 minutes, is skipped"},
    {ROW("peak", "PEAK=VALUE:SOURCE", OPTION_LIST, peaks), .check = peak_check, .wrong = "cpu=1",
     .help = "a peak that cannot be read here, and where it is from: the rate of memory, disk or "
             "network, disk-iops, or the least latency, memory-latency, disk-latency or "
             "network-latency; such as memory=68.3GB/s:data-sheet, disk-iops=90kiops:data-sheet or "
             "memory-latency=80ns:data-sheet"},
    FLAG("peers", peers, "measure standard tools in the same runs, too, as far as installed"),
    COUNT("samples", samples, MOST_SAMPLES,
          "a series for each part, too: N figures of --every TIME each, from one run"),
    {ROW("every", "TIME", OPTION_TIME, every_ns), .minimum = 1e6, .maximum = 3600e9, .preset = "1s",
     .help = "with --samples: the time between two figures"},
    {ROW("peer", "HOST", OPTION_TEXT, host), .check = check_host, .wrong = "-x",
     .help = "network: the other end, reached with ssh, or a node of this job (default: this "
             "machine)"},
    TEXT("rsh", "COMMAND", rsh,
         "with --peer: what starts a command there, as COMMAND HOST WORDS (default: ssh; for a "
         "node of this job what its scheduler has)"),
    TEXT("peer-address", "ADDR", peer_address,
         "with --peer: the address to measure, where it is not that of HOST"),
    {ROW("port", "N", OPTION_COUNT, port), .minimum = 1, .maximum = 65528, .preset = "15300",
     .help = "network: the first of 8 ports that servers may listen on"},
    TEXT("dir", "DIR", dir,
         "disk: folder on the disk to measure (default: $TMPDIR, else /var/tmp)"),
    {ROW("file-size", "SIZE", OPTION_SIZE, file_bytes), .minimum = 1048576, .maximum = 1e18,
     .help = "disk: size of the work file (default: 1 GiB; with --quick 256 MiB)"},
    NUMBER("duration", "TIME", duration, OPTION_TIME, 1e6, OPTION_TIME_MOST, false,
           "of a run of jostle's own loads (default: 1s; with --quick 300ms)"),
    {0}};

static const struct option_row how_rows[] = {
    NUMBER("error", "E", error, OPTION_FRACTION, 0, 1, true,
           "stop when the relative error is at most E (default: 0.05; with --quick 0.1)"),
    NUMBER("confidence", "C", confidence, OPTION_FRACTION, 0, 1, true,
           "confidence of every interval (default: 0.95)"),
    COUNT("min-runs", min_runs, 1e6, "runs of each variant at least (default: 5; with --quick 3)"),
    COUNT("max-runs", max_runs, 1e6, "runs of each variant at most (default: 15; with --quick 5)"),
    NUMBER("max-time", "TIME", max_time, OPTION_TIME, 1, OPTION_TIME_MOST, false,
           "start no further run of a cell after TIME (with --quick: what 5 minutes leave for it)"),
    {ROW("set", "NAME=VALUE", OPTION_LIST, set), .check = option_check_assignment,
     .wrong = "max-runs",
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
    HIDDEN("address", "NAME", address, "print the address of NAME in numbers"),
    HIDDEN("derive", "DIR", derive, "make bench.json of the records in DIR"),
    HIDDEN("forecast", "DIR", forecast, "print how long the plan in DIR takes"),
    HIDDEN("show", "DIR", show, "print DIR/bench.json as texts"),
    HIDDEN("page", "DIR", show, "the same: a page needs no more"),
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
    "  jostle bench --table mydiskbench --dir /scratch\n"
    "  jostle bench --table linpack --sizes 1000,5000,10000\n"
    "  jostle bench memory --samples 600 --every 1s --only '*.series'\n"
    "\n"
    "Exit status:\n"
    "  0  all chosen cells are measured, or are listed with the reason why they cannot be\n"
    "  1  jostle or the disk failed, or another jostle is measuring a cell\n"
    "  2  wrong use\n"
    "  5  a program failed in a cell, the others were measured\n"
    "  129, 130, 143  interrupted by a signal: the same command continues\n";

static void choose_part(struct bench_request *request, const char *name)
{
    const char *names[sizeof request->part + 2] = {"all"};
    const bool all = strcmp(name, "all") == 0;
    bool found = all;
    for (size_t i = 0; bench_parts[i].name != NULL; i++) {
        names[i + 1] = bench_parts[i].name;
        if (!all && strcmp(name, bench_parts[i].name) != 0)
            continue;
        request->part[i] = found = true;
    }
    if (found)
        return;
    usage_error("bench %s: no such part%s: give some of cpu, memory, disk, network, or all", name,
                nearest_hint(name, names).text);
}

static bool any_given(const struct bench_request *request, const struct option_row *rows)
{
    while (rows->name && !options_given(request->given, rows->name))
        rows++;
    return rows->name != NULL;
}

static void check_dir(struct bench_request *request)
{
    struct stat status;
    if (!request->dir) {
        const char *tmp = getenv("TMPDIR");
        request->dir = tmp && *tmp == '/' ? tmp : "/var/tmp";
    }
    // Absolute, as runs have working folders of their own.
    request->folder = realpath(request->dir, NULL);
    if (!request->folder || stat(request->folder, &status) != 0 || !S_ISDIR(status.st_mode) ||
        access(request->folder, W_OK | X_OK) != 0)
        usage_error("--dir %s: no folder that can be written to: give one on the disk to measure",
                    request->dir);
    request->dir = request->folder;
    request->work = text_of("%s/jostle-bench.%u", request->dir, (unsigned)geteuid());
}

// A series runs as long as it does, also with --quick.
static void check_series(const struct bench_request *request)
{
    size_t count = 0;
    for (size_t i = 0; bench_parts[i].name != NULL; i++)
        count += request->part[i];
    const double total_s =
        (double)request->samples * (double)request->every_ns / 1e9 * (double)count;
    if (request->quick && total_s > 60)
        usage_error("--samples %ju: the series of %zu parts take %.0f s, and --quick is to end "
                    "within 5 minutes: ask for less than 60 s, or leave out --quick",
                    (uintmax_t)request->samples, count, total_s);
}

static void check(struct bench_request *request)
{
    if (options_given(request->given, "every") && request->samples == 0)
        usage_error("--every: it is the time between samples: add --samples N");
    if (!request->duration)
        request->duration = request->quick ? "300ms" : "1s";
    if (!options_given(request->given, "file-size"))
        request->file_bytes = request->quick ? 256ull << 20 : 1ull << 30;
    if (request->min_runs > 0 && request->max_runs > 0 && request->min_runs > request->max_runs)
        usage_error("--min-runs %ju: more than --max-runs %ju: give no more",
                    (uintmax_t)request->min_runs, (uintmax_t)request->max_runs);
    check_dir(request);
    check_series(request);
    int64_t time_ns = 0;
    (void)units_time(request->duration, &time_ns);
    request->duration_s = (double)time_ns / 1e9;
    request->threads_given = options_given(request->given, "threads");
    int64_t limit_ns = (int64_t)LINPACK_LIMIT_NS;
    if (request->max_time)
        (void)units_time(request->max_time, &limit_ns);
    request->limit_s = (double)limit_ns / 1e9;
    // Half an interval longer, so that the last one is whole.
    const double every_s = (double)request->every_ns / 1e9;
    if (request->samples > 0)
        request->series = text_of("--duration %.9gs --interval %.9gs",
                                  every_s * ((double)request->samples + 0.5), every_s);
}

void bench_request_read(struct bench_request *request, int argc, char **argv)
{
    *request = (struct bench_request){0};
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
    if (options_given(request->given, "table"))
        choose_part(request, bench_table_take(request));
    else if (*request->operand == NULL)
        choose_part(request, "all");
    bench_lists_read(request);
    check(request);
    request->is_asked =
        *request->operand != NULL || any_given(request, what_rows) || any_given(request, how_rows);
}

void bench_request_free(struct bench_request *request)
{
    options_free(request->given);
    free(request->threads);
    free(request->blocks);
    free(request->sizes);
    free(request->folder);
    free(request->work);
    free(request->series);
}
