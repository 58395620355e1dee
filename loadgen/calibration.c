#include "frame.h"

#include "common/file.h"
#include "common/record_json.h"
#include "common/save.h"
#include "common/schemas.h"
#include "common/text.h"

#include <ctype.h>
#include <stdarg.h>

#define MOST_PERCENT 1000.0         // more is a mistake
#define OLD_S        (30 * 86400.0) // worth a warning

// ---- what a rate is of ----

// Appends one more thing that the rate is of.
__attribute__((format(printf, 2, 3))) static void add_subject(struct calibration_key *key,
                                                              const char *format, ...)
{
    const size_t used = strlen(key->subject), size = sizeof key->subject;
    const char *comma = used > 0 ? ", " : "";
    va_list arguments;
    va_start(arguments, format);
    snprintf(key->subject + used, size - used, "%s", comma);
    vsnprintf(key->subject + used + strlen(comma), size - used - strlen(comma), format, arguments);
    va_end(arguments);
}

// Each pinned worker's rate is that of its CPU, and of what it shares with the others'.
static void add_cpus(const struct run *run, struct calibration_key *key)
{
    struct cpu_list cpus;
    char text[CPUS_TEXT], pages[16];
    engine_worker_cpus(run, &cpus);
    add_subject(key, "CPU %s", cpus_format(&cpus, text, sizeof text));
    if (isfinite(run->quota_cpus))
        add_subject(key, "of a quota of %g CPUs", run->quota_cpus);
    // How large the system makes the pages of those who do not say: "madvise" of "always [madvise]
    // never". Without such a file it has only small ones.
    const char *at = machine_line(text, sizeof text, "/sys/kernel/mm/transparent_hugepage/enabled")
                         ? strchr(text, '[')
                         : NULL;
    if (at && sscanf(at, "[%15[a-z]", pages) == 1)
        add_subject(key, "THP %s", pages);
}

void calibration_key(const struct run *run, struct calibration_key *key)
{
    *key = (struct calibration_key){.load = run->load->name};
    gethostname(key->host, sizeof key->host - 1);
    kept_machine(key->machine, sizeof key->machine);
    if (run->subject[0] != '\0')
        add_subject(key, "%s", run->subject);
    if (run->load->pinned)
        add_cpus(run, key);
    if (!settings_measured(run, key->options, sizeof key->options))
        usage_error("%s: options too long to keep a calibration of: give shorter ones",
                    run->load->name);
    if (!run->common.percent_of)
        return;
    snprintf(key->options, sizeof key->options, "%s", run->common.percent_of);
    snprintf(key->subject, sizeof key->subject, "%s",
             run->common.percent_on ? run->common.percent_on : "");
}

// "jostle calib mem --with '--kernel triad --threads 2'": what makes one; returns text.
static const char *calibration_command(const struct run *run, char *text, size_t size)
{
    const char *name = strcmp(run->load->name, "io") == 0 ? "disk" : run->load->name;
    char options[1024];
    if (settings_canonical(run, options, sizeof options) && options[0] != '\0')
        snprintf(text, size, "jostle calib %s --with '%s'", name, options);
    else
        snprintf(text, size, "jostle calib %s", name);
    return text;
}

// ---- where it is kept ----

// Appends ".VALUE" with everything odd in it as one underscore.
static void append_part(char *name, size_t size, const char *value)
{
    size_t used = strlen(name);
    bool odd = used == 0;
    if (used > 0 && used + 1 < size)
        name[used++] = '.';
    for (value += strspn(value, "-"); *value != '\0' && used + 1 < size; value++) {
        const bool plain = isalnum((unsigned char)*value) ||
                           (*value == '-' && value[-1] != ' ' && value[-1] != '-');
        if (plain || !odd)
            name[used++] = '_';
        if (plain)
            name[used - 1] = *value;
        odd = !plain;
    }
    name[used] = '\0';
}

// FNV-1a: distinguishes the keys whose names became the same, or were cut off.
static uint32_t hash(const char *text, uint32_t value)
{
    for (; *text != '\0'; text++)
        value = (value ^ (unsigned char)*text) * 16777619U;
    return value;
}

