#ifndef CAMPAIGN_EXPAND_H
#define CAMPAIGN_EXPAND_H

/* A campaign file becomes a plan: jostle.campaign/1, the list of its cells. */

#include "sections.h"

#include <jansson.h>

struct expand_folders {
    const char *instances, *workloads; /* of jostle: the placeholders of these names */
};

/* overrides: "NAME=VALUE" texts that hold for every cell. Ends the program with 2
 * where the file is wrong. To be released. */
json_t *expand(const struct config *config, const struct expand_folders *folders,
               const char *const *overrides, size_t override_count);

#endif
