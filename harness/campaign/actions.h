#ifndef CAMPAIGN_ACTIONS_H
#define CAMPAIGN_ACTIONS_H

/* What a campaign would do on this machine, for those who did not write it. */

#include "states.h"

#include <jansson.h>

/* Prints, for the cells that are to be measured, a line ROLE, TEXT for each different command,
 * load and setting, and for what runs before each session. */
void actions_print(const json_t *plan, const struct states *states);

#endif
