/* What there is to know of a pack beside its figures: why it ended where it did, and what the
 * statistics warn of. */
#ifndef PACK_FINDINGS_H
#define PACK_FINDINGS_H

#include "rows.h"
#include "stages.h"

#include <jansson.h>
#include <stdbool.h>

/* [{flag, severity, text, advice}], problems first; each once. `smooth`: as of search.h. */
json_t *findings_json(const json_t *plan, const struct stages *stages, const struct rows *rows,
                      bool smooth);

#endif
