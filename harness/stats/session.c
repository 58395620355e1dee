// Keeps the runs of an experiment by block and condition, and pairs them.
#include "session.h"

#include "common/memory.h"
#include "common/record_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_GAP = 1000 };

const char *const stop_names[STOP_REASONS] = {"none",        "error",   "max-runs", "max-time",
                                              "interrupted", "failure", "decided"};

enum stop_reason stop_reason(const char *name)
{
    for (enum stop_reason i = STOP_ERROR; name && i < STOP_REASONS; i++)
        if (strcmp(name, stop_names[i]) == 0)
            return i;
    return name ? STOP_INTERRUPTED : STOP_NOT;
}

void session_init(struct session *session, const struct settings *settings)
{
    *session = (struct session){.settings = settings};
    critical_init(&session->critical,
                  1 - (1 - settings->confidence) / (double)settings_family(settings));
    session->conditions = must(calloc(settings->condition_count, sizeof *session->conditions));
    session->previous = RUN_FIRST;
}

static void clear_loads(struct condition *condition)
{
    for (size_t i = 0; i < condition->load_count; i++) {
        free(condition->loads[i].name);
        free(condition->loads[i].unit);
        free(condition->loads[i].short_runs);
    }
    free(condition->loads);
    condition->loads = NULL;
    condition->load_count = 0;
}

static void clear_figures(struct session *session)
{
    for (size_t i = 0; i < session->settings->condition_count; i++) {
        struct condition *condition = &session->conditions[i];
        for (size_t m = 0; m < session->settings->metrics.count; m++) {
            sample_clear(&condition->metric[m]);
            for (enum against against = 0; against < PAIRINGS; against++) {
                pairs_clear(&condition->pairs[against][m]);
                condition->look[against][m].pairs = condition->look[against][m].p_pairs = 0;
            }
        }
        condition->runs = condition->censored = 0;
        clear_loads(condition);
    }
}

void session_free(struct session *session)
{
    for (size_t i = 0; session->conditions && i < session->settings->condition_count; i++) {
        for (size_t m = 0; m < session->settings->metrics.count; m++) {
            sample_free(&session->conditions[i].metric[m]);
            for (enum against against = 0; against < PAIRINGS; against++)
                pairs_free(&session->conditions[i].pairs[against][m]);
        }
        clear_loads(&session->conditions[i]);
        free(session->conditions[i].order);
    }
    json_decref(session->records);
    json_decref(session->hosts);
    free(session->facts);
    free(session->defined);
    free(session->starts);
    free(session->fits);
    free(session->conditions);
    free(session->runs);
    free(session->table);
    critical_free(&session->critical);
    critical_free(&session->look);
    sample_free(&session->scratch);
}

static void reserve_blocks(struct session *session, size_t block)
{
    const size_t width = session->settings->condition_count;
    if (block > session->block_capacity) {
        session->block_capacity = 2 * block + 32;
        session->table = must(
            reallocarray(session->table, session->block_capacity, width * sizeof *session->table));
    }
    for (; session->blocks < block; session->blocks++)
        for (size_t i = 0; i < width; i++)
            session->table[session->blocks * width + i] = -1;
}

size_t session_left_out(const struct session *session)
{
    const size_t discarded = session->settings->discard_warmup;
    return discarded > session->unwashed ? discarded : session->unwashed;
}

size_t session_blocks(const struct session *session)
{
    const size_t left_out = session_left_out(session);
    return session->complete > left_out ? session->complete - left_out : 0;
}

bool session_uses(const struct session *session, const struct observation *run)
{
    return run->block > session_left_out(session) &&
           failure_counts(run->failure, run->exit_code, &session->settings->ignored);
}

const struct observation *session_used(const struct session *session, size_t condition,
                                       const struct observation *before)
{
    for (size_t i = before ? (size_t)(before - session->runs) + 1 : 0; i < session->count; i++) {
        const struct observation *run = &session->runs[i];
        if (run->condition == (int)condition && session_uses(session, run))
            return run;
    }
    return NULL;
}

size_t session_failed(const struct session *session, size_t condition)
{
    size_t sum = 0;
    for (enum failure kind = FAILURE_NONE + 1; kind < FAILURES; kind++)
        sum += session->conditions[condition].failures[kind];
    return sum;
}

size_t session_censored(const struct session *session, struct ratio of)
{
    const struct settings *settings = session->settings;
    const size_t alone = settings_reference(settings, of.condition, AGAINST_ALONE);
    const size_t reference = settings_reference(settings, of.condition, AGAINST_REFERENCE);
    const bool of_alone = of.against != AGAINST_REFERENCE && alone != of.condition;
    const bool of_reference = of.against != AGAINST_ALONE && reference != of.condition;
    size_t count = session->conditions[of.condition].censored;
    count += of_alone ? session->conditions[alone].censored : 0;
    count += of_reference ? session->conditions[reference].censored : 0;
    return count + (of_alone && of_reference ? session->conditions[0].censored : 0);
}

