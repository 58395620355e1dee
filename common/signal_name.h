#ifndef COMMON_SIGNAL_NAME_H
#define COMMON_SIGNAL_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* The number of a signal given as TERM, SIGTERM or 15; 0: there is none of that name. */
int signal_number(const char *text);

/* A check of an option's row. */
bool signal_check(const char *text, char *error, size_t size);

#endif
