// The run loop: one run after another as the course decides, with what is beside it, and what bash
// does around it.

#include "conduct.h"

#include "harness/stats/json.h"
#include "harness/stats/result.h"

#include "common/clock.h"
#include "common/file.h"
#include "common/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *const hook_names[HOOKS] = {
    [HOOK_PREPARE] = "prepare", [HOOK_RESUMED] = "resumed",   [HOOK_RAN] = "ran",
    [HOOK_SETTLED] = "settled", [HOOK_RECORDED] = "recorded",
};
const char *const shown_names[SHOWN_ALL + 2] = {[SHOWN_NOTHING] = "-",
                                                [SHOWN_FORECAST] = "forecast",
                                                [SHOWN_LINE] = "line",
                                                [SHOWN_ALL] = "all"};

// A client that has not heard that it is to end hears it again.
static const int64_t end_again_ns = NS_PER_S;

static const int64_t line_ns = 250 * NS_PER_MS; // between two lines about the progress

// A forecast of so many runs, after so few, is not a number; and nobody needs one of some seconds.
static const double forecast_most = 1000;
static const int64_t forecast_from_ns = NS_PER_S / 2, forecast_least_s = 10;

// ---- what is said meanwhile

// How long the rest will take.
struct left {
    int64_t seconds; // -1: not known
    bool is_cut;     // --max-time leaves no more than that
};

// The clock of --max-time: also while the machine sleeps.
static int64_t now_ns(void)
{
    return clock_of(CLOCK_BOOTTIME);
}

static struct left time_left(const struct making *making, long more)
{
    if (more < 0 || making->runs == 0)
        return (struct left){.seconds = -1};
    const double spent_ns = (double)(now_ns() - making->since_ns);
    const double rest_ns = spent_ns * (double)more / (double)making->runs;
    const double most_ns = fmax((double)making->most_ns - spent_ns, 0);
    const bool is_cut = making->most_ns > 0 && rest_ns > most_ns;
    return (struct left){(int64_t)((is_cut ? most_ns : rest_ns) / NS_PER_S), is_cut};
}

// How many more runs are expected; -1: not known.
static long runs_left(const struct course *course)
{
    return course->next.more >= 0 && !course->is_warm_up ? course->next.more : -1;
}

static bool say_forecast(struct conduct *conduct)
{
    struct making *making = &conduct->making;
    const long more = runs_left(&conduct->course);
    const struct left left = time_left(making, more);
    if (left.seconds < 0 || now_ns() - making->since_ns < forecast_from_ns)
        return true;
    making->shown = SHOWN_NOTHING;
    if (left.seconds < forecast_least_s)
        return true;
    const bool is_number = !left.is_cut || (double)more <= forecast_most * (double)making->runs;
    return conduct_answer(conduct, "forecast\t%" PRId64 "\t%s\t%zu\t%ld", left.seconds,
                          left.is_cut ? "cut" : "-", making->runs, is_number ? more : -1);
}

// CONDITION BLOCK ORDER PROGRESS SECONDS_LEFT MORE VALUE
static bool say_line(struct conduct *conduct)
{
    struct making *making = &conduct->making;
    const struct decision *next = &conduct->course.next;
    const struct settings *settings = &conduct->experiment.settings;
    char error[32] = "-", value[VARY_TEXT_SIZE] = "-", varied[128] = "";
    if (making->shown == SHOWN_LINE && clock_ns() - making->shown_ns < line_ns)
        return true;
    making->shown_ns = clock_ns();
    if (isfinite(next->worst_error))
        snprintf(error, sizeof error, "%.1f %%", 100 * next->worst_error);
    if (!isnan(next->value))
        snprintf(varied, sizeof varied, "%s %s, ", settings->vary.name,
                 vary_text(next->value, value));
    return conduct_answer(
        conduct, "run\t%s\t%zu\t%zu\t%serror %s (%.1f %% wanted)\t%" PRId64 "\t%ld\t%s",
        settings->conditions[next->condition], next->block, next->order, varied, error,
        100 * settings->error, time_left(making, runs_left(&conduct->course)).seconds,
        runs_left(&conduct->course), value);
}

static bool say_progress(struct conduct *conduct)
{
    switch (conduct->making.shown) {
    case SHOWN_NOTHING:
        return true;
    case SHOWN_FORECAST:
        return say_forecast(conduct);
    default:
        return say_line(conduct);
    }
}

// ---- what is beside the target

static struct source *source_of(struct conduct *conduct, const char *id)
{
    return sources_find(&conduct->sources, id);
}

// The first load of the run's condition behind that one (NULL: of all); NULL: there is none.
static struct source *load_of_run(struct conduct *conduct, const struct source *before)
{
    struct sources *sources = &conduct->sources;
    const char *load =
        experiment_member(&conduct->experiment, (size_t)conduct->course.next.condition, "load");
    for (size_t i = before ? (size_t)(before - sources->source) + 1 : 0; load && i < sources->count;
         i++)
        if (sources->source[i].condition && strcmp(sources->source[i].condition, load) == 0)
            return &sources->source[i];
    return NULL;
}

