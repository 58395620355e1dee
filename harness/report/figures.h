#ifndef REPORT_FIGURES_H
#define REPORT_FIGURES_H

#include "collect.h"

/* Prints the figures of the page that are of several cells, a line each:
 * {figure: {section, group, id, title, text, bold, caption, filter, height, svg}};
 * section: sensitivity, offered or spread; group: its target, null for all. */
void figures_print(const struct collected *collected);

#endif
