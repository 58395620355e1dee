#ifndef COMMON_OPTION_ROWS_H
#define COMMON_OPTION_ROWS_H

// Short rows for tables of options that fill one struct. Whoever includes this says which:
//
//     #define OPTIONS_OF struct request

#include "common/options.h"

#define ROW(name, argument, type, member) OPTION_ROW(OPTIONS_OF, name, argument, type, member)
#define FLAG(name, member, words)                                                                  \
    {                                                                                              \
        ROW(name, NULL, OPTION_FLAG, member), .help = words                                        \
    }
#define TEXT(name, argument, member, words)                                                        \
    {                                                                                              \
        ROW(name, argument, OPTION_TEXT, member), .help = words                                    \
    }
// What the shell calls.
#define HIDDEN(name, argument, member, words)                                                      \
    {                                                                                              \
        ROW(name, argument, OPTION_TEXT, member), .hidden = true, .help = words                    \
    }

#endif
