#include "io/io-state.h"

#include "signals.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void io_set_unit(struct run *run)
{
    const struct io_plan *plan = &io_state_of(run)->plan;

    run->unit = plan->random ? UNIT_OPS : UNIT_BYTES;
    run->quantum = plan->random ? 1 : (double)plan->block_bytes;
}

/* A pending signal; of a harness that is gone, too (watch.h). */
static bool interrupted(void *unused)
{
    sigset_t pending;

    (void)unused;
    if (sigpending(&pending) != 0)
        return false;
    for (size_t i = 0; i < ENDING_SIGNALS; i++)
        if (sigismember(&pending, ending_signals[i]) == 1)
            return true;
    return false;
}

int io_work_file(struct run *run, struct io_file *file, struct io_error *error)
{
    sigset_t ending, before;
    const bool keep = file->keep;
    int failed;

    sigemptyset(&ending);
    /* One that is ignored would be pending, too, once it is blocked. */
    for (size_t i = 0; i < ENDING_SIGNALS; i++)
        if (!ending_is_left_out(ending_signals[i]))
            sigaddset(&ending, ending_signals[i]);
    sigprocmask(SIG_BLOCK, &ending, &before);
    file->interrupted = interrupted;
    failed = io_file_open(file, error);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (failed == 0 && file->busy && keep)
        run_warn(run,
                 "the kept work file in %s is in use by another load: this one has made one "
                 "of its own, that is not kept",
                 file->folder);
    return failed;
}

/* Reads the file once, so that as much of it as fits is in the page cache. */
static void warm(const struct io_state *state)
{
    static char buffer[1 << 20];
    off_t offset = 0;
    ssize_t length;

    while ((length = pread(state->plan.read_fd, buffer, sizeof buffer, offset)) > 0)
        offset += length;
}

int io_work_open(struct run *run, struct io_error *error)
{
    struct io_state *state = io_state_of(run);

    state->open = true;
    state->moved = aligned_alloc(64, run->threads * sizeof *state->moved);
    if (state->moved == NULL)
        return io_error_set(error, IO_FAILED, "no memory for %u workers: give fewer --threads",
                            run->threads);
    memset(state->moved, 0, run->threads * sizeof *state->moved);
    if (state->file.fd < 0 && io_work_file(run, &state->file, error) != 0)
        return -1;
    if (io_plan_open(&state->plan, &state->file, error) != 0)
        return -1;
    if (state->plan.drop)
        run_warn(run, "%s has no O_DIRECT: %s", state->file.folder,
                 "through the page cache, with O_DSYNC for writes and dropped before reads");
    if (state->plan.cached)
        warm(state);
    return 0;
}

void io_work_close(struct run *run)
{
    struct io_state *state = io_state_of(run);

    if (state->open)
        io_plan_close(&state->plan);
    state->open = false;
    free(state->moved);
    state->moved = NULL;
}

void io_count_self(struct device_counters *counters)
{
    FILE *file = fopen("/proc/self/io", "re");
    char line[128];
    unsigned long long value;

    *counters = (struct device_counters){0};
    if (file == NULL)
        return;
    while (fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "read_bytes: %llu", &value) == 1)
            counters->read_bytes = value;
        else if (sscanf(line, "write_bytes: %llu", &value) == 1)
            counters->write_bytes = value;
    }
    fclose(file);
}
