#ifndef REPORT_WORKERS_H
#define REPORT_WORKERS_H

#include <stddef.h>

/* Calls job(context, 0) to job(context, count - 1), each once, a few at a time:
 * folders are many and small, and may be on a file system that answers late. */
void workers_each(size_t count, void (*job)(void *context, size_t number), void *context);

#endif
