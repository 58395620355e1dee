#ifndef REPORT_CHARTS_H
#define REPORT_CHARTS_H

#include "collect.h"

/* Prints the charts of the page that are of several cells, a line each:
 * {chart: {section, group, id, title, text, bold, caption, filter, height, svg}};
 * section: sensitivity, offered or spread; group: its target, null for all. */
void charts_print(const struct collected *collected);

#endif
