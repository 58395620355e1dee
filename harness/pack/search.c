#include "harness/stats/json.h"
#include "pack.h"

#include "common/memory.h"
#include "common/messages.h"
#include "common/schemas.h"

#include <math.h>
#include <string.h>

// Which numbers of copies are measured: all of them where there is time, else those between
// which the answer lies.

enum { COUNTS_MOST = 60 }; // of one stage, as a block has at most 64 conditions

struct counts {
    size_t count, item[MAX_CONDITIONS]; // ascending
};

struct search {
    size_t least, most; // numbers of copies, without the reference: least is 2, of a mix more
    double trial_s;     // how long the reference takes
    double room;        // copies that have CPUs of their own
    double left_s;      // to measure in
};

static const double slack = 1.25;     // of a run: neighbours slow it down
static const double between_s = 0.03; // from one run to the next
enum { BLOCKS_LEAST = 5, PARTS = 4 }; // of a gap that a stage divides
// Of the time that is left, what the first stage gets where others may follow.
static const double first_share = 0.5;

static void count_add(struct counts *counts, size_t n)
{
    if (counts->count < COUNTS_MOST)
        counts->item[counts->count++] = n;
}

// How many blocks of these numbers fit into so many seconds.
static double blocks(const struct search *search, const struct counts *counts, double seconds)
{
    double block_s = search->trial_s + between_s;
    for (size_t i = 0; i < counts->count; i++)
        block_s +=
            search->trial_s * fmax(1, (double)counts->item[i] / search->room) * slack + between_s;
    return seconds / block_s;
}

// Leaves out every second number but the last until enough blocks fit into so many seconds.
static void thin(const struct search *search, struct counts *counts, double seconds)
{
    while (counts->count > 1 && blocks(search, counts, seconds) < BLOCKS_LEAST) {
        size_t kept = 0;
        for (size_t i = (counts->count - 1) % 2; i < counts->count; i += 2)
            counts->item[kept++] = counts->item[i];
        counts->count = kept;
    }
}

// Numbers of copies for the first stage. *stages: how many stages there may be; 1: these are all.
static struct counts first_counts(const struct search *search, double min_runs, size_t *stages)
{
    struct counts all = {0}, some = {0};
    size_t gap = 0, before = search->least - 1;
    *stages = 1;
    for (size_t n = search->least; n <= search->most; n++)
        count_add(&all, n);
    if (all.count == search->most - search->least + 1 &&
        blocks(search, &all, search->left_s) >= min_runs)
        return all;
    // The least, and twice as many each time, up to the most.
    for (size_t n = search->least; n < search->most; n *= 2)
        count_add(&some, n);
    count_add(&some, search->most);
    thin(search, &some, first_share * search->left_s);
    for (size_t i = 0; i < some.count; before = some.item[i++])
        gap = some.item[i] - before > gap ? some.item[i] - before : gap;
    for (; gap > 1; gap = (gap + PARTS - 1) / PARTS)
        (*stages)++;
    return some;
}

// Adds numbers that divide the gap between two others evenly.
static void divide(size_t low, size_t high, size_t parts, struct counts *counts)
{
    for (size_t i = 1, last = low; i < parts; i++) {
        const size_t n = low + (high - low) * i / parts;
        if (n > last && n < high)
            count_add(counts, last = n);
    }
}

static int ascending(const void *one, const void *other)
{
    const size_t a = *(const size_t *)one, b = *(const size_t *)other;
    return (a > b) - (a < b);
}

// Those for a further stage, from what the rows say: at most three between the last that fits and
// the next, and one on each side of the knee. Where the points are not smooth all that are left, as
// far as time allows. None: the answer is known.
static struct counts more_counts(const struct search *search, const struct rows *rows)
{
    const size_t first = rows_first(rows);
    struct counts counts = {0};
    size_t low = search->least - 1, i = first, kept = 0;
    if (!rows_are_smooth(rows)) {
        for (size_t n = search->least; n <= search->most; n++) {
            while (i < rows->count && rows->row[i].copies < n)
                i++;
            if (i == rows->count || rows->row[i].copies != n)
                count_add(&counts, n);
        }
        thin(search, &counts, search->left_s);
        return counts;
    }
    for (; i < rows->count && rows->row[i].verdict == VERDICT_BELOW; i++)
        low = rows->row[i].copies;
    if (i < rows->count)
        divide(low, rows->row[i].copies, PARTS, &counts);
    low = search->least - 1;
    for (i = first; i < rows->count; low = rows->row[i++].copies)
        if (rows->row[i].in_knee || (i > first && rows->row[i - 1].in_knee))
            divide(low, rows->row[i].copies, 2, &counts);
    qsort(counts.item, counts.count, sizeof *counts.item, ascending);
    for (i = 0; i < counts.count; i++)
        if (kept == 0 || counts.item[kept - 1] != counts.item[i])
            counts.item[kept++] = counts.item[i];
    counts.count = kept;
    if (blocks(search, &counts, search->left_s) < BLOCKS_LEAST)
        counts.count = 0;
    return counts;
}

