/* What the kernel counts for one thread of this process. */
#ifndef LOADGEN_THREAD_COUNT_H
#define LOADGEN_THREAD_COUNT_H

#include <sys/types.h>

/* The number behind "FIELD:" in /proc/self/task/THREAD/FILE ("io", "status"), since the
 * thread's start; NAN: there is none, or the thread is gone. */
double thread_counted(pid_t thread, const char *file, const char *field);
/* The same of all threads, in /proc/self/FILE. */
double process_counted(const char *file, const char *field);

#endif
