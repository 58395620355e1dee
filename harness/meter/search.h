// The matches of a regular expression in a file of any size, line by line.
//
// A line ends at \n, \r\n or \r (a display that overwrites itself writes that). One longer
// than SEARCH_LINE_BYTES is searched in pieces of that length. NUL is a byte as any other.
#ifndef METER_SEARCH_H
#define METER_SEARCH_H

#include "tally.h"

#include <regex.h>

#define SEARCH_LINE_BYTES 65536

// Adds the group of each match to tally. The last match is looked for from the end of
// the file, and the first one from its start, so that neither reads more than it must.
void search(int fd, const regex_t *regex, struct tally *tally);

#endif