// ---- its cell

// "a\nb": a list of settings has an item a line.
static void append_line(char **list, char *line)
{
    *list = text_joined(*list, "\n", line);
    free(line);
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
            append_line(&list, text_of("%s_s=stdout:/^%s_s ([0-9.e+-]+)$/,unit=s", name, name));
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

static void put_setting(json_t *settings, const char *name, char *text)
{
    json_put(settings, name, json_owned_text(text));
}

// Writes DIR/stages/NUMBER/cell.json: these numbers of copies against the reference, for so many
// seconds; its path, to be freed. NULL after a message.
static char *stage_write(const json_t *plan, const char *dir, size_t number,
                         const struct search *search, const struct counts *counts, double seconds)
{
    const json_t *from = json_object_get(plan, "settings");
    OWNED char *folder = text_of("%s/stages/%zu", dir, number), *name = text_of("pack.%zu", number);
    char *path = text_of("%s/cell.json", folder), *variants = NULL;
    json_t *settings = must(json_object());
    for (size_t i = 0; i <= counts->count; i++) {
        json_auto_t *words = launcher_words(plan, i == 0 ? 0 : counts->item[i - 1]);
        OWNED char *command = json_words_quoted(words);
        append_line(&variants, i == 0 ? text_of(STAGE_REFERENCE "=%s", command)
                                      : text_of("%zu=%s", counts->item[i - 1], command));
    }
    put_setting(settings, "variant", variants);
    put_setting(settings, "metric", metric_list(plan));
    put_setting(settings, "decide", decide_list(plan));
    put_setting(settings, "shell", text_of("none"));
    put_setting(settings, "washout", text_of("0"));
    put_setting(settings, "error", text_of("%.9g", json_number_at(from, "error")));
    put_setting(
        settings, "confidence",
        text_of("%.12g", json_number_at(json_object_get(plan, "search"), "confidence_each")));
    // As many blocks at least as the time has room for, but three; at most those of --min-runs.
    put_setting(settings, "min-runs",
                text_of("%.0f", fmin(fmax(floor(blocks(search, counts, seconds)), 3),
                                     plan_setting(plan, "min_runs"))));
    put_setting(settings, "max-runs", text_of("%.0f", json_number_at(from, "max_runs")));
    put_setting(settings, "max-time", text_of("%.3fs", seconds));
    put_setting(settings, "seed", text_of("%.0f", json_number_at(from, "seed")));
    for (size_t i = 0; i < PASSED; i++)
        if (json_has(from, passed[i]))
            json_put(settings, passed[i], json_text(json_text_at(from, passed[i])));
    json_auto_t *cell =
        must(json_pack("{s:s, s:s, s:o, s:[], s:o}", "schema", SCHEMA_CELL, "name", name, "command",
                       launcher_words(plan, 0), "loads", "settings", settings));
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

static struct search search_of(const json_t *plan, double left_s)
{
    const size_t programs = plan_programs(plan);
    return (struct search){
        .least = programs > 1 ? programs : 2,
        .most = plan_most(plan),
        .trial_s = json_number_at(json_object_get(plan, "trial"), "makespan_s"),
        .room = json_number_at(json_object_get(plan, "cpus"), "room"),
        .left_s = left_s,
    };
}

// "1, 2, 4 to 8": what a stage measures.
static char *counts_text(const struct counts *counts)
{
    const size_t *count = counts->item;
    char *text = text_of("1");
    for (size_t i = 0; i < counts->count; i++) {
        const bool run = i > 0 && i + 1 < counts->count && count[i] == count[i - 1] + 1 &&
                         count[i + 1] == count[i] + 1;
        const bool after = i > 1 && count[i] == count[i - 2] + 2;
        if (!run)
            text = text_added(text, "%s%zu", after ? " to " : ", ", count[i]);
    }
    return text;
}

// Writes the cell, and has it measured.
static bool begin_stage(const json_t *plan, const struct pack_request *request, size_t number,
                        const struct search *search, const struct counts *counts, double seconds)
{
    OWNED char *cell = stage_write(plan, request->next, number, search, counts, seconds);
    if (!cell)
        return false;
    OWNED char *list = counts_text(counts), *name = text_of("stages/%zu", number),
               *text = text_of("stage %zu: %s copies at once, at most %.0f s left", number, list,
                               request->left_s);
    pair_put("say", text);
    study_step("slowdown", request->next, name);
    study_word("--quiet");
    if (request->verbose)
        study_word("--verbose");
    study_option("--cell", cell);
    study_step_end();
    return true;
}

static bool begin_first(json_t *plan, const struct pack_request *request)
{
    size_t stages;
    const double left_s = request->left_s, most_s = plan_setting(plan, "max_time_s");
    if (!plan_take_trial(plan, request->next))
        return false;
    if (!(left_s > 0))
        return complain("one copy alone took %.0f s, and --max-time is %.0f s: give twenty times "
                        "what one takes (records: %s)",
                        most_s - left_s, most_s, request->next);
    const struct search search = search_of(plan, left_s);
    const struct counts counts = first_counts(&search, plan_setting(plan, "min_runs"), &stages);
    if (stages > STAGES_MOST)
        stages = STAGES_MOST;
    // Each stage may be wrong; all of them together no more often than is wanted.
    const double confidence = 1 - (1 - plan_confidence(plan)) / (double)stages;
    json_put(plan, "search",
             must(json_pack("{s:I, s:f, s:b}", "stages", (json_int_t)stages, "confidence_each",
                            confidence, "all", stages == 1)));
    return study_keep(&pack_study, plan, request->next, NULL) &&
           begin_stage(plan, request, 1, &search, &counts,
                       stages == 1 ? left_s : first_share * left_s);
}

// Continues a stage that was interrupted: the same numbers of copies, with the limits of now.
static bool continue_stage(const json_t *plan, const struct pack_request *request,
                           const struct stages *stages)
{
    const struct measured *stage = &stages->stage[stages->count - 1];
    const struct search search = search_of(plan, request->left_s);
    struct counts counts = {0};
    for (size_t i = 1; i < stage->experiment.settings.condition_count; i++)
        counts.item[counts.count++] = stage_copies(stage, i);
    return begin_stage(plan, request, stages->count, &search, &counts, request->left_s);
}

static bool begin_further(const json_t *plan, const struct pack_request *request,
                          struct stages *stages)
{
    const json_t *kept = json_object_get(plan, "search");
    const size_t most = (size_t)json_number_at(kept, "stages");
    struct rows rows;
    if (stages->count >= most)
        return true;
    const double seconds = request->left_s / (double)(most - stages->count);
    const struct search search = search_of(plan, seconds);
    pack_rows_make(&rows, stages, plan_setting(plan, "at_most"),
                   json_number_at(kept, "confidence_each"));
    const struct counts counts = more_counts(&search, &rows);
    rows_free(&rows);
    return counts.count == 0 ||
           begin_stage(plan, request, stages->count + 1, &search, &counts, seconds);
}

static bool next_stage(json_t *plan, const struct pack_request *request)
{
    struct stages stages;
    bool good = stages_read(&stages, request->next);
    if (good && stages.count == 0) {
        good = begin_first(plan, request);
    } else if (good && request->left_s > 0) {
        const struct measured *last = &stages.stage[stages.count - 1];
        const char *stopped = experiment_stopped(&last->experiment);
        const bool unfinished = !measured_is_done(last) ||
                                (request->again && stopped && strcmp(stopped, "max-time") == 0);
        good = unfinished ? continue_stage(plan, request, &stages)
                          : begin_further(plan, request, &stages);
    }
    stages_free(&stages);
    return good;
}

bool next_print(const struct pack_request *request)
{
    json_t *plan = study_plan(&pack_study, request->next);
    bool good = plan != NULL;
    if (good && !json_has(plan, "search") && !study_is_done(request->next, STAGE_TRIAL))
        step_trial(plan, request->next);
    else if (good)
        good = next_stage(plan, request);
    json_decref(plan);
    return good;
}
