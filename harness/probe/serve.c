/* probe serve: the probe before each block of an experiment. It waits for lines on stdin, uses
 * nothing meanwhile, and ends with it. Lines and answers, JSON on stdout:
 *
 *     sample 0.1     {"event":"sample","budget_s":0.1,"took_s":0.101,"reporters":[...]}
 *
 * Before the first one it answers {"event":"ready",...}. A reporter is {name, unit, worse, value,
 * n, spread}; one that cannot work here has a reason, and value null. */

#include "commands.h"
#include "reporters.h"

#include "common/json.h"
#include "common/machine.h"
#include "common/messages.h"
#include "common/options.h"
#include "common/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S   1000000000
#define LINE_BYTES 256
#define LEAST_S    0.001
#define MOST_S     10
#define NICE_UNSET INT64_MIN

/* What is cheap to open is open from the start; the others wait for a sample that is long enough
 * for them: short experiments never have one. */
static const enum reporter quick[] = {REPORTER_GAP, REPORTER_L2};
static const enum reporter heavy[] = {REPORTER_MEMORY};
#define QUICK      (sizeof quick / sizeof *quick)
#define HEAVY      (sizeof heavy / sizeof *heavy)
#define HEAVY_FROM ((int64_t)50000000) /* ns of a sample */

struct settings {
    const char *cpus;
    int64_t nice;
};

#define ROW(name, argument, type, member) OPTION_ROW(struct settings, name, argument, type, member)

static const struct option_row rows[] = {
    {ROW("cpus", "LIST", OPTION_CPUS, cpus), .help = "run on these CPUs (default: where it may)"},
    {ROW("nice", "N", OPTION_INTEGER, nice), .minimum = -20, .maximum = 19,
     .help = "with this priority (default: unchanged)"},
    {0},
};

struct server {
    struct reporter_set *quick, *heavy; /* heavy: NULL until it is needed */
    size_t next;                        /* of the quick ones, where a short sample begins */
    struct line line;
};

static int64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * (int64_t)NS_PER_S + now.tv_nsec;
}

static struct reporter_set *open_set(const enum reporter *list, size_t count)
{
    bool wanted[REPORTERS] = {false};
    for (size_t i = 0; i < count; i++)
        wanted[list[i]] = true;
    return reporters_open(&(struct reporter_choice){.wanted = wanted, .seed = (uint64_t)getpid()});
}

/* Where and how the target runs. What the target may not have the probe does not, either: the
 * target's own start then says so. */
static void place(const struct settings *settings)
{
    struct cpu_list list;
    if (settings->cpus != NULL && cpus_parse(settings->cpus, &list) == 0)
        (void)cpus_pin_list(&list);
    if (settings->nice != NICE_UNSET)
        (void)setpriority(PRIO_PROCESS, 0, (int)settings->nice);
}

static bool send_line(struct server *server)
{
    const char *text = line_end(&server->line);
    const size_t size = server->line.used;
    const bool good = text != NULL && fwrite(text, 1, size, stdout) == size && fflush(stdout) == 0;
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

/* More digits than a window can mean would only make records longer. */
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

static void put_reading(struct line *line, const struct reporter_set *set, enum reporter reporter)
{
    struct reading reading;
    reporters_read(set, reporter, &reading);
    if (reading.n == 0 && reading.reason == NULL)
        return; /* no window of it fitted into this sample */
    line_object(line, NULL);
    line_text(line, "name", reporter_rows[reporter].name);
    line_text(line, "unit", reporter_rows[reporter].unit);
    line_text(line, "worse", "higher");
    put_figure(line, "value", reading.value);
    line_count(line, "n", reading.n);
    put_figure(line, "spread", reading.spread);
    if (reading.reason != NULL)
        line_text(line, "reason", reading.reason);
    line_close(line);
}

/* Windows one after the other while there is time for them, from where the last sample ended. */
static void sample_short(struct server *server, int64_t budget_ns)
{
    const int64_t end_ns = now_ns() + budget_ns;
    for (size_t i = 0; i < QUICK; i++) {
        const enum reporter reporter = quick[server->next % QUICK];
        if (i > 0 && now_ns() + reporter_rows[reporter].window_ns > end_ns)
            return;
        (void)reporters_window(server->quick, reporter);
        server->next++;
    }
}

/* Both sets in turn, in proportion to what a round of each takes. */
static void sample_long(struct server *server, int64_t budget_ns)
{
    const double round_quick = (double)reporters_round_ns(server->quick),
                 round_heavy = (double)reporters_round_ns(server->heavy);
    const double share = round_quick / (round_quick + round_heavy);
    const int64_t begin_ns = now_ns();
    (void)reporters_sample(server->quick, (int64_t)(share * (double)budget_ns));
    const int64_t left_ns = budget_ns - (now_ns() - begin_ns);
    (void)reporters_sample(server->heavy, left_ns > 0 ? left_ns : 0);
}

static bool sample(struct server *server, double budget_s)
{
    const int64_t budget_ns = (int64_t)(budget_s * NS_PER_S);
    if (budget_ns >= HEAVY_FROM && server->heavy == NULL)
        server->heavy = open_set(heavy, HEAVY);
    const bool is_long = budget_ns >= HEAVY_FROM && server->heavy != NULL;
    const int64_t begin_ns = now_ns();
    reporters_clear(server->quick);
    if (is_long) {
        reporters_clear(server->heavy);
        sample_long(server, budget_ns);
    } else {
        sample_short(server, budget_ns);
    }
    line_object(&server->line, NULL);
    line_text(&server->line, "event", "sample");
    put_figure(&server->line, "budget_s", budget_s);
    line_fixed(&server->line, "took_s", (double)(now_ns() - begin_ns) / NS_PER_S, 6);
    line_array(&server->line, "reporters");
    for (size_t i = 0; i < QUICK; i++)
        put_reading(&server->line, server->quick, quick[i]);
    for (size_t i = 0; i < HEAVY && is_long; i++)
        put_reading(&server->line, server->heavy, heavy[i]);
    line_close(&server->line);
    line_close(&server->line);
    return send_line(server);
}

/* False, after a message: it is no command. */
static bool take(struct server *server, char *text)
{
    double budget_s;
    text[strcspn(text, "\n")] = '\0';
    if (strncmp(text, "sample ", 7) != 0 || units_real(text + 7, &budget_s) != 0 ||
        !(budget_s >= LEAST_S && budget_s <= MOST_S))
        return complain("probe serve: %s: no such command: give sample SECONDS", text);
    return sample(server, budget_s);
}

static bool serve(struct server *server)
{
    char text[LINE_BYTES];
    bool good = say_ready(server);
    while (good && fgets(text, sizeof text, stdin) != NULL)
        good = take(server, text);
    return good && !ferror(stdin);
}

int probe_serve(int argc, char **argv)
{
    struct settings settings = {.nice = NICE_UNSET};
    struct server server = {0};
    int rest;
    const struct option_group groups[] = {{.rows = rows, .values = &settings}};
    const struct program program = {
        .name = "probe serve",
        .intro = "Waits for lines `sample SECONDS` on stdin, measures what the machine reaches for "
                 "so long, and answers each with a line of JSON. Ends with stdin.",
        .groups = groups,
        .group_count = 1,
    };
    options_free(options_parse(&program, argc, argv, &rest));
    place(&settings);
    server.quick = open_set(quick, QUICK);
    const bool good = server.quick != NULL && serve(&server);
    if (server.heavy != NULL)
        reporters_close(server.heavy);
    if (server.quick != NULL)
        reporters_close(server.quick);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
