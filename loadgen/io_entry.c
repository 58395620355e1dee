/* What was kept of a calibration: the rates that percentages refer to. */

#include "io.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define OLD_DAYS 30.0 /* older than this is worth a warning */
#define DAY_S    86400.0
#define LONGEST  65536
#define SCHEMA   "jostle.calibration/1"

/* ---- the little of JSON that our own entries need ---- */

/* The text after "NAME": at or after `from`; NULL if there is none. Names in
 * our entries never stand in values. */
static const char *find_value(const char *from, const char *name)
{
    char quoted[64];
    const char *at;

    snprintf(quoted, sizeof quoted, "\"%s\":", name);
    at = from == NULL ? NULL : strstr(from, quoted);
    if (at == NULL)
        return NULL;
    at += strlen(quoted);
    return at + strspn(at, " \t\n");
}

static bool is_text(const char *from, const char *name, const char *wanted)
{
    const char *at = find_value(from, name);
    const size_t length = strlen(wanted);

    return at != NULL && *at == '"' && strncmp(at + 1, wanted, length) == 0 &&
           at[length + 1] == '"';
}

static double number(const char *from, const char *name)
{
    const char *at = find_value(from, name);
    char *end;
    double value;

    if (at == NULL)
        return NAN;
    value = strtod(at, &end);
    return end == at ? NAN : value;
}

/* The whole file, or NULL with errno; to be freed. */
static char *read_entry(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = calloc(1, LONGEST + 1);

    if (file != NULL && text != NULL && fread(text, 1, LONGEST, file) > 0) {
        fclose(file);
        return text;
    }
    if (file != NULL) {
        errno = ferror(file) ? EIO : EINVAL;
        fclose(file);
    }
    free(text);
    return NULL;
}

/* ---- does an entry fit? ---- */

static const char *section_name(const struct io_plan *plan)
{
    if (plan->random)
        return plan->read_percent > 0 ? "random_read" : "random_write";
    return plan->read_percent > 0 ? "sequential_read" : "sequential_write";
}

/* The rate of the plan's section, if the entry has it for these blocks; else NAN. */
static double rate_in(const char *text, const struct io_plan *plan)
{
    const char *section = find_value(text, section_name(plan));

    if (section == NULL || number(section, "block_bytes") != (double)plan->block_bytes)
        return NAN;
    return number(section, "rate");
}

/* Reads do not sync. */
static bool fits(const char *text, const struct io_state *state)
{
    char host[256] = "";

    gethostname(host, sizeof host - 1);
    return is_text(text, "schema", SCHEMA) && is_text(text, "host", host) &&
           is_text(text, "device", state->device.name) &&
           is_text(text, "file_system", state->device.file_system) &&
           (state->plan.read_percent > 0 || is_text(text, "sync", io_sync_name(state->plan.sync)));
}

static double age_s(const char *text)
{
    const char *at = find_value(text, "created");
    struct tm when = {0};

    if (at == NULL || strptime(at, "\"%Y-%m-%dT%H:%M:%SZ\"", &when) == NULL)
        return NAN;
    return difftime(time(NULL), timegm(&when));
}

/* ---- where they are ---- */

static int cache_folder(char path[PATH_MAX])
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length;

    if (cache != NULL && *cache == '/')
        length = snprintf(path, PATH_MAX, "%s/jostle/calibration", cache);
    else
        length = snprintf(path, PATH_MAX, "%s/.cache/jostle/calibration",
                          home != NULL && *home != '\0' ? home : "/");
    return length < PATH_MAX ? 0 : -1;
}

/* Take `path` if it fits and is newer than what was found before. */
static void consider(struct io_state *state, const char *path, double *rate)
{
    char *text = read_entry(path);
    double found, age;

    if (text == NULL)
        return;
    found = fits(text, state) ? rate_in(text, &state->plan) : NAN;
    age = age_s(text);
    if (found > 0 && !isnan(age) && (isnan(*rate) || age < state->calibration_age_s)) {
        *rate = found;
        state->calibration_age_s = age;
        snprintf(state->calibration, sizeof state->calibration, "%s", path);
    }
    free(text);
}

