/* The next stage of a pack. */
#ifndef PACK_NEXT_H
#define PACK_NEXT_H

#include <stdbool.h>

/* Prints "stage\0FOLDER\0", whose cell.json says what is to be measured, or "done\0\0". The first
 * time it takes the trial into the plan. left_s: seconds to measure in. False after a message. */
bool next_print(const char *dir, double left_s);

#endif
