/* jostle.pack/1: what came of a pack. */
#ifndef PACK_DERIVE_H
#define PACK_DERIVE_H

#include <jansson.h>

/* From the records in DIR, a new reference; NULL after a message. A folder without stages that
 * has a pack.json gives that. */
json_t *pack_derive(const char *dir);

/* "below", "above" or "undecided": whether every number of copies is below the limit; of a pack
 * without --at-most NULL. Borrowed. */
const char *pack_gate(const json_t *pack);

#endif
