#ifndef COMMON_PAIR_H
#define COMMON_PAIR_H

#include <stdbool.h>

// Writes to stdout, for the shell, a name and a value, each ended by NUL; nothing where the
// value is NULL.
void pair_put(const char *name, const char *value);
// The same with the value "true"; nothing where it was not given.
void pair_put_flag(const char *name, bool given);

#endif
