/* The charts of a bench as drawings for its page. */
#ifndef BENCH_DRAWINGS_H
#define BENCH_DRAWINGS_H

#include <jansson.h>

/* Adds `panels` to each chart: [{svg, height, text, legend: [{name, swatch}]}], the inside of an
 * SVG element 360 units wide, its text for those who cannot see it, and what its lines are, each
 * with the inside of an SVG element of 26 x 10. Several panels where one would have too many
 * lines; none where no series has two points. */
void drawings_add(json_t *bench);

#endif
