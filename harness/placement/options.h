#ifndef PLACEMENT_OPTIONS_H
#define PLACEMENT_OPTIONS_H

#include "place.h"

#include "common/options.h"

struct choices {
    const char *place_name, *place_cpus; /* NULL: not given */
    enum place place;                    /* where place_name is given */
    unsigned targets, loads;             /* cores of each; 0: not given */
    const char *target_cpus, *load_cpus; /* NULL: not given */
    const char *synthetic, *allowed;     /* NULL: not given */
    struct option_list load;             /* SPECs */
    bool json;
};

/* Answers --help; wrong use ends the program. The result keeps the list until it is
 * freed with options_free(). */
struct options *choices_parse(struct choices *choices, int argc, char **argv);

#endif
