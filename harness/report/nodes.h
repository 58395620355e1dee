#ifndef REPORT_NODES_H
#define REPORT_NODES_H

#include "collect.h"

#include "common/json.h"

/* What the nodes of a report have in common, and in what they differ. */

struct between { /* one target alone, on several nodes */
    const struct report_line *first;
    double mean_s, variance;
    struct node {
        const char *host, *kind;
        double sum_s, mean_s, runs;
        size_t cells;
    } * node;
    size_t count;
};

struct nodes {
    struct report_line
        *lines; /* those of the report and the hidden ones, sorted; not their texts */
    struct between *between;
    size_t between_count, between_allocated;
    char **warnings; /* of targets whose cells come from different kinds of node */
    size_t warning_count, warning_allocated;
};

void nodes_compare(struct nodes *nodes, const struct collected *collected);
void nodes_free(struct nodes *nodes);
/* Member "hosts": one for each environment, with the devices, file systems,
 * governors and CPU lists that its cells had. */
void nodes_put_hosts(struct line *json, const struct collected *collected);

#endif
