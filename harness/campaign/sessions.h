#ifndef CAMPAIGN_SESSIONS_H
#define CAMPAIGN_SESSIONS_H

/* A campaign that repeats sessions: every cell is measured several times, each time in
 * a folder of its own, in fresh processes, and far from the time before. What differs
 * from session to session is then in the figures. */

#include <jansson.h>

enum { SESSIONS_MOST = 1000 };

/* Appends the cells of the sessions 2 to repeat: the whole campaign once, then again.
 * Session 1 keeps its names, so that a campaign can be repeated when its first
 * session is measured already; the others are NAME.session2 and so on, with "of" the
 * first one's name, and with a seed of their own where the file gives one. All get
 * "session". With a repeat of 1 nothing is changed. */
void sessions_repeat(json_t *cells, unsigned repeat);

/* The session of a cell: 1 where it has none. */
unsigned session_of(const json_t *cell);

/* The name that the sessions of a cell share. */
const char *session_name(const json_t *cell);

#endif
