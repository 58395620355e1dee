#include "harness/stats/json.h"
#include "pack.h"

#include "common/memory.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "common/save.h"
#include "common/schemas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- its cell

// "a\nb": a list of settings has an item a line.
static void append(char **list, char *line)
{
    *list = text_joined(*list, "\n", line);
    free(line);
}

static void put_text(json_t *settings, const char *name, char *text)
{
    json_put(settings, name, json_owned_text(text));
}

static void put_variants(json_t *settings, const json_t *plan, const size_t *count, size_t counts)
{
    char *list = NULL, *command = launcher_command(plan, 0);
    append(&list, text_of(STAGE_REFERENCE "=%s", command));
    free(command);
    for (size_t i = 0; i < counts; i++) {
        command = launcher_command(plan, count[i]);
        append(&list, text_of("%zu=%s", count[i], command));
        free(command);
    }
    put_text(settings, "variant", list);
}

// What the launcher prints, an item a line; of a mix the time of each program, too.
static char *metric_list(const json_t *plan)
{
    static const char *const others[] = {
        "worst_s=stdout:/^worst_s ([0-9.e+-]+)$/,unit=s",
        "makespan_s=stdout:/^makespan_s ([0-9.e+-]+)$/,unit=s",
        "throughput=stdout:/^throughput ([0-9.e+-]+)$/,unit=1/s,better=higher",
        "copy_cpu_s=stdout:/^cpu_s ([0-9.e+-]+)$/,unit=s",
        "copy_peak_bytes=stdout:/^peak_bytes ([0-9]+)$/,unit=B"};
    char *list = text_of("copy_s=stdout:/^copy_s ([0-9.e+-]+)$/,unit=s");
    JSON_EACH (program, json_object_get(plan, "programs")) {
        const char *name = json_text_at(program, "name");
        if (name)
            append(&list, text_of("%s_s=stdout:/^%s_s ([0-9.e+-]+)$/,unit=s", name, name));
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        list = text_joined(list, "\n", others[i]);
    return list;
}

// The metrics that decide: the time of a copy, of a mix that of each program.
static char *decide_list(const json_t *plan)
{
    char *list = NULL;
    JSON_EACH (program, json_object_get(plan, "programs")) {
        OWNED char *name = json_has(program, "name")
                               ? text_of("%s_s", json_text_at(program, "name"))
                               : text_of("copy_s");
        list = text_joined(list, ",", name);
    }
    return list;
}

// Of the settings those that an experiment has by the same name.
static const char *const passed[] = {"setup",   "prepare", "conclude",
                                     "cleanup", "timeout", "statistic"};
enum { PASSED = sizeof passed / sizeof *passed, PASSED_HOOKS = 4 };

static json_t *settings_json(const json_t *plan, const size_t *count, size_t counts, double seconds,
                             double confidence, size_t min_runs)
{
    const json_t *from = json_object_get(plan, "settings");
    json_t *settings = must(json_object());
    put_variants(settings, plan, count, counts);
    put_text(settings, "metric", metric_list(plan));
    put_text(settings, "decide", decide_list(plan));
    put_text(settings, "shell", text_of("none"));
    put_text(settings, "washout", text_of("0"));
    put_text(settings, "error", text_of("%.9g", json_number_at(from, "error")));
    put_text(settings, "confidence", text_of("%.12g", confidence));
    put_text(settings, "min-runs", text_of("%zu", min_runs));
    put_text(settings, "max-runs", text_of("%.0f", json_number_at(from, "max_runs")));
    put_text(settings, "max-time", text_of("%.3fs", seconds));
    put_text(settings, "seed", text_of("%.0f", json_number_at(from, "seed")));
    for (size_t i = 0; i < PASSED; i++)
        if (json_has(from, passed[i]))
            json_put(settings, passed[i], json_text(json_text_at(from, passed[i])));
    return settings;
}

// Writes DIR/stages/NUMBER/cell.json: these numbers of copies against the reference, for so many
// seconds, with intervals of that confidence; its path, to be freed. NULL after a message.
static char *stage_write(const json_t *plan, const char *dir, size_t number, const size_t *count,
                         size_t counts, double seconds, double confidence, size_t min_runs)
{
    OWNED char *folder = text_of("%s/stages/%zu", dir, number), *name = text_of("pack.%zu", number);
    char *path = text_of("%s/cell.json", folder);
    json_auto_t *cell =
        must(json_pack("{s:s, s:s, s:o, s:[], s:o}", "schema", SCHEMA_CELL, "name", name, "command",
                       launcher_words(plan, 0), "loads", "settings",
                       settings_json(plan, count, counts, seconds, confidence, min_runs)));
    if ((save_make_folder(folder, NULL) || save_complain_folder(folder)) &&
        output_document(cell, path))
        return path;
    free(path);
    return NULL;
}

// ---- the first step: one copy by itself, once: whether it works at all, how long it takes, and
// how much memory it needs

static void step_trial(const json_t *plan, const char *dir)
{
    const json_t *settings = json_object_get(plan, "settings");
    json_auto_t *words = launcher_words(plan, 0);
    OWNED char *list = metric_list(plan);
    char *rest = list, seconds[32];
    study_step("run", dir, STAGE_TRIAL);
    study_word("--quiet");
    study_option("--runs", "1");
    study_option("--shell", "none");
    study_option("--timeout", plan_trial_time(plan, seconds));
    for (size_t i = 0; i < PASSED_HOOKS; i++) {
        OWNED char *option = text_of("--%s", passed[i]);
        study_option(option, json_text_at(settings, passed[i]));
    }
    for (char *one = strsep(&rest, "\n"); one; one = strsep(&rest, "\n"))
        study_option("--metric", one);
    study_word("--");
    study_words(words);
    study_step_end();
}

// Which numbers of copies are measured: all of them where there is time, else those between
// which the answer lies.

enum { COUNTS_MOST = 60 }; // of one stage, as a block has at most 64 conditions

struct search {
    size_t least, most; // numbers of copies, without the reference: least is 2, of a mix more
    double trial_s;     // how long the reference takes
    size_t room;        // copies that have CPUs of their own
    double left_s;      // to measure in
    size_t min_runs;    // blocks that are wanted
};

static const double slack = 1.25;     // of a run: neighbours slow it down
static const double between_s = 0.03; // from one run to the next
enum { BLOCKS_LEAST = 5, PARTS = 4 }; // of a gap that a stage divides
// Of the time that is left, what the first stage gets where others may follow.
static const double first_share = 0.5;

static double run_s(const struct search *search, size_t copies)
{
    const double turns = fmax(1, (double)copies / (double)search->room);
    return search->trial_s * turns * slack + between_s;
}

// How many blocks of these numbers fit into so many seconds.
static double blocks(const struct search *search, const size_t *count, size_t counts,
                     double seconds)
{
    double block_s = search->trial_s + between_s;
    for (size_t i = 0; i < counts; i++)
        block_s += run_s(search, count[i]);
    return seconds / block_s;
}

static size_t all_of(const struct search *search, size_t *count)
{
    size_t counts = 0;
    for (size_t n = search->least; n <= search->most && counts < COUNTS_MOST; n++)
        count[counts++] = n;
    return counts;
}

// least, and twice as many each time, up to most.
static size_t doublings(const struct search *search, size_t *count)
{
    size_t counts = 0;
    for (size_t n = search->least; n < search->most; n *= 2)
        count[counts++] = n;
    count[counts++] = search->most;
    return counts;
}

// Leaves out every second number but the last.
static size_t thinned(size_t *count, size_t counts)
{
    size_t kept = 0;
    for (size_t i = (counts - 1) % 2; i < counts; i += 2)
        count[kept++] = count[i];
    return kept;
}

static size_t largest_gap(const struct search *search, const size_t *count, size_t counts)
{
    size_t gap = 0, before = search->least - 1;
    for (size_t i = 0; i < counts; before = count[i++])
        if (count[i] - before > gap)
            gap = count[i] - before;
    return gap;
}

// Numbers of copies for the first stage, ascending, into count[COUNTS_MOST]; returns how many.
// *stages: how many stages there may be; 1: these are all.
static size_t first_counts(const struct search *search, size_t *count, size_t *stages)
{
    size_t counts = all_of(search, count);
    *stages = 1;
    if (counts == search->most - search->least + 1 &&
        blocks(search, count, counts, search->left_s) >= (double)search->min_runs)
        return counts;
    counts = doublings(search, count);
    while (counts > 1 && blocks(search, count, counts, first_share * search->left_s) < BLOCKS_LEAST)
        counts = thinned(count, counts);
    for (size_t gap = largest_gap(search, count, counts); gap > 1; gap = (gap + PARTS - 1) / PARTS)
        (*stages)++;
    return counts;
}

// Adds numbers that divide the gap between two others evenly. Returns how many there are then.
static size_t divide(size_t low, size_t high, size_t parts, size_t *count, size_t counts)
{
    size_t last = low;
    for (size_t i = 1; i < parts && counts < COUNTS_MOST; i++) {
        const size_t n = low + (high - low) * i / parts;
        if (n > last && n < high)
            count[counts++] = last = n;
    }
    return counts;
}

static size_t sorted_once(size_t *count, size_t counts)
{
    size_t kept = 0;
    for (size_t i = 1; i < counts; i++)
        for (size_t k = i; k > 0 && count[k - 1] > count[k]; k--) {
            const size_t swapped = count[k];
            count[k] = count[k - 1];
            count[k - 1] = swapped;
        }
    for (size_t i = 0; i < counts; i++)
        if (kept == 0 || count[kept - 1] != count[i])
            count[kept++] = count[i];
    return kept;
}

static size_t not_measured(const struct search *search, const struct row *point, size_t points,
                           size_t *count)
{
    size_t counts = 0, next = 0;
    for (size_t n = search->least; n <= search->most && counts < COUNTS_MOST; n++) {
        while (next < points && point[next].copies < n)
            next++;
        if (next == points || point[next].copies != n)
            count[counts++] = n;
    }
    while (counts > 1 && blocks(search, count, counts, search->left_s) < BLOCKS_LEAST)
        counts = thinned(count, counts);
    return counts;
}

// Those for a further stage, from what the rows say: at most three between the last that fits and
// the next, and one on each side of the knee. Where the points are not smooth all that are left, as
// far as time allows. None: the answer is known.
static size_t more_counts(const struct search *search, const struct rows *rows, size_t *count)
{
    size_t points;
    const struct row *point = points_of(rows, &points);
    size_t counts = 0, low = search->least - 1, i = 0;
    if (!rows_are_smooth(rows))
        return not_measured(search, point, points, count);
    for (; i < points && point[i].verdict == ROW_BELOW; i++)
        low = point[i].copies;
    if (i < points)
        counts = divide(low, point[i].copies, PARTS, count, counts);
    low = search->least - 1;
    for (i = 0; i < points; low = point[i++].copies)
        if (point[i].in_knee || (i > 0 && point[i - 1].in_knee))
            counts = divide(low, point[i].copies, 2, count, counts);
    counts = sorted_once(count, counts);
    return blocks(search, count, counts, search->left_s) < BLOCKS_LEAST ? 0 : counts;
}

static struct search search_of(const json_t *plan, double left_s)
{
    const size_t programs = plan_programs(plan);
    return (struct search){
        .least = programs > 1 ? programs : 2,
        .most = plan_most(plan),
        .trial_s = json_number_at(json_object_get(plan, "trial"), "makespan_s"),
        .room = (size_t)json_number_at(json_object_get(plan, "cpus"), "room"),
        .left_s = left_s,
        .min_runs = (size_t)plan_setting(plan, "min_runs"),
    };
}

// As many blocks at least as the time has room for, but three; at most those of --min-runs.
static size_t min_runs(const struct search *search, const size_t *count, size_t counts,
                       double seconds)
{
    const double fit = floor(blocks(search, count, counts, seconds));
    return (size_t)fmin(fmax(fit, 3), (double)search->min_runs);
}

// "1, 2, 4 to 8": what a stage measures.
static char *counts_text(const size_t *count, size_t counts)
{
    char *text = text_of("1");
    for (size_t i = 0; i < counts; i++) {
        const bool run =
            i > 0 && i + 1 < counts && count[i] == count[i - 1] + 1 && count[i + 1] == count[i] + 1;
        const bool after = i > 1 && count[i] == count[i - 2] + 2;
        char number[32];
        snprintf(number, sizeof number, "%zu", count[i]);
        if (!run)
            text = text_joined(text, after ? " to " : ", ", number);
    }
    return text;
}

// Writes the cell, and has it measured.
static bool begin(const json_t *plan, const struct turn *turn, size_t number,
                  const struct search *search, const size_t *count, size_t counts, double seconds)
{
    const double confidence = json_number_at(json_object_get(plan, "search"), "confidence_each");
    OWNED char *cell = stage_write(plan, turn->dir, number, count, counts, seconds, confidence,
                                   min_runs(search, count, counts, seconds));
    if (!cell)
        return false;
    OWNED char *list = counts_text(count, counts), *name = text_of("stages/%zu", number),
               *text = text_of("stage %zu: %s copies at once, at most %.0f s left", number, list,
                               turn->left_s);
    pair_put("say", text);
    study_step("slowdown", turn->dir, name);
    study_word("--quiet");
    if (turn->verbose)
        study_word("--verbose");
    study_option("--cell", cell);
    study_step_end();
    return true;
}

static bool begin_first(json_t *plan, const struct turn *turn)
{
    size_t count[COUNTS_MOST], stages;
    const double left_s = turn->left_s, most_s = plan_setting(plan, "max_time_s");
    if (!plan_take_trial(plan, turn->dir))
        return false;
    if (!(left_s > 0))
        return complain("one copy alone took %.0f s, and --max-time is %.0f s: give twenty times "
                        "what one takes (records: %s)",
                        most_s - left_s, most_s, turn->dir);
    const struct search search = search_of(plan, left_s);
    const size_t counts = first_counts(&search, count, &stages);
    if (stages > STAGES_MOST)
        stages = STAGES_MOST;
    // Each stage may be wrong; all of them together no more often than is wanted.
    const double confidence = 1 - (1 - plan_confidence(plan)) / (double)stages;
    json_put(plan, "search",
             must(json_pack("{s:I, s:f, s:b}", "stages", (json_int_t)stages, "confidence_each",
                            confidence, "all", stages == 1)));
    return study_keep(&pack_study, plan, turn->dir, NULL) &&
           begin(plan, turn, 1, &search, count, counts,
                 stages == 1 ? left_s : first_share * left_s);
}

// Continues a stage that was interrupted: the same numbers of copies, with the limits of now.
static bool continue_stage(const json_t *plan, const struct turn *turn, const struct stages *stages)
{
    const struct measured *stage = &stages->stage[stages->count - 1];
    const struct search search = search_of(plan, turn->left_s);
    size_t count[MAX_CONDITIONS], counts = 0;
    for (size_t i = 1; i < stage->experiment.settings.condition_count; i++)
        count[counts++] = stage_copies(stage, i);
    return begin(plan, turn, stages->count, &search, count, counts, turn->left_s);
}

static bool begin_further(const json_t *plan, const struct turn *turn, struct stages *stages)
{
    const json_t *kept = json_object_get(plan, "search");
    const size_t most = (size_t)json_number_at(kept, "stages");
    size_t count[COUNTS_MOST], counts = 0;
    struct rows rows;
    if (stages->count >= most)
        return true;
    const double seconds = turn->left_s / (double)(most - stages->count);
    const struct search search = search_of(plan, seconds);
    pack_rows_make(&rows, stages, plan_setting(plan, "at_most"),
                   json_number_at(kept, "confidence_each"));
    counts = more_counts(&search, &rows, count);
    rows_free(&rows);
    return counts == 0 || begin(plan, turn, stages->count + 1, &search, count, counts, seconds);
}

// Whether the last stage has something left to be measured.
static bool is_unfinished(const struct stages *stages, bool again)
{
    const struct measured *stage = &stages->stage[stages->count - 1];
    const char *stopped = experiment_stopped(&stage->experiment);
    return !measured_is_done(stage) || (again && stopped && strcmp(stopped, "max-time") == 0);
}

static bool next_stage(json_t *plan, const struct turn *turn)
{
    struct stages stages;
    bool good = stages_read(&stages, turn->dir);
    if (good && stages.count == 0)
        good = begin_first(plan, turn);
    else if (good && turn->left_s > 0)
        good = is_unfinished(&stages, turn->again) ? continue_stage(plan, turn, &stages)
                                                   : begin_further(plan, turn, &stages);
    stages_free(&stages);
    return good;
}

bool next_print(const struct turn *turn)
{
    json_t *plan = study_plan(&pack_study, turn->dir);
    bool good = plan != NULL;
    if (good && !json_has(plan, "search") && !study_is_done(turn->dir, STAGE_TRIAL))
        step_trial(plan, turn->dir);
    else if (good)
        good = next_stage(plan, turn);
    json_decref(plan);
    return good;
}
