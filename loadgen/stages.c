// --stages: a rate that changes with time, as it is given or as it was recorded.
#include "frame.h"

#include "common/file.h"
#include "common/record_json.h"
#include "common/text.h"

#include <stdarg.h>

enum { KINDS = RATE_PERCENT + 1, LONGEST_NUMBER = 64, MOST_COLUMNS = 256 };

// One more straight line from where the last one ended, in the unit that it was given in.
struct line_to {
    double length_ns, rate; // at its end
    enum rate_kind kind;
};

struct stages {
    const char *text; // of --stages
    size_t count, room;
    struct line_to *line;
    bool in_cpus; // percentages are of one CPU, for all workers together
    // Of each kind the largest rate, and how it was written: the load says what that means.
    double largest[KINDS];
    char written[KINDS][LONGEST_NUMBER];
};

// Ends the program: what is wrong with --stages, and what to do.
__attribute__((format(printf, 2, 3), noreturn)) static void refuse(const struct stages *stages,
                                                                   const char *format, ...)
{
    char why[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    usage_error("--stages %.200s: %s", stages->text, why);
}

static void add(struct stages *stages, double length_ns, double rate, enum rate_kind kind)
{
    if (stages->count == stages->room) {
        stages->room = 2 * stages->room + 16;
        struct line_to *more = reallocarray(stages->line, stages->room, sizeof *more);
        if (!more)
            refuse(stages, "out of memory: free some");
        stages->line = more;
    }
    stages->line[stages->count++] = (struct line_to){length_ns, rate, kind};
}

// ---- rates and times ----

// 0 and more. False: it is none.
static bool rate_read(struct stages *stages, const char *text, struct rate *rate)
{
    if (strlen(text) >= LONGEST_NUMBER || units_rate(text, rate) != 0 || rate->value < 0)
        return false;
    if (rate->value > stages->largest[rate->kind]) {
        stages->largest[rate->kind] = rate->value;
        snprintf(stages->written[rate->kind], LONGEST_NUMBER, "%s", text);
    }
    return true;
}

static struct rate rate_given(struct stages *stages, const char *text)
{
    struct rate rate;
    if (!rate_read(stages, text, &rate))
        refuse(stages, "'%s' is not a rate: give 0 or more, such as 50%%", text);
    return rate;
}

static double time_given(const struct stages *stages, const char *text)
{
    int64_t time_ns;
    if (units_time(text, &time_ns) != 0 || time_ns < 0)
        refuse(stages,
               "'%s' is neither a time nor a file that can be read: give DURATION:RATE,... such "
               "as 10s:50%%,1m:0, or FILE:COLUMN",
               text);
    return (double)time_ns;
}

// ---- as it is given ----

// "10s:10%,1m:90%"; text is written to.
static void read_list(struct stages *stages, char *text)
{
    for (char *part; (part = strsep(&text, ",")) != NULL;) {
        char *colon = strchr(part, ':');
        if (colon)
            *colon = '\0';
        const double length_ns = time_given(stages, part);
        if (!colon || colon[1] == '\0')
            refuse(stages, "the stage '%s' has no rate: give DURATION:RATE, such as %s:50%%", part,
                   *part == '\0' ? "10s" : part);
        const struct rate rate = rate_given(stages, colon + 1);
        add(stages, length_ns, rate.value, rate.kind);
    }
}

// Straight lines of a sine. 4 k + 2, so that its extremes are in the middle of one: then each has
// the sine's own integral, and no end of one leaves the range.
#define SINE_LINES 66

static void add_sine(struct stages *stages, double period_ns, double low, double high,
                     enum rate_kind kind)
{
    const double middle = (low + high) / 2, step = 2 * M_PI / SINE_LINES;
    // What makes the mean of a line's ends that of the sine between them.
    const double amplitude = (high - low) / 2 * tan(step / 2) / (step / 2);
    add(stages, 0, middle, kind);
    for (int i = 1; i <= SINE_LINES; i++)
        add(stages, period_ns / SINE_LINES, middle + amplitude * sin(i * step), kind);
}

// "square:2s:10%:90%", of which name is the first word. False: it is none of these.
static bool read_shape(struct stages *stages, char *text)
{
    static const char *const names[] = {"square", "sine", "sawtooth", NULL};
    char *rest = text;
    const char *name = strsep(&rest, ":"), *period = strsep(&rest, ":"), *low = strsep(&rest, ":");
    if (!text_is_among(name, names))
        return false;
    if (!period || !low || !rest || strchr(rest, ':'))
        refuse(stages, "give %s:PERIOD:LOW:HIGH, such as %s:2s:10%%:90%%", name, name);
    const double period_ns = time_given(stages, period);
    const struct rate from = rate_given(stages, low), to = rate_given(stages, rest);
    if (*name == 's' && name[1] == 'q') {
        add(stages, 0, from.value, from.kind);
        add(stages, period_ns / 2, from.value, from.kind);
        add(stages, 0, to.value, to.kind);
        add(stages, period_ns / 2, to.value, to.kind);
    } else if (name[1] == 'a') {
        add(stages, 0, from.value, from.kind);
        add(stages, period_ns, to.value, to.kind);
    } else if (from.kind != to.kind && from.value > 0 && to.value > 0) {
        refuse(stages, "a sine is between two rates of one unit: give both in %%, or both without");
    } else {
        add_sine(stages, period_ns, from.value, to.value, to.value > 0 ? to.kind : from.kind);
    }
    return true;
}

// ---- as it was recorded ----

// A recording while it is read.
struct recording {
    struct stages *stages;
    const char *column; // NULL: none was named
    FILE *file;
    char *text; // of the line
    size_t room, line, rows;
    double last_s;
};

static bool next_line(struct recording *recording)
{
    const ssize_t length = getline(&recording->text, &recording->room, recording->file);
    if (length < 0 && ferror(recording->file))
        refuse(recording->stages, "%s: give a file", strerror(errno));
    if (length < 0)
        return false;
    recording->line++;
    recording->text[strcspn(recording->text, "\r\n")] = '\0';
    return true;
}

// That of one more row in seconds from the first one's on; *passed_ns: since the one before.
static void take_time(struct recording *recording, double time_s, double *passed_ns)
{
    if (time_s < 0)
        refuse(recording->stages, "line %zu: the time %g is negative: give seconds from 0 on",
               recording->line, time_s);
    if (recording->rows > 0 && time_s < recording->last_s)
        refuse(recording->stages, "line %zu: the time %g comes after %g: sort the rows by time",
               recording->line, time_s, recording->last_s);
    *passed_ns = recording->rows > 0 ? (time_s - recording->last_s) * 1e9 : 0;
    recording->last_s = time_s;
    recording->rows++;
}

// Splits a line at its commas or tabs, without blanks and quotes around each field, in place.
static size_t split(char *text, char delimiter, char *field[MOST_COLUMNS])
{
    const char at[] = {delimiter, '\0'};
    size_t count = 0;
    for (char *part; count < MOST_COLUMNS && (part = strsep(&text, at)) != NULL;) {
        part += strspn(part, " \"");
        size_t length = strlen(part);
        while (length > 0 && strchr(" \"", part[length - 1]))
            part[--length] = '\0';
        field[count++] = part;
    }
    return count;
}

static size_t column_named(char *const *field, size_t count, const char *name)
{
    size_t i = 0;
    while (i < count && strcmp(field[i], name) != 0)
        i++;
    return i;
}

// That of the times: by its name, else the first one.
static size_t column_of_times(char *const *field, size_t count)
{
    static const char *const names[] = {"time",    "time_s",    "t", "seconds",
                                        "elapsed", "elapsed_s", NULL};
    for (size_t i = 0; names[i]; i++)
        if (column_named(field, count, names[i]) < count)
            return column_named(field, count, names[i]);
    return 0;
}

// The column that was asked for, of those of the header.
static size_t column_of_rates(const struct recording *recording, char *const *field, size_t count,
                              size_t times)
{
    const size_t found = recording->column ? column_named(field, count, recording->column) : count;
    char names[400] = "";
    if (found < count && found != times)
        return found;
    for (size_t i = 0; i < count; i++)
        if (i != times)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
                     *names == '\0' ? "" : ", ", field[i]);
    if (!recording->column)
        refuse(recording->stages, "which column? Give FILE:COLUMN, of %s", names);
    if (found == times && found < count)
        refuse(recording->stages, "the column %s has the times: give one of %s", recording->column,
               names);
    refuse(recording->stages, "there is no column %s: give one of %s", recording->column, names);
}

