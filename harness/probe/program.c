#include "harness/probe/program.h"

#include "common/record_json.h"
#include "common/schemas.h"
#include "harness/pressure/identity.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Where and on which machine it was measured; "": it does not say. */
struct origin {
    char machine[IDENTITY_DIGITS + 1];
    char place[32];
};

static void of_profile(const json_t *record, struct origin *origin)
{
    json_copy_text(json_object_get(record, "machine"), "hash", origin->machine,
                   sizeof origin->machine);
    json_copy_text(record, "place", origin->place, sizeof origin->place);
}

/* Of the experiment beside a result. Loads that were not placed ran anywhere. */
static void of_experiment(const char *folder, struct origin *origin)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/experiment.json", folder) >= (int)sizeof path)
        return;
    json_t *record = json_read_record(path, 0, NULL);
    const json_t *environment = json_object_get(record, "environment");
    const json_t *placement = json_object_get(record, "placement");
    if (environment != NULL)
        identity_of(environment, origin->machine);
    json_copy_text(placement, "place", origin->place, sizeof origin->place);
    if (placement != NULL && origin->place[0] == '\0')
        snprintf(origin->place, sizeof origin->place, "machine");
    json_decref(record);
}

static void find_origin(const char *path, struct origin *origin)
{
    char folder[PATH_MAX];
    struct stat status;
    *origin = (struct origin){0};
    if (snprintf(folder, sizeof folder, "%s", path) >= (int)sizeof folder)
        return;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        of_experiment(folder, origin);
        return;
    }
    json_t *record = json_read_record(path, 0, NULL);
    const char *schema = json_string_value(json_object_get(record, "schema"));
    if (schema != NULL && strcmp(schema, SCHEMA_PROGRAM) == 0) {
        of_profile(record, origin);
    } else {
        char *slash = strrchr(folder, '/');
        if (slash != NULL)
            *slash = '\0';
        else
            snprintf(folder, sizeof folder, ".");
        of_experiment(folder, origin);
    }
    json_decref(record);
}

bool program_fits(const char *path, const char *place, const json_t *environment, char *why,
                  size_t size)
{
    struct origin origin;
    char here[IDENTITY_DIGITS + 1];
    find_origin(path, &origin);
    why[0] = '\0';
    if (environment != NULL && origin.machine[0] != '\0') {
        identity_of(environment, here);
        if (strcmp(here, origin.machine) != 0)
            snprintf(why, size, "it was measured on another machine: profile it on this one");
    }
    if (why[0] == '\0' && origin.place[0] != '\0' && strcmp(origin.place, place) != 0)
        snprintf(why, size, "it was measured at the place %s: give --place %s", origin.place,
                 origin.place);
    return why[0] == '\0';
}
