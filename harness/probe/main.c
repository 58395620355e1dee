// probe: what this machine gives at the moment, as its reporters show it.

#include "reporters.h"

#include "common/clock.h"
#include "common/cpus.h"
#include "common/json.h"
#include "common/messages.h"
#include "common/options.h"
#include "common/schemas.h"
#include "common/units.h"
#include "common/version.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

// probe sample: every reporter for a while, as one line of JSON; so that it can be the target of
// an experiment, whose metrics are its readings.

static void print_reading(struct line *line, const struct reading *reading)
{
    line_object(line, NULL);
    line_text(line, "name", reading->row->name);
    line_text(line, "unit", reading->row->unit);
    if (reading->reason) {
        line_text(line, "reason", reading->reason);
    } else {
        line_real(line, "value", reading->value);
        line_count(line, "n", reading->n);
        line_real(line, "median", reading->median);
        line_real(line, "spread", reading->spread);
        line_real(line, "correlation", reading->correlation);
        line_real(line, "error", reading->error);
    }
    line_close(line);
}

struct choices {
    const char *reporters, *cpus;
    int64_t duration_ns;
    uint64_t seed;
};

static const struct option_row sample_rows[] = {
    {OPTION_ROW(struct choices, "reporters", "LIST", OPTION_TEXT, reporters),
     .wrong = "no-such-reporter", .help = "only these, such as gap,memory (default: all)"},
    {OPTION_ROW(struct choices, "duration", "TIME", OPTION_TIME, duration_ns), .minimum = 1,
     .maximum = OPTION_TIME_MOST, .preset = "1s",
     .help = "how long to sample, besides the time to begin; each reporter gets a window at least"},
    {OPTION_ROW(struct choices, "cpus", "LIST", OPTION_CPUS, cpus),
     .help = "run on these CPUs (default: all that are allowed)"},
    {OPTION_ROW(struct choices, "seed", "N", OPTION_COUNT, seed), .maximum = OPTION_WHOLE_MOST,
     .preset = "1", .help = "of the random orders"},
    {0},
};

// False, after a message.
static bool run_on(const char *text)
{
    struct cpu_list list;
    if (!text)
        return true;
    return (cpus_parse(text, &list) == 0 && cpus_pin_list(&list) == 0) ||
           complain("--cpus %s: none of these may be used here: choose from those that are allowed",
                    text);
}

static int print_sample(const struct reporter_set *set, int64_t used_ns)
{
    struct line line = {0};
    struct reading reading;
    line_object(&line, NULL);
    line_text(&line, "schema", SCHEMA_PROBE_SAMPLE);
    line_array(&line, "reporters");
    for (size_t i = 0; reporters_read(set, i, &reading); i++)
        print_reading(&line, &reading);
    line_close(&line);
    line_text(&line, "pages", reporters_pages(set));
    line_real(&line, "open_s", reporters_open_s(set));
    line_seconds(&line, "duration_s", used_ns, 6);
    const char *text = line_end(&line);
    const bool good = text && fputs(text, stdout) >= 0 && fflush(stdout) == 0;
    line_free(&line);
    return good ? EXIT_SUCCESS : EXIT_FAILURE; // that stdout is full is said at the end
}

static int probe_sample(int argc, char **argv)
{
    struct choices choices = {0};
    bool wanted[REPORTERS_MOST];
    const struct option_group groups[] = {{.rows = sample_rows, .values = &choices}};
    const struct program program = {
        .name = "probe sample",
        .intro = "Takes windows of a few milliseconds of each reporter in turn, and prints what "
                 "they show as a line of JSON (jostle.probe-sample/1).",
        .groups = groups,
        .group_count = 1,
    };
    options_free(options_parse(&program, argc, argv, NULL));
    if (!reporters_choose(choices.reporters, wanted) || !run_on(choices.cpus))
        return 2;
    struct reporter_set *set =
        reporters_open(&(struct reporter_choice){.wanted = wanted, .seed = choices.seed});
    const int64_t used_ns = reporters_sample(set, choices.duration_ns);
    const int code = print_sample(set, used_ns);
    reporters_close(set);
    return code;
}

// probe serve: the probe before each block of an experiment. It waits for lines on stdin, uses
// nothing meanwhile, and ends with it. Lines and answers, JSON on stdout:
//
//     sample 0.1     {"event":"sample","budget_s":0.1,"took_s":0.101,"reporters":[...]}
//
// Before the first one it answers {"event":"ready",...}. A reporter is {name, unit, worse, value,
// n, spread}; one that cannot work here has a reason, and value null.

#define LINE_BYTES 256
#define LEAST_S    0.001
#define MOST_S     10
#define NICE_UNSET INT64_MIN

#define HEAVY_FROM ((int64_t)50000000) // ns of a sample

struct probe_settings {
    const char *cpus;
    int64_t nice;
};

static const struct option_row serve_rows[] = {
    {OPTION_ROW(struct probe_settings, "cpus", "LIST", OPTION_CPUS, cpus),
     .help = "run on these CPUs (default: where it may)"},
    {OPTION_ROW(struct probe_settings, "nice", "N", OPTION_INTEGER, nice), .minimum = -20,
     .maximum = 19, .help = "with this priority (default: unchanged)"},
    {0},
};

struct server {
    struct reporter_set *quick, *heavy; // heavy: NULL until it is needed
    struct line line;
};

static struct reporter_set *open_set(enum serving serving)
{
    bool wanted[REPORTERS_MOST];
    for (size_t i = 0; reporter_rows[i].name; i++)
        wanted[i] = reporter_rows[i].serving == serving;
    return reporters_open(&(struct reporter_choice){.wanted = wanted, .seed = (uint64_t)getpid()});
}