// A header, then rows: straight lines from one to the next. The header has been read.
static void read_table(struct recording *recording)
{
    struct stages *stages = recording->stages;
    char *field[MOST_COLUMNS], number[2 * LONGEST_NUMBER];
    const char delimiter = strchr(recording->text, '\t') ? '\t' : ',';
    size_t count = split(recording->text, delimiter, field);
    const size_t times = column_of_times(field, count),
                 rates = column_of_rates(recording, field, count, times);
    const bool percent = text_ends(field[rates], "percent") || text_ends(field[rates], "%");
    while (next_line(recording)) {
        double time_s, passed_ns;
        struct rate rate;
        if (recording->text[strspn(recording->text, " \t")] == '\0')
            continue;
        count = split(recording->text, delimiter, field);
        if (count <= times || units_real(field[times], &time_s) != 0)
            refuse(stages, "line %zu: '%s' is not a time in seconds", recording->line,
                   count <= times ? "" : field[times]);
        take_time(recording, time_s, &passed_ns);
        const char *text = count <= rates ? "" : field[rates];
        snprintf(number, sizeof number, "%.100s%s", text,
                 percent && !text_ends(text, "%") ? "%" : "");
        if (!rate_read(stages, number, &rate))
            refuse(stages, "line %zu: '%s' is not a rate: give 0 or more, such as 50 or 50%%",
                   recording->line, text);
        add(stages, passed_ns, rate.value, rate.kind);
    }
}