static double search(struct io_state *state, const char *folder)
{
    DIR *entries = opendir(folder);
    struct dirent *entry;
    double rate = NAN;

    if (entries == NULL)
        return NAN;
    while ((entry = readdir(entries)) != NULL) {
        char path[PATH_MAX];
        const size_t length = strlen(entry->d_name);
        const int whole = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);

        if (length > 8 && strcmp(entry->d_name + length - 8, ".io.json") == 0 &&
            whole < (int)sizeof path)
            consider(state, path, &rate);
    }
    closedir(entries);
    return rate;
}

/* ---- for people ---- */

/* The command that makes an entry that fits. */
static void how_to_make(const struct run *run, char *text, size_t size)
{
    const struct io_state *state = io_state_of(run);
    const struct io_plan *plan = &state->plan;
    const uint64_t usual = plan->random ? IO_RANDOM_BLOCK : IO_SEQUENTIAL_BLOCK;
    char block[64] = "";

    if (plan->block_bytes != usual)
        snprintf(block, sizeof block, "%s --block-size %llu", plan->random ? " --random" : "",
                 (unsigned long long)plan->block_bytes);
    snprintf(text, size, "jostle calib --dir %s --sync %s%s", state->file.folder,
             io_sync_name(plan->sync), block);
}

static void format_age(double seconds, char *text, size_t size)
{
    if (seconds < 120)
        snprintf(text, size, "%.0f s", fmax(seconds, 0));
    else if (seconds < 7200)
        snprintf(text, size, "%.0f minutes", seconds / 60);
    else if (seconds < 2 * DAY_S)
        snprintf(text, size, "%.1f hours", seconds / 3600);
    else
        snprintf(text, size, "%.0f days", seconds / DAY_S);
}

static void announce(struct run *run, double rate)
{
    struct io_state *state = io_state_of(run);
    char age[32], whole[48];

    format_age(state->calibration_age_s, age, sizeof age);
    if (state->calibration_age_s > OLD_DAYS * DAY_S)
        run_warn(run, "the calibration %s is %s old: make a new one with jostle calib",
                 state->calibration, age);
    if (!run->report.json)
        fprintf(stderr, "100%% is %s, calibrated %s ago (%s)\n",
                units_format_rate(rate, run->unit, whole, sizeof whole), age, state->calibration);
}

/* The named entry; it must be one, and fit. */
static double named(struct run *run, const char *path, char *error, size_t size)
{
    struct io_state *state = io_state_of(run);
    double rate = NAN;

    if (access(path, R_OK) != 0) {
        snprintf(error, size, "--calibration %.200s: %s", path, strerror(errno));
        return NAN;
    }
    consider(state, path, &rate);
    if (isnan(rate))
        snprintf(error, size,
                 "--calibration %.200s: is not for %s with blocks of %llu bytes and --sync %s on "
                 "%s (%s)",
                 path, section_name(&state->plan), (unsigned long long)state->plan.block_bytes,
                 io_sync_name(state->plan.sync), state->device.name, state->device.file_system);
    return rate;
}

int io_entry_rate(struct run *run, double *rate, char *error, size_t size)
{
    struct io_state *state = io_state_of(run);
    const char *file = io_settings_of(run)->calibration;
    char folder[PATH_MAX], make[PATH_MAX + 128];

    if (state->plan.cached || (state->plan.read_percent > 0 && state->plan.read_percent < 100)) {
        snprintf(error, size,
                 "a percentage needs a calibration, and there is none for %s: give a "
                 "rate",
                 state->plan.cached ? "--cached" : "--mix");
        return -1;
    }
    if (file != NULL) {
        *rate = named(run, file, error, size);
    } else {
        *rate = cache_folder(folder) == 0 ? search(state, folder) : NAN;
        how_to_make(run, make, sizeof make);
        if (isnan(*rate))
            snprintf(error, size, "no calibration of this yet: make one: %s", make);
    }
    if (isnan(*rate))
        return -1;
    announce(run, *rate);
    return 0;
}
