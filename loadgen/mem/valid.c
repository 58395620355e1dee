// STREAM's validity check: whether the arrays hold what so many passes make of them.

#include "mem/mem.h"

// What a step in that pass makes of the values of one element of each array.
static void mem_step_apply(const struct mem_step *step, uint64_t pass, double value[MEM_ARRAYS])
{
    const double s = step->scalar[pass % 2], b = value[step->from], c = value[step->also];
    switch (step->kernel) {
    case MEM_COPY:
        value[step->to] = b;
        break;
    case MEM_SCALE:
        value[step->to] = s * b;
        break;
    case MEM_ADD:
        value[step->to] = b + c;
        break;
    case MEM_TRIAD:
        value[step->to] = b + s * c;
        break;
    case MEM_WRITE:
        value[step->to] = s;
        break;
    default:
        break;
    }
}

// The values before the step that is in progress. They repeat after two passes.
static void values_before(const struct mem_course *course, const struct mem_sweep *sweep,
                          double value[MEM_ARRAYS])
{
    const uint64_t passes = sweep->pass > 2 ? 2 - sweep->pass % 2 : sweep->pass;
    mem_course_begin(course, value);
    for (uint64_t pass = 0; pass < passes; pass++)
        for (unsigned i = 0; i < course->steps; i++)
            mem_step_apply(&course->step[i], pass, value);
    for (unsigned i = 0; i < sweep->step; i++)
        mem_step_apply(&course->step[i], sweep->pass, value);
}

static double relative(double value, double expected)
{
    const double error = fabs(value - expected);
    return expected == 0 ? error : error / fabs(expected);
}

// The sum of the relative errors; NaN counts as 1. `other` is right, too.
static double sum_errors(const double *value, uint64_t count, double expected, double other)
{
    double sum = 0;
    for (uint64_t i = 0; i < count; i++)
        if (value[i] != expected && value[i] != other)
            sum += isnan(value[i]) ? 1 : relative(value[i], expected);
    return sum;
}

static double array_error(const struct mem_course *course, const struct mem_sweep *sweep,
                          const double *array, double before, double after)
{
    const uint64_t all = course->elements;
    if (course->random)
        return sum_errors(array, all, after, before) / (double)all;
    return (sum_errors(array, sweep->at, after, after) +
            sum_errors(array + sweep->at, all - sweep->at, before, before)) /
           (double)all;
}

double mem_valid_error(const struct mem_course *course, const struct mem_sweep *sweep,
                       double *const array[MEM_ARRAYS])
{
    double before[MEM_ARRAYS], after[MEM_ARRAYS], worst = 0;
    values_before(course, sweep, before);
    for (unsigned i = 0; i < MEM_ARRAYS; i++)
        after[i] = before[i];
    mem_step_apply(&course->step[sweep->step], sweep->pass, after);
    for (unsigned i = 0; i < MEM_ARRAYS; i++)
        if (array[i])
            worst = fmax(worst, array_error(course, sweep, array[i], before[i], after[i]));
    if (sweep->read > 0 && sweep->sum != (double)sweep->read)
        worst = fmax(worst, isnan(sweep->sum) ? 1 : relative(sweep->sum, (double)sweep->read));
    return worst;
}
