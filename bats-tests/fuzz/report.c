/* The folder of an experiment, as jostle report reads it: its status.json, experiment.json and
 * result.json, a line each, and then the lines of its runs.jsonl. */
#include "frame/fuzz.h"

#include "harness/report/report.h"

#include <stdlib.h>

const enum fuzz_input fuzz_input = FUZZ_JSON_LINES;

static void collect_all(void *context)
{
    const struct wanted *wanted = context;
    struct collected collected = {0};
    struct folders folders = {0};
    folders_add(&folders, fuzz_folder());
    folders_distinguish(&folders);
    collect(&collected, &folders, wanted);
    free(head_of("fuzzed", &collected, &(struct campaigns){0}, wanted));
    collected_free(&collected);
    folders_free(&folders);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const files[] = {"status.json", "experiment.json", "result.json"};
    static const struct wanted views[] = {{.lists = true},
                                          {.figures = true},
                                          {.rows = true, .table = true},
                                          {.rows = true, .page = true}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        fuzz_write_line(files[i], &data, &size);
    (void)fuzz_write("runs.jsonl", data, size);
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        (void)fuzz_returns(collect_all, (void *)&views[i]);
    return 0;
}
