// Who measures a cell now: what its lock, its job and its last sign of life say.

#include "campaign.h"

#include "common/file.h"
#include "common/lock.h"
#include "common/memory.h"
#include "common/units.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// On another node, whose locks need not be seen here, a cell is given up when its status is older
// than so many of its runs usually take, and than so many seconds.
static const double runs_of_silence = 20, least_silence_s = 600;

static void add_queued(struct queue *queue, const char *id, const char *job, const char *state)
{
    json_object_set_new(queue->states, id, json_string(state));
    json_t *tasks = json_object_get(queue->tasks, job);
    if (!tasks) {
        tasks = json_object();
        json_object_set_new(queue->tasks, job, tasks);
    }
    const json_int_t count = json_integer_value(json_object_get(tasks, state));
    json_object_set_new(tasks, state, json_integer(count + 1));
}

// The lines of a file, each split at tabs into two or three texts; fates: how jobs ended.
static void read_lines(struct queue *queue, const char *path, bool fates)
{
    FILE *file = path ? file_open_record(path) : NULL;
    OWNED char *line = NULL;
    size_t size = 0;
    if (path && !file) {
        complain("%s cannot be read: %s", path, strerror(errno));
        exit(1);
    }
    while (file && getline(&line, &size, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        char *rest = line;
        const char *id = strsep(&rest, "\t"), *second = strsep(&rest, "\t");
        if (second && fates)
            json_object_set_new(queue->fates, id, json_string(second));
        else if (second)
            add_queued(queue, id, second, rest ? rest : "");
    }
    if (file)
        fclose(file);
}

void queue_read(struct queue *queue, const char *queue_path, const char *fates_path)
{
    *queue = (struct queue){.answers = queue_path,
                            .states = json_object(),
                            .tasks = json_object(),
                            .fates = json_object()};
    read_lines(queue, queue_path, false);
    read_lines(queue, fates_path, true);
}

void queue_free(struct queue *queue)
{
    json_decref(queue->states);
    json_decref(queue->tasks);
    json_decref(queue->fates);
}

bool cell_is_held(const char *folder, const char *cell)
{
    char path[PATH_MAX];
    return lock_is_held(cell_path(folder, cell, "runs.jsonl", path));
}

double cell_age_s(const json_t *status, double now_s)
{
    const char *updated = json_text_at(status, "updated");
    struct tm tm = {0};
    if (!updated)
        return NAN;
    // What is no time, such as "2026-01-31T12:00:00Z", is long ago.
    const bool is_time = strptime(updated, "%Y-%m-%dT%H:%M:%S", &tm);
    return fmax(floor(now_s - (is_time ? (double)timegm(&tm) : 0)), 0);
}

bool cell_is_measured(const char *folder, const struct state *state, const struct queue *queue,
                      double now_s, char *reason, size_t size)
{
    const json_t *status = state->status;
    const char *job = json_text_at(status, "job"), *host = json_text_at(status, "host");
    const char *updated = json_text_at(status, "updated");
    char here[HOST_NAME_MAX + 1] = "";
    if (cell_is_held(folder, state->cell_name))
        return true;
    if (job && queue->answers) {
        const char *fate = json_text_at(queue->fates, job);
        snprintf(reason, size, "job %s is %s", job, fate ? fate : "gone");
        return json_object_get(queue->states, job);
    }
    if (gethostname(here, sizeof here) == 0 && host && strcmp(host, here) == 0) {
        snprintf(reason, size, "no process measures it");
        return false;
    }
    snprintf(reason, size, "%s has not been heard of since %s", host ? host : "its host",
             updated ? updated : "it began");
    const double runs = number_of(status, "runs", 0);
    const double run_s = runs > 0 ? number_of(status, "spent_s", 0) / runs : 0;
    return cell_age_s(status, now_s) <= fmax(runs_of_silence * run_s, least_silence_s);
}
