// The record of a prediction, jostle.prediction/1.
#ifndef PREDICT_RECORD_H
#define PREDICT_RECORD_H

#include "table.h"

#include <jansson.h>

// A new reference.
json_t *record_make(const struct table *table);

#endif
