/* What --phases says of each phase, and in the end of all. */
#ifndef LOADGEN_IO_PHASES_REPORT_H
#define LOADGEN_IO_PHASES_REPORT_H

#include "io/pass.h"

#include <stddef.h>

struct io_phase {
    const char *name;  /* for people */
    const char *field; /* the fields of the summary begin with it */
    bool by_byte;      /* not possible past the page cache */
    bool reads;        /* begins with a read, of what the page cache must not have */
    bool makes;        /* begins with an empty file */
    bool seeks;        /* counted in operations a second, not in bytes */
    io_pass *pass;
};

/* A phase is over: an event, or a line for people. */
void io_phase_report(const struct io_bench *bench, const struct io_phase *phase,
                     const struct io_outcome *outcome);

/* One line for programs with everything, each name once. Phases without a time are left
 * out. */
void io_phases_summary(const struct io_bench *bench, const struct io_phase *phases,
                       const struct io_outcome *outcomes, size_t count);

#endif
