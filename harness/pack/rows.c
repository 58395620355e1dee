// What was measured of each number of copies, over all stages.

#include "pack.h"

#include "common/memory.h"
#include "harness/stats/metrics.h"

#include <math.h>

// ---- figures of single runs

// How many times x's throughput y's is (copies / makespan), or its power (throughput / mean time of
// a copy), from the blocks that have both.
static struct interval ratio_in_stage(struct measured *stage, size_t x, size_t y, bool power)
{
    const size_t throughput = measured_metric(stage, "throughput"),
                 copy_s = measured_metric(stage, "copy_s"), condition[] = {x, y};
    struct pairs pairs = {0};
    struct interval ratio = interval_unbounded(NAN);
    for (size_t block = 0; block < stage->session.blocks; block++) {
        double value[2];
        for (size_t i = 0; i < 2; i++) {
            value[i] = measured_value(stage, block, condition[i], throughput);
            if (power)
                value[i] /= measured_value(stage, block, condition[i], copy_s);
        }
        if (!isnan(value[0]) && !isnan(value[1]))
            pairs_add(&pairs, value[0], value[1]);
    }
    if (pairs.count >= 2)
        ratio = metric_pairs_ratio(&stage->session, &pairs);
    pairs_free(&pairs);
    return ratio;
}

// ---- ratios between rows

// Returns the ratio of two ratios to references of different stages, which share no run: on the
// logarithms (method
// of variance estimates recovery: G. Y. Zou and A. Donner, Statistics in Medicine 27 (2008)
// 1693-1702).
static struct interval of_both(const struct interval *x, const struct interval *y)
{
    if (!(x->low > 0) || !(y->low > 0) || !isfinite(x->high) || !isfinite(y->high))
        return interval_unbounded(NAN);
    const double center = y->center / x->center;
    const double down = hypot(log(y->center / y->low), log(x->high / x->center));
    const double up = hypot(log(y->high / y->center), log(x->center / x->low));
    return (struct interval){
        .center = center, .low = center * exp(-down), .high = center * exp(up)};
}

// The power of y by that of x, at that two-sided confidence.
static struct interval power_ratio(struct stages *stages, const struct row *x, const struct row *y,
                                   double confidence)
{
    struct measured *of_x = &stages->stage[x->stage], *of_y = &stages->stage[y->stage];
    struct session *sessions[] = {&of_x->session, &of_y->session};
    const struct critical kept[] = {of_x->session.critical, of_y->session.critical};
    struct interval ratio;
    critical_init(&of_x->session.critical, confidence);
    if (of_x != of_y)
        critical_init(&of_y->session.critical, confidence);
    if (of_x == of_y || x->condition == 0) {
        ratio = ratio_in_stage(of_y, x->condition, y->condition, true);
    } else {
        const struct interval a = ratio_in_stage(of_x, 0, x->condition, true),
                              b = ratio_in_stage(of_y, 0, y->condition, true);
        ratio = of_both(&a, &b);
    }
    for (size_t i = 0; i < (of_x == of_y ? 1 : 2); i++) {
        critical_free(&sessions[i]->critical);
        sessions[i]->critical = kept[i];
    }
    return ratio;
}

// Marks the rows that may have the highest power of all: a row is out where another's is higher,
// with its whole interval.
// Each has as many rivals as there are other rows, and a share of the error rate for each
// (S. S. Gupta, Technometrics 7 (1965) 225-245: subset selection; J. C. Hsu, "Multiple
// Comparisons" (1996), chapter 4: comparisons with the best).
static void find_knee(struct rows *rows, struct stages *stages, double confidence)
{
    size_t known = 0;
    for (size_t i = 0; i < rows->count; i++)
        known += rows->row[i].runs >= 2;
    const double rivals = known > 1 ? (double)(known - 1) : 1;
    const double each = fmax(1 - 2 * (1 - confidence) / rivals, 0.01);
    for (size_t i = 0; i < rows->count; i++) {
        struct row *row = &rows->row[i];
        row->in_knee = row->runs >= 2;
        for (size_t k = 0; k < rows->count && row->in_knee; k++) {
            // One-sided: only a rival that is higher counts.
            const struct interval ratio =
                k == i ? interval_unbounded(NAN) : power_ratio(stages, row, &rows->row[k], each);
            row->in_knee = !(ratio.low > 1);
        }
    }
}

