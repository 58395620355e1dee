#ifndef PACK_SEARCH_H
#define PACK_SEARCH_H

#include "rows.h"

/* Prints "stage\0FOLDER\0text\0TEXT\0": the folder whose cell.json says what is to be measured, and
 * the same in words; nothing where the answer is known. The first time it takes the trial into the
 * plan. left_s: seconds to measure in. again: a
 * last stage that the time has ended is continued. False after a message. */
bool next_print(const char *dir, double left_s, bool again);

/* Whether the slowdown never surely falls from one number of copies to a larger one. Only then a
 * number between two others says nothing that these do not. */
bool rows_are_smooth(const struct rows *rows);

#endif
