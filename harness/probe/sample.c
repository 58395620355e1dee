/* probe sample: every reporter for a while, as one line of JSON; so that it can be the target of
 * an experiment, whose metrics are its readings. */

#include "common/json.h"
#include "common/machine.h"
#include "common/messages.h"
#include "common/option_value.h"
#include "common/options.h"
#include "common/schemas.h"
#include "harness/probe/commands.h"
#include "harness/probe/reporters.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_reading(struct line *line, enum reporter reporter, const struct reading *reading)
{
    line_object(line, NULL);
    line_text(line, "name", reporter_rows[reporter].name);
    line_text(line, "unit", reporter_rows[reporter].unit);
    if (reading->reason != NULL) {
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

/* The member `reporters` of a record: an array with what each that is wanted has read. */
static void readings_print(struct line *line, const struct reporter_set *set,
                           const bool wanted[REPORTERS])
{
    line_array(line, "reporters");
    for (enum reporter reporter = 0; reporter < REPORTERS; reporter++) {
        struct reading reading;
        if (!wanted[reporter])
            continue;
        reporters_read(set, reporter, &reading);
        print_reading(line, reporter, &reading);
    }
    line_close(line);
}

struct choices {
    const char *reporters, *cpus;
    int64_t duration_ns;
    uint64_t seed;
};

#define ROW(name, argument, type, member) OPTION_ROW(struct choices, name, argument, type, member)

static const struct option_row rows[] = {
    {ROW("reporters", "LIST", OPTION_TEXT, reporters), .wrong = "no-such-reporter",
     .help = "only these, such as gap,memory (default: all)"},
    {ROW("duration", "TIME", OPTION_TIME, duration_ns), .minimum = 1, .maximum = OPTION_TIME_MOST,
     .preset = "1s",
     .help = "how long to sample, besides the time to begin; each reporter gets a window at least"},
    {ROW("cpus", "LIST", OPTION_CPUS, cpus),
     .help = "run on these CPUs (default: all that are allowed)"},
    {ROW("seed", "N", OPTION_COUNT, seed), .maximum = OPTION_WHOLE_MOST, .preset = "1",
     .help = "of the random orders"},
    {0},
};

static void parse(struct choices *choices, int argc, char **argv)
{
    const struct option_group groups[] = {{.rows = rows, .values = choices}};
    const struct program program = {
        .name = "probe sample",
        .intro = "Takes windows of a few milliseconds of each reporter in turn, and prints what "
                 "they show as a line of JSON (jostle.probe-sample/1).",
        .groups = groups,
        .group_count = 1,
    };
    *choices = (struct choices){0};
    options_free(options_parse(&program, argc, argv, NULL));
}

/* False, after a message. */
static bool run_on(const char *text)
{
    struct cpu_list list;
    if (text == NULL)
        return true;
    return (cpus_parse(text, &list) == 0 && cpus_pin_list(&list) == 0) ||
           complain("--cpus %s: %s: choose from those that are allowed", text, strerror(errno));
}

static int print(const struct reporter_set *set, const bool wanted[REPORTERS], int64_t used_ns)
{
    struct line line = {0};
    line_object(&line, NULL);
    line_text(&line, "schema", SCHEMA_PROBE_SAMPLE);
    readings_print(&line, set, wanted);
    line_text(&line, "pages", reporters_pages(set));
    line_real(&line, "open_s", reporters_open_s(set));
    line_seconds(&line, "duration_s", used_ns, 6);
    const char *text = line_end(&line);
    const bool good = text != NULL && fputs(text, stdout) >= 0 && fflush(stdout) == 0;
    line_free(&line);
    return good ? EXIT_SUCCESS : (complain("cannot write the readings: %s", strerror(errno)), 1);
}

int probe_sample(int argc, char **argv)
{
    struct choices choices;
    bool wanted[REPORTERS];
    parse(&choices, argc, argv);
    if (!reporters_choose(choices.reporters, wanted) || !run_on(choices.cpus))
        return 2;
    struct reporter_set *set =
        reporters_open(&(struct reporter_choice){.wanted = wanted, .seed = choices.seed});
    if (set == NULL)
        return EXIT_FAILURE;
    const int64_t used_ns = reporters_sample(set, choices.duration_ns);
    const int code = print(set, wanted, used_ns);
    reporters_close(set);
    return code;
}
