#include "harness/blame/options.h"

#include "common/messages.h"
#include "common/options.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define ROW(name, argument, type, member)                                                          \
    OPTION_ROW(struct blame_options, name, argument, type, member)

static const struct option_row rows[] = {
    {ROW("pid", "PID", OPTION_COUNT, pid), .minimum = 1, .maximum = OPTION_WHOLE_MOST,
     .help = "whose slowness it is about: this process and its descendants"},
    {ROW("cgroup", "PATH", OPTION_TEXT, cgroup),
     .help = "those of a control group: /sys/fs/cgroup/user.slice, or as /proc/PID/cgroup has it"},
    {ROW("job", "ID", OPTION_TEXT, job),
     .help = "those of a scheduler's job on this node, by its control group (job_ID)"},
    {ROW("duration", "TIME", OPTION_TIME, duration_ns), .minimum = 1e7, .maximum = OPTION_TIME_MOST,
     .preset = "5s", .help = "how long to look; with a program of yours: until it ends"},
    {ROW("watch", NULL, OPTION_FLAG, watch),
     .help = "stay, with a line every --interval, until Ctrl-C: at most 1 % of one CPU"},
    {ROW("interval", "TIME", OPTION_TIME, interval_ns), .minimum = 1e9, .maximum = 3600e9,
     .preset = "10s", .help = "with --watch: the time from one line to the next"},
    {ROW("json", "FILE", OPTION_TEXT, json),
     .help = "write a jostle.blame/1 to FILE too, - for stdout instead of the table; with --watch "
             "a line each, appended"},
    {ROW("at-most", "R", OPTION_FRACTION, at_most), .minimum = 0, .maximum = 1, .exclusive = true,
     .help = "a gate: exit 3 when others surely take more than this share (5% or 0.05), 0 when "
             "surely less, 4 when it cannot be told: of the CPUs, of the time by pressure, steal, "
             "or gaps in a short spin; with a program, pid, group or job: of its own time"},
    {ROW("quiet", NULL, OPTION_FLAG, quiet), .help = "print no table"},
    {0},
};

static const char details[] =
    "The first line is the answer. What follows is who did how much; CPUs add up to what the "
    "kernel counted as busy. docs/blame.md says what is exact and what is not.\n\n"
    "Examples:\n"
    "  jostle blame -- ./solver input.dat           until it ends\n"
    "  jostle blame --pid 13021                     five seconds of a program that runs\n"
    "  jostle blame                                 the whole node\n"
    "  jostle blame --watch --json node.jsonl       then: jostle report node.jsonl\n"
    "  jostle blame --at-most 5% --quiet || exit    in a job, before a benchmark\n\n"
    "Exit status:\n"
    "  0  done (--at-most: below)           1  failure\n"
    "  2  wrong use, or no such victim      3  --at-most: above\n"
    "  4  --at-most: undecided";

static void check(const struct blame_options *options)
{
    const int victims = (options->pid != 0) + (options->cgroup != NULL) + (options->job != NULL) +
                        (options->program != NULL);
    if (victims > 1)
        usage_error("give one of --pid, --cgroup, --job and a program, or none for the whole node");
    if (options->watch && !isnan(options->at_most))
        usage_error("--at-most and --watch: a watch decides nothing: leave one of them out");
    if (options->watch && options->quiet && options->json == NULL)
        usage_error("--watch and --quiet: nobody would see it: add --json FILE");
}

static void find_victim(const struct blame_options *options, struct victim *victim)
{
    *victim = (struct victim){0};
    if (options->pid != 0)
        victim_pid(victim, options->pid);
    else if (options->cgroup != NULL)
        victim_cgroup(victim, options->cgroup);
    else if (options->job != NULL)
        victim_job(victim, options->job);
    else if (options->program != NULL) {
        const char *slash = strrchr(options->program[0], '/');
        victim->kind = VICTIM_PROGRAM;
        snprintf(victim->name, sizeof victim->name, "%s",
                 slash == NULL ? options->program[0] : slash + 1);
    }
}

void options_read(struct blame_options *options, struct victim *victim, int argc, char **argv)
{
    const struct option_group groups[] = {{.rows = rows, .values = options}};
    const struct program program = {
        .name = "jostle blame",
        .usage = "[-- PROGRAM...]",
        .intro = "Who slows a program down, by how much, and what would it gain without them? "
                 "Without root and without any reference: the kernel counts how long threads "
                 "waited for a CPU, and samples say who had it meanwhile.",
        .details = details,
        .groups = groups,
        .group_count = 1,
        .stop_at_operand = true,
    };
    int rest;
    *options = (struct blame_options){0};
    struct options *parsed = options_parse(&program, argc, argv, &rest);
    if (!options_given(parsed, "at-most"))
        options->at_most = NAN;
    if (rest < argc) {
        options->program = argv + rest;
        if (!options_given(parsed, "duration"))
            options->duration_ns = 0;
    }
    options_free(parsed);
    check(options);
    find_victim(options, victim);
}
