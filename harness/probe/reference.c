/* probe reference: the steps of `jostle probe --reference`, which bash calls one after another. */

#include "harness/probe/commands.h"
#include "harness/probe/reference_look.h"
#include "harness/probe/reference_options.h"
#include "harness/probe/reference_plan.h"
#include "harness/probe/reference_record.h"
#include "harness/probe/reference_runs.h"

#include "harness/pressure/reference.h"

#include "common/kept.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "common/save.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_DISTURBED 0.2 /* of the runs alone */
#define LEAST_RUNS     2   /* of each condition */

/* What was going on before the experiment (by the look) and during it, by the flags of its runs. */
static void find_disturbance(const struct reference_runs *runs, const json_t *look, char *text,
                             size_t size)
{
    const char *before = json_string_value(json_object_get(look, "disturbed"));
    snprintf(text, size, "%s", before == NULL ? "" : before);
    if ((double)runs->disturbed <= MOST_DISTURBED * (double)runs->alone)
        return;
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s in %zu of %zu runs alone", used == 0 ? "" : ", ",
             runs->disturbance, runs->disturbed, runs->alone);
}

/* A load of which there are fewer runs has no curve, and no interval. False, after a message. */
static bool complete(const struct reference_runs *runs, const char *folder)
{
    size_t made[REFERENCE_CONDITIONS] = {0};
    for (size_t i = 0; i < runs->count; i++)
        made[runs->run[i].condition]++;
    for (size_t i = 0; i < runs->conditions; i++)
        if (made[i] < LEAST_RUNS)
            return complain("%s: %zu runs of %s could be used, which is too few: continue with "
                            "--resume, with more --max-time if that ended it",
                            folder, made[i], runs->condition[i].name);
    return true;
}

/* Writes it where it is kept, and where else it is wanted; compact, on one line, to stdout. */
static bool keep(const struct reference_choices *choices, const json_t *record)
{
    char *text = json_dumps(record, RECORD_FORMAT),
         *line = json_dumps(record, JSON_COMPACT | JSON_REAL_PRECISION(15));
    bool good = text != NULL && line != NULL;
    if (good && kept_write(choices->record, text) != 0)
        good = save_complain(choices->record);
    else if (good)
        good = printf("%s\n", line) >= 0 && fflush(stdout) == 0;
    free(text);
    free(line);
    return good;
}

/* One that is marked replaces a good one only by force. */
static bool keep_if_quiet(const struct reference_choices *choices, const json_t *record,
                          const char *disturbed)
{
    if (*disturbed != '\0' && !choices->force)
        return complain("this machine was not quiet (%s): no reference is kept: try again when it "
                        "is, or give --resume --force, which marks it",
                        disturbed);
    return record == NULL ? complain("out of memory: free some") : keep(choices, record);
}

static int is_later_look(const struct dirent *entry)
{
    return fnmatch(REFERENCE_LATER, entry->d_name, 0) == 0;
}

/* The records of all looks but the first, an array; NULL: out of memory. */
static json_t *later_looks(const char *folder)
{
    struct dirent **entries = NULL;
    json_t *looks = json_array();
    const int count = scandir(folder, &entries, is_later_look, alphasort);
    for (int i = 0; i < count; i++) {
        char path[PATH_MAX + 300];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        json_t *look = json_read_record(path, 0, NULL);
        if (look == NULL)
            complain("%s: not a JSON file: left out", path);
        else
            (void)json_array_append_new(looks, look);
        free(entries[i]);
    }
    free(entries);
    return looks;
}

static int derive(const struct reference_choices *choices)
{
    char folder[PATH_MAX + 16], path[PATH_MAX + 32], disturbed[512];
    struct reference_runs runs;
    json_t *experiment;
    snprintf(folder, sizeof folder, "%s/experiment", choices->derive);
    snprintf(path, sizeof path, "%s/" REFERENCE_LOOK, choices->derive);
    if (!reference_runs_read(folder, &runs, &experiment))
        return EXIT_FAILURE;
    json_t *look = json_read_record(path, 0, NULL);
    json_t *later = later_looks(choices->derive);
    find_disturbance(&runs, look, disturbed, sizeof disturbed);
    json_t *record = reference_record(&(struct reference_source){.runs = &runs,
                                                                 .experiment = experiment,
                                                                 .quiet = look,
                                                                 .later = later,
                                                                 .place = choices->place,
                                                                 .disturbed = disturbed});
    const bool good = complete(&runs, choices->derive) && keep_if_quiet(choices, record, disturbed);
    json_decref(record);
    json_decref(later);
    json_decref(look);
    json_decref(experiment);
    reference_runs_free(&runs);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

int probe_reference(int argc, char **argv)
{
    struct reference_choices choices;
    reference_options(&choices, argc, argv);
    if (choices.look != NULL)
        return reference_look(&choices, choices.look);
    if (choices.derive != NULL)
        return derive(&choices);
    return reference_plan(&choices);
}
