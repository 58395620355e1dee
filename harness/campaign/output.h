#ifndef CAMPAIGN_OUTPUT_H
#define CAMPAIGN_OUTPUT_H

/* What the commands print for the shell. */

/* A name and a value, each ended by a 0; nothing where the value is NULL. */
void print_pair(const char *name, const char *value);

/* The exit status: 0 when all that was printed has been written, else 1 after a
 * message. */
int print_end(void);

#endif
