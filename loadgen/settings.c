// How long a load lasts that nobody ends. Under a harness the end of stdin ends it; started
// by hand it would be forgotten sooner or later, on a machine that others use, too.

#define OPTIONS_OF struct common // see common/options.h

#include "frame.h"

#include "common/cgroup.h"
#include "common/text.h"

#include <sys/resource.h>

#define LENGTH_BY_HAND_NS (INT64_C(3600) * 1000000000)
#define LENGTH_BY_HAND    "1h"      // the same
#define LENGTH_ENDLESS    "forever" // for --duration

// The words of stress-ng's --sched, but none that would come before others.
enum priority_sched { SCHED_AS_STARTED, SCHED_AS_OTHER, SCHED_AS_BATCH, SCHED_AS_IDLE };
static const char *const priority_scheds[] = {[SCHED_AS_STARTED] = "as-started",
                                              [SCHED_AS_OTHER] = "other",
                                              [SCHED_AS_BATCH] = "batch",
                                              [SCHED_AS_IDLE] = "idle",
                                              NULL};

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
    struct common workers = {.threads = run->threads, .cpus = cpus_to_give(run, cpus, sizeof cpus)};
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

// Nice values and policies count within a session only, where the kernel makes a group of each
// (sched(7), autogroup). Of a session that is ours alone the group yields to others by that nice
// value; in one that is not, whoever asked for it is told.
static void yield_to_sessions(struct run *run, const char *option, int nice)
{
    if (machine_number("/proc/sys/kernel/sched_autogroup_enabled") != 1)
        return;
    FILE *file = getsid(0) == getpid() ? fopen("/proc/self/autogroup", "we") : NULL;
    bool yields = file && fprintf(file, "%d\n", nice) > 0;
    yields = file && fclose(file) == 0 && yields;
    if (!yields)
        report_print(&run->report,
                     "%s: --%s counts within this session only: programs of other sessions keep "
                     "their share of the CPUs; start it with setsid to yield to them, too\n",
                     run->load->name, option);
}

void priority_set(struct run *run)
{
    if (options_given(run->options, "nice") &&
        setpriority(PRIO_PROCESS, 0, (int)run->common.nice) != 0)
        usage_error("--nice %lld: %s: give a higher value, or run it as root",
                    (long long)run->common.nice, strerror(errno));
    static const int policies[] = {[SCHED_AS_OTHER] = SCHED_OTHER,
                                   [SCHED_AS_BATCH] = SCHED_BATCH,
                                   [SCHED_AS_IDLE] = SCHED_IDLE};
    const struct sched_param none = {0};
    const int wanted = run->common.sched;
    if (wanted != SCHED_AS_STARTED && sched_setscheduler(0, policies[wanted], &none) != 0)
        usage_error("--sched %s: %s: leave it out", priority_scheds[wanted], strerror(errno));
    if (wanted == SCHED_AS_IDLE)
        yield_to_sessions(run, "sched idle", 19);
    else if (run->common.nice > 0)
        yield_to_sessions(run, "nice", (int)run->common.nice);
}

// Until the next look: as long as it takes at least to fill what there is. So a load does not
// disturb what is measured beside it while there is plenty.
#define FASTEST_PER_MS (4.0 * 1048576)
#define SHORTEST_MS    50
#define LONGEST_MS     2000
// Of room_step(), in bytes: a look takes as long as filling some 100 KiB.
#define SHORTEST_STEP 1048576.0
#define LONGEST_STEP  (64.0 * 1048576)
// Of its stack, of its part of the allocator, and in the kernel: 100 KiB were measured.
#define THREAD_BYTES (128.0 * 1024)

static void refuse(double bytes, const struct headroom *headroom, const char *what,
                   const char *advice)
{
    char wanted[32], left[32];
    usage_error("%s %s: %s has %s left: %s, or --force", what,
                units_format_size(bytes, wanted, sizeof wanted), headroom->whose,
                units_format_size((double)headroom->bytes, left, sizeof left), advice);
}

void room_claim(struct run *run, double bytes, int node, const char *what, const char *advice)
{
    const struct headroom machine = headroom_left(node), process = headroom_of_process();
    run->held_bytes = bytes;
    if (run->common.force)
        return;
    if (bytes > (double)machine.bytes)
        refuse(bytes, &machine, what, advice);
    if (bytes > (double)process.bytes)
        refuse(bytes, &process, what, advice);
}

void room_claim_workers(struct run *run)
{
    char what[64];
    const bool pairs = run->load->companion_cpu;
    const double each = sizeof(struct worker) + (pairs ? 2 : 1) * THREAD_BYTES;
    if (run->threads == 0)
        return;
    snprintf(what, sizeof what, "%u workers with all that they hold,", run->threads);
    room_claim(run, run->held_bytes + run->threads * each, -1, what, "give fewer --threads");
}

void room_claim_unknown(struct run *run)
{
    run->held_bytes = INFINITY;
}

static bool is_watched(const struct run *run)
{
    return !run->common.force && run->held_bytes > headroom_short_bytes();
}

// Fails the run when memory is short. Returns the bytes that are left until then.
static double look(struct run *run)
{
    struct headroom headroom;
    char left[32];
    const double slack = headroom_slack(&headroom);
    if (slack < 0)
        run_fail(run,
                 "memory is short: %s has %s left: the load ends before the kernel has to kill "
                 "something: give it less, or --force",
                 headroom.whose, units_format_size((double)headroom.bytes, left, sizeof left));
    return slack;
}

bool room_for_more(struct run *run)
{
    if (!failure_of(run) && is_watched(run))
        (void)look(run);
    return !failure_of(run);
}

size_t room_step(const struct run *run)
{
    const double bytes = headroom_short_bytes() / (3.0 * run->threads);
    return (size_t)fmin(fmax(bytes, SHORTEST_STEP), LONGEST_STEP) / sizeof(double) * sizeof(double);
}

uint64_t room_look(struct run *run)
{
    if (!is_watched(run))
        return 0;
    const double next_ms = look(run) / FASTEST_PER_MS;
    return failure_of(run) ? 0 : (uint64_t)fmin(fmax(next_ms, SHORTEST_MS), LONGEST_MS);
}
