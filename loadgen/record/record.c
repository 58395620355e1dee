// loadgen record: writes down how busy each CPU is, from /proc/stat (what a neighbour does: see
// neighbour.c), so that `loadgen cpu --profile` can do the same again, and what a program that
// waits there meets: wake-up latency, context switches, interrupts. Time that the hypervisor stole
// is not load: it is recorded separately.

#define OPTIONS_OF struct record_settings // see common/options.h

#include "record.h"

#include "common/cgroup.h"
#include "common/machine.h"
#include "common/save.h"
#include "common/schemas.h"
#include "common/text.h"

#include <ctype.h>
#include <sys/prctl.h>
#include <sys/stat.h>

// What /proc/stat has counted since boot.

// USER_HZ ticks that one CPU has spent, as proc(5) /proc/stat counts them.
struct cpu_ticks {
    unsigned cpu;
    unsigned long long busy; // guest time is part of user time, so nothing is counted twice
    unsigned long long steal;
};

struct sample {
    unsigned count;
    struct cpu_ticks *cpus;
    unsigned long long switches, interrupts; // of all CPUs
};

// Reads it, of at most `capacity` CPUs. 0, or -1 with errno.
static int sample_take(struct sample *sample, unsigned capacity)
{
    char text[512]; // of "intr", which is longer, the first number is enough
    char path[PATH_MAX];
    FILE *file = fopen(machine_path("/proc/stat", path), "re");
    if (!file)
        return -1;
    sample->count = 0;
    sample->switches = sample->interrupts = 0;
    while (fgets(text, sizeof text, file)) {
        unsigned cpu;
        unsigned long long user, nice, system, irq = 0, softirq = 0, steal = 0;
        // A line "cpuN ..."; that of "cpu" is the sum.
        if (sample->count < capacity && isdigit((unsigned char)text[3]) &&
            sscanf(text, "cpu%u %llu %llu %llu %*u %*u %llu %llu %llu", &cpu, &user, &nice, &system,
                   &irq, &softirq, &steal) >= 4)
            sample->cpus[sample->count++] =
                (struct cpu_ticks){cpu, user + nice + system + irq + softirq, steal};
        else if (strncmp(text, "ctxt ", 5) == 0)
            (void)sscanf(text, "ctxt %llu", &sample->switches);
        else if (strncmp(text, "intr ", 5) == 0)
            (void)sscanf(text, "intr %llu", &sample->interrupts);
    }
    fclose(file);
    return 0;
}

// What one of its CPUs did since an earlier sample with the same CPUs, in percent of these seconds:
// load, or time that the hypervisor stole. A counter may step by a tick more than the time has room
// for, and the hypervisor's may step back.
static double share_of(const struct sample *before, const struct sample *after, unsigned index,
                       bool steal, double seconds)
{
    const struct cpu_ticks *from = &before->cpus[index], *to = &after->cpus[index];
    const double ticks =
        steal ? (double)to->steal - (double)from->steal : (double)to->busy - (double)from->busy;
    return fmin(fmax(100 * ticks / (seconds * (double)sysconf(_SC_CLK_TCK)), 0), 100);
}

// Wake-up latency, as cyclictest measures it: on each CPU a thread sleeps to absolute
// times, and notes by how much later it runs. It has an ordinary priority, as what is
// measured under a load has.

struct watcher {
    _Alignas(64) struct wakeups *wakeups;
    int cpu;
    int64_t first_ns;
    pthread_t thread;
    bool started;
    struct histogram latency, before;
};

struct wakeups {
    int64_t interval_ns;
    _Atomic bool ended;
    unsigned count; // 0: there are none
    struct watcher *watchers;
};

static void *watch(void *argument)
{
    struct watcher *watcher = argument;
    const struct wakeups *wakeups = watcher->wakeups;
    int64_t due_ns = watcher->first_ns;
    pthread_setname_np(pthread_self(), "record/wakeup");
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0); // as exact as the hardware's, not 50 us later
    if (cpus_pin(watcher->cpu) != 0)
        return NULL;
    while (!atomic_load_explicit(&wakeups->ended, memory_order_relaxed)) {
        sleep_until_ns(due_ns);
        const int64_t late_ns = clock_ns() - due_ns;
        histogram_record(&watcher->latency, late_ns);
        due_ns += (late_ns / wakeups->interval_ns + 1) * wakeups->interval_ns;
    }
    return NULL;
}

