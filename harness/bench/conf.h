/* The campaign file of a bench. */
#ifndef BENCH_CONF_H
#define BENCH_CONF_H

#include <jansson.h>

/* The text of the campaign file of a plan, to be freed. */
char *conf_text(const json_t *plan);

#endif
