#ifndef PLACEMENT_CHOICES_H
#define PLACEMENT_CHOICES_H

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
    struct options *options; /* holds what the list holds */
};

/* Answers --help; wrong use ends the program. */
void choices_parse(struct choices *choices, int argc, char **argv);
void choices_free(struct choices *choices);

#endif
