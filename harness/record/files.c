// Finds the files of an experiment's folder.
#include "files.h"

#include "common/file.h"
#include "common/memory.h"
#include "common/record_json.h"
#include "common/schemas.h"

#include <unistd.h>

char *record_path(const char *folder, const char *name)
{
    return text_of("%s/%s", folder, name);
}

bool record_is_in(const char *folder, const char *name)
{
    return file_is_in(folder, name, F_OK);
}

bool experiment_has_runs(const char *folder)
{
    return file_is_in(folder, EXPERIMENT_FILE, R_OK) && file_is_in(folder, RUNS_FILE, R_OK);
}

json_t *experiment_json(const char *folder)
{
    OWNED char *path = record_path(folder, EXPERIMENT_FILE);
    return json_read_record(path, 0, NULL);
}

json_t *experiment_known(const char *folder)
{
    json_t *json = experiment_json(folder);
    if (json_text_is(json, "schema", SCHEMA_EXPERIMENT))
        return json;
    json_decref(json);
    return NULL;
}