// Ends the threads. What they noted stays.
static void wakeups_stop(struct wakeups *wakeups)
{
    atomic_store(&wakeups->ended, true);
    for (unsigned i = 0; i < wakeups->count; i++) {
        if (wakeups->watchers[i].started)
            pthread_join(wakeups->watchers[i].thread, NULL);
        wakeups->watchers[i].started = false;
    }
}

// A thread on each of these CPUs, which wakes every interval_ns (a time that it sleeps
// through is not made up for). 0, or -1 with errno; wakeups_stop() in any case.
static int wakeups_start(struct wakeups *wakeups, const struct cpu_list *cpus, int64_t interval_ns)
{
    wakeups->interval_ns = interval_ns;
    wakeups->watchers = zeroed_lines(cpus->count, sizeof(struct watcher));
    if (!wakeups->watchers)
        return -1;
    wakeups->count = cpus->count;
    // Not all CPUs at the same time: their interrupts would be one.
    const int64_t start_ns = clock_ns() + interval_ns;
    for (unsigned i = 0; i < wakeups->count; i++) {
        struct watcher *watcher = &wakeups->watchers[i];
        watcher->wakeups = wakeups;
        watcher->cpu = cpus->cpu[i];
        watcher->first_ns = start_ns + interval_ns * i / wakeups->count;
        errno = thread_start(&watcher->thread, watch, watcher);
        if (errno != 0)
            return -1;
        watcher->started = true;
    }
    return 0;
}

// Latencies on a CPU, while the threads run: since the start, or in a new span since the last one.
// False: this CPU has no thread.
static bool wakeups_take(const struct wakeups *wakeups, unsigned cpu, bool span,
                         struct histogram *histogram)
{
    struct watcher *watcher = NULL;
    for (unsigned i = 0; i < wakeups->count && !watcher; i++)
        if (wakeups->watchers[i].cpu == (int)cpu)
            watcher = &wakeups->watchers[i];
    if (!watcher)
        return false;
    memset(histogram, 0, sizeof *histogram);
    histogram_add(histogram, &watcher->latency);
    if (!span)
        return true;
    const struct histogram now = *histogram;
    histogram_subtract(histogram, &watcher->before);
    watcher->before = now;
    return true;
}

#define SMALLEST_BUCKET_NS 1024 // of the histogram that is written: powers of two from here

static const char *const counters[] = {"auto", "none", NULL};

static const struct option_row options[] = {
    {ROW("duration", "TIME", OPTION_TIME, duration_ns), .minimum = 1, .maximum = 1e18,
     .endless = "forever", .help = "end after this time: 10s, 1m (default: forever, until Ctrl-C)"},
    {ROW("interval", "TIME", OPTION_TIME, interval_ns), .minimum = 2e7, .maximum = 1e18,
     .preset = "1s",
     .help = "write a line as often as this; the kernel counts in ticks of 10 ms: at least 20ms"},
    {ROW("wakeup-every", "TIME", OPTION_TIME, wakeup_ns), .minimum = 0, .maximum = 1e9,
     .preset = "10ms",
     .help = "a thread on each CPU sleeps this long, again and again, and notes by how much later "
             "it runs; 0: none"},
    {ROW("pid", "N", OPTION_COUNT, pid), .minimum = 1, .maximum = INT32_MAX,
     .help = "record this process, with all that it starts"},
    {ROW("cgroup", "PATH", OPTION_TEXT, cgroup),
     .help = "record this control group: its folder, or its path below the top"},
    {ROW("job", "ID", OPTION_TEXT, job), .help = "record the part of this Slurm job on this node"},
    {ROW("counters", "auto|none", OPTION_CHOICE, counters), .preset = "auto", .choices = counters,
     .help = "of a process, group or job, count switches, forks, syncs and cycles by the kernel's "
             "counters where it lets us; they cost it some time at each switch"},
    {0},
};

struct recording {
    FILE *file;
    struct neighbour *neighbour; // NULL: the machine is recorded
    unsigned capacity;
    struct cpu_ticks *ticks; // of the samples
    struct sample first, samples[2];
    struct wakeups wakeups;
    unsigned spans;
    int64_t start_ns, end_ns; // of the last span
    struct histogram scratch, all;
};

static inline struct recording *state_of(const struct run *run)
{
    return run->state;
}

// ---- what is written ----

static int write_header(const struct recording *recording, const struct record_settings *set)
{
    struct line line = {0};
    record_begin_header(&line, SCHEMA_PROFILE, recording->first.count, set->interval_ns);
    line_fixed(&line, "wakeup_every_ms", (double)set->wakeup_ns / 1e6, 6);
    return record_line(recording->file, &line);
}

