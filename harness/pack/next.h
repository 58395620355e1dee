/* The next stage of a pack. */
#ifndef PACK_NEXT_H
#define PACK_NEXT_H

#include <stdbool.h>

/* Prints "stage\0FOLDER\0text\0TEXT\0": the folder whose cell.json says what is to be measured, and
 * the same in words; nothing where the answer is known. The first time it takes the trial into the
 * plan. left_s: seconds to measure in. again: a
 * last stage that the time has ended is continued. False after a message. */
bool next_print(const char *dir, double left_s, bool again);

#endif