// The kept file of a key, whether it is there or not; -1: no place for one.
static int calibration_path(const struct calibration_key *key, char path[PATH_MAX])
{
    char name[NAME_MAX - 32] = "", whole[NAME_MAX + 32];
    append_part(name, sizeof name, key->host);
    append_part(name, sizeof name, key->load);
    append_part(name, sizeof name, key->options);
    const uint32_t number = hash(key->machine, hash(key->subject, hash(key->options, 2166136261U)));
    snprintf(whole, sizeof whole, "calibration/%s.%08x.json", name, number);
    return kept_path(whole, path);
}

// ---- reading ----

// Takes the calibration in the file, if it is one of the key.
static bool take_file(const char *path, const struct calibration_key *key,
                      struct calibration_found *found)
{
    json_t *record = json_read_record(path, 0, NULL);
    const bool good = calibration_take(record, key, found);
    if (good)
        snprintf(found->path, sizeof found->path, "%s", path);
    json_decref(record);
    return good;
}

// The calibration that fits this run: of --calibration FILE, else the kept one.
// 0; or -1, and error says what was wrong and what to do.
static int calibration_find(const struct run *run, struct calibration_found *found, char *error,
                            size_t size)
{
    const char *file = run->common.calibration;
    struct calibration_key key;
    char path[PATH_MAX], command[1100];
    calibration_key(run, &key);
    calibration_command(run, command, sizeof command);
    const bool kept = !file && calibration_path(&key, path) == 0;
    const bool trusted = kept && trust_path(path);
    if (trusted && take_file(path, &key, found))
        return 0;
    if (kept && !trusted)
        snprintf(error, size,
                 "%.200s: this calibration is not used: others than you can write to it: remove "
                 "it, or set XDG_CACHE_HOME to a folder of your own",
                 path);
    else if (!file)
        snprintf(error, size, "no calibration of this yet: make one: %s", command);
    else if (access(file, R_OK) != 0)
        snprintf(error, size, "--calibration %.200s: %s: name one that was kept", file,
                 strerror(errno));
    else if (take_file(file, &key, found))
        return 0;
    else
        return BECAUSE(error, size, "--calibration %.200s: is not for %s %s%s%s: make one: %s",
                       file, key.load, key.options, *key.subject != '\0' ? " on " : "", key.subject,
                       command);
    return -1;
}

// ---- percentages ----

// Says on stderr, for people, what was found and how old it is; an old one, and one of a busy
// machine, is a warning.
static void calibration_announce(struct run *run, const struct calibration_found *found)
{
    char age[32], whole[48], command[1100];
    const size_t size = sizeof age;
    if (run->common.if_missing)
        return; // the load that it is for says it
    if (found->age_s < 120)
        snprintf(age, size, "%.0f s", fmax(found->age_s, 0));
    else if (found->age_s < 7200)
        snprintf(age, size, "%.0f minutes", found->age_s / 60);
    else if (found->age_s < 2 * 86400)
        snprintf(age, size, "%.1f hours", found->age_s / 3600);
    else
        snprintf(age, size, "%.0f days", found->age_s / 86400);
    if (found->age_s > OLD_S)
        run_warn(run, "the calibration %s is %s old: make a new one: %s", found->path, age,
                 calibration_command(run, command, sizeof command));
    if (found->foreign > CALIBRATION_BUSY)
        run_warn(run,
                 "100%% was calibrated while other programs used %.0f %% of the CPUs, so the true "
                 "maximum may be higher (%s)",
                 100 * found->foreign, calibration_command(run, command, sizeof command));
    if (!run->report.json)
        fprintf(stderr, "100%% is %s, calibrated %s ago (%s)\n",
                units_format_rate(found->rate, run->unit, whole, sizeof whole), age, found->path);
}

double calibration_percent(const struct run *run)
{
    const bool percent = run->limit.kind == RATE_PERCENT && run->limit.value > 0;
    return !run->load->calibrations ? 0 : percent ? run->limit.value : run->stages_percent;
}

bool calibration_is_kept(const struct run *run)
{
    struct calibration_found found;
    char error[2048];
    return calibration_find(run, &found, error, sizeof error) == 0;
}

void calibration_describe(const struct run *run, struct line *line)
{
    if (run->calibration.path[0] == '\0')
        return;
    line_text(line, "calibration", run->calibration.path);
    line_fixed(line, "calibration_age_s", run->calibration.age_s, 6);
}

#define LARGEST_RATE_BYTES 1e12 // a limit above these was a mistake
#define LARGEST_RATE_OPS   1e9  // times what one operation of the load counts as

