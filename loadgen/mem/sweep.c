// How a worker goes through its arrays: the steps of a kernel, block by block, pass by pass.

#include "mem/mem.h"

#include "common/random.h"

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
