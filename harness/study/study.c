// What studies share: their plan, and which experiment comes next.

#include "study.h"

#include "common/file.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "common/save.h"
#include "harness/stats/json.h"

#include <unistd.h>

json_t *study_record(const struct study *study, const char *folder, const char *file,
                     const char *schema)
{
    char why[RECORD_WHY];
    OWNED char *path = text_of("%s/%s", folder, file);
    json_t *record = record_read(path, schema, why);
    if (!record)
        complain("%s cannot be read (%s): give a folder that jostle %s has made", path, why,
                 study->name);
    return record;
}

json_t *study_plan(const struct study *study, const char *folder)
{
    return study_record(study, folder, study->file, study->schema);
}

bool study_keep(const struct study *study, const json_t *plan, const char *folder, bool *made)
{
    OWNED char *path = text_of("%s/%s", folder, study->file);
    return save_make_folder(folder, made) ? output_document(plan, path)
                                          : save_complain_folder(folder);
}

json_t *study_text(const char *text)
{
    json_t *value = text ? json_string(text) : json_null();
    if (!value)
        usage_error("%s: it is not UTF-8: rename it, or put the command into a script", text);
    return value;
}

json_t *study_resumed(const struct study *study, const json_t *plan, const char *folder,
                      bool resume, bool (*same)(const json_t *old, const json_t *plan))
{
    const bool there = file_is_in(folder, study->file, F_OK);
    if (there && !resume)
        usage_error("%s already holds a %s: choose another folder with --output, or continue it "
                    "with --resume",
                    folder, study->name);
    if (!there && !file_folder_has_only(folder, (const char *const[]){NULL}))
        usage_error("%s is not empty, and holds no %s: choose another folder with --output, one "
                    "that is empty or not there",
                    folder, study->name);
    json_t *old = !there ? NULL : study_plan(study, folder);
    if (there && !old)
        exit(EXIT_FAILURE);
    if (old && !same(old, plan))
        usage_error("%s holds a %s of another command, of other options or on other CPUs: give the "
                    "same, or another --output",
                    folder, study->name);
    return old;
}

void study_word(const char *word)
{
    pair_put("word", word);
}

void study_words(const json_t *words)
{
    JSON_EACH (word, words)
        study_word(json_string_value(word));
}

void study_option(const char *name, const char *value)
{
    if (!value)
        return;
    study_word(name);
    study_word(value);
}

void study_number(const char *name, const char *format, double value)
{
    char text[64];
    snprintf(text, sizeof text, format, value);
    study_option(name, text);
}

void study_step(const char *command, const char *folder, const char *name)
{
    OWNED char *path = text_of("%s/%s", folder, name);
    pair_put("step", name);
    study_word(command);
    study_option("--output", path);
    study_word("--resume");
}

void study_step_end(void)
{
    pair_put("end", "");
}

bool study_is_done(const char *folder, const char *name)
{
    OWNED char *path = text_of("%s/%s", folder, name);
    return file_is_in(path, "result.json", R_OK);
}

json_t *study_result(const char *folder, const char *name)
{
    json_error_t error;
    OWNED char *path = text_of("%s/%s/result.json", folder, name);
    json_t *result = json_read_record(path, 0, &error);
    if (!result)
        complain("%s cannot be read (%s): measure again into another --output", path, error.text);
    return result;
}
