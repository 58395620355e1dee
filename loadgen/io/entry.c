/* What was kept of a disk's calibration: the rates that percentages refer to. */

#include "io/entry.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *section_name(const struct io_plan *plan)
{
    if (plan->random)
        return plan->read_percent > 0 ? "random_read" : "random_write";
    return plan->read_percent > 0 ? "sequential_read" : "sequential_write";
}

/* The rate of the plan's section, if the record has it for these blocks; else NAN. */
static double rate_in(const char *text, const void *context)
{
    const struct io_plan *plan = context;
    const char *section = calibration_value(text, section_name(plan));

    if (section == NULL || calibration_number(section, "block_bytes") != (double)plan->block_bytes)
        return NAN;
    return calibration_number(section, "rate");
}

/* What a record must match. Reads do not sync. */
static void wanted_key(const struct io_state *state, struct calibration_key *key)
{
    calibration_key(key, "io");
    calibration_key_text(key, "device", state->device.name);
    calibration_key_text(key, "file_system", state->device.file_system);
    if (state->plan.read_percent <= 0)
        calibration_key_text(key, "sync", io_sync_names[state->plan.sync]);
}

void io_entry_key(const struct io_state *state, uint64_t sequential_bytes, uint64_t random_bytes,
                  struct calibration_key *key)
{
    calibration_key(key, "io");
    calibration_key_text(key, "device", state->device.name);
    calibration_key_text(key, "file_system", state->device.file_system);
    calibration_key_text(key, "sync", io_sync_names[state->plan.sync]);
    calibration_key_count(key, "sequential_bytes", sequential_bytes);
    calibration_key_count(key, "random_bytes", random_bytes);
}

/* The command that makes a record that fits. */
static void how_to_make(const struct io_state *state, char *text, size_t size)
{
    const struct io_plan *plan = &state->plan;
    const uint64_t usual = plan->random ? IO_RANDOM_BLOCK : IO_SEQUENTIAL_BLOCK;
    char block[64] = "";

    if (plan->block_bytes != usual)
        snprintf(block, sizeof block, "%s --block-size %llu", plan->random ? " --random" : "",
                 (unsigned long long)plan->block_bytes);
    snprintf(text, size, "jostle calib --dir %s --sync %s%s", state->file.folder,
             io_sync_names[plan->sync], block);
}

static void what_is_asked(const struct io_state *state, char *text, size_t size)
{
    snprintf(text, size, "%s with blocks of %llu bytes and --sync %s on %s (%s)",
             section_name(&state->plan), (unsigned long long)state->plan.block_bytes,
             io_sync_names[state->plan.sync], state->device.name, state->device.file_system);
}

int io_entry_rate(struct run *run, double percent, double *rate, char *error, size_t size)
{
    struct io_state *state = io_state_of(run);
    const struct io_plan *plan = &state->plan;
    char make[PATH_MAX + 128], what[512];
    struct calibration_key key;

    if (plan->cached || (plan->read_percent > 0 && plan->read_percent < 100)) {
        snprintf(error, size,
                 "a percentage needs a calibration, and there is none for %s: give a "
                 "rate",
                 plan->cached ? "--cached" : "--mix");
        return -1;
    }
    wanted_key(state, &key);
    how_to_make(state, make, sizeof make);
    what_is_asked(state, what, sizeof what);
    return calibration_percent(run,
                               &(struct calibration_query){.key = &key,
                                                           .file = io_settings_of(run)->calibration,
                                                           .what = what,
                                                           .make = make,
                                                           .read = rate_in,
                                                           .context = plan},
                               percent, &state->calibration, rate, error, size);
}