const struct pairs *session_pairs(const struct session *session, struct ratio of)
{
    return &session->conditions[of.condition].pairs[of.against][of.metric];
}

void session_add_set_aside(struct session *session, const struct observation *run)
{
    if (run->failure == FAILURE_NONE)
        return;
    session->set_aside++;
    session->conditions[run->condition].failures[run->failure]++;
}

// The runs of a block (from 1), by condition; NULL: it does not have all of them.
static const int *complete_row(const struct session *session, size_t block)
{
    const size_t width = session->settings->condition_count;
    const int *row = session->table + (block - 1) * width;
    for (size_t i = 0; i < width; i++)
        if (row[i] < 0)
            return NULL;
    return row;
}

int session_partner(const struct session *session, const struct observation *run)
{
    const int *row = complete_row(session, run->block);
    if (!row)
        return -1;
    const int alone = row[settings_variant(session->settings, (size_t)run->condition)];
    return session_uses(session, run) && session_uses(session, &session->runs[alone]) ? alone : -1;
}

// row: the runs of a block, or NULL.
static void add_crossed(const struct session *session, const int *row, const size_t *corners,
                        size_t metric, struct crossed *crossed)
{
    bool good = row != NULL;
    for (enum corner i = 0; i < CORNERS && good; i++) {
        const struct observation *run = &session->runs[row[corners[i]]];
        good = session_uses(session, run) && !isnan(run->value[metric]);
        crossed->value[i][crossed->count] = run->value[metric];
    }
    crossed->count += good ? 1 : 0;
}

void session_crossed(const struct session *session, size_t condition, size_t metric,
                     struct crossed *crossed)
{
    const struct settings *settings = session->settings;
    const size_t corners[CORNERS] = {
        [REFERENCE_ALONE] = 0,
        [VARIANT_ALONE] = settings_reference(settings, condition, AGAINST_ALONE),
        [REFERENCE_LOADED] = settings_reference(settings, condition, AGAINST_REFERENCE),
        [VARIANT_LOADED] = condition,
    };
    *crossed = (struct crossed){0};
    for (enum corner i = 0; i < CORNERS; i++)
        crossed->value[i] = must(calloc(session->blocks + 1, sizeof *crossed->value[i]));
    for (size_t block = 1; block <= session->blocks; block++)
        add_crossed(session, complete_row(session, block), corners, metric, crossed);
}

// A run with the one that it is compared with, so that the ratio y/x is above 1 where the run is
// worse.
static void pair_runs(struct session *session, const struct observation *run,
                      const struct observation *reference, struct pairs *pairs)
{
    const struct settings *settings = session->settings;
    if (!session_uses(session, reference) || !session_uses(session, run))
        return;
    for (size_t m = 0; m < settings->metrics.count; m++) {
        const bool inverted = settings->metrics.item[m].higher_is_better;
        const double x = (inverted ? run : reference)->value[m];
        const double y = (inverted ? reference : run)->value[m];
        if (!isnan(x) && !isnan(y))
            pairs_add(&pairs[m], x, y);
    }
}

// Where the block has every condition now, its runs are paired.
static void complete_block(struct session *session, size_t block)
{
    const struct settings *settings = session->settings;
    const int *row = complete_row(session, block);
    if (!row)
        return;
    for (size_t i = 0; i < settings->condition_count && !settings_has_capacity(settings); i++)
        for (enum against against = 0; against < PAIRINGS; against++) {
            const size_t reference = settings_reference(settings, i, against);
            if (reference != i)
                pair_runs(session, &session->runs[row[i]], &session->runs[row[reference]],
                          session->conditions[i].pairs[against]);
        }
    session->complete++;
    if (block == session->open + 1)
        session->open = block;
}

void session_note(struct session *session, const struct observation *run)
{
    if ((run->washout || run->start) &&
        !failure_counts(run->failure, run->exit_code, &session->settings->ignored)) {
        session_add_set_aside(session, run);
        return;
    }
    if (run->washout) {
        session->washouts++;
        session->washout_runs++;
        return;
    }
    if (run->start && !session->after_start) {
        session->starts = grown(session->starts, session->start_count, &session->start_capacity,
                                sizeof *session->starts);
        session->starts[session->start_count++] = *run;
    }
    session->after_start = run->start;
    session->previous = run->condition;
    session->washouts = 0;
    session->rested = false;
}

