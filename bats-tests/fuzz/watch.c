/* What jostle blame has written over time, a jostle.blame/1 a line, and what is shown of it. */
#include "frame/fuzz.h"

#include "harness/blame/blame.h"

#include <jansson.h>
#include <string.h>

const enum fuzz_input fuzz_input = FUZZ_JSON_LINES;

static void show(void *path)
{
    json_decref(history_json(path, 50));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    (void)fuzz_returns(show, (void *)fuzz_write("watch.jsonl", data, size));
    return 0;
}
