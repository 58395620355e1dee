#include "reference_look.h"

#include "harness/probe/readings.h"

#include "common/json.h"
#include "common/kept.h"
#include "common/messages.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
                  struct kernel_facts *facts)
{
    struct kernel_look *before = kernel_look(true), *after = NULL;
    if (before != NULL) {
        (void)reporters_sample(set, choices->look_ns);
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

static bool write_look(const struct reference_choices *choices, const char *folder,
                       const struct reporter_set *set, const struct kernel_facts *facts,
                       const char *disturbed)
{
    char path[PATH_MAX + 32];
    struct line line = {0};
    json_t *noise = kernel_to_json(facts);
    char *noise_text = noise == NULL ? NULL : json_dumps(noise, JSON_COMPACT);
    line_object(&line, NULL);
    line_text(&line, "schema", "jostle.probe-sample/1");
    readings_print(&line, set, choices->reporters);
    line_text(&line, "pages", reporters_pages(set));
    line_real(&line, "open_s", reporters_open_s(set));
    line_seconds(&line, "duration_s", choices->look_ns, 6);
    line_seconds(&line, "sample_s", choices->sample_ns, 6);
    print_kinds(&line, choices);
    line_raw(&line, "noise", noise_text == NULL ? "null" : noise_text);
    line_text(&line, "disturbed", *disturbed == '\0' ? NULL : disturbed);
    const char *text = line_end(&line);
    snprintf(path, sizeof path, "%s/%s", folder,
             choices->after ? REFERENCE_LOOK_AFTER : REFERENCE_LOOK);
    const bool good = text != NULL && kept_write(path, text) == 0;
    if (!good)
        complain("%s: %s: give another --output", path, strerror(errno));
    line_free(&line);
    free(noise_text);
    json_decref(noise);
    return good;
}

int reference_look(const struct reference_choices *choices, const char *folder)
{
    struct kernel_facts facts;
    char disturbed[256];
    struct reporter_set *set = reporters_open(&(struct reporter_choice){
        .wanted = choices->reporters, .directory = choices->directory, .seed = choices->seed});
    if (set == NULL)
        return EXIT_FAILURE;
    bool good = watch(choices, set, &facts);
    if (good) {
        reference_disturbance(&facts, disturbed, sizeof disturbed);
        good = (*disturbed == '\0' || choices->force || choices->after ||
                complain("this machine is not quiet (%s): no reference is made: try again when it "
                         "is, or give --force, which marks it",
                         disturbed)) &&
               write_look(choices, folder, set, &facts, disturbed);
    }
    reporters_close(set);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
