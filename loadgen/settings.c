// The command line of a load: its own options and those that every load has, and their canonical
// text.

#define OPTIONS_OF struct common // see common/options.h

#include "frame.h"

#include "common/text.h"

#define LENGTH_BY_HAND_NS (INT64_C(3600) * 1000000000)
#define LENGTH_BY_HAND    "1h"      // the same
#define LENGTH_ENDLESS    "forever" // for --duration

static const char *const arrivals[] = {
    [ARRIVALS_EVEN] = "even", [ARRIVALS_POISSON] = "poisson", NULL};

static const struct option_row common_settings[] = {
    {ROW("threads", "N", OPTION_COUNT, threads), .minimum = 1, .maximum = 4096, .measured = true,
     .help = "number of workers (default: the CPUs that affinity, cpuset and cgroup quota allow)"},
    {ROW("cpus", "LIST", OPTION_CPUS, cpus),
     .help = "use only these CPUs, such as 0-3,8 (default: all allowed)"},
    {ROW("limit", "RATE", OPTION_TEXT, limit), .as = OPTION_RATE, .maximum = 1e300,
     .exclusive = true,
     .help = "rate of all workers together: 50M, 10MiB/s, 5000iops, 50% of the calibration "
             "(default: no limit)"},
    {ROW("stages", "STAGES", OPTION_TEXT, stages), .wrong = "10s",
     .help =
         "a rate that changes, in place of one limit: DURATION:RATE,... as 10s:10%,1m:90%,30s:0, "
         "where the rate goes from 0 in a straight line to each of these rates as --limit has "
         "them (cpu: percent of one CPU), and 0s jumps; square:2s:10%:90%, and so sine (from "
         "its middle) and sawtooth; FILE:COLUMN of a CSV or TSV file with a header and a "
         "column of times in seconds (time, else the first), in straight lines from row to "
         "row; a FILE of loadgen record (the mean, or FILE:N core N). It begins anew at its "
         "end, and at each resume; without --control and --duration it runs once"},
    {ROW("speed", "X", OPTION_REAL, speed), .minimum = 0.001, .maximum = 1000, .preset = "1",
     .help = "play --stages, or a profile, this many times faster: 60 plays a day in 24 minutes"},
    {ROW("arrivals", "HOW", OPTION_CHOICE, arrivals), .preset = "even", .choices = arrivals,
     .help = "when operations are due: even, or poisson, at random times of that rate"},
    {ROW("phase", "TIME", OPTION_TEXT, phase), .wrong = "soon",
     .help = "begin so far into the stages at each resume; random: anywhere in them, which is "
             "drawn anew each time (default: 0s)"},
    {ROW("duration", "TIME", OPTION_TIME, duration_ns), .minimum = 1, .maximum = 1e18,
     .endless = LENGTH_ENDLESS,
     .help = "end after this time: 10ms, 2s, 1m, or " LENGTH_ENDLESS " (default: " LENGTH_BY_HAND
             "; with --control run until ended)"},
    {ROW("interval", "TIME", OPTION_TIME, interval_ns), .minimum = 1e6, .maximum = 1e18,
     .help = "report as often as this (default: only at the end)"},
    {ROW("nice", "N", OPTION_INTEGER, nice), .minimum = -20, .maximum = 19,
     .help =
         "run with this nice value (default: as started); it counts within its session or cgroup"},
    {ROW("sched", "KIND", OPTION_CHOICE, sched), .preset = "as-started", .choices = priority_scheds,
     .help = "scheduling policy: idle runs only when nothing else of its session or cgroup wants "
             "the CPU, so that the shell that started a full load stays usable; batch, other"},
    {ROW("force", NULL, OPTION_FLAG, force),
     .help = "also take memory that is not free, and the space that is left to others on a file "
             "system"},
    {ROW("json", NULL, OPTION_FLAG, json), .help = "report as JSON lines"},
    {ROW("control", NULL, OPTION_FLAG, control),
     .help = "start paused; read pause, resume, rate VALUE, mark NAME, quit from stdin, answer "
             "with JSON lines; end of file ends the load"},
    {ROW("dry-run", NULL, OPTION_FLAG, dry_run),
     .help = "check all options but --limit (of --stages all but what their rates mean), say which "
             "CPUs the workers would use, and end"},
    {ROW("describe", NULL, OPTION_FLAG, describe),
     .help =
         "say as lines of JSON what this command line means here, and end: first what its words "
         "say (whether it listens, has a rate in percent), then workers, CPUs, memory, whether it "
         "uses a disk, what --limit or --stages is a percentage of"},
    {ROW("only-words", NULL, OPTION_FLAG, only_words), .hidden = true,
     .help = "the first line of --describe alone, which is the same on any machine"},
    {ROW("calib", NULL, OPTION_FLAG, calib),
     .help = "in place of load: measure its rate without a limit for SECONDS (10; 2 with "
             "--if-missing), and keep it; --limit 50% is half of that"},
    {ROW("if-missing", NULL, OPTION_FLAG, if_missing),
     .help = "--calib only where --limit N% needs one that is not kept yet"},
    {ROW("calibration", "FILE", OPTION_TEXT, calibration),
     .help = "calibration that --limit N% refers to (default: the one kept in "
             "$XDG_CACHE_HOME/jostle/calibration); with --calib, the file to write"},
    {ROW("percent-of", "OPTIONS", OPTION_TEXT, percent_of), .hidden = true,
     .help = "--limit N% is of the calibration of these options, as --describe says them: for the "
             "same load under settings that change what a calibration would find"},
    {ROW("percent-on", "SUBJECT", OPTION_TEXT, percent_on), .hidden = true,
     .help = "the same of what the calibration is of besides options"},
    {0},
};

