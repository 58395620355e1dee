#include "verdicts.h"

#include <stdlib.h>
#include <string.h>

#include "common/changes.h"
#include "common/file.h"
#include "gate.h"
#include "machine.h"
#include "output.h"
#include "result.h"
#include "usual.h"

static json_t *steps_json(const struct hub *hub)
{
    if (json_is_string(hub->steps))
        return json_pack("{s:n, s:O}", "steps", "reason", hub->steps);
    if (json_array_size(hub->steps) == 0)
        return json_null();
    return json_pack("{s:O, s:n}", "steps", hub->steps, "reason");
}

// Adds this session's warnings to those of earlier ones, each once.
static void keep_warnings(struct hub *hub)
{
    json_t *kept = json_object_get(hub->experiment.json, "warnings");
    if (json_array_size(hub->warnings) == 0)
        return;
    if (!kept) {
        json_object_set(hub->experiment.json, "warnings", hub->warnings);
        return;
    }
    for (size_t i = 0; i < json_array_size(hub->warnings); i++) {
        json_t *warning = json_array_get(hub->warnings, i);
        if (!hub_has_warning(kept, warning))
            json_array_append(kept, warning);
    }
}

// Which files were others at the end of this session than at its beginning.
static void keep_inputs(const struct hub *hub)
{
    const json_t *ends = json_object_get(hub->after, "inputs");
    json_t *inputs = changes_last_inputs(hub->experiment.json);
    for (size_t i = 0; i < json_array_size(inputs); i++)
        for (size_t k = 0; k < json_array_size(ends); k++)
            if (json_equal(json_object_get(json_array_get(inputs, i), "word"),
                           json_object_get(json_array_get(ends, k), "word")))
                json_object_set(json_array_get(inputs, i), "end", json_array_get(ends, k));
    json_object_del(hub->after, "inputs");
}

// How the machine was beside what it usually is; in a resumed experiment by all of its probes.
static void keep_unusual(const struct hub *hub)
{
    json_t *notes = json_array();
    json_t *machine = machine_json(&hub->course.session, &hub->course.replay, notes);
    json_object_set_new(hub->experiment.json, "unusual",
                        usual_compare(hub->experiment.json, machine));
    json_decref(machine);
    json_decref(notes);
}

// What only this session knows, and why it ended where runs.jsonl does not show it.
static bool complete_experiment(struct hub *hub)
{
    json_t *json = hub->experiment.json;
    const enum stop_reason reason = hub->course.next.stop;
    if (hub->after) {
        keep_inputs(hub);
        json_object_set(json, "after", hub->after);
    }
    json_object_set_new(json, "step_accounting", steps_json(hub));
    keep_warnings(hub);
    keep_unusual(hub);
    if (reason == STOP_MAX_TIME || reason == STOP_INTERRUPTED)
        json_object_set_new(json, "stopped", json_string(stop_names[reason]));
    char *path = folder_file(&hub->folder, "experiment.json");
    const bool good = output_document(json, path);
    free(path);
    return good;
}

static bool write_result(struct hub *hub, json_t **result)
{
    *result = result_build(&hub->experiment, &hub->course.session, &hub->course.replay);
    return *result && result_write(*result, hub->folder.path);
}

bool finish_all(struct hub *hub)
{
    json_t *result = NULL;
    const bool good =
        folder_sync(&hub->folder) && complete_experiment(hub) && write_result(hub, &result);
    if (good) {
        status_write(&hub->status, &hub->course, "done", stop_names[hub->course.next.stop]);
        hub->has_ended = true;
    }
    // What cannot be written has been said, or is in the folder's error.
    const bool answered = good ? hub_answer(hub, "done\t%s", verdicts_word(result))
                               : hub_fail(hub, "-", hub->folder.error);
    json_decref(result);
    return answered;
}

// The last line of a file, to be freed; NULL where there is none.
static char *last_line(const char *path)
{
    FILE *file = file_open_record(path);
    char *line = NULL, *last = NULL;
    size_t size = 0;
    while (file && getline(&line, &size, file) > 0) {
        free(last);
        last = strdup(line);
    }
    if (file)
        fclose(file);
    if (last)
        last[strcspn(last, "\n")] = '\0';
    free(line);
    return last;
}

bool finish_no_hyperfine(struct hub *hub)
{
    char *path = folder_file(&hub->folder, "target.stderr"), *line = last_line(path);
    char text[FOLDER_ERROR];
    snprintf(text, sizeof text, "hyperfine could not run the target: %.300s",
             line ? line : "it said nothing");
    free(path);
    free(line);
    return hub_fail(hub, "-", text);
}
