#ifndef METER_MESSAGE_H
#define METER_MESSAGE_H

#include <stdbool.h>

// complain: prints one line `jostle: meter: ...` on stderr, in one write so that
// it does not mix with what the target prints. Returns false, so that a failing
// function can end with `return complain(...)`.
bool complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
