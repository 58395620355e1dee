// The parts of a bench, in the order of their tables.

#include "facts.h"

const struct part bench_parts[] = {{"cpu", facts_of_cpu},
                                   {"memory", facts_of_memory},
                                   {"disk", facts_of_disk},
                                   {"network", facts_of_network},
                                   {0}};
