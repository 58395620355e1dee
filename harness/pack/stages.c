#include "stages.h"

#include "plan.h"

#include "common/memory.h"
#include "common/record_json.h"
#include "common/save.h"
#include "common/schemas.h"
#include "harness/stats/json.h"
#include "harness/stats/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *folder_of(const char *dir, size_t number)
{
    return text_of("%s/stages/%zu", dir, number);
}

bool stages_read(struct stages *stages, const char *dir)
{
    for (stages->count = 0; stages->count < STAGES_MOST; stages->count++) {
        struct measured *stage = &stages->stage[stages->count];
        *stage = (struct measured){.folder = folder_of(dir, stages->count + 1)};
        const bool good = measured_read(stage);
        if (good && stage->has_runs)
            continue;
        measured_free(stage);
        return good;
    }
    return true;
}

void stages_free(struct stages *stages)
{
    for (size_t i = 0; i < stages->count; i++)
        measured_free(&stages->stage[i]);
}

double stage_spent_s(const struct measured *stage)
{
    const double spent_s = json_number_at(stage->status, "spent_s");
    return spent_s > 0 ? spent_s : 0;
}

size_t stage_copies(const struct measured *stage, size_t condition)
{
    const char *name = stage->experiment.settings.conditions[condition];
    return condition == 0 ? 0 : (size_t)strtoul(name, NULL, 10);
}

/* ---- its cell */

/* "a\nb": a list of settings has an item a line. */
static void append(char **list, char *line)
{
    *list = text_joined(*list, "\n", line);
    free(line);
}

static void put_text(json_t *settings, const char *name, char *text)
{
    json_put(settings, name, json_owned_text(text));
}

static void put_variants(json_t *settings, const json_t *plan, const size_t *count, size_t counts)
{
    char *list = NULL, *command = launcher_command(plan, 0);
    append(&list, text_of(STAGE_REFERENCE "=%s", command));
    free(command);
    for (size_t i = 0; i < counts; i++) {
        command = launcher_command(plan, count[i]);
        append(&list, text_of("%zu=%s", count[i], command));
        free(command);
    }
    put_text(settings, "variant", list);
}

/* What the launcher prints: copy_s, and of a mix the time of each program, decide. */
static void put_metrics(json_t *settings, const json_t *plan)
{
    static const char *const others[] = {
        "worst_s=stdout:/^worst_s ([0-9.e+-]+)$/,unit=s",
        "makespan_s=stdout:/^makespan_s ([0-9.e+-]+)$/,unit=s",
        "throughput=stdout:/^throughput ([0-9.e+-]+)$/,unit=1/s,better=higher",
        "copy_cpu_s=stdout:/^cpu_s ([0-9.e+-]+)$/,unit=s",
        "copy_peak_bytes=stdout:/^peak_bytes ([0-9]+)$/,unit=B"};
    const json_t *programs = json_object_get(plan, "programs"), *program;
    char *list = NULL, *decide = NULL;
    size_t i;
    append(&list, text_of("copy_s=stdout:/^copy_s ([0-9.e+-]+)$/,unit=s"));
    json_array_foreach(programs, i, program)
    {
        const char *name = json_text_at(program, "name");
        if (name == NULL)
            continue;
        append(&list, text_of("%s_s=stdout:/^%s_s ([0-9.e+-]+)$/,unit=s", name, name));
        append(&decide, text_of("%s_s", name));
    }
    for (i = 0; i < sizeof others / sizeof *others; i++)
        append(&list, text_of("%s", others[i]));
    put_text(settings, "metric", list);
    for (char *c = decide; c != NULL && *c != '\0'; c++)
        *c = *c == '\n' ? ',' : *c;
    put_text(settings, "decide", decide == NULL ? text_of("copy_s") : decide);
}

static json_t *settings_json(const json_t *plan, const size_t *count, size_t counts, double seconds,
                             double confidence, size_t min_runs)
{
    static const char *const passed[] = {"setup",   "prepare", "conclude",
                                         "cleanup", "timeout", "statistic"};
    const json_t *from = json_object_get(plan, "settings");
    json_t *settings = must(json_object());
    put_variants(settings, plan, count, counts);
    put_metrics(settings, plan);
    put_text(settings, "shell", text_of("none"));
    put_text(settings, "washout", text_of("0"));
    put_text(settings, "error", text_of("%.9g", json_number_at(from, "error")));
    put_text(settings, "confidence", text_of("%.12g", confidence));
    put_text(settings, "min-runs", text_of("%zu", min_runs));
    put_text(settings, "max-runs", text_of("%.0f", json_number_at(from, "max_runs")));
    put_text(settings, "max-time", text_of("%.3fs", seconds));
    put_text(settings, "seed", text_of("%.0f", json_number_at(from, "seed")));
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
        if (json_has(from, passed[i]))
            json_put(settings, passed[i], json_text(json_text_at(from, passed[i])));
    return settings;
}

char *stage_write(const json_t *plan, const char *dir, size_t number, const size_t *count,
                  size_t counts, double seconds, double confidence, size_t min_runs)
{
    char *folder = folder_of(dir, number), *path = text_of("%s/cell.json", folder);
    OWNED char *name = text_of("pack.%zu", number);
    json_t *cell =
        must(json_pack("{s:s, s:s, s:o, s:[], s:o}", "schema", SCHEMA_CELL, "name", name, "command",
                       launcher_words(plan, 0), "loads", "settings",
                       settings_json(plan, count, counts, seconds, confidence, min_runs)));
    const bool good = (save_make_folder(folder, NULL) || save_complain_folder(folder)) &&
                      output_document(cell, path);
    json_decref(cell);
    free(path);
    if (good)
        return folder;
    free(folder);
    return NULL;
}