bool session_add(struct session *session, struct observation *run)
{
    struct condition *condition = &session->conditions[run->condition];
    size_t width = session->settings->condition_count;
    if (run->block == 0)
        run->block = condition->seen + 1;
    if (run->order == 0)
        run->order = session->last_order + 1;
    // A broken line may leave a gap; a number far ahead is an error in the file,
    // and not a reason to reserve memory for it.
    if (run->block > session->blocks + MAX_GAP)
        return false;
    const size_t before = session->blocks;
    session->runs = grown(session->runs, session->count, &session->capacity, sizeof *session->runs);
    reserve_blocks(session, run->block);
    int *cell = &session->table[(run->block - 1) * width + (size_t)run->condition];
    if (*cell >= 0)
        return false;
    if (run->washed != session->washed) { // what was measured with the one before does not count
        session->washed = run->washed;
        session->unwashed = before;
        clear_figures(session);
    }
    // After a gap (a line that was lost, a run that is made again) nobody knows.
    run->follows = run->order == session->last_order + 1 ? session->previous : RUN_UNKNOWN;
    session_note(session, run);
    *cell = (int)session->count;
    session->runs[session->count++] = *run;
    session->spent_s += run->value[WALL_S];
    condition->seen++;
    if (run->failure != FAILURE_NONE) {
        session->failed++;
        session->unusable +=
            !failure_counts(run->failure, run->exit_code, &session->settings->ignored);
        condition->failures[run->failure]++;
    }
    if (run->order > session->last_order)
        session->last_order = run->order;
    if (session_uses(session, run)) {
        condition->order = grown(condition->order, condition->runs, &condition->order_capacity,
                                 sizeof *condition->order);
        condition->order[condition->runs++] = run->order;
        condition->censored += failure_censors(run->failure);
        for (size_t m = 0; m < session->settings->metrics.count; m++)
            if (!isnan(run->value[m]))
                sample_add(&condition->metric[m], run->value[m]);
    }
    complete_block(session, run->block);
    return true;
}

const char *const load_figures[LOAD_FIGURES] = {"offered", "achieved", "cpu_s", "late", "dropped"};

static struct load_sum *find_load(struct condition *condition, const char *name, const char *unit)
{
    for (size_t i = 0; i < condition->load_count; i++)
        if (strcmp(condition->loads[i].name, name) == 0)
            return &condition->loads[i];
    condition->loads =
        must(reallocarray(condition->loads, condition->load_count + 1, sizeof *condition->loads));
    struct load_sum *load = &condition->loads[condition->load_count++];
    *load = (struct load_sum){.name = must(strdup(name)), .unit = must(strdup(unit))};
    return load;
}

static void add_load(struct session *session, const struct observation *run, const struct run *is,
                     const struct run_load *load)
{
    const char *name = load->name ?: load->load;
    const double figures[LOAD_FIGURES] = {[LOAD_OFFERED] = load->offered,
                                          [LOAD_ACHIEVED] = load->achieved,
                                          [LOAD_CPU_S] = load->cpu_s,
                                          [LOAD_LATE] = load->late,
                                          [LOAD_DROPPED] = load->dropped};
    if (!name)
        return;
    struct load_sum *sum = find_load(&session->conditions[run->condition], name, load->unit ?: "");
    sum->runs++;
    for (enum load_figure i = 0; i < LOAD_FIGURES; i++) {
        sum->sum[i] += isnan(figures[i]) ? 0 : figures[i];
        sum->known[i] += isnan(figures[i]) ? 0 : 1;
    }
    // No control group counted it.
    sum->bound = sum->bound || (load->accounting && strcmp(load->accounting, "processes") == 0);
    const struct delivery delivery = run_delivery(is, load);
    // That a load with settings falls behind is what they are for.
    if (session->settings->adjusted[run->condition] || !delivery.known)
        return;
    sum->delivery.known = true;
    sum->delivery.asked = sum->delivery.asked || delivery.asked;
    sum->delivery.due += delivery.due;
    sum->delivery.done += delivery.done;
    sum->judged_offered += load->offered;
    sum->judged_cpu_s += load->cpu_s;
    sum->foreign_s += run_foreign_s(is);
    sum->judged_runs++;
    if (!delivery_is_short(&delivery))
        return;
    sum->short_runs =
        must(reallocarray(sum->short_runs, sum->short_count + 1, sizeof *sum->short_runs));
    sum->short_runs[sum->short_count++] = run->order;
}

static double load_mean(const struct load_sum *load, enum load_figure figure)
{
    return load->known[figure] > 0 ? load->sum[figure] / (double)load->known[figure] : NAN;
}

struct load_rates load_rates(const struct load_sum *load)
{
    const double runs = (double)load->judged_runs;
    return load->judged_runs > 0
               ? (struct load_rates){load->judged_offered / runs, load->delivery.done / runs}
               : (struct load_rates){load_mean(load, LOAD_OFFERED), load_mean(load, LOAD_ACHIEVED)};
}

void session_add_loads(struct session *session, const struct observation *run, const struct run *is)
{
    for (size_t i = 0; i < is->load_count && session_uses(session, run); i++)
        add_load(session, run, is, &is->load[i]);
}