// Tells all loads of the run a line, and waits for the event that answers it.
static bool loads_do(struct conduct *conduct, const char *line, const char *event)
{
    const struct source *first = load_of_run(conduct, NULL);
    if (!first)
        return true;
    for (struct source *load = load_of_run(conduct, NULL); load;
         load = load_of_run(conduct, load)) {
        source_tell(load, "%s\n", line);
        await_event(load, event);
    }
    return wait_answered(conduct, event);
}

// Has the loads note what they have done so far. Clocks of two nodes are never compared: a load's
// figures are over its own time between two marks. What is not known is how long a mark was on
// its way, so the longest round trip by our own clock goes into the record.
static bool loads_mark(struct conduct *conduct, const char *name)
{
    const int64_t sent_ns = clock_ns();
    char line[32];
    snprintf(line, sizeof line, "mark %s", name);
    if (!loads_do(conduct, line, "mark"))
        return false;
    const int64_t trip_ns = clock_ns() - sent_ns;
    if (trip_ns > conduct->making.delay_ns)
        conduct->making.delay_ns = trip_ns;
    return true;
}

// Has the server up for the run: a new one for each block, unless it is to be kept. Runs outside of
// blocks (warm-up, washout) take the one that is there; those right after a start come with the
// block that it is for. Where a condition has settings of the server there is a new one for each
// run, as all are compared, which the unmeasured runs before it have started already.
static bool service_up(struct conduct *conduct)
{
    const struct course *course = &conduct->course;
    const struct settings *settings = &conduct->experiment.settings;
    struct making *making = &conduct->making;
    struct source *service = source_of(conduct, "service");
    const size_t block = course->is_start ? course->started : course->next.block;
    bool restart = false;
    if (!service)
        return true;
    if (settings->each_run) {
        restart = !making->service_is_new;
        making->service_is_new = course->is_start;
    } else if (block != 0 && block != making->service_block) {
        restart = settings->each_block;
        making->service_block = block;
    }
    if (restart && settings->each_run)
        source_tell(service, "restart %" PRId64 "\n",
                    conduct->part[course->next.condition].service);
    else
        source_tell(service, restart ? "restart\n" : "start\n");
    await_event(service, "up");
    return wait_answered(conduct, "up");
}

// Has the service's meter note what it has used so far.
static bool service_mark(struct conduct *conduct)
{
    struct source *service = source_of(conduct, "service");
    if (!service)
        return true;
    source_tell(service, "mark\n");
    await_event(service, "mark");
    return wait_answered(conduct, "mark");
}

// The sample is of the run that comes next. A probe that has none will have none later, either.
static bool probe_machine(struct conduct *conduct)
{
    if (!source_of(conduct, "probe") && !wait_order(conduct, "start\tprobe"))
        return false;
    struct source *probe = source_of(conduct, "probe");
    if (probe) {
        source_tell(probe, "sample %.3f\n", conduct->course.probe_s);
        await_event(probe, "sample");
        if (!wait_answered(conduct, "sample"))
            return false;
        json_decref(conduct->probe);
        conduct->probe = probe->last;
        probe->last = NULL;
    }
    if (!conduct->probe) {
        conduct->course.probe.wanted = false;
        conduct_warn(conduct, NULL,
                     "the probe before each block ended or was silent: from here on what the "
                     "machine itself reaches is not known");
    }
    course_probed(&conduct->course);
    return true;
}

// ---- a run

// Has bash do what the condition wants to be done at this point.
static bool hook(struct conduct *conduct, enum hook which)
{
    const size_t condition = conduct->course.next.condition;
    return !conduct->part[condition].hook[which] ||
           wait_order(conduct, "hook\t%s\t%s", hook_names[which],
                      conduct->experiment.settings.conditions[condition]);
}

// Waits for an event of meter, which ends the run; a client whose server has died is ended. Again
// each second: meter takes no notice of a signal that comes before it has read that it is to run
// the client.
static bool await_meter(struct conduct *conduct, const char *event)
{
    struct source *meter = source_of(conduct, "meter"), *service = source_of(conduct, "service");
    int64_t limit_ns = -1;
    enum waited waited;
    conduct->making.is_run = service != NULL;
    do {
        await_event(meter, event);
        if (service)
            await_event(service, "died");
        waited = wait_events(conduct, limit_ns);
        if (waited == WAITED_DIED)
            conduct->making.death_said = true;
        if ((waited == WAITED_DIED || waited == WAITED_SILENT) &&
            !conduct_answer(conduct, "kill\tmeter"))
            waited = WAITED_OVER;
        limit_ns = end_again_ns;
    } while (waited == WAITED_DIED || waited == WAITED_SILENT);
    conduct->making.is_run = false;
    return waited == WAITED_ALL;
}

