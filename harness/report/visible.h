#ifndef REPORT_VISIBLE_H
#define REPORT_VISIBLE_H

#include "common/json.h"

/* Text of users for people: what would move the cursor, ring a bell, hide or
 * turn text around becomes visible, such as \n, \e or \u{202e}. To be freed. */
char *visible(const char *text);

/* The same as a member; null for NULL. */
void visible_put(struct line *json, const char *name, const char *text);

#endif