// The mean of the recorded cores in percent, or one of them; NAN: there is none.
static double recorded_percent(const struct recording *recording, const json_t *load)
{
    const size_t count = json_array_size(load);
    uint64_t core;
    double sum = 0;
    if (recording->column && (units_count(recording->column, &core) != 0 || core >= count))
        refuse(recording->stages, "there is no core %s: give one of 0 to %zu, or none for the mean",
               recording->column, count - 1);
    for (size_t i = 0; i < count; i++)
        if (!recording->column || i == core)
            sum += json_number_value(json_array_get(load, i));
    return count == 0 ? NAN : recording->column ? sum : sum / (double)count;
}

// What a column of a recorded neighbour counts in, as it is written behind its numbers; NULL: it is
// not a rate.
static const char *unit_of_column(const char *column, bool *in_cpus)
{
    static const char *const cpus[] = {"cpu", "cpu_wait", "runnable", "blocked", NULL};
    *in_cpus = text_is_among(column, cpus);
    if (*in_cpus)
        return "%";
    return text_ends(column, "bytes_per_s") ? "B/s" : text_ends(column, "_per_s") ? "ops/s" : NULL;
}

// The rate of one line, as --limit would have it. False: this line is not a span.
static bool recorded_rate(const struct recording *recording, const json_t *record, double full,
                          char number[LONGEST_NUMBER])
{
    const json_t *load = json_object_get(record, "load");
    const char *column = recording->column, *unit = "%";
    char digits[32];
    uint64_t core;
    double value;
    if (!json_is_array(load))
        return false;
    if (!column || units_count(column, &core) == 0) {
        value = recorded_percent(recording, load) / full * 100;
    } else {
        bool in_cpus;
        unit = unit_of_column(column, &in_cpus);
        value = json_number_at(record, column) * (in_cpus ? 100 : 1);
        if (!unit || isnan(value))
            refuse(recording->stages,
                   "line %zu has no rate %s: give a core from 0 on, or a column that the recording "
                   "has, such as cpu or write_bytes_per_s",
                   recording->line, column);
        recording->stages->in_cpus = in_cpus;
    }
    if (isnan(value))
        refuse(recording->stages, "line %zu has no load: give a recording of loadgen record",
               recording->line);
    snprintf(number, LONGEST_NUMBER, "%s%s", units_exact_real(value, digits, sizeof digits), unit);
    return true;
}

