#ifndef REPORT_FAMILY_H
#define REPORT_FAMILY_H

#include "view.h"

#include "common/json.h"

#include <stdbool.h>
#include <stddef.h>

/* All slowdowns of a report are one family: the more of them there are, the more look
 * distinguishable by chance.
 *
 * q of a slowdown is its p, adjusted for that: see harness/stats/interval.h. */

#define FAMILY_RATE 0.05
#define FAMILY_MARK "†"

struct member {
    double p, q;          /* p NAN: not known; q after family_settle, NAN where p is */
    double chance;        /* that its interval leaves 1 out although there is no effect */
    bool distinguishable; /* by its interval */
};

struct family {
    struct member *member; /* after family_settle by p, ascending, those without at the end */
    size_t count, allocated;
    size_t known; /* with a p; after family_settle */
    bool ratios;  /* not all of them are slowdowns: some compare variants */
};

void family_add(struct family *family, struct member member);
/* Empties from into to. */
void family_move(struct family *to, struct family *from);
/* Works out q; nothing is added afterwards. */
void family_settle(struct family *family);
void family_free(struct family *family);

/* The q of a slowdown with this p; NAN: p is not known, or not of the family. */
double family_q(const struct family *family, double p);
/* The same of a slowdown in a record; NAN also where the family is NULL: not known. */
double family_q_of(const struct family *family, const struct value *slowdown);
/* Is it distinguishable, and still a discovery among all slowdowns of the report? */
bool family_survives(const struct family *family, const struct value *slowdown);

/* Member "family": of the settled one. */
void family_put(struct line *json, const struct family *family);
/* What a reader has to know of it, to be freed; NULL: fewer than two slowdowns. */
char *family_text(const struct family *family);

#endif
