#ifndef REPORT_SEVERITY_H
#define REPORT_SEVERITY_H

#include "experiment.h"

/* A warning of result.json. Results of versions that did not say how grave it
 * is get that by its flag. */
struct warning severity_warning(const struct value *record);

#endif
