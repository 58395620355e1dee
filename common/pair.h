#ifndef COMMON_PAIR_H
#define COMMON_PAIR_H

/* Writes to stdout, for the shell, a name and a value, each ended by NUL; nothing where the
 * value is NULL. */
void pair_put(const char *name, const char *value);

#endif
