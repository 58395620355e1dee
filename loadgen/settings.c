#include "settings.h"

#include "load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct option_row common_settings[] = {
    {.name = "threads",
     .argument = "N",
     .type = OPTION_COUNT,
     .offset = offsetof(struct common, threads),
     .minimum = 1,
     .maximum = 4096,
     .help = "number of workers (default: the CPUs that affinity, cpuset and cgroup quota allow)"},
    {.name = "cpus",
     .argument = "LIST",
     .type = OPTION_CPUS,
     .offset = offsetof(struct common, cpus),
     .help = "use only these CPUs, such as 0-3,8 (default: all allowed)"},
    {.name = "limit",
     .argument = "RATE",
     .type = OPTION_TEXT,
     .offset = offsetof(struct common, limit),
     .help = "rate of all workers together: 50M, 10MiB/s, 5000iops, 50% of the calibration "
             "(default: no "
             "limit)"},
    {.name = "duration",
     .argument = "TIME",
     .type = OPTION_TIME,
     .offset = offsetof(struct common, duration_ns),
     .minimum = 1,
     .maximum = 1e18,
     .help = "end after this time: 10ms, 2s, 1m (default: run until ended)"},
    {.name = "interval",
     .argument = "TIME",
     .type = OPTION_TIME,
     .offset = offsetof(struct common, interval_ns),
     .minimum = 1e6,
     .maximum = 1e18,
     .help = "report as often as this (default: only at the end)"},
    {.name = "nice",
     .argument = "N",
     .type = OPTION_INTEGER,
     .offset = offsetof(struct common, nice),
     .minimum = -20,
     .maximum = 19,
     .help = "run with this nice value (default: as started)"},
    {.name = "json",
     .type = OPTION_FLAG,
     .offset = offsetof(struct common, json),
     .help = "report as JSON lines"},
    {.name = "control",
     .type = OPTION_FLAG,
     .offset = offsetof(struct common, control),
     .help = "start paused; read pause, resume, rate VALUE, mark NAME, quit from stdin, answer "
             "with JSON "
             "lines; end of file ends the load"},
    {.name = "dry-run",
     .type = OPTION_FLAG,
     .offset = offsetof(struct common, dry_run),
     .help = "check all options but --limit, say which CPUs the workers would use, and end"},
    {0},
};

#define COMMON_COUNT (sizeof common_settings / sizeof common_settings[0])

/* Whether the load does without a common option. */
static bool is_without(const struct load *load, const char *name)
{
    const size_t length = strlen(name);
    const char *at = load->without;
    while (at != NULL && *at != '\0') {
        const size_t word = strcspn(at, " ");
        if (word == length && strncmp(at, name, length) == 0)
            return true;
        at += word + strspn(at + word, " ");
    }
    return false;
}

void settings_parse(struct run *run, int argc, char **argv)
{
    static const struct option_row none[] = {{0}};
    const struct load *load = run->load;
    struct option_row common[COMMON_COUNT];
    size_t used = 0;
    for (size_t i = 0; i < COMMON_COUNT; i++)
        if (common_settings[i].name == NULL || !is_without(load, common_settings[i].name))
            common[used++] = common_settings[i];
    run->settings = calloc(1, load->settings_size + 1);
    if (run->settings == NULL)
        usage_error("out of memory: free some");
    const struct option_group groups[] = {
        {.rows = load->settings == NULL ? none : load->settings, .values = run->settings},
        {.rows = common, .values = &run->common},
    };
    char name[64];
    int rest;
    snprintf(name, sizeof name, "loadgen %s", load->name);
    const struct program program = {
        .name = name,
        .usage = load->arguments,
        .intro = load->summary,
        .details = load->details,
        .groups = groups,
        .group_count = sizeof groups / sizeof groups[0],
        .stop_at_operand = load->arguments != NULL && strncmp(load->arguments, "--", 2) == 0,
    };
    run->options = options_parse(&program, argc, argv, &rest);
    run->arguments = argv + rest;
    run->argument_count = argc - rest;
}

void settings_free(struct run *run)
{
    options_free(run->options);
    free(run->settings);
    run->options = NULL;
    run->settings = NULL;
}
