#include "options.h"

#include "common/record_json.h"
#include "handles.h"
#include "part.h"

#include "common/memory.h"
#include "common/messages.h"
#include "common/option_value.h"
#include "common/units.h"

#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The cells that the parts ask for, as they are written to bench-plan.json (jostle.bench-plan/1).
 */

const struct part parts[] = {{"cpu", "CPU", part_cpu},
                             {"memory", "Memory", part_memory},
                             {"disk", "Disk", part_disk},
                             {"network", "Network", part_network},
                             {0}};

#define CELL_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._%-"

struct matrix *matrix_new(const struct choice *choice, const char *workloads)
{
    struct matrix *matrix = must(calloc(1, sizeof *matrix));
    *matrix = (struct matrix){.choice = choice,
                              .workloads = workloads,
                              .parts = must(json_array()),
                              .names = must(json_object())};
    return matrix;
}

void matrix_free(struct matrix *matrix)
{
    for (size_t i = 0; i < matrix->handle_count; i++)
        free(matrix->handle[i]);
    free(matrix->handle);
    json_decref(matrix->parts);
    json_decref(matrix->names);
    free(matrix);
}

const json_t *matrix_parts(const struct matrix *matrix)
{
    return matrix->parts;
}

/* A mistake in the source of a part, found by the first that runs it. */
__attribute__((noreturn)) static void mistake(const json_t *cell, const char *what)
{
    complain("bench: the cell %s %s: this is a bug of jostle, please report it",
             json_text_at(cell, "cell"), what);
    exit(1);
}

json_t *matrix_format(const char *format, va_list list)
{
    char *made = NULL;
    if (vasprintf(&made, format, list) < 0)
        must(NULL);
    json_t *json = must(json_string(made));
    free(made);
    return json;
}

void *matrix_handle(struct matrix *matrix, size_t size)
{
    matrix->handle =
        grown(matrix->handle, matrix->handle_count, &matrix->allocated, sizeof *matrix->handle);
    return matrix->handle[matrix->handle_count++] = must(calloc(1, size));
}

static struct cell *add_cell(struct matrix *matrix, json_t *named)
{
    struct cell *cell = matrix_handle(matrix, sizeof *cell);
    cell->matrix = matrix;
    cell->json = must(json_pack(
        "{s:o, s:[], s:n, s:[], s:n, s:[], s:n, s:[], s:[], s:[], s:n, s:n, s:n, s:{}, s:n, s:f, "
        "s:f}",
        "cell", named, "labels", "figure", "more", "command", "peers", "peak", "marks", "problems",
        "rules", "skip", "cpus", "load", "around", "series", "run_s",
        matrix->choice->duration_s + 0.2, "setup_s", 0.0));
    if (strspn(json_string_value(named), CELL_LETTERS) != json_string_length(named))
        mistake(cell->json, "has a name that is none of a folder");
    if (json_object_get(matrix->names, json_string_value(named)) != NULL)
        mistake(cell->json, "is there twice");
    json_put(matrix->names, json_string_value(named), json_true());
    json_add(json_object_get(matrix->part, "cells"), cell->json);
    return cell;
}

struct cell *matrix_cell(struct matrix *matrix, const char *name, ...)
{
    FORMATTED(named, name);
    return add_cell(matrix, named);
}

struct cell *matrix_row(struct matrix *matrix, const struct cell *of, const char *figure,
                        const char *name, ...)
{
    FORMATTED(named, name);
    struct cell *cell = add_cell(matrix, named);
    const json_t *one;
    size_t index;
    json_put(cell->json, "of", json_incref(json_object_get(of->json, "cell")));
    json_array_foreach(json_object_get(of->json, "more"), index, one)
    {
        if (strcmp(json_text_at(one, "name"), figure) == 0)
            json_put(cell->json, "figure", must(json_deep_copy(one)));
    }
    return cell;
}

void row_more(struct cell *row, const struct cell *of, const char *figure, const char *name)
{
    const json_t *one;
    size_t index;
    json_array_foreach(json_object_get(of->json, "more"), index, one)
    {
        if (strcmp(json_text_at(one, "name"), figure) != 0)
            continue;
        json_t *more = must(json_deep_copy(one));
        json_put(more, "metric", json_text(figure));
        json_put(more, "name", json_text(name));
        json_put(more, "shown", json_true());
        json_add(json_object_get(row->json, "more"), more);
    }
}

/* A row of the runs of another cell has its peers, its load and its fate. */
static void settle(json_t *cell, const json_t *cells)
{
    static const char *const theirs[] = {"peers", "load", "skip"};
    const json_t *of;
    json_t *peer;
    size_t index;
    json_array_foreach(cells, index, of)
    {
        if (!json_equal(json_object_get(of, "cell"), json_object_get(cell, "of")))
            continue;
        for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++)
            json_put(cell, theirs[i], must(json_deep_copy(json_object_get(of, theirs[i]))));
    }
    const char *figure = json_text_at(json_object_get(cell, "figure"), "name");
    json_array_foreach(json_object_get(cell, "peers"), index, peer)
    {
        if (figure != NULL && !json_has(json_object_get(peer, "figures"), figure) &&
            !json_has(peer, "reason"))
            json_put(peer, "reason", json_text("it prints no such figure of these runs"));
    }
}