// How often a second something was counted. NAN: the counter has stepped back, as that of
// interrupts does where a 32-bit counter of a CPU that is in its sum begins again.
static double rate_of(unsigned long long before, unsigned long long after, double seconds)
{
    return after < before ? NAN : (double)(after - before) / seconds;
}

// The shares of each CPU, and how often there was what is counted of all of them.
static void add_changes(struct line *line, const char *load, const char *steal,
                        const struct sample *before, const struct sample *after, double seconds)
{
    const char *const names[] = {load, steal};
    for (unsigned which = 0; which < 2; which++) {
        line_array(line, names[which]);
        for (unsigned i = 0; i < after->count; i++)
            line_fixed(line, NULL, share_of(before, after, i, which == 1, seconds), 2);
        line_close(line);
    }
    line_fixed(line, "switches_per_s", rate_of(before->switches, after->switches, seconds), 1);
    line_fixed(line, "interrupts_per_s", rate_of(before->interrupts, after->interrupts, seconds),
               1);
}

// A quantile; NAN where there are too few for it: p99 takes 100.
static double latency(const struct histogram *histogram, double quantile)
{
    const double count = (double)histogram_total(histogram);
    if (count == 0 || count * (1 - quantile) < (quantile < 1 ? 1 - 1e-9 : 0))
        return NAN;
    return (double)histogram_quantile(histogram, quantile);
}

// Members of the object that is open.
static void add_latency(struct line *line, const struct histogram *histogram)
{
    line_count(line, "count", histogram_total(histogram));
    for (size_t i = 0; i < QUANTILES; i++)
        line_fixed(line, latency_quantiles[i].field,
                   latency(histogram, latency_quantiles[i].quantile), 0);
}

// An object for each CPU that has a thread.
static void add_cpus(struct line *line, const char *name, struct recording *recording, bool span)
{
    line_array(line, name);
    for (unsigned i = 0; i < recording->first.count; i++) {
        const unsigned cpu = recording->first.cpus[i].cpu;
        if (!wakeups_take(&recording->wakeups, cpu, span, &recording->scratch))
            continue;
        line_object(line, NULL);
        line_count(line, "cpu", cpu);
        add_latency(line, &recording->scratch);
        line_close(line);
    }
    line_close(line);
}

static int write_span(struct recording *recording, const struct sample *before,
                      const struct sample *after, int64_t at_ns)
{
    const double seconds = (double)(at_ns - recording->end_ns) / 1e9;
    struct line line = {0};
    line_object(&line, NULL);
    line_fixed(&line, "time_ms", (double)(at_ns - recording->start_ns) / 1e6, 3);
    add_changes(&line, "load", "steal", before, after, seconds);
    if (recording->wakeups.count > 0)
        add_cpus(&line, "wakeup", recording, true);
    recording->spans++;
    recording->end_ns = at_ns;
    return record_line(recording->file, &line);
}

// Only what is not empty.
static void add_histogram(struct line *line, const struct histogram *histogram)
{
    uint64_t before = 0;
    int64_t from_ns = 0;
    line_array(line, "histogram");
    for (int64_t below_ns = SMALLEST_BUCKET_NS; before < histogram_total(histogram);
         below_ns *= 2) {
        const uint64_t count = below_ns >= INT64_C(1) << HISTOGRAM_LARGEST_BITS
                                   ? histogram_total(histogram)
                                   : histogram_below(histogram, below_ns);
        if (count > before) {
            line_object(line, NULL);
            line_integer(line, "from_ns", from_ns);
            line_integer(line, "below_ns", below_ns);
            line_count(line, "count", count - before);
            line_close(line);
        }
        before = count;
        from_ns = below_ns;
    }
    line_close(line);
}

