#ifndef COMMON_MESSAGES_H
#define COMMON_MESSAGES_H

/* What programs say on stderr: one line that names what was wrong, and what to
 * do about it. */

#include <stdbool.h>

/* "jostle: TEXT" and a newline in one write. Always false, so that a function
 * may `return complain(...)`. */
bool complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, for wrong use: ends the program with exit 2. */
void usage_error(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
/* The name nearest to a mistyped word; NULL if none is near. NULL ends names. */
const char *nearest_name(const char *word, const char *const *names);

#endif