/* What a part may not leave out. */
static void matrix_check(const json_t *cell)
{
    const json_t *peer;
    size_t index;
    if (json_has(cell, "skip"))
        return;
    if (!json_has(cell, "figure"))
        mistake(cell, "has no figure");
    if (json_has(cell, "of"))
        return;
    if (!json_has(cell, "command"))
        mistake(cell, "has no command");
    const char *figure = json_text_at(json_object_get(cell, "figure"), "name");
    json_array_foreach(json_object_get(cell, "peers"), index, peer)
    {
        if (!json_has(json_object_get(peer, "figures"), figure) && !json_has(peer, "reason"))
            mistake(cell, "has a peer without its figure");
    }
}

void matrix_make(struct matrix *matrix, const struct part *part)
{
    json_t *cells, *cell;
    size_t index;
    matrix->part = must(json_pack("{s:s, s:s, s:[], s:[], s:[]}", "part", part->name, "title",
                                  part->title, "cells", "charts", "kept"));
    json_add(matrix->parts, matrix->part);
    part->make(matrix, matrix->choice);
    cells = json_object_get(matrix->part, "cells");
    json_array_foreach(cells, index, cell)
    {
        if (json_has(cell, "of"))
            settle(cell, cells);
        matrix_check(cell);
    }
    json_object_del(matrix->part, "kept");
}

#define FIELD(member)                     .offset = offsetof(struct request, member)
#define ROW(name, argument, type, member) OPTION_ROW(struct request, name, argument, type, member)
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

/* Numbers that are handed on as they are typed. */
#define NUMBER(title, word, member, kind, least, most, without, words)                             \
    {                                                                                              \
        .name = title, .argument = word, .type = OPTION_TEXT, FIELD(member), .as = kind,           \
        .minimum = least, .maximum = most, .exclusive = without, .help = words                     \
    }

/* It becomes a word of ssh's command line. */
static bool check_host(const char *text, char *error, size_t size)
{
    snprintf(error, size, "no host: give a name or an address such as node2 or user@node2");
    return *text != '\0' && *text != '-';
}

static const struct option_row what_rows[] = {
    FLAG("quick", quick, "a small matrix, short runs: ends within 5 minutes"),
    {ROW("threads", "LIST", OPTION_TEXT, threads), .wrong = "1,x",
     .help = "numbers of threads to measure with, such as 1,2,4,8 (default: 1,2,4,8; with --quick "
             "1 and the number of allowed CPUs)"},
    {ROW("table", "NAME", OPTION_CHOICE, table), .choices = table_names,
     .help = "a ready table: its part, rows, threads and blocks, as far as they are not given"},
    {ROW("blocks", "LIST", OPTION_TEXT, blocks), .wrong = "4K,x",
     .help = "sizes of blocks and messages, each with each of --threads, such as 4K,1M,100M "
             "(default: each part has its own)"},
    {ROW("peak", "PART=RATE:SOURCE", OPTION_LIST, peaks), .check = peak_check, .wrong = "cpu=1",
     .help = "the peak of memory, disk or network where none can be read, and where it is from, "
             "such as memory=68.3GB/s:data-sheet"},
    FLAG("peers", peers, "measure standard tools in the same runs, too, as far as installed"),
    COUNT("samples", samples, MOST_SAMPLES,
          "a series for each part, too: N figures of --every TIME each, from one run"),
    {ROW("every", "TIME", OPTION_TIME, every_ns), .minimum = 1e6, .maximum = 3600e9, .preset = "1s",
     .help = "with --samples: the time between two figures"},
    {ROW("peer", "HOST", OPTION_TEXT, peer), .check = check_host, .wrong = "-x",
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
    "  jostle bench memory --samples 600 --every 1s --only '*.series'\n"
    "\n"
    "Exit status:\n"
    "  0  all chosen cells are measured, or are listed with the reason why they cannot be\n"
    "  1  jostle or the disk failed, or another jostle is measuring a cell\n"
    "  2  wrong use\n"
    "  5  a program failed in a cell, the others were measured\n"
    "  129, 130, 143  interrupted by a signal: the same command continues\n";

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
    /* Absolute, as runs have working folders of their own. */
    request->folder = realpath(request->dir, NULL);
    if (request->folder == NULL || stat(request->folder, &status) != 0 ||
        !S_ISDIR(status.st_mode) || access(request->folder, W_OK | X_OK) != 0)
        usage_error("--dir %s: no folder that can be written to: give one on the disk to measure",
                    request->dir);
    request->dir = request->folder;
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
    if (options_given(request->given, "every") && request->samples == 0)
        usage_error("--every: it is the time between samples: add --samples N");
    if (request->duration == NULL)
        request->duration = request->quick ? "300ms" : "1s";
    if (!options_given(request->given, "file-size"))
        request->file_bytes = request->quick ? 256ull << 20 : 1ull << 30;
    if (request->min_runs > 0 && request->max_runs > 0 && request->min_runs > request->max_runs)
        usage_error("--min-runs %ju: more than --max-runs %ju: give no more",
                    (uintmax_t)request->min_runs, (uintmax_t)request->max_runs);
    check_dir(request);
    check_series(request);
    if (request->samples > 0)
        request->series = series_options(request);
}

void bench_request_read(struct request *request, int argc, char **argv)
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
    if (options_given(request->given, "table"))
        choose_part(request, table_take(request));
    else if (*request->operand == NULL)
        choose_part(request, "all");
    lists_read(request);
    check(request);
    request->is_asked =
        *request->operand != NULL || any_given(request, what_rows) || any_given(request, how_rows);
}

void bench_request_free(struct request *request)
{
    options_free(request->given);
    free(request->thread);
    free(request->block);
    free(request->folder);
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
                           .blocks = request->block,
                           .block_count = request->block_count,
                           .peaks = &request->peaks,
                           .allowed_cpus = threads_allowed(),
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
