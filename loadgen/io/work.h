/* The work file, made ready for the workers. */
#ifndef LOADGEN_IO_WORK_H
#define LOADGEN_IO_WORK_H

#include "io/error.h"

struct io_file;
struct run;

/* Makes or takes a work file. Signals wait while it is written, which polls for them;
 * afterwards they are delivered, and end the load in the usual way. 0, or -1 with the
 * reason. */
int io_work_file(struct run *run, struct io_file *file, struct io_error *error);

/* Writes the work file if there is none yet, opens it as the plan says, and makes
 * room for the workers' byte counts. 0, or -1 with the reason. io_work_close()
 * afterwards in any case; the file itself stays open for another plan. */
int io_work_open(struct run *run, struct io_error *error);
void io_work_close(struct run *run);

#endif
