// Measures by how much CPU, memory and disk vary on this machine (--noise).

#include "doctor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "common/child.h"
#include "common/clock.h"
#include "common/file.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "common/text.h"
#include "common/units.h"
#include "harness/stats/result.h"

#define LEAST_ROUNDS 5
#define MOST_ROUNDS  200
#define DATA_BYTES   (16 << 20)

enum kind { CPU, MEMORY, DISK, KINDS };

// A coefficient of variation above the limit is worth a warning. Judgement, not
// measurement: a tenth of the usual error would be too strict for shared hosts.
static const struct {
    const char *name;
    struct check check;
    double limit;
} kinds[KINDS] = {
    [CPU] = {"cpu", {.name = "noise-cpu"}, 0.03},
    [MEMORY] = {"memory", {.name = "noise-memory"}, 0.05},
    [DISK] = {"disk", {.name = "noise-disk"}, 0.30},
};

struct noise {
    bool able[KINDS];
    int data, copy;           // files without a name in the current folder: nothing to remove
    struct settings settings; // of an experiment whose conditions are the kinds
    struct session session;
};

// Random data, so that no file system or disk can make it smaller.
static bool fill(int file)
{
    char part[65536];
    for (size_t done = 0; done < DATA_BYTES; done += sizeof part)
        if (getrandom(part, sizeof part, 0) != sizeof part ||
            write(file, part, sizeof part) != sizeof part)
            return false;
    return true;
}

// Runs the kind's fixed work of about 50 ms once; nothing but what every system
// has, so that the doctor needs no workload. Returns meter's record; NULL: the work
// failed.
static json_t *work(const struct noise *noise, enum kind kind)
{
    char meter[PATH_MAX], from[64], to[64], *line;
    snprintf(from, sizeof from, "if=/proc/%d/fd/%d", (int)getpid(), noise->data);
    snprintf(to, sizeof to, "of=/proc/%d/fd/%d", (int)getpid(), noise->copy);
    const char *const cpu[] = {"bash", "-c", "for ((i = 0; i < 20000; i++)); do :; done", NULL};
    // Writes and reads a block that no cache holds.
    const char *const memory[] = {
        "dd", "if=/dev/zero", "of=/dev/null", "bs=64M", "count=3", "status=none", NULL};
    const char *const disk[] = {"dd",          from, to, "bs=1M", "conv=notrunc,fdatasync",
                                "status=none", NULL};
    const char *const *const commands[KINDS] = {[CPU] = cpu, [MEMORY] = memory, [DISK] = disk};
    const char *argv[16] = {child_path("meter", meter),
                            "--with-parent",
                            "--stdout",
                            "/dev/null",
                            "--stderr",
                            "/dev/null",
                            "--"};
    size_t count = 7;
    for (const char *const *word = commands[kind]; *word; word++)
        argv[count++] = *word;
    json_auto_t *record = child_run(argv, -1, &line) == 0 ? json_loads(line, 0, NULL) : NULL;
    free(line);
    const json_t *code = json_object_get(record, "exit_code");
    return json_is_integer(code) && json_integer_value(code) == 0 ? json_incref(record) : NULL;
}

// One run of a kind, kept as a record of an experiment.
static bool work_once(struct noise *noise, enum kind kind, int block)
{
    json_auto_t *record = work(noise, kind);
    if (!record)
        return complain("the fixed work for %s failed: %s", kinds[kind].name,
                        kind == DISK ? "is the disk full?" : "is there memory left?");
    char why[128];
    json_object_set_new(record, "condition", json_string(kinds[kind].name));
    json_object_set_new(record, "block", json_integer(block));
    (void)replay_take(&noise->session, record, why, sizeof why);
    return true;
}

// Which kinds can be done here. The first time pays for what is not in memory yet.
static void try_kinds(struct noise *noise)
{
    noise->data = file_nameless(".", 0);
    noise->copy = file_nameless(".", 0);
    const bool writable = noise->data >= 0 && noise->copy >= 0 && fill(noise->data);
    for (enum kind kind = 0; kind < KINDS; kind++) {
        json_auto_t *record = kind == DISK && !writable ? NULL : work(noise, kind);
        noise->able[kind] = record != NULL;
    }
}

static bool work_rounds(struct noise *noise, int64_t time_ns)
{
    const int64_t end_ns = clock_ns() + time_ns;
    for (int block = 1; block <= MOST_ROUNDS; block++) {
        if (block > LEAST_ROUNDS && clock_ns() >= end_ns)
            break;
        for (enum kind kind = 0; kind < KINDS; kind++)
            if (noise->able[kind] && !work_once(noise, kind, block))
                return false;
    }
    return true;
}

