#ifndef STATS_HELP_H
#define STATS_HELP_H

extern const char help_text[];

#endif
