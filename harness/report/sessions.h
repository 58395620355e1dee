#ifndef REPORT_SESSIONS_H
#define REPORT_SESSIONS_H

#include "family.h"
#include "folders.h"
#include "sessions_result.h"

#include <stddef.h>

/* The sessions of one cell as one experiment, whose figures are over the sessions. */

/* Reads all sessions of a group, and makes one experiment of them: with the record of the
 * first, the runs of all one after another, and their sessions_result(). */
void sessions_read(struct experiment *all, const struct group *group, const struct folders *folders,
                   const struct wanted *wanted, const struct run_options *options);

/* What the ratio over sessions is made of, "3 sessions: 1.37, 1.35, 1.40; ...", to be
 * freed; NULL: it is of a single one. slowdown: of an experiment that sessions_read made. */
char *sessions_text(const struct value *slowdown);

/* What is to be known of all results before the first of them is put into words: which
 * are sessions of one cell, and the family of their slowdowns, settled. */
void survey(struct groups *groups, struct family *family, const struct folders *folders,
            const struct wanted *wanted);

/* Calls job(context, 0) to job(context, count - 1), each once, a few at a time:
 * folders are many and small, and may be on a file system that answers late. */
void workers_each(size_t count, void (*job)(void *context, size_t number), void *context);

#endif
