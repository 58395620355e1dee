/* The cell of a campaign (jostle.cell/1), as jostle slowdown --cell FILE reads it: settings,
 * command and loads. */
#include "frame/fuzz.h"

#include "common/options.h"
#include "harness/experiment/loads.h"
#include "harness/experiment/settings.h"

#include <string.h>

const enum fuzz_input fuzz_input = FUZZ_JSON_LINES;

/* No option on the command line. */
static struct options *none_given(struct settings *settings)
{
    const struct option_group group = {.rows = settings_rows, .values = settings};
    const struct program program = {
        .name = "fuzz", .intro = "", .groups = &group, .group_count = 1};
    char name[] = "fuzz";
    char *argv[] = {name, NULL};
    int rest;
    return options_parse(&program, 1, argv, &rest);
}

static void read_cell(void *path)
{
    struct arena arena = {0};
    struct settings settings;
    struct conditions conditions = {0};
    json_t *cell = cell_read(path);
    struct options *given = none_given(&settings);
    experiment_settings_begin(&settings);
    cell_apply(cell, &arena, &settings, given);
    const struct option_list command = cell_command(cell, &arena);
    for (size_t i = 0; i < command.count; i++)
        fuzz_require(command.item[i] != NULL);
    const struct option_list loads = cell_loads(cell, &arena);
    const struct load_context context = {
        .settle_ns = settings.settle_ns, .pause = settings.pause, .own = &settings.setting};
    (void)conditions_add(&conditions, &arena, "baseline", NULL);
    for (size_t i = 0; i < loads.count; i++)
        conditions_add_load(&conditions, &arena, loads.item[i], &context);
    json_decref(conditions_to_json(&conditions));
    json_decref(settings_to_json(&settings));
    settings_complete(&settings);
    options_free(given);
    arena_free(&arena);
    json_decref(cell);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    (void)fuzz_returns(read_cell, (void *)fuzz_write("cell.json", data, size));
    return 0;
}
