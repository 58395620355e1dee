#ifndef CAMPAIGN_LINE_H
#define CAMPAIGN_LINE_H

/* Where an entry of a campaign file is, which git config does not say. */

#include "entries.h"

/* The number of the line in entry->file that has this entry, from 1 on; 0: it is not known, as
 * the file cannot be read any more or is written in a way that is not understood here. */
unsigned config_line(const struct config *config, const struct entry *entry);

#endif