int rate_usual(struct run *run, const char *text, double *rate, char *error, size_t size)
{
    struct rate given;
    const bool bytes = strcmp(run->unit, UNIT_BYTES) == 0;
    const char *example = bytes ? "10M or 10MiB/s" : "5000iops or 5k";
    const double most = bytes ? LARGEST_RATE_BYTES : LARGEST_RATE_OPS * run->quantum;
    const bool known = units_rate(text, &given) == 0;
    if (known && given.kind == RATE_PERCENT && given.value > 0 && run->load->calibrations) {
        if (given.value > MOST_PERCENT)
            return BECAUSE(error, size, "%g%%: too much to be meant: give %g%% or less",
                           given.value, MOST_PERCENT);
        if (calibration_find(run, &run->calibration, error, size) != 0)
            return -1;
        calibration_announce(run, &run->calibration);
        *rate = run->calibration.rate * given.value / 100;
        return 0;
    }
    if (!known)
        snprintf(error, size, "rate %.64s: not a rate: give one such as %s", text, example);
    else if (!(given.value > 0))
        snprintf(error, size, "rate %.64s: nothing would happen: give more than 0", text);
    else if (given.kind == RATE_PERCENT || given.kind == (bytes ? RATE_OPS : RATE_BYTES))
        snprintf(error, size, "rate %.64s: this load counts in %s: give a rate such as %s", text,
                 run->unit, example);
    else if (given.value > most)
        snprintf(error, size, "rate %.64s: nothing does that: give %g %s or less", text, most,
                 run->unit);
    else {
        *rate = given.value;
        return 0;
    }
    return -1;
}

int rate_of(struct run *run, const char *text, double *rate, char *error, size_t size)
{
    const struct load *load = run->load;
    if (load->rate)
        return load->rate(run, text, rate, error, size);
    if (strcmp(run->unit, UNIT_NONE) == 0)
        return BECAUSE(error, size, "rate %.64s: loadgen %s has no rate", text, load->name);
    return rate_usual(run, text, rate, error, size);
}

// ---- measuring: runs a load without a limit, and judges its one-second rates ----

#define USUAL_NS    10000000000 // --calib without SECONDS
#define SHORT_NS    2000000000  // and with --if-missing: somebody waits to use it
#define SHORTEST_NS 500000000
#define LONGEST_NS  86400000000000

#define LEAST_SAMPLES   5
#define MOST_SAMPLES    (LONGEST_NS / 1000000000)
#define LONGEST_RAMP_NS 1000000000 // before the samples, so that caches and clocks settle

// Have they reached a steady state? By the slope of a straight line through them, as fio's
// steadystate=iops_slope / bw_slope does. fio leaves its limit to the user. This one, in percent of
// the mean for each second, is 10 % over a window of ten: what SNIA's performance test allows.
#define STEADY_SLOPE_LIMIT 1.0

struct measured {
    int64_t length_ns;
    double rates[MOST_SAMPLES];
    double mean, sd; // of them; sd of a sample
    double minimum, maximum;
    double slope;           // least squares, percent of the mean a second
    bool steady;            // |slope| < STEADY_SLOPE_LIMIT
    double rate;            // base units a second over all of it
    double foreign;         // share of the machine's CPUs that others used; NAN: unknown
    struct snapshot window; // all figures of that time
    struct snapshot first, before, now;
    // Objects of the load's own fields, of `ready` and of `summary`, while it ran.
    struct line ready, summary;
};

static double rate_in(const struct snapshot *window)
{
    return window->active_ns > 0 ? window->amount * 1e9 / (double)window->active_ns : 0;
}

// Of that many rates, so many seconds apart. fio 3.33, steadystate.c: slope = (Sxy - Sx Sy / n) /
// (Sxx - Sx Sx / n) with x = 0, 1, ... n-1, and for a limit in percent 100 slope / mean. Written
// with the deviations from the means here: the same number, less cancellation.
static void judge(struct measured *measured, size_t count, double step_s)
{
    const double *rates = measured->rates, middle = ((double)count - 1) / 2;
    double sum = 0, products = 0, squares = 0, squares_x = 0;
    measured->minimum = measured->maximum = rates[0];
    for (size_t i = 0; i < count; i++) {
        sum += rates[i];
        measured->minimum = fmin(measured->minimum, rates[i]);
        measured->maximum = fmax(measured->maximum, rates[i]);
    }
    measured->mean = sum / (double)count;
    for (size_t i = 0; i < count; i++) {
        const double x = (double)i - middle, y = rates[i] - measured->mean;
        products += x * y;
        squares += y * y;
        squares_x += x * x;
    }
    measured->sd = sqrt(squares / ((double)count - 1));
    if (measured->mean > 0)
        measured->slope = 100 * products / squares_x / measured->mean / step_s;
    measured->steady = measured->mean > 0 && fabs(measured->slope) < STEADY_SLOPE_LIMIT;
}

