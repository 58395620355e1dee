#ifndef COMMON_STREAMS_H
#define COMMON_STREAMS_H

/* The three standard streams, made safe for every program. */

/* The first call of every main(). A program may be started with stdin, stdout or stderr
 * closed; the next file that it opens would get that number, and what it prints would be
 * written into a work file or a record. Each that is closed is given to /dev/null here, opened
 * so that reading stdin, and writing to the others, fails with EBADF as if it were closed still.
 * At exit() stdout is flushed: what could not be written is said on stderr, exit status 1
 * (without words where its reader has gone). Exits with 1 where there is no /dev/null. */
void streams_open(void);

#endif
