/* A campaign file, which includes nothing. */
#include "frame/fuzz.h"

#include "harness/campaign/campaign.h"

#include <jansson.h>
#include <stdlib.h>

const enum fuzz_input fuzz_input = FUZZ_BYTES;

static void attempt(void *context)
{
    static const struct campaign call = {.instances = "/nowhere", .workloads = "/usr/bin"};
    struct config config;
    if (!config_read(&config, "made-up.conf", context))
        usage_error("%s", config.error);
    json_t *plan = expand(&config, &call);
    fuzz_require(json_array_size(json_object_get(plan, "cells")) > 0);
    json_decref(plan);
    config_free(&config);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    (void)fuzz_returns(attempt, fuzz_stream(data, size));
    return 0;
}
