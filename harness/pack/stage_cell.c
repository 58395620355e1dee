// The cell of a stage: some numbers of copies against the reference, for some time.

#include "search.h"

#include "common/memory.h"
#include "common/record_json.h"
#include "common/schemas.h"
#include "common/text.h"
#include "harness/stats/json.h"

#include <math.h>

// "a\nb": a list of settings has an item a line.
static void append_line(char **list, char *line)
{
    *list = text_joined(*list, "\n", line);
    free(line);
}

char *pack_metric_list(const json_t *plan)
{
    static const char *const others[] = {
        "worst_s=stdout:/^worst_s ([0-9.e+-]+)$/,unit=s",
        "makespan_s=stdout:/^makespan_s ([0-9.e+-]+)$/,unit=s",
        "throughput=stdout:/^throughput ([0-9.e+-]+)$/,unit=1/s,better=higher",
        "copy_cpu_s=stdout:/^cpu_s ([0-9.e+-]+)$/,unit=s",
        "copy_peak_bytes=stdout:/^peak_bytes ([0-9]+)$/,unit=B"};
    char *list = text_of("copy_s=stdout:/^copy_s ([0-9.e+-]+)$/,unit=s");
    JSON_EACH (program, json_object_get(plan, "programs")) {
        const char *name = json_text_at(program, "name");
        if (name)
            append_line(&list, text_of("%s_s=stdout:/^%s_s ([0-9.e+-]+)$/,unit=s", name, name));
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        list = text_joined(list, "\n", others[i]);
    return list;
}

// The metrics that decide: the time of a copy, of a mix that of each program.
static char *decide_list(const json_t *plan)
{
    char *list = NULL;
    JSON_EACH (program, json_object_get(plan, "programs")) {
        OWNED char *name = json_has(program, "name")
                               ? text_of("%s_s", json_text_at(program, "name"))
                               : text_of("copy_s");
        list = text_joined(list, ",", name);
    }
    return list;
}

const char *const passed_settings[PASSED] = {"setup",   "prepare", "conclude",
                                             "cleanup", "timeout", "statistic"};

static void put_setting(json_t *settings, const char *name, char *text)
{
    json_put(settings, name, json_owned_text(text));
}

char *stage_write(const json_t *plan, const char *dir, size_t number, const struct search *search,
                  const struct counts *counts, double seconds)
{
    const json_t *from = json_object_get(plan, "settings");
    OWNED char *folder = text_of("%s/stages/%zu", dir, number), *name = text_of("pack.%zu", number);
    char *path = text_of("%s/cell.json", folder), *variants = NULL;
    json_t *settings = must(json_object());
    for (size_t i = 0; i <= counts->count; i++) {
        json_auto_t *words = launcher_words(plan, i == 0 ? 0 : counts->item[i - 1]);
        OWNED char *command = json_words_quoted(words);
        append_line(&variants, i == 0 ? text_of(STAGE_REFERENCE "=%s", command)
                                      : text_of("%zu=%s", counts->item[i - 1], command));
    }
    put_setting(settings, "variant", variants);
    put_setting(settings, "metric", pack_metric_list(plan));
    put_setting(settings, "decide", decide_list(plan));
    put_setting(settings, "shell", text_of("none"));
    put_setting(settings, "washout", text_of("0"));
    put_setting(settings, "error", text_of("%.9g", json_number_at(from, "error")));
    put_setting(
        settings, "confidence",
        text_of("%.12g", json_number_at(json_object_get(plan, "search"), "confidence_each")));
    // As many blocks at least as the time has room for, but three; at most those of --min-runs.
    put_setting(settings, "min-runs",
                text_of("%.0f", fmin(fmax(floor(search_blocks(search, counts, seconds)), 3),
                                     plan_setting(plan, "min_runs"))));
    put_setting(settings, "max-runs", text_of("%.0f", json_number_at(from, "max_runs")));
    put_setting(settings, "max-time", text_of("%.3fs", seconds));
    put_setting(settings, "seed", text_of("%.0f", json_number_at(from, "seed")));
    for (size_t i = 0; i < PASSED; i++)
        if (json_has(from, passed_settings[i]))
            json_put(settings, passed_settings[i],
                     json_text(json_text_at(from, passed_settings[i])));
    json_auto_t *cell =
        must(json_pack("{s:s, s:s, s:o, s:[], s:o}", "schema", SCHEMA_CELL, "name", name, "command",
                       launcher_words(plan, 0), "loads", "settings", settings));
    if ((save_make_folder(folder, NULL) || save_complain_folder(folder)) &&
        output_document(cell, path))
        return path;
    free(path);
    return NULL;
}
