/* Lists of CPUs: 0-3,8. */
#include "frame/fuzz.h"

#include "common/cpus.h"

#include <stdlib.h>
#include <string.h>

const enum fuzz_input fuzz_input = FUZZ_BYTES;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    struct cpu_list *list = malloc(sizeof *list), *again = malloc(sizeof *again);
    const size_t room = 16 * sizeof list->cpu / sizeof *list->cpu;
    char *shown = malloc(room), small[8];
    fuzz_require(list != NULL && again != NULL && shown != NULL);
    if (cpus_parse(text, list) == 0) {
        fuzz_require(list->count > 0);
        for (unsigned i = 1; i < list->count; i++)
            fuzz_require(list->cpu[i] > list->cpu[i - 1]);
        fuzz_require(cpus_parse(cpus_format(list, shown, room), again) == 0);
        fuzz_require(again->count == list->count &&
                     memcmp(again->cpu, list->cpu, list->count * sizeof *list->cpu) == 0);
        fuzz_require(strlen(cpus_format(list, small, sizeof small)) < sizeof small);
        fuzz_require(cpus_missing(list, again) == -1);
    }
    free(shown);
    free(again);
    free(list);
    free(text);
    return 0;
}
