#ifndef COMMON_FOLD_H
#define COMMON_FOLD_H

/* Lines for people as wide as their terminal: broken between words, which a terminal does not. */

#include <stddef.h>

/* The columns of the terminal that fd is; 0: it is none, or has as many as one likes. */
size_t fold_columns(int fd);

/* A copy of the text, to be freed, no line of which has more columns; 0 columns: as it is. What
 * follows is indented, as far as the second column in "  name   what it is". A row of a table,
 * which has wider gaps more than once, and a word that is too long stay as they are. NULL: out of
 * memory. */
char *fold_text(const char *text, size_t columns);

#endif
