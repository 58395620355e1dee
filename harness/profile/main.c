// profile: what `jostle profile` measures, and what came of it. It reads and writes files;
// processes are the shell's.
//
//     --next DIR         the next step: see steps.h
//     --derive DIR       writes the profile from its records
//     --show FILE|DIR    a profile on stdout, or that of the records in a folder
//     --noise DIR        what runs alone show, on stdout; exit 3 where it is too much
//
// Without any of these it reads the command line, writes the plan into the folder of the
// records, and prints what the shell is to do.
#include "derive.h"
#include "request.h"
#include "steps.h"

#include "harness/stats/json.h"

#include "common/file.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/pair.h"
#include "common/record_json.h"
#include "common/save.h"
#include "common/schemas.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EXIT_ABOVE = 3 };

static json_t *read_plan(const char *path)
{
    char why[RECORD_WHY];
    if (access(path, F_OK) != 0)
        return NULL;
    json_t *plan = record_read(path, SCHEMA_PROFILE_PLAN, why);
    if (plan == NULL)
        usage_error("%s cannot be read (%s): give another --output", path, why);
    return plan;
}

// Whether two plans differ in what is measured: in all but the time and the reference.
static bool differs(const json_t *a, const json_t *b)
{
    static const char *const names[] = {"words",   "place",         "kinds",   "levels",
                                        "options", "input",         "prepare", "check_noise",
                                        "adds",    "ignore_failure"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!json_equal(json_object_get(a, names[i]), json_object_get(b, names[i])))
            return true;
    return false;
}

// What is in the folder: nothing, or with --resume the same profile.
static void check_folder(const struct request *request, const json_t *old, const json_t *plan)
{
    if (old == NULL && !file_folder_has_only(request->folder, (const char *const[]){NULL}))
        usage_error("%s exists, and holds no profile's records: give another --output",
                    request->folder);
    if (old == NULL && request->file != NULL && access(request->file, F_OK) == 0)
        usage_error("%s is there, and its records (%s) are not: move it away, or give another "
                    "--output",
                    request->file, request->folder);
    if (old != NULL && !request->resume)
        usage_error("%s holds the records of a profile: add --resume to continue it, or give "
                    "another --output",
                    request->folder);
    if (old != NULL && differs(old, plan))
        usage_error("--resume: %s is of another command or of other options: give the same, or "
                    "another --output",
                    request->folder);
}

// Writes the plan, and prints what the shell is to do.
static bool begin(const struct request *request)
{
    json_t *plan = request_plan(request);
    char *path = text_of("%s/%s", request->folder, REQUEST_PLAN);
    json_t *old = read_plan(path);
    check_folder(request, old, plan);
    if (old != NULL && json_is_null(json_object_get(plan, "max_time_s")))
        json_put(plan, "max_time_s", json_incref(json_object_get(old, "max_time_s")));
    bool made = false;
    const bool good = save_make_folder(request->folder, &made)
                          ? output_document(plan, path)
                          : save_complain_folder(request->folder);
    pair_put("folder", request->folder);
    pair_put_flag("made", made);
    pair_put("file", request->file);
    pair_put("json", request->json);
    pair_put_flag("check_noise", request->check_noise);
    pair_put_flag("dry_run", request->dry_run);
    pair_put_flag("resume", request->resume);
    pair_put_flag("verbose", request->verbose);
    pair_put_flag("quiet", request->quiet);
    json_decref(old);
    json_decref(plan);
    free(path);
    return good && fflush(stdout) == 0;
}

static bool derive(const struct request *request)
{
    if (request->output == NULL)
        usage_error("--derive: it needs --output FILE");
    json_t *record = derive_profile(request->derive, request->output);
    const bool good = record != NULL && output_named(record, request->output);
    json_decref(record);
    return good;
}

// What a file holds, where it is a profile.
static json_t *read_profile(const char *path)
{
    struct program_profile profile;
    char why[PROFILE_WHY];
    json_t *record = NULL;
    if (profile_read(&profile, path, why, sizeof why))
        record = json_incref(profile.record);
    else
        complain("%s %s", path, why);
    profile_free(&profile);
    return record;
}

// Whether the folder has the runs of --check-noise, which are no profile.
static bool is_of_noise(const char *folder)
{
    char *path = text_of("%s/%s", folder, REQUEST_PLAN);
    json_t *plan = read_plan(path);
    const bool found = json_is_true(json_object_get(plan, "check_noise"));
    json_decref(plan);
    free(path);
    return found;
}

static bool show(const char *path)
{
    struct stat status;
    const bool is_folder = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    if (is_folder && is_of_noise(path))
        return complain("%s holds runs of --check-noise, and no profile: see jostle report %s/%s",
                        path, path, STEP_ALONE);
    json_t *record = is_folder ? derive_profile(path, path) : read_profile(path);
    const bool good = record != NULL && output_json(record, "-", stdout);
    json_decref(record);
    return good;
}

static int noise(const char *folder)
{
    json_t *record = derive_noise(folder);
    const bool good = record != NULL && output_json(record, "-", stdout);
    const bool told = json_is_true(json_object_get(record, "can_be_told"));
    json_decref(record);
    return !good ? EXIT_FAILURE : told ? EXIT_SUCCESS : EXIT_ABOVE;
}

int main(int argc, char **argv)
{
    streams_open();
    struct request request;
    int status;
    profile_request_read(&request, argc, argv);
    if (request.next != NULL)
        status = steps_print(request.next) ? EXIT_SUCCESS : EXIT_FAILURE;
    else if (request.derive != NULL)
        status = derive(&request) ? EXIT_SUCCESS : EXIT_FAILURE;
    else if (request.show != NULL)
        status = show(request.show) ? EXIT_SUCCESS : EXIT_FAILURE;
    else if (request.noise != NULL)
        status = noise(request.noise);
    else
        status = begin(&request) ? EXIT_SUCCESS : EXIT_FAILURE;
    profile_request_free(&request);
    return status;
}