// The same for people.
static void print_summary(struct run *run, const struct recording *recording,
                          const struct sample *last)
{
    const double seconds = (double)(recording->end_ns - recording->start_ns) / 1e9;
    double load = 0;
    char text[24];
    for (unsigned i = 0; i < last->count; i++)
        load += share_of(&recording->first, last, i, false, seconds) / last->count;
    const double switches = rate_of(recording->first.switches, last->switches, seconds);
    report_print(&run->report, "record: %u spans in %.3f s; %u CPUs, %.1f %% busy; ",
                 recording->spans, seconds, last->count, load);
    if (isnan(switches))
        report_print(&run->report, "context switches not known: their counter stepped back\n");
    else
        report_print(&run->report, "%.0f context switches a second\n", switches);
    if (recording->wakeups.count == 0)
        return;
    report_print(&run->report, "  wake-up latency of %llu",
                 (unsigned long long)histogram_total(&recording->all));
    for (size_t i = 0; i < QUANTILES; i++) {
        const double value = latency(&recording->all, latency_quantiles[i].quantile);
        if (!isnan(value))
            report_print(&run->report, ", %s %s", latency_quantiles[i].words,
                         units_format_time(value, text, sizeof text));
    }
    report_print(&run->report, "\n");
}

// ---- recording ----

// One span after another, until the duration is over or a signal comes. The last sample, or NULL
// with errno.
static const struct sample *record_spans(struct recording *recording,
                                         const struct record_settings *set)
{
    const int64_t end_ns =
        set->duration_ns > 0 ? recording->start_ns + set->duration_ns : INT64_MAX;
    int64_t next_ns = recording->start_ns + set->interval_ns;
    const struct sample *before = &recording->first;
    for (; next_ns <= end_ns && record_sleep_to(next_ns); next_ns += set->interval_ns) {
        struct sample *after = &recording->samples[recording->spans % 2];
        const int64_t at_ns = clock_ns();
        if (sample_take(after, recording->capacity) != 0)
            return NULL;
        if (after->count != before->count) {
            errno = ENODEV; // a CPU has come or gone
            return NULL;
        }
        if (write_span(recording, before, after, at_ns) != 0)
            return NULL;
        before = after;
    }
    return before;
}

// 0, or -1 with errno.
static int record(struct run *run, struct recording *recording)
{
    const struct record_settings *set = run->settings;
    if (set->wakeup_ns > 0 && wakeups_start(&recording->wakeups, &run->cpus, set->wakeup_ns) != 0)
        return -1;
    recording->start_ns = recording->end_ns = clock_ns();
    if (sample_take(&recording->first, recording->capacity) != 0 ||
        write_header(recording, set) != 0)
        return -1;
    const struct sample *last = record_spans(recording, set);
    if (!last)
        return -1;
    wakeups_stop(&recording->wakeups);
    // All CPUs' latencies since the start into recording->all.
    for (unsigned i = 0; i < recording->first.count; i++)
        if (wakeups_take(&recording->wakeups, recording->first.cpus[i].cpu, false,
                         &recording->scratch))
            histogram_add(&recording->all, &recording->scratch);
    if (recording->spans == 0)
        return 0;
    if (recording->file != stdout)
        print_summary(run, recording, last);
    // Over all spans; the last line.
    const double seconds = (double)(recording->end_ns - recording->start_ns) / 1e9;
    struct line line = {0};
    line_object(&line, NULL);
    line_text(&line, "event", "summary");
    line_count(&line, "spans", recording->spans);
    line_fixed(&line, "length_s", seconds, 6);
    line_fixed(&line, "own_cpu_s", (double)clock_of(CLOCK_PROCESS_CPUTIME_ID) / 1e9, 6);
    add_changes(&line, "mean_load", "mean_steal", &recording->first, last, seconds);
    if (recording->wakeups.count > 0) {
        line_object(&line, "wakeup");
        add_latency(&line, &recording->all);
        add_cpus(&line, "by_cpu", recording, false);
        add_histogram(&line, &recording->all);
        line_close(&line);
    }
    return record_line(recording->file, &line);
}

// Says why, and returns the exit status.
static int cannot_record(const char *path, int error)
{
    const char *advice = save_advice(error);
    if (error == ENODEV)
        advice = "a CPU was switched on or off: start again";
    if (error == EAGAIN) // no thread for it
        advice = "raise that limit, or give --wakeup-every 0";
    complain("cannot record to %s: %s: %s", path,
             limits_why(error, (char[LIMITS_WHY]){0}, LIMITS_WHY), advice);
    return 1;
}

// The same; a file without any span is of no use to anybody, and removed.
static int nothing_recorded(const struct run *run, const char *path)
{
    FILE *file = state_of(run)->file;
    struct stat status;
    complain("record: ended before the first interval of %.3f s was over, so nothing was recorded: "
             "let it run longer, or give a shorter --interval",
             (double)settings_of(run)->interval_ns / 1e9);
    if (file != stdout && fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode))
        (void)unlink(path);
    return 1;
}