// Rates of the samples that follow each other from now on, while the load runs: of a second each,
// or five shorter ones.
static void sample(struct run *run, struct measured *measured)
{
    struct snapshot *window = &measured->window;
    struct counters from, to;
    const int64_t seconds = measured->length_ns / 1000000000;
    const int64_t count = seconds < LEAST_SAMPLES ? LEAST_SAMPLES : seconds;
    const int64_t start_ns = clock_ns(), step_ns = measured->length_ns / count;
    counters_read(&from);
    accounting_snapshot(run, &measured->first);
    measured->before = measured->first;
    for (int64_t i = 0; i < count && !failure_of(run); i++) {
        sleep_until_ns(start_ns + (i + 1) * step_ns);
        accounting_snapshot(run, &measured->now);
        accounting_difference(&measured->now, &measured->before, window);
        measured->rates[i] = rate_in(window);
        measured->before = measured->now;
    }
    counters_read(&to);
    accounting_difference(&measured->now, &measured->first, window);
    // What others used. Ticks may have missed some of the load's own time.
    const double others_ns = 1e3 * (double)(to.busy_us - from.busy_us) - (double)window->cpu_ns;
    const bool known = from.busy_us != UNKNOWN && to.busy_us != UNKNOWN && to.cpus > 0;
    measured->foreign =
        known ? fmax(others_ns, 0) / ((double)window->active_ns * to.cpus) : (double)NAN;
    judge(measured, (size_t)count, (double)step_ns / 1e9);
    measured->rate = rate_in(window);
    // While the workers are there: some loads look at them.
    const struct load *load = run->load;
    line_object(&measured->ready, NULL);
    if (load->describe)
        load->describe(run, &measured->ready);
    line_close(&measured->ready);
    line_object(&measured->summary, NULL);
    if (load->fields)
        load->fields(run, &measured->window, &measured->summary);
    line_close(&measured->summary);
    if (measured->ready.failed || measured->summary.failed)
        run_fail(run, "out of memory: free some");
}

// Drives the engine from start to stop: a ramp of a fifth of the length (1 s at most), then the
// samples. What the load's prepare() made is the caller's to clean up. False, after it has said
// what went wrong.
static bool measure(struct run *run, struct measured *measured)
{
    const int64_t ramp_ns = measured->length_ns / 5;
    if (engine_start(run, NULL, NULL) == 0) {
        engine_resume(run);
        sleep_until_ns(clock_ns() + (ramp_ns < LONGEST_RAMP_NS ? ramp_ns : LONGEST_RAMP_NS));
        sample(run, measured);
    }
    if (run->engine)
        engine_stop(run);
    const bool fine = !failure_of(run) || complain("%s", failure_of(run));
    engine_free(run);
    return fine;
}

// sd of the one-second rates in percent of their mean.
static double spread_percent(const struct measured *measured)
{
    return measured->mean > 0 ? 100 * measured->sd / measured->mean : NAN;
}

bool calibration_take(const json_t *record, const struct calibration_key *key,
                      struct calibration_found *found)
{
    const struct {
        const char *name, *value;
    } members[] = {{"schema", SCHEMA_CALIBRATION}, {"host", key->host},
                   {"machine", key->machine},      {"load", key->load},
                   {"options", key->options},      {"subject", key->subject}};
    const double rate = json_number_value(json_object_get(record, "rate"));
    struct tm when = {0};
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        if (!json_text_is(record, members[i].name, members[i].value))
            return false;
    if (!(rate > 0) || !isfinite(rate) ||
        !strptime(json_text_or_empty(record, "created"), "%Y-%m-%dT%H:%M:%SZ", &when))
        return false;
    // Records of older versions do not say what others used: 0.
    *found = (struct calibration_found){.rate = rate,
                                        .age_s = difftime(time(NULL), timegm(&when)),
                                        .foreign =
                                            json_number_value(json_object_get(record, "foreign"))};
    return true;
}

