/* The options of loadgen io: what they mean together, and which are refused. */
#ifndef LOADGEN_IO_OPTIONS_H
#define LOADGEN_IO_OPTIONS_H

#include "load.h"

extern const struct option_row io_options[];

/* The folder of a work file: what --dir gave, else (NULL) $TMPDIR, else /var/tmp. */
const char *io_folder(const char *given);

/* load.h's check: makes run->state with the folder, its device and the plan, and
 * refuses (exit 2) what cannot be. Creates nothing on the disk that has a name. */
void io_check(struct run *run);

#endif
