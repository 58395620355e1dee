#include "reference_look.h"

#include "harness/probe/activity.h"
#include "harness/probe/readings.h"

#include "common/json.h"
#include "common/kept.h"
#include "common/messages.h"
#include "common/save.h"
#include "common/schemas.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Above these the machine is not quiet. Judgement: what moves a reporter by some percent. */
#define MOST_FOREIGN   0.05 /* of the CPUs, used by others */
#define MOST_STEAL     0.01
#define MOST_MEMORY    0.01 /* PSI; that of the disk is not judged: our own writes wait */
#define MOST_THROTTLED 0.01

/* Adds a finding, after ", " where there is one. */
static void add(char *text, size_t size, const char *what, double percent)
{
    const size_t used = strlen(text);
    if (used + 1 < size)
        snprintf(text + used, size - used, "%s%s %.3g %%", used == 0 ? "" : ", ", what, percent);
}

/* What is not known (NAN) disturbs nothing. */
void reference_disturbance(const struct kernel_facts *facts, char *text, size_t size)
{
    const double others = (facts->foreign_cpus + facts->session_cpus) / facts->cpus;
    *text = '\0';
    if (others > MOST_FOREIGN)
        add(text, size, "other programs use of the CPUs", 100 * others);
    if (facts->steal > MOST_STEAL)
        add(text, size, "stolen by the hypervisor", 100 * facts->steal);
    if (facts->memory_some > MOST_MEMORY)
        add(text, size, "waiting for memory", 100 * facts->memory_some);
    if (facts->throttled > MOST_THROTTLED)
        add(text, size, "throttled by the own CPU quota", 100 * facts->throttled);
    if (facts->swap_in_per_s > 0)
        snprintf(text + strlen(text), size - strlen(text), "%sswapping", *text == '\0' ? "" : ", ");
}

/* Samples for a while, and has the kernel's figures of that time. */
static bool watch(const struct reference_choices *choices, struct reporter_set *set,
                  struct kernel_facts *facts, double activity[ACTIVITIES])
{
    struct activity_meter meter;
    struct kernel_look *before = kernel_look(true), *after = NULL;
    activity_open(&meter, choices->directory, set);
    if (before != NULL) {
        (void)reporters_sample(set, choices->look_ns);
        activity_read(&meter, activity);
        after = kernel_look(true);
    }
    const bool good = before != NULL && after != NULL;
    if (good)
        kernel_between(before, after, kernel_run_queue(), facts);
    kernel_look_free(before);
    kernel_look_free(after);
    return good || complain("out of memory: free some");
}

static void print_kinds(struct line *line, const struct reference_choices *choices)
{
    char reason[256];
    line_object(line, "kinds");
    for (enum kind kind = 0; kind < KINDS; kind++)
        if (kind_impossible(kind, choices->directory, reason, sizeof reason))
            line_text(line, kinds[kind].name, reason);
    line_close(line);
}

/* Which file of the folder the look is kept in. */
static void name_look(const struct reference_choices *choices, const char *folder,
                      char path[PATH_MAX + 64])
{
    char name[64];
    struct tm utc;
    const time_t now = time(NULL);
    if (choices->again)
        strftime(name, sizeof name, "quiet-%Y%m%dT%H%M%SZ.json", gmtime_r(&now, &utc));
    else
        snprintf(name, sizeof name, "%s", choices->after ? REFERENCE_LOOK_AFTER : REFERENCE_LOOK);
    snprintf(path, PATH_MAX + 64, "%s/%s", folder, name);
}

static bool write_look(const struct reference_choices *choices, const char *folder,
                       const struct reporter_set *set, const struct kernel_facts *facts,
                       const double activity[ACTIVITIES], const char *disturbed)
{
    char path[PATH_MAX + 64];
    struct line line = {0};
    json_t *noise = kernel_to_json(facts);
    char *noise_text = noise == NULL ? NULL : json_dumps(noise, JSON_COMPACT);
    line_object(&line, NULL);
    line_text(&line, "schema", SCHEMA_PROBE_SAMPLE);
    readings_print(&line, set, choices->reporters);
    activity_print(&line, activity);
    line_text(&line, "pages", reporters_pages(set));
    line_real(&line, "open_s", reporters_open_s(set));
    line_seconds(&line, "duration_s", choices->look_ns, 6);
    line_seconds(&line, "sample_s", choices->sample_ns, 6);
    print_kinds(&line, choices);
    line_raw(&line, "noise", noise_text == NULL ? "null" : noise_text);
    line_text(&line, "disturbed", *disturbed == '\0' ? NULL : disturbed);
    const char *text = line_end(&line);
    name_look(choices, folder, path);
    const bool good = text != NULL && kept_write(path, text) == 0;
    if (!good)
        save_complain(path);
    line_free(&line);
    free(noise_text);
    json_decref(noise);
    return good;
}

int reference_look(const struct reference_choices *choices, const char *folder)
{
    struct kernel_facts facts;
    double activity[ACTIVITIES];
    char disturbed[256];
    struct reporter_set *set = reporters_open(&(struct reporter_choice){
        .wanted = choices->reporters, .directory = choices->directory, .seed = choices->seed});
    if (set == NULL)
        return EXIT_FAILURE;
    bool good = watch(choices, set, &facts, activity);
    if (good) {
        reference_disturbance(&facts, disturbed, sizeof disturbed);
        good = (*disturbed == '\0' || choices->force || choices->after ||
                complain("this machine is not quiet (%s): no reference is made: try again when it "
                         "is, or give --force, which marks it",
                         disturbed)) &&
               write_look(choices, folder, set, &facts, activity, disturbed);
    }
    reporters_close(set);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