// Where and how the target runs. What the target may not have the probe does not, either: the
// target's own start then says so.
static void place(const struct probe_settings *settings)
{
    struct cpu_list list;
    if (settings->cpus && cpus_parse(settings->cpus, &list) == 0)
        (void)cpus_pin_list(&list);
    if (settings->nice != NICE_UNSET)
        (void)setpriority(PRIO_PROCESS, 0, (int)settings->nice);
}

static bool send_line(struct server *server)
{
    const char *text = line_end(&server->line);
    const size_t size = server->line.used;
    const bool good = text && fwrite(text, 1, size, stdout) == size && fflush(stdout) == 0;
    line_free(&server->line);
    server->line = (struct line){0};
    return good;
}

static bool say_ready(struct server *server)
{
    line_object(&server->line, NULL);
    line_text(&server->line, "event", "ready");
    line_fixed(&server->line, "open_s", reporters_open_s(server->quick), 6);
    line_close(&server->line);
    return send_line(server);
}

// More digits than a window can mean would only make records longer.
static void put_figure(struct line *line, const char *name, double value)
{
    char text[32];
    if (!isfinite(value)) {
        line_null(line, name);
        return;
    }
    snprintf(text, sizeof text, "%.6g", value);
    line_raw(line, name, text);
}

static void put_readings(struct line *line, const struct reporter_set *set)
{
    struct reading reading;
    for (size_t i = 0; reporters_read(set, i, &reading); i++) {
        if (reading.n == 0 && !reading.reason)
            continue; // no window of it fitted into this sample
        line_object(line, NULL);
        line_text(line, "name", reading.row->name);
        line_text(line, "unit", reading.row->unit);
        line_text(line, "worse", "higher");
        put_figure(line, "value", reading.value);
        line_count(line, "n", reading.n);
        put_figure(line, "spread", reading.spread);
        if (reading.reason)
            line_text(line, "reason", reading.reason);
        line_close(line);
    }
}

// Both sets in turn, in proportion to what a round of each takes.
static void sample_long(struct server *server, int64_t budget_ns)
{
    const double round_quick = (double)reporters_round_ns(server->quick),
                 round_heavy = (double)reporters_round_ns(server->heavy);
    const double share = round_quick / (round_quick + round_heavy);
    const int64_t begin_ns = clock_ns();
    (void)reporters_sample(server->quick, (int64_t)(share * (double)budget_ns));
    const int64_t left_ns = budget_ns - (clock_ns() - begin_ns);
    (void)reporters_sample(server->heavy, left_ns > 0 ? left_ns : 0);
}

static bool sample(struct server *server, double budget_s)
{
    const int64_t budget_ns = (int64_t)(budget_s * NS_PER_S);
    if (budget_ns >= HEAVY_FROM && !server->heavy)
        server->heavy = open_set(SERVED_HEAVY);
    const bool is_long = budget_ns >= HEAVY_FROM && server->heavy;
    const int64_t begin_ns = clock_ns();
    reporters_clear(server->quick);
    if (is_long) {
        reporters_clear(server->heavy);
        sample_long(server, budget_ns);
    } else {
        reporters_short(server->quick, budget_ns);
    }
    line_object(&server->line, NULL);
    line_text(&server->line, "event", "sample");
    put_figure(&server->line, "budget_s", budget_s);
    line_fixed(&server->line, "took_s", (double)(clock_ns() - begin_ns) / NS_PER_S, 6);
    line_array(&server->line, "reporters");
    put_readings(&server->line, server->quick);
    if (is_long)
        put_readings(&server->line, server->heavy);
    line_close(&server->line);
    line_close(&server->line);
    return send_line(server);
}

// False, after a message: it is no command.
static bool take(struct server *server, char *text)
{
    double budget_s;
    text[strcspn(text, "\n")] = '\0';
    if (strncmp(text, "sample ", 7) != 0 || units_real(text + 7, &budget_s) != 0 ||
        !(budget_s >= LEAST_S && budget_s <= MOST_S))
        return complain("probe serve: %s: no such command: give sample SECONDS", text);
    return sample(server, budget_s);
}

static int probe_serve(int argc, char **argv)
{
    struct probe_settings settings = {.nice = NICE_UNSET};
    struct server server = {0};
    char text[LINE_BYTES];
    int rest;
    const struct option_group groups[] = {{.rows = serve_rows, .values = &settings}};
    const struct program program = {
        .name = "probe serve",
        .intro = "Waits for lines `sample SECONDS` on stdin, measures what the machine reaches for "
                 "so long, and answers each with a line of JSON. Ends with stdin.",
        .groups = groups,
        .group_count = 1,
    };
    options_free(options_parse(&program, argc, argv, &rest));
    place(&settings);
    server.quick = open_set(SERVED_QUICK);
    bool good = say_ready(&server);
    while (good && fgets(text, sizeof text, stdin))
        good = take(&server, text);
    good = good && !ferror(stdin);
    if (server.heavy)
        reporters_close(server.heavy);
    reporters_close(server.quick);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"sample", probe_sample},
    {"serve", probe_serve},
};

#define COMMANDS (sizeof commands / sizeof *commands)

// For the test that walks all options.
static int list_commands(void)
{
    size_t written = 0;
    while (written < COMMANDS && options_list_command(commands[written].name))
        written++;
    return written < COMMANDS;
}

int main(int argc, char **argv)
{
    streams_open();
    for (size_t i = 0; argc > 1 && i < COMMANDS; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    if (argc == 2 && strcmp(argv[1], "--list-options") == 0)
        return list_commands();
    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return version_print("probe"), 0;
    usage_error("probe: no such subcommand: give sample or serve");
}
