#ifndef REPORT_HEAD_H
#define REPORT_HEAD_H

#include "collect.h"
#include "folders.h"

#include "common/json.h"

/* The members of jostle.report/1 but for its cells: name, campaign, totals,
 * hosts, between_hosts, waiting, warnings. */
void head_put(struct line *json, const char *name, const struct collected *collected,
              const struct campaigns *campaigns);

/* The same as texts (member "texts"): name, totals, hosts, between, waiting,
 * warnings. */
void head_put_texts(struct line *json, const char *name, const struct collected *collected,
                    const struct campaigns *campaigns);

/* Member "settings": each set of settings once, the seed left out. */
void head_put_settings(struct line *json, const struct collected *collected);

/* Of all cells. */
struct legend head_legend(const struct collected *collected);
/* Members "legend": {figure, key, unseen}, and "level": "95 %", or "confidence". */
void head_put_legend(struct line *json, const struct legend *legend);

#endif
