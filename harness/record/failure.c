// Says of a run whether and how it failed, in one order and in one wording for all programs.
#include "run.h"

#include "common/memory.h"

#include <limits.h>
#include <math.h>
#include <signal.h>

const char *const failure_names[FAILURES] = {
    "", "exit", "signal", "timed_out", "not_started", "metric", "memory", "service"};

// The kernel killed processes of the target; or some elsewhere, and the target ended so.
static bool was_killed(const struct run *run)
{
    const bool elsewhere = run->kills_in_cgroup > 0 || run->kills_on_machine > 0;
    return run->kills_of_target > 0 ||
           (elsewhere && run_exit_code(run) == CODE_OF_SIGNAL + SIGKILL);
}

enum failure run_failure(const struct run *run)
{
    if (run->service_died)
        return FAILURE_SERVICE;
    if (run->start_error)
        return FAILURE_NOT_STARTED;
    if (run->timed_out)
        return FAILURE_TIMED_OUT;
    if (was_killed(run))
        return FAILURE_MEMORY;
    if (!isnan(run->signal))
        return FAILURE_SIGNAL;
    if (run_exit_code(run) != 0)
        return FAILURE_EXIT;
    return run->has_no_figure ? FAILURE_METRIC : FAILURE_NONE;
}

int run_exit_code(const struct run *run)
{
    if (!(run->signal > 0) && isnan(run->exit_code))
        return 0;
    const double code = run->signal > 0 ? CODE_OF_SIGNAL + run->signal : run->exit_code;
    // Cut to an int, a large one could be 0.
    return code >= INT_MIN && code <= INT_MAX ? (int)code : -1;
}

void ignored_read(struct ignored *ignored, struct node settings)
{
    *ignored = (struct ignored){.any = node_is_true(node_get(settings, "ignore_failure"))};
    struct node_each each = {.list = node_get(settings, "ignore_codes")};
    while (node_step(&each) && ignored->count < IGNORED_MOST) {
        const double code = node_number(each.at);
        ignored->code[ignored->count++] = code >= 0 && code <= INT_MAX ? (int)code : -1;
    }
}

bool failure_counts(enum failure failure, int exit_code, const struct ignored *ignored)
{
    if (failure == FAILURE_NONE)
        return true;
    const bool is_coded =
        failure == FAILURE_EXIT || failure == FAILURE_SIGNAL || failure == FAILURE_MEMORY;
    if (!ignored->any || failure == FAILURE_NOT_STARTED || failure == FAILURE_SERVICE)
        return false;
    for (size_t i = 0; i < ignored->count; i++)
        if (is_coded && ignored->code[i] == exit_code)
            return true;
    return ignored->count == 0;
}

bool failure_is_answer(enum failure failure, bool has_capacity)
{
    return has_capacity && failure == FAILURE_TIMED_OUT;
}

bool failure_censors(enum failure failure)
{
    return failure == FAILURE_TIMED_OUT;
}

// Whether the terminal stopped the target, which is what a start error of one that ran says.
static bool run_was_stopped(const struct run *run)
{
    return run_failure(run) == FAILURE_NOT_STARTED && run->stops > 0;
}

const char *failure_of(const struct run *run)
{
    return run_failure(run) == FAILURE_SERVICE ? "the service" : "the target";
}

// Where the kernel counts for more than the target, nobody can tell whose process it was.
static char *memory_text(const struct run *run)
{
    if (!(run->kills_of_target > 0))
        return text_of("was killed (SIGKILL), and the kernel killed processes of this %s for want "
                       "of memory meanwhile",
                       run->kills_in_cgroup > 0 ? "cgroup" : "machine");
    return text_of(run_exit_code(run) == CODE_OF_SIGNAL + SIGKILL
                       ? "was killed by the kernel for want of memory"
                       : "lost a process, which the kernel killed for want of memory");
}

char *failure_text(const struct run *run)
{
    switch (run_failure(run)) {
    case FAILURE_TIMED_OUT:
        return text_of("ran into the time-out after %.3g s", run_wall_s(run));
    case FAILURE_NOT_STARTED:
        return run_was_stopped(run) ? text_of("was stopped: it %s", run->start_error)
                                    : text_of("could not be started (%s)", run->start_error);
    case FAILURE_METRIC:
        return text_of("made no figure %s: %s", run->metric ?: "?", run->reason ?: "?");
    case FAILURE_SERVICE:
        return text_of("%s", run->service_died);
    case FAILURE_MEMORY:
        return memory_text(run);
    case FAILURE_SIGNAL:
        return text_of("was ended by signal %.0f", run->signal);
    default:
        return text_of("failed with exit code %.0f", run->exit_code);
    }
}

double run_wall_s(const struct run *run)
{
    const double wall_s = run->wall_s < 0 ? NAN : run->wall_s;
    return run->timed_out ? fmin(wall_s, run->timed_out_s) : wall_s;
}