// ---- a row

static struct interval decided_ratio(const struct row *row, struct stages *stages, size_t metric)
{
    struct measured *stage = &stages->stage[row->stage];
    return row->condition == 0
               ? interval_constant(1)
               : metric_ratio(&stage->session,
                              (struct ratio){row->condition, AGAINST_REFERENCE, metric});
}

// All programs are below the limit where each bound is: an intersection-union test needs no share
// of the error rate for each (R. L. Berger, Technometrics 24 (1982) 295-300).
static struct interval slowdown_of(const struct row *row, struct stages *stages)
{
    const struct settings *settings = &stages->stage[row->stage].experiment.settings;
    struct interval worst = interval_unbounded(NAN);
    bool known = true;
    for (size_t m = 0; m < settings->metrics.count; m++) {
        if (!settings->metrics.item[m].decides)
            continue;
        const struct interval ratio = decided_ratio(row, stages, m);
        known = known && isfinite(ratio.high);
        worst.center = fmax(worst.center, ratio.center); // of NAN and a number the number
        worst.low = fmax(worst.low, ratio.low);
        worst.high = fmax(worst.high, ratio.high);
    }
    if (!known)
        worst.low = worst.high = NAN;
    worst.constant = row->condition == 0;
    return worst;
}

static void add_row(struct rows *rows, struct stages *stages, size_t stage, size_t condition,
                    double at_most)
{
    struct measured *of = &stages->stage[stage];
    const size_t copies = stage_copies(of, condition);
    rows->row = must(reallocarray(rows->row, rows->count + 1, sizeof *rows->row));
    struct row *row = &rows->row[rows->count++];
    *row = (struct row){.copies = copies > 0 ? copies : 1,
                        .stage = stage,
                        .condition = condition,
                        .runs = measured_count(of, (int)condition, measured_metric(of, "copy_s"))};
    row->slowdown = slowdown_of(row, stages);
    row->verdict = verdict_by_bounds(row->slowdown.low, row->slowdown.high, at_most);
    row->speedup = row->power = interval_constant(1);
    if (condition == 0)
        return;
    row->speedup = ratio_in_stage(of, 0, condition, false);
    row->power = ratio_in_stage(of, 0, condition, true);
}

static int by_copies(const void *one, const void *other)
{
    const struct row *a = one, *b = other;
    return a->copies < b->copies ? -1 : a->copies > b->copies;
}

void pack_rows_make(struct rows *rows, struct stages *stages, double at_most, double confidence)
{
    *rows = (struct rows){0};
    for (size_t i = 0; i < stages->count; i++) {
        const struct measured *stage = &stages->stage[i];
        if (measured_metric(stage, "copy_s") == MAX_METRICS ||
            measured_metric(stage, "throughput") == MAX_METRICS)
            continue;
        for (size_t k = i == 0 ? 0 : 1; k < stage->experiment.settings.condition_count; k++)
            add_row(rows, stages, i, k, at_most);
    }
    if (rows->count > 0)
        qsort(rows->row, rows->count, sizeof *rows->row, by_copies);
    find_knee(rows, stages, confidence);
}

void rows_free(struct rows *rows)
{
    free(rows->row);
}

struct interval row_value(const struct row *row, struct stages *stages, const char *name)
{
    struct measured *stage = &stages->stage[row->stage];
    return measured_figure(stage, (int)row->condition, measured_metric(stage, name));
}

struct interval row_ratio(const struct row *row, struct stages *stages, const char *name)
{
    const size_t metric = measured_metric(&stages->stage[row->stage], name);
    return metric == MAX_METRICS ? interval_unbounded(NAN) : decided_ratio(row, stages, metric);
}

size_t rows_first(const struct rows *rows)
{
    return rows->count > 0 && rows->row[0].condition == 0;
}

bool rows_are_smooth(const struct rows *rows)
{
    double highest = 0; // a slowdown that fewer copies surely have
    for (size_t i = rows_first(rows); i < rows->count; i++) {
        const struct interval *slowdown = &rows->row[i].slowdown;
        if (slowdown->high < highest)
            return false;
        highest = fmax(highest, isnan(slowdown->low) ? 0 : slowdown->low);
    }
    return true;
}
