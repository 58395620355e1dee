/* What jostle blame has written over time, a jostle.blame/1 a line, and what is shown of it. */
#include "frame/fuzz.h"

#include "harness/blame/blame.h"

#include <jansson.h>
#include <string.h>

const enum fuzz_input fuzz_input = FUZZ_JSON_LINES;

static void show(void *path)
{
    struct histories histories;
    if (!histories_read(path, &histories))
        return;
    json_t *record = histories_to_json(&histories, 50);
    fuzz_require(record != NULL);
    json_decref(record);
    histories_free(&histories);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    (void)fuzz_returns(show, (void *)fuzz_write("watch.jsonl", data, size));
    return 0;
}
