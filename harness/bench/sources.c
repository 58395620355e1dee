// Where figures are found in what loadgen prints.

#include "bench.h"

#include "common/memory.h"

char *summary_source(const char *name)
{
    return text_of("stdout:/\"event\":\"summary\".*\"%s\":([-+0-9.eE]+)/", name);
}