// What loadgen record writes: each line has the load up to its time. The first has been read.
static void read_profile(struct recording *recording)
{
    struct stages *stages = recording->stages;
    double full = 100;
    do {
        json_auto_t *record = json_loads(recording->text, 0, NULL);
        char number[LONGEST_NUMBER];
        struct rate rate;
        double passed_ns;
        if (json_text_is(record, "unit", "fraction"))
            full = 1;
        if (!record)
            refuse(stages, "line %zu is not JSON: give a recording of loadgen record",
                   recording->line);
        if (!recorded_rate(recording, record, full, number))
            continue;
        const double time_s = json_number_at(record, "time_ms") / 1e3;
        const bool first = recording->rows == 0;
        if (isnan(time_s))
            refuse(stages, "line %zu has no time_ms: give a recording of loadgen record",
                   recording->line);
        take_time(recording, time_s, &passed_ns);
        if (!rate_read(stages, number, &rate))
            refuse(stages, "line %zu: a load of %s", recording->line, number);
        add(stages, 0, rate.value, rate.kind);
        add(stages, first ? time_s * 1e9 : passed_ns, rate.value, rate.kind);
    } while (next_line(recording));
}

// FILE or FILE:COLUMN; text is written to. NULL: there is no such file.
static FILE *open_recording(char *text, const char **column)
{
    char *colon = strrchr(text, ':');
    FILE *file = file_open_record(text);
    *column = NULL;
    if (file || !colon)
        return file;
    *colon = '\0';
    file = file_open_record(text);
    if (file)
        *column = colon + 1;
    else
        *colon = ':';
    return file;
}

// False: the text names no file.
static bool read_recording(struct stages *stages, char *text)
{
    struct recording recording = {.stages = stages};
    recording.file = open_recording(text, &recording.column);
    if (!recording.file)
        return false;
    if (!next_line(&recording))
        refuse(stages, "the file is empty");
    if (recording.text[strspn(recording.text, " \t")] == '{')
        read_profile(&recording);
    else
        read_table(&recording);
    free(recording.text);
    fclose(recording.file);
    if (stages->count < 2)
        refuse(stages, "%zu row%s: give two or more", recording.rows,
               recording.rows == 1 ? "" : "s");
    return true;
}

// ---- what the frame asks ----

static double whole_length_ns(const struct stages *stages)
{
    double sum_ns = 0;
    for (size_t i = 0; i < stages->count; i++)
        sum_ns += stages->line[i].length_ns;
    return sum_ns;
}

static void check(const struct stages *stages)
{
    bool any = false;
    double before = 0;
    for (size_t i = 0; i < stages->count; i++) {
        const struct line_to *line = &stages->line[i];
        any = any || (line->length_ns > 0 && (before > 0 || line->rate > 0));
        before = line->rate;
    }
    const double whole_ns = whole_length_ns(stages);
    if (!(whole_ns > 0))
        refuse(stages, "it takes no time: give a stage longer than 0s");
    if (whole_ns > OPTION_TIME_MOST / 4)
        refuse(stages, "it is too long: give less than 25 years");
    if (!any)
        refuse(stages, "its rate is 0 all the time: give a stage with a rate above 0");
}

static void phase_read(struct run *run)
{
    const char *text = run->common.phase;
    run->phase_random = text && strcmp(text, "random") == 0;
    if (!text || run->phase_random)
        return;
    if (!run->stages)
        usage_error("--phase %s: the rate is the same all the time: give --stages too", text);
    if (units_time(text, &run->phase_ns) != 0 || run->phase_ns < 0)
        usage_error("--phase %s: give a time such as 2s, or random", text);
    if ((double)run->phase_ns >= whole_length_ns(run->stages))
        usage_error("--phase %s: the stages take only %g s: give less than that", text,
                    whole_length_ns(run->stages) / 1e9);
}

