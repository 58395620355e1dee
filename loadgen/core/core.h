// What loads that disturb what shares their core have alike.
#ifndef LOADGEN_CORE_CORE_H
#define LOADGEN_CORE_CORE_H

#define CORE_LOAD                                                                                  \
    .unit = UNIT_OPS, .threads = 1, .calibrations = (const char *const[]){"", NULL}, .pinned = true

#endif
