/* The records of an experiment: the first line is its experiment.json, the others its runs.jsonl.
 * All that stats --derive makes of them. */
#include "frame/fuzz.h"

#include "harness/stats/result.h"

#include <stdlib.h>

const enum fuzz_input fuzz_input = FUZZ_JSON_LINES;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *const folders[] = {(char *)fuzz_folder()};
    fuzz_write_line("experiment.json", &data, &size);
    (void)fuzz_write("runs.jsonl", data, size);
    (void)result_derive(folders, 1);
    return 0;
}