// `loadgen LOAD [options] --calib [SECONDS]`: measures a load without a limit, and
// keeps its rate.

// ---- what is wanted ----

// SECONDS behind --calib as nanoseconds.
static int64_t length_of(const struct run *run)
{
    int64_t length_ns = run->common.if_missing ? SHORT_NS : USUAL_NS;
    if (run->argument_count > 1)
        usage_error("%s: an argument too many: --calib takes SECONDS", run->arguments[1]);
    if (run->argument_count == 1 && (units_time(run->arguments[0], &length_ns) != 0 ||
                                     length_ns < SHORTEST_NS || length_ns > LONGEST_NS))
        usage_error("--calib %s: not a time: give 0.5 to 86400 seconds", run->arguments[0]);
    return length_ns;
}

// Whether a load with these options refers to a calibration at all.
static bool is_needed(const struct run *run)
{
    if (!run->load->calibrations || run->rate == 0 || strcmp(run->unit, UNIT_NONE) == 0)
        return false; // there is nothing, or something else is done in place of load
    return (!run->common.limit && !run->stages) || calibration_percent(run) > 0;
}

static void check(const struct run *run)
{
    if (!run->load->calibrations)
        usage_error("--calib: loadgen %s has no rate that needs it: leave it out", run->load->name);
    if (run->common.control || run->common.limit || run->stages)
        usage_error("--calib measures without a limit, and by itself: leave out --control, --limit "
                    "and --stages");
    if (run->rate == 0)
        usage_error("--calib of nothing: give a load above 0");
}

// ---- the record ----

// Key, rate, and what the load says of itself. NULL: out of memory.
static const char *compose(struct run *run, const struct calibration_key *key,
                           const struct measured *measured, struct line *line)
{
    char created[DATE_SIZE];
    const double operations = per_second((double)measured->window.operations, &measured->window);
    line_object(line, NULL);
    line_text(line, "schema", SCHEMA_CALIBRATION);
    line_text(line, "load", key->load);
    line_text(line, "host", key->host);
    line_text(line, "machine", key->machine);
    line_text(line, "options", key->options);
    line_text(line, "subject", key->subject);
    line_text(line, "created", date_utc(time(NULL), created));
    line_count(line, "threads", run->threads);
    line_fixed(line, "seconds", (double)measured->length_ns / 1e9, 6);
    line_fixed(line, "slope_limit_percent_per_s", STEADY_SLOPE_LIMIT, 6);
    // The fields unit, rate, operations_per_s, minimum, maximum, sd, spread_percent,
    // slope_percent_per_s, steady, cpu_s; and p50_ns, p99_ns if the load has operations.
    line_text(line, "unit", run->unit);
    line_fixed(line, "rate", measured->rate, 6);
    line_fixed(line, "operations_per_s", isnan(operations) ? 0 : operations, 6);
    line_fixed(line, "minimum", measured->minimum, 6);
    line_fixed(line, "maximum", measured->maximum, 6);
    line_fixed(line, "sd", measured->sd, 6);
    line_fixed(line, "spread_percent", spread_percent(measured), 6);
    line_fixed(line, "slope_percent_per_s", measured->slope, 6);
    line_bool(line, "steady", measured->steady);
    line_fixed(line, "foreign", measured->foreign, 3);
    line_fixed(line, "cpu_s", (double)measured->window.cpu_ns / 1e9, 6);
    if (has_operations(run->load)) {
        line_fixed(line, "p50_ns", (double)histogram_quantile(&measured->window.service, 0.5), 6);
        line_fixed(line, "p99_ns", (double)histogram_quantile(&measured->window.service, 0.99), 6);
    }
    line_raw(line, "ready", measured->ready.text);
    line_raw(line, "summary", measured->summary.text);
    return line_end(line);
}

// ---- keeping it ----

static int keep(struct run *run, const struct calibration_key *key, const char *text)
{
    const char *named = run->common.calibration;
    char path[PATH_MAX];
    if (run->report.json && !run->common.if_missing)
        report_text(&run->report, text);
    if (run->report.broken)
        return 1;
    if (named)
        return save_text(named, text, SAVE_OUTPUT) || save_complain(named) ? 0 : 1;
    if (calibration_path(key, path) != 0)
        return !complain("no place to keep the calibration: set HOME or XDG_CACHE_HOME");
    if (kept_write(path, text) != 0)
        return !complain("cannot keep the calibration %s: %s: set XDG_CACHE_HOME to another "
                         "folder, or name a file with --calibration",
                         path, strerror(errno));
    if (!run->common.if_missing)
        report_print(&run->report, "kept as %.900s\n", path);
    return 0;
}

