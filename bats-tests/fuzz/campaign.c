/* A campaign file, as git config prints it (--list -z --show-origin): here with ; for its 0. */
#include "frame/fuzz.h"

#include "harness/campaign/campaign.h"

#include <jansson.h>
#include <stdlib.h>

const enum fuzz_input fuzz_input = FUZZ_BYTES;

struct attempt {
    char *text;
    size_t size;
};

static void attempt(void *context)
{
    const struct attempt *attempt = context;
    static const struct campaign call = {.instances = "/nowhere", .workloads = "/usr/bin"};
    struct config config;
    FILE *stream = fuzz_stream((const uint8_t *)attempt->text, attempt->size);
    config_read(&config, "made-up.conf", stream);
    fclose(stream);
    config_check_includes(&config);
    json_t *plan = expand(&config, &call);
    fuzz_require(json_array_size(json_object_get(plan, "cells")) > 0);
    json_decref(plan);
    config_free(&config);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct attempt one = {fuzz_text(data, size), size};
    for (size_t i = 0; i < size; i++)
        if (one.text[i] == ';')
            one.text[i] = '\0';
    (void)fuzz_returns(attempt, &one);
    free(one.text);
    return 0;
}