// An experiment of as many runs as there is time for.
static void begin(struct noise *noise)
{
    struct settings *settings = &noise->settings;
    settings_begin(settings);
    settings->statistic = STATISTIC_TYPICAL;
    settings->error = DEFAULT_ERROR;
    settings->confidence = DEFAULT_CONFIDENCE;
    settings->min_runs = settings->max_runs = MOST_ROUNDS;
    metrics_choose(&settings->metrics, WALL_S);
    for (enum kind kind = 0; kind < KINDS; kind++)
        if (noise->able[kind])
            (void)settings_add_condition(settings, kinds[kind].name);
    session_init(&noise->session, settings);
}

// The flags of the summary's warnings about a condition's times.
static json_t *signs_of(const json_t *summary, const char *condition)
{
    json_t *signs = json_array();
    JSON_EACH (warning, json_object_get(summary, "warnings")) {
        const char *about = json_text_at(warning, "condition");
        const char *metric = json_text_at(warning, "metric");
        if (about && strcmp(about, condition) == 0 && (!metric || strcmp(metric, "wall_s") == 0))
            json_array_append(signs, json_object_get(warning, "flag"));
    }
    return signs;
}

// The noise of one condition; NULL where it has none.
static json_t *noise_of(const json_t *summary, const json_t *condition)
{
    const char *name = json_text_at(condition, "name");
    const json_t *wall = json_object_get(condition, "wall_s");
    const double mean_s = json_number_at(wall, "mean"), stddev_s = json_number_at(wall, "stddev");
    if (!name || !(mean_s > 0) || !isfinite(stddev_s))
        return NULL;
    return json_pack("{s:s, s:O, s:f, s:f, s:f, s:f, s:o}", "kind", name, "runs",
                     json_object_get(condition, "runs"), "mean_s", mean_s, "stddev_s", stddev_s,
                     "cv", stddev_s / mean_s, "slowest",
                     json_number_at(wall, "max") / json_number_at(wall, "median"), "signs",
                     signs_of(summary, name));
}

static json_t *judge(struct noise *noise)
{
    json_auto_t *summary = summary_build(&noise->session);
    json_t *floor = json_array();
    JSON_EACH (condition, json_object_get(summary, "conditions")) {
        json_t *member = noise_of(summary, condition);
        if (member)
            json_array_append_new(floor, member);
    }
    return floor;
}

json_t *noise_measure(int64_t time_ns)
{
    struct noise noise = {.data = -1, .copy = -1};
    json_t *floor = NULL;
    try_kinds(&noise);
    if (!noise.able[CPU] && !noise.able[MEMORY] && !noise.able[DISK]) {
        floor = json_array();
    } else {
        begin(&noise);
        floor = work_rounds(&noise, time_ns) ? judge(&noise) : NULL;
    }
    session_free(&noise.session);
    settings_free(&noise.settings);
    if (noise.data >= 0)
        close(noise.data);
    if (noise.copy >= 0)
        close(noise.copy);
    return floor;
}

// ", SIGN, SIGN" into text.
static void join_signs(const json_t *signs, char *text, size_t size)
{
    text[0] = '\0';
    JSON_EACH (sign, signs)
        text_append(text, size, "", ", %s", json_string_value(sign));
}

static void add_finding(struct findings *findings, enum kind kind, const json_t *member)
{
    char mean[32], signs[128], advice[128];
    const double cv = json_number_at(member, "cv");
    const double needed = fmax(2, ceil(pow(2 * cv / 0.01, 2)));
    join_signs(json_object_get(member, "signs"), signs, sizeof signs);
    snprintf(advice, sizeof advice, "for an error of 1 %% expect about %.0f runs", needed);
    findings_add(findings, cv > kinds[kind].limit ? STATUS_WARN : STATUS_OK, advice,
                 "the same work of %s differs by %.2f %% (coefficient of variation of %d runs, "
                 "slowest %.2f of the median)%s",
                 units_format_time(json_number_at(member, "mean_s") * 1e9, mean, sizeof mean),
                 100 * cv, (int)json_number_at(member, "runs"), json_number_at(member, "slowest"),
                 signs);
}

void check_noise(struct findings *findings, const json_t *noise)
{
    for (enum kind kind = 0; kind < KINDS; kind++) {
        const json_t *member = json_named(noise, "kind", kinds[kind].name);
        findings->check = &kinds[kind].check;
        if (!member)
            found_unknown(findings, "the fixed work for %s cannot be done here", kinds[kind].name);
        else
            add_finding(findings, kind, member);
    }
}
