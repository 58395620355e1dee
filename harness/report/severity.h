#ifndef REPORT_SEVERITY_H
#define REPORT_SEVERITY_H

#include "experiment.h"

/* A warning of result.json; one that does not say how grave it is (an older
 * version's: `stats --derive` makes it anew) is a problem. */
struct warning severity_warning(const struct value *record);

#endif
