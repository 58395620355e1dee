#ifndef REPORT_SESSIONS_H
#define REPORT_SESSIONS_H

#include "groups.h"
#include "reading.h"

/* The sessions of one cell as one experiment, whose figures are over the sessions. */

/* Reads all sessions of a group, and makes one experiment of them: with the record of the
 * first, the runs of all one after another, and their sessions_result(). */
void sessions_read(struct experiment *all, const struct group *group, const struct folders *folders,
                   const struct wanted *wanted, const struct run_options *options);

/* What the ratio over sessions is made of, "3 sessions: 1.37, 1.35, 1.40; ...", to be
 * freed; NULL: it is of a single one. slowdown: of an experiment that sessions_read made. */
char *sessions_text(const struct value *slowdown);

#endif