#define COMMON_COUNT (sizeof common_settings / sizeof common_settings[0])

void settings_parse(struct run *run, int argc, char **argv)
{
    static const char *const of_calibrations[] = {"calib", "if-missing", "calibration", NULL};
    const struct load *load = run->load;
    const char *arguments = load->arguments      ? load->arguments
                            : load->calibrations ? "[SECONDS]"
                                                 : NULL;
    struct option_row common[COMMON_COUNT];
    char name[64];
    int rest;
    run->settings = calloc(1, load->options_size + 1);
    if (!run->settings)
        usage_error("out of memory: free some");
    // The common options of this load. Those of calibrations are accepted by all, so
    // that a campaign may give --if-missing to any, but shown only where they help.
    size_t used = 0;
    for (size_t i = 0; i < COMMON_COUNT; i++) {
        const struct option_row *row = &common_settings[i];
        if (row->name && text_is_among(row->name, load->without))
            continue;
        common[used] = *row;
        if (row->name && text_is_among(row->name, of_calibrations) && !load->calibrations)
            common[used].hidden = true;
        used++;
    }
    snprintf(name, sizeof name, "loadgen %s", load->name);
    const struct option_group groups[] = {
        {.rows = load->options, .values = run->settings},
        {.rows = common, .values = &run->common},
    };
    const struct program program = {
        .name = name,
        .usage = arguments,
        .intro = load->summary,
        .details = load->details,
        .groups = groups,
        .group_count = sizeof groups / sizeof groups[0],
        .stop_at_operand = arguments && strncmp(arguments, "--", 2) == 0,
    };
    run->options = options_parse(&program, argc, argv, &rest);
    run->listens = load->listens && options_given(run->options, load->listens);
    if (run->common.limit && units_rate(run->common.limit, &run->limit) != 0)
        usage_error("--limit %s: not a rate: give one such as 50M", run->common.limit);
    run->arguments = argv + rest;
    run->argument_count = argc - rest;
    if (run->argument_count > 0 && load->calibrations && !run->common.calib)
        usage_error("%s: an argument too many: only --calib takes SECONDS", run->arguments[0]);
}

// The list to give with --cpus for the same CPUs; NULL: none is needed. Without it
// workers take the first ones.
static const char *cpus_to_give(const struct run *run, char *text, size_t size)
{
    struct cpu_list cpus;
    unsigned plain = 0;
    if (!run->load->pinned)
        return run->common.cpus;
    engine_worker_cpus(run, &cpus);
    while (plain < cpus.count && cpus.cpu[plain] == (int)plain)
        plain++;
    return plain == cpus.count ? NULL : cpus_format(&cpus, text, size);
}

// Two canonical texts with a blank between them.
static bool join(const struct run *run, char *text, size_t size,
                 bool canonical(const struct option_row *, const void *, char *, size_t))
{
    char cpus[CPUS_TEXT];
    struct common workers = {
        .threads = run->threads, .cpus = cpus_to_give(run, cpus, sizeof cpus), .speed = 1};
    if (!canonical(run->load->options, run->settings, text, size))
        return false;
    const size_t used = strlen(text);
    if (used + 2 > size)
        return false;
    if (!canonical(common_settings, &workers, text + used + 1, size - used - 1))
        return false;
    if (used > 0 && text[used + 1] != '\0')
        text[used] = ' ';
    else if (used == 0)
        memmove(text, text + 1, strlen(text + 1) + 1);
    return true;
}

bool settings_measured(const struct run *run, char *text, size_t size)
{
    return join(run, text, size, options_measured);
}

bool settings_canonical(const struct run *run, char *text, size_t size)
{
    return join(run, text, size, options_canonical);
}

void settings_free(struct run *run)
{
    options_free(run->options);
    free(run->settings);
    run->options = NULL;
    run->settings = NULL;
}

void length_choose(struct run *run)
{
    struct common *common = &run->common;
    if (common->control || common->duration_ns != 0 || options_given(run->options, "duration"))
        return;
    common->duration_ns = LENGTH_BY_HAND_NS;
    report_print(&run->report,
                 "%s: ends by itself after " LENGTH_BY_HAND
                 ": give --duration TIME, or --duration " LENGTH_ENDLESS ", to change that\n",
                 run->load->name);
}
