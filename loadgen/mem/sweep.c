#include "mem/mem.h"

#include "common/random.h"

// ---- which of the kernels this machine can run ----

const char *const mem_kernel_names[] = {"copy",  "scale", "add",    "triad", "read",
                                        "write", "chase", "stream", NULL};

bool mem_simd_works(enum simd simd)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (simd == SIMD_AVX512) // of doubles: all that have it will do
        return __builtin_cpu_supports("avx512f") != 0;
#endif
    return mem_simd_table(simd) && processor_has(simd);
}

enum simd mem_simd_best(void)
{
    enum simd simd = SIMD_AVX512;
    while (simd < SIMD_PORTABLE &&
           (!mem_simd_works(simd) || (simd == SIMD_SVE && !processor_gains(simd))))
        simd++;
    return simd;
}

unsigned mem_kernel_arrays(enum mem_kernel kernel)
{
    static const unsigned char arrays[MEM_KERNELS] = {
        [MEM_COPY] = 2, [MEM_SCALE] = 2, [MEM_ADD] = 3,   [MEM_TRIAD] = 3,
        [MEM_READ] = 1, [MEM_WRITE] = 1, [MEM_CHASE] = 1, [MEM_STREAM] = 3};
    return arrays[kernel];
}

// ---- where they are ----

// The scalar changes from pass to pass, so that an array shows in which pass it was
// written last. In stream the two scalars make a into -a in each pass: exact, without
// growing as STREAM's own 3 does (by 15 each time, which ends after 262 passes).
#define EVEN_SCALAR  3.0
#define ODD_SCALAR   4.0
#define SCALE_SCALAR 3.0
#define TRIAD_SCALAR (-1.0)

static const struct mem_step stream[MEM_STEPS] = {
    {.kernel = MEM_COPY, .to = 2, .from = 0, .also = 0},
    {.kernel = MEM_SCALE, .to = 1, .from = 2, .also = 2, .scalar = {SCALE_SCALAR, SCALE_SCALAR}},
    {.kernel = MEM_ADD, .to = 2, .from = 0, .also = 1},
    {.kernel = MEM_TRIAD, .to = 0, .from = 1, .also = 2, .scalar = {TRIAD_SCALAR, TRIAD_SCALAR}},
};

void mem_course_steps(struct mem_course *course, enum mem_kernel kernel, mem_run *const *table)
{
    const bool all = kernel == MEM_STREAM;
    course->steps = all ? MEM_STEPS : 1;
    for (unsigned i = 0; i < course->steps; i++) {
        struct mem_step *step = &course->step[i];
        *step =
            all ? stream[i]
                : (struct mem_step){
                      .kernel = kernel, .from = 1, .also = 2, .scalar = {EVEN_SCALAR, ODD_SCALAR}};
        step->run = table[step->kernel];
        step->element_bytes = mem_kernel_arrays(step->kernel) * sizeof(double);
    }
}

void mem_course_begin(const struct mem_course *course, double value[MEM_ARRAYS])
{
    value[0] = 1;
    value[1] = 2;
    value[2] = course->steps > 1 ? 0 : 3;
}

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

static void next_block(const struct mem_course *course, struct mem_sweep *sweep)
{
    if (course->random) {
        sweep->at = random_below(&sweep->random, course->elements / course->block) * course->block;
    } else if (sweep->at == course->elements) {
        sweep->at = 0;
        if (++sweep->step == course->steps) {
            sweep->step = 0;
            sweep->pass++;
        }
    }
    sweep->left = course->block;
}

static double *place(double *const array[MEM_ARRAYS], unsigned which, uint64_t at)
{
    return !array[which] ? NULL : array[which] + at;
}

uint64_t mem_sweep_run(const struct mem_course *course, struct mem_sweep *sweep,
                       double *const array[MEM_ARRAYS], uint64_t bytes)
{
    uint64_t done = 0;
    while (done < bytes) {
        if (sweep->left == 0)
            next_block(course, sweep);
        const struct mem_step *step = &course->step[sweep->step];
        const uint64_t wanted = (bytes - done) / step->element_bytes / MEM_BLOCK * MEM_BLOCK;
        const uint64_t most = wanted > 0 ? wanted : MEM_BLOCK;
        const uint64_t some = most < sweep->left ? most : sweep->left;
        const double sum =
            step->run(place(array, step->to, sweep->at), place(array, step->from, sweep->at),
                      place(array, step->also, sweep->at), some, step->scalar[sweep->pass % 2]);
        if (step->kernel == MEM_READ) {
            sweep->read += some;
            sweep->sum += sum;
        }
        sweep->at += some;
        sweep->left -= some;
        done += some * step->element_bytes;
    }
    return done;
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
