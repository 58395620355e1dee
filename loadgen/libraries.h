#ifndef LOADGEN_LIBRARIES_H
#define LOADGEN_LIBRARIES_H

/* Which libraries this build has, with their versions, and what is lost without the others: two
 * lines on stdout, or one. */
void libraries_print(void);

#endif