void stages_read(struct run *run)
{
    const char *given = run->common.stages;
    if (given && run->common.limit)
        usage_error("--limit and --stages: both set the rate: give one of them");
    if (given) {
        struct stages *stages = run->stages = calloc(1, sizeof *stages);
        char *text = strdup(given);
        if (!stages || !text)
            usage_error("--stages: out of memory: free some");
        stages->text = given;
        if (!read_recording(stages, text)) {
            memcpy(text, given, strlen(given) + 1);
            if (!read_shape(stages, text)) {
                memcpy(text, given, strlen(given) + 1);
                read_list(stages, text);
            }
        }
        free(text);
        for (size_t i = 0; i < stages->count; i++)
            stages->line[i].length_ns /= run->common.speed;
        check(stages);
        run->stages_percent = stages->largest[RATE_PERCENT];
    }
    if (!given && options_given(run->options, "speed") && !options_given(run->options, "profile"))
        usage_error("--speed %g: nothing is played: give --stages too", run->common.speed);
    phase_read(run);
    if (run->phase_random && !run->stages)
        usage_error("--phase random: the rate is the same all the time: give --stages too");
    run->arrivals = (enum arrivals)run->common.arrivals;
}

// A recorded CPU time is of all workers, a percentage of a CPU load that of each. 0, or -1 and why.
static int share_among_workers(const struct run *run, struct stages *stages, char *error,
                               size_t size)
{
    const double cpus = stages->largest[RATE_PERCENT] / 100;
    if (!stages->in_cpus)
        return 0;
    if (strcmp(run->unit, UNIT_CPUS) != 0)
        return BECAUSE(error, size,
                       "this column is of CPU time: play it with loadgen cpu, or choose another "
                       "column");
    if (cpus > run->threads)
        return BECAUSE(error, size,
                       "it has up to %.2f CPUs, more than the %u worker%s: give --threads %.0f",
                       cpus, run->threads, run->threads == 1 ? "" : "s", ceil(cpus));
    for (size_t i = 0; i < stages->count; i++)
        stages->line[i].rate /= run->threads;
    stages->largest[RATE_PERCENT] /= run->threads;
    snprintf(stages->written[RATE_PERCENT], LONGEST_NUMBER, "%.15g%%",
             stages->largest[RATE_PERCENT]);
    stages->in_cpus = false; // done
    return 0;
}

int stages_choose(struct run *run, char *error, size_t size)
{
    struct stages *stages = run->stages;
    struct schedule *schedule = &run->schedule;
    double factor[KINDS] = {0}, before = 0;
    if (share_among_workers(run, stages, error, size) != 0)
        return -1;
    for (size_t kind = 0; kind < KINDS; kind++) {
        if (!(stages->largest[kind] > 0))
            continue;
        if (rate_of(run, stages->written[kind], &factor[kind], error, size) != 0)
            return -1;
        factor[kind] /= stages->largest[kind];
    }
    schedule->stage = calloc(stages->count, sizeof *schedule->stage);
    if (!schedule->stage)
        return BECAUSE(error, size, "out of memory: free some");
    for (size_t i = 0; i < stages->count; i++) {
        const struct line_to *line = &stages->line[i];
        const double rate = line->rate * factor[line->kind];
        if (line->length_ns > 0)
            schedule->stage[schedule->count++] =
                (struct stage){.length_ns = line->length_ns, .from = before, .to = rate};
        before = rate;
    }
    schedule_sum(schedule);
    run->rate = schedule->total / schedule->length_ns * 1e9;
    if (!run->common.control && !options_given(run->options, "duration"))
        run->common.duration_ns = (int64_t)ceil(schedule->length_ns);
    return 0;
}

void stages_describe(const struct run *run, struct line *line)
{
    if (run->stages) {
        line_text(line, "stages", run->common.stages);
        if (run->common.speed != 1)
            line_fixed(line, "speed", run->common.speed, 6);
        line_fixed(line, "stages_s", whole_length_ns(run->stages) / 1e9, 6);
    }
    if (has_schedule(run))
        line_fixed(line, "highest_rate", run->schedule.highest, 6);
    if (run->stages || run->arrivals != ARRIVALS_EVEN)
        line_text(line, "arrivals", run->arrivals == ARRIVALS_EVEN ? "even" : "poisson");
}

void stages_put_phase(const struct run *run, struct line *line)
{
    if (has_schedule(run))
        line_fixed(line, "phase_s", (double)run->phase_ns / 1e9, 6);
}

void stages_free(struct run *run)
{
    if (run->stages)
        free(run->stages->line);
    free(run->stages);
    free(run->schedule.stage);
    run->stages = NULL;
    run->schedule = (struct schedule){0};
}
