#ifndef REPORT_SEVERITY_H
#define REPORT_SEVERITY_H

#include "experiment.h"

/* A warning of result.json. Results of versions that did not say how grave it
 * is get that by its flag. */
struct warning severity_warning(const struct value *record);
/* What older results said only by their figures: that a load fell short, and
 * that a condition did not reach the error wanted (false: it did). */
struct warning severity_short(const struct value *load);
bool severity_unconverged(const struct value *condition, const struct value *settings,
                          struct warning *warning);

#endif
