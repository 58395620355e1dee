#ifndef METER_HELP_H
#define METER_HELP_H

// What --help prints.
extern const char help_text[];

#endif