static bool names_neighbour(const struct record_settings *set)
{
    return set->pid > 0 || set->cgroup || set->job;
}

static int record_instead(struct run *run)
{
    const char *path = run->arguments[0];
    struct recording *recording = run->state;
    record_end_by_signals();
    if (names_neighbour(settings_of(run)) &&
        !(recording->neighbour = neighbour_open(settings_of(run))))
        return 1;
    recording->capacity = (unsigned)sysconf(_SC_NPROCESSORS_CONF);
    recording->ticks = calloc(recording->capacity, 3 * sizeof *recording->ticks);
    if (!recording->ticks)
        return cannot_record(path, errno);
    recording->first.cpus = recording->ticks;
    recording->samples[0].cpus = recording->ticks + recording->capacity;
    recording->samples[1].cpus = recording->ticks + 2 * recording->capacity;
    FILE *file = recording->file = strcmp(path, "-") == 0 ? stdout : fopen(path, "we");
    int failed = 0;
    if (!file ||
        (recording->neighbour ? neighbour_record(run, recording->neighbour, file, &recording->spans)
                              : record(run, recording)) != 0)
        failed = cannot_record(path, errno);
    else if (recording->spans == 0)
        failed = nothing_recorded(run, path);
    if (file && (file == stdout ? fflush(file) : fclose(file)) != 0 && !failed) {
        (void)save_complain(path);
        failed = 1;
    }
    if (recording->neighbour)
        neighbour_close(recording->neighbour);
    wakeups_stop(&recording->wakeups);
    free(recording->wakeups.watchers);
    free(recording->ticks);
    return failed;
}

// --pid, --cgroup and --job name one neighbour.
static void check_neighbour(const struct run *run)
{
    const struct record_settings *set = run->settings;
    if ((set->pid > 0) + (set->cgroup != NULL) + (set->job != NULL) > 1)
        usage_error("record: --pid, --cgroup and --job: one neighbour at a time: give one of them");
    if (names_neighbour(set) && options_given(run->options, "wakeup-every"))
        usage_error("record: --wakeup-every is of the machine: leave it out, or record without "
                    "--pid, --cgroup and --job");
    if (!names_neighbour(set) && options_given(run->options, "counters"))
        usage_error("record: --counters is of a neighbour: give --pid, --cgroup or --job too");
    if (set->job && (*set->job == '\0' || strspn(set->job, "0123456789") != strlen(set->job)))
        usage_error("record: --job %s: not the number of a job: give it as squeue prints it",
                    set->job);
}

static void record_check(struct run *run)
{
    const struct record_settings *set = run->settings;
    check_neighbour(run);
    if (run->argument_count != 1)
        usage_error("record: %s: loadgen record [--interval TIME] [--duration TIME] FILE",
                    run->argument_count == 0 ? "no file to write to" : "one file only");
    if (set->duration_ns > 0 && set->duration_ns < set->interval_ns)
        usage_error("record: --duration is shorter than one interval, so nothing would be "
                    "recorded: give a longer one, or a shorter --interval");
    if (set->wakeup_ns > 0 && set->wakeup_ns < 100000)
        usage_error(
            "--wakeup-every: so many wake-ups are a load of their own: give at least 100us");
}

static const struct load record_load = {
    .name = "record",
    .summary = "records how busy each CPU is, or what a neighbour does, for cpu --profile",
    .details =
        "FILE gets one JSON line an interval (- is stdout), and one for all of it at the end. "
        "It ends after --duration, or by Ctrl-C; before the first interval is over nothing has "
        "been recorded, and the exit status is 1. User, nice, system, "
        "irq and softirq time count as load, steal is recorded separately. What the recorder "
        "itself takes is in the load, and own_cpu_s of the last line says how much that was. With "
        "--pid, --cgroup or --job the lines are of that neighbour: CPU time, also of children that "
        "ended between two looks, threads that waited for a CPU, reads, writes, faults, switches, "
        "memory. `unseen` in the first line names what could not be recorded, and why. Each column "
        "can be played again by --stages FILE:COLUMN.",
    LOAD_OPTIONS(options),
    .state_size = sizeof(struct recording),
    .check = record_check,
    .arguments = "FILE",
    .without = (const char *const[]){"threads", "cpus", "limit", "stages", "arrivals", "phase",
                                     "duration", "interval", "nice", "sched", "force", "json",
                                     "control", "calib", "if-missing", "calibration", NULL},
    .instead = record_instead,
};
LOADGEN_REGISTER(record_load);
