#ifndef ESTIMATE_HELP_H
#define ESTIMATE_HELP_H

extern const char help_text[];

#endif
