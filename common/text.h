#ifndef COMMON_TEXT_H
#define COMMON_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* What follows the prefix, in text itself; NULL: it does not begin so. */
const char *text_after(const char *text, const char *prefix);
bool text_ends(const char *text, const char *end);
/* The length of what is in front of the end; that of the whole text where it does not end so, or
 * is nothing else. */
size_t text_before(const char *text, const char *end);

#endif