// ---- measuring ----

// Of a rate that was asked for; with --if-missing it is what a load needs, which says itself what
// it is of.
static void print_all(struct run *run, const char *title, const struct measured *measured)
{
    // One line for people: title and rate, spread, slope; a complaint if not steady.
    char rate[48];
    report_print(&run->report, "%-40s %12s  spread %.1f %%  slope %+.2f %% a second\n", title,
                 units_format_rate(measured->rate, run->unit, rate, sizeof rate),
                 fmax(spread_percent(measured), 0), measured->slope);
    if (measured->foreign > CALIBRATION_BUSY)
        complain(
            "%s: other programs used %.0f %% of the CPUs meanwhile: an experiment that uses it "
            "calibrates again when the machine is quiet",
            title, 100 * measured->foreign);
    if (!measured->steady)
        complain("%s: no steady state (slope %+.2f %% a second, limit %.1f): give --calib more "
                 "seconds, or a quieter machine",
                 title, measured->slope, STEADY_SLOPE_LIMIT);
    if (run->load->notes)
        run->load->notes(run, "summary", &measured->window);
}

// before: the one that it replaces, unless others used still more of the CPUs; NULL: any.
static int measure_and_keep(struct run *run, struct measured *measured,
                            const struct calibration_found *before)
{
    struct calibration_key key;
    char title[sizeof key.options + sizeof key.subject + 64];
    struct line line = {0};
    calibration_key(run, &key);
    snprintf(title, sizeof title, "%s %s%s%s", key.load, key.options,
             *key.subject != '\0' ? " on " : "", key.subject);
    if (before)
        complain("calibrating again for %g s, as the machine is quiet now, and other programs used "
                 "%.0f %% of the CPUs before: %s",
                 (double)measured->length_ns / 1e9, 100 * before->foreign, title);
    else if (run->common.if_missing)
        complain("calibrating for %g s what its percentage is of: %s",
                 (double)measured->length_ns / 1e9, title);
    if (!measure(run, measured))
        return 1;
    if (!run->common.if_missing)
        print_all(run, title, measured);
    const char *text = compose(run, &key, measured, &line);
    const int status = !text ? !complain("out of memory: free some")
                       : before && measured->foreign > before->foreign ? 0
                                                                       : keep(run, &key, text);
    line_free(&line);
    line_free(&measured->ready);
    line_free(&measured->summary);
    return status;
}

// Whether a calibration that is kept was made while others used the CPUs, and they do not now: then
// it is made again.
static bool is_due_again(const struct run *run, const struct calibration_found *found)
{
    const struct timespec look = {.tv_nsec = 300000000};
    struct counters from, to;
    if (run->common.calibration || !(found->foreign > CALIBRATION_BUSY))
        return false;
    counters_read(&from);
    const int64_t begin_ns = clock_ns();
    (void)nanosleep(&look, NULL);
    counters_read(&to);
    const double all_us = (double)(clock_ns() - begin_ns) / 1e3 * to.cpus;
    const bool known = from.busy_us != UNKNOWN && to.busy_us != UNKNOWN && to.cpus > 0;
    return known && (double)(to.busy_us - from.busy_us) < CALIBRATION_BUSY * all_us;
}

int calibrate(struct run *run)
{
    struct calibration_found found = {.path = ""};
    const struct calibration_found *before = NULL;
    char error[2048];
    int status = -1;
    if (!run->common.if_missing)
        check(run);
    else
        status = !is_needed(run) ? 0 : calibration_find(run, &found, error, sizeof error);
    if (status == 0 && found.path[0] != '\0' && is_due_again(run, &found)) {
        before = &found;
        status = -1;
    }
    if (status < 0) {
        struct measured *measured = calloc(1, sizeof *measured); // large for a stack
        run->rate = INFINITY;
        if (measured)
            measured->length_ns = length_of(run);
        status = !measured ? !complain("out of memory: free some")
                           : measure_and_keep(run, measured, before);
        free(measured);
    }
    return status;
}
