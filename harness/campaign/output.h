#ifndef CAMPAIGN_OUTPUT_H
#define CAMPAIGN_OUTPUT_H

/* What the commands print for the shell. */

#include <stdio.h>

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

/* Text with one _ for each character that is none of allowed; NULL: all are. */
void print_safe(FILE *stream, const char *text, const char *allowed);

/* The exit status: 0 when all that was printed has been written, else 1: exit() says so
 * (streams.h). */
int print_end(void);

#endif
