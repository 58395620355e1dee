// At the end of a load: whether the arrays of all workers hold what they have to.

#include "mem/mem.h"

struct check {
    const struct mem_course *course;
    const struct mem_worker *own;
    pthread_t thread;
    bool started;
    double error;
};

static void *check_worker(void *argument)
{
    struct check *check = argument;
    check->error = mem_valid_error(check->course, &check->own->sweep, check->own->array);
    return NULL;
}

// Each worker's arrays by a thread, as there may be much of it.
int mem_verify(struct run *run)
{
    struct mem_state *state = mem_state_of(run);
    struct check *checks = calloc(run->threads, sizeof *checks);
    // Under a harness the end has to be quick, and nobody reads the figures as a result.
    if (!checks || run->common.control || state->plan.access != ACCESS_NONE ||
        state->plan.worker_bytes == 0) {
        free(checks);
        return 0;
    }
    for (unsigned i = 0; i < run->threads; i++) {
        checks[i] = (struct check){.course = &state->plan.course, .own = run->workers[i].state};
        checks[i].started = pthread_create(&checks[i].thread, NULL, check_worker, &checks[i]) == 0;
        if (!checks[i].started)
            (void)check_worker(&checks[i]);
    }
    for (unsigned i = 0; i < run->threads; i++) {
        if (checks[i].started)
            (void)pthread_join(checks[i].thread, NULL);
        state->error = fmax(state->error, checks[i].error);
    }
    free(checks);
    state->checked = true;
    if (state->error <= MEM_VALID_ERROR)
        return 0;
    return run_fail(run,
                    "%s: wrong results: an average relative error of %.3g, where %.0g is allowed: "
                    "test this machine's memory and CPU",
                    mem_kernel_names[state->plan.kernel], state->error, MEM_VALID_ERROR);
}
