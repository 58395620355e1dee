#ifndef REPORT_VARIANTS_CHART_H
#define REPORT_VARIANTS_CHART_H

#include "experiment.h"

#include "common/json.h"

/* A member "charts": for each metric of --metric, the ratio of each variant to the reference,
 * alone and under each load, with its interval: [{metric, title, text, svg, height}]. */
void variants_put_charts(struct line *json, const struct experiment *experiment);

#endif