// Has meter make the run. What is beside the target is told about its end before figures are looked
// for.
static bool run_target(struct conduct *conduct, bool *has_record)
{
    const struct decision *next = &conduct->course.next;
    struct source *meter = source_of(conduct, "meter");
    char value[VARY_TEXT_SIZE] = "";
    *has_record =
        !conduct->meter_ends || (!load_of_run(conduct, NULL) && !source_of(conduct, "service"));
    if (!isnan(next->value))
        vary_text(next->value, value);
    source_tell(meter, "run %" PRId64 "%s%s\n", conduct->part[next->condition].variant,
                *value ? " " : "", value);
    return await_meter(conduct, *has_record ? "record" : "ended");
}

static bool take_settled(struct conduct *conduct, bool has_record)
{
    return loads_mark(conduct, "end") && hook(conduct, HOOK_RAN) &&
           loads_do(conduct, "pause", "paused") && (has_record || await_meter(conduct, "record")) &&
           hook(conduct, HOOK_SETTLED);
}

// Whether there was one: what ends jostle may have ended the target.
static bool is_run(struct conduct *conduct)
{
    const json_t *record = source_of(conduct, "meter")->last;
    return judge_counts(record, &conduct->experiment.settings.ignored) || wait_is_failure(conduct);
}

// The last line of a file, to be freed; NULL where there is none.
static char *last_line(const char *path)
{
    FILE *file = file_open_record(path);
    char *line = NULL, *last = NULL;
    size_t size = 0;
    while (file && getline(&line, &size, file) > 0) {
        free(last);
        last = must(strdup(line));
    }
    if (file)
        fclose(file);
    if (last)
        last[strcspn(last, "\n")] = '\0';
    free(line);
    return last;
}

// Answers that hyperfine did not run the target, with what it said last.
static bool fail_hyperfine(struct conduct *conduct)
{
    OWNED char *path = folder_file(&conduct->folder, "target.stderr"), *line = last_line(path);
    OWNED char *text =
        text_of("hyperfine could not run the target: %.300s", line ? line : "it said nothing");
    (void)conduct_fail(conduct, "-", text);
    return false;
}

// Puts the record of the run together, has it judged, and appends it; the course then knows what
// follows.
static bool keep_record(struct conduct *conduct)
{
    struct making *making = &conduct->making;
    struct source *meter = source_of(conduct, "meter");
    const bool counts = conduct->course.next.block != 0;
    char why[FOLDER_ERROR];
    if (!assemble_hyperfine(conduct, meter->last))
        return fail_hyperfine(conduct);
    json_t *record = assemble_run(conduct, meter->last, (double)making->delay_ns / NS_PER_S);
    json_decref(meter->last);
    json_decref(conduct->probe);
    meter->last = conduct->probe = NULL;
    (void)json_array_clear(conduct->undone);
    const bool kept = folder_append(&conduct->folder, record);
    const bool good = kept && course_take(&conduct->course, record, why, sizeof why);
    json_decref(record);
    if (!good)
        return conduct_fail(conduct, "-", kept ? why : conduct->folder.error) && false;
    making->runs += counts;
    status_run(&conduct->status, &conduct->course);
    return true;
}

// One run, from what comes before it to its record. False: the runs are over.
static bool make_run(struct conduct *conduct)
{
    const struct part part = conduct->part[conduct->course.next.condition];
    const char *condition = conduct->experiment.settings.conditions[conduct->course.next.condition];
    bool has_record;
    conduct->making.delay_ns = 0;
    return service_up(conduct) && hook(conduct, HOOK_PREPARE) &&
           loads_do(conduct, "resume", "steady") && loads_mark(conduct, "start") &&
           hook(conduct, HOOK_RESUMED) && service_mark(conduct) &&
           run_target(conduct, &has_record) && service_mark(conduct) &&
           take_settled(conduct, has_record) && is_run(conduct) && keep_record(conduct) &&
           (!part.hook[HOOK_RECORDED] ||
            wait_order(conduct, "hook\t%s\t%s", hook_names[HOOK_RECORDED], condition));
}

// ---- one after another

// Whether --max-time is over. It counts from the first run that is used. A gate without limits has
// a number of runs that are made however long they take.
static bool time_is_up(struct conduct *conduct)
{
    struct making *making = &conduct->making;
    if (conduct->course.next.block != 0 && making->since_ns == 0)
        making->since_ns = now_ns();
    return making->most_ns > 0 && making->since_ns != 0 &&
           now_ns() - making->since_ns >= making->most_ns && making->runs >= making->least_runs;
}

static bool rest(struct conduct *conduct)
{
    const double pause_s = conduct->experiment.settings.washout.pause_s;
    if (!wait_rest(conduct, (int64_t)(pause_s * NS_PER_S)))
        return false;
    conduct->course.session.rested = true;
    course_choose(&conduct->course);
    return true;
}

bool runs_make(struct conduct *conduct)
{
    struct course *course = &conduct->course;
    bool good = true;
    while (good && course->next.stop == STOP_NOT) {
        if (course->next.washout == WASHOUT_PAUSE) {
            good = rest(conduct);
        } else if (time_is_up(conduct)) {
            course->session.outside = STOP_MAX_TIME;
            course_choose(course);
        } else if (course->probe_s > 0) {
            good = probe_machine(conduct);
        } else {
            good = say_progress(conduct) && make_run(conduct);
        }
    }
    return !good || stop_say(conduct);
}
