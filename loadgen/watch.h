#ifndef LOADGEN_WATCH_H
#define LOADGEN_WATCH_H

/* While a load under a harness prepares (a work file of many GiB, all of memory) nobody reads
 * its stdin: watches over the end of the harness for so long. */

#include <sys/types.h>

struct watch;

/* Sends SIGTERM to this process as soon as stdin's writers are gone and nothing is left to be
 * read, and when `parent` ends, which holds for ever. NULL: out of memory or of threads. */
struct watch *watch_start(pid_t parent);
/* From then on end of file on stdin is the caller's to see. Takes NULL. */
void watch_stop(struct watch *watch);

#endif
