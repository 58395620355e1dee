#include "plans.h"

#include "harness/experiment/loads.h"

#include "common/child.h"
#include "common/messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An exec: load's time to settle matters to no plan. */
#define SETTLE_NS 1000000000

/* Runs loadgen on one load; its answer goes to *output, NULL: to our stdout. */
static void run(struct arena *arena, const struct load *load, const char *cpus, char **output)
{
    char start[PATH_MAX], path[PATH_MAX];
    const char **argv = arena_take(arena, (load->word_count + 8) * sizeof *argv);
    size_t count = 0;
    if (cpus != NULL) {
        argv[count++] = child_path("start", start);
        argv[count++] = "--cpus";
        argv[count++] = cpus;
        argv[count++] = "--";
    }
    argv[count++] = child_path("loadgen", path);
    argv[count++] = load->words[0];
    argv[count++] = "--dry-run";
    if (output != NULL)
        argv[count++] = "--json";
    memcpy(argv + count, load->words + 1, (load->word_count - 1) * sizeof *argv);
    fflush(stdout);
    const int status = child_run(argv, -1, output);
    if (status != 0)
        exit(status < 0 ? EXIT_FAILURE : status);
}

/* The loads of one SPEC, named or not. */
static struct condition parse(struct arena *arena, const char *spec)
{
    struct conditions conditions = {0};
    conditions_add_load(&conditions, arena, spec, SETTLE_NS);
    return conditions.condition[0];
}

void plans_read(const char *spec, const char *cpus, json_t *list)
{
    struct arena arena = {0};
    const struct condition condition = parse(&arena, spec);
    for (size_t i = 0; i < condition.load_count; i++) {
        char *text = NULL;
        run(&arena, &condition.load[i], cpus, &text);
        json_array_append_new(list, json_loads(text, 0, NULL));
        free(text);
    }
    arena_free(&arena);
}

void plans_print(const char *spec, const char *cpus)
{
    struct arena arena = {0};
    const struct condition condition = parse(&arena, spec);
    for (size_t i = 0; i < condition.load_count; i++)
        run(&arena, &condition.load[i], cpus, NULL);
    arena_free(&arena);
}
