/* What libFuzzer is told beyond the target: how JSON is mutated. */
#include "fuzz.h"
#include "mutate.h"

#include "common/random.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    uint64_t random = seed;
    if (fuzz_input == FUZZ_JSON_LINES && random_below(&random, 8) > 0) {
        const size_t now = mutate_json_lines(data, size, most, &random);
        if (now > 0)
            return now;
    }
    return LLVMFuzzerMutate(data, size, most);
}
