/* The record of a pack as people read it. */
#ifndef PACK_TEXTS_H
#define PACK_TEXTS_H

#include <jansson.h>

/* Adds `texts` to each row, by the keys of `columns` ([{key, title, left, rank}], of which a narrow
 * terminal leaves out those of the highest rank first), and `lines`: the answers, each a
 * sentence. */
void pack_texts_add(json_t *pack);

#endif
