#ifndef CAMPAIGN_PROGRAM_H
#define CAMPAIGN_PROGRAM_H

#include "halves.h"

/* Replaces the first word of a command by the path of the program that it names: one
 * of jostle's workloads, its loadgen, else one in PATH; relative paths count from the campaign
 * file's folder. Refuses one that does not exist. */
void program_find(const struct context *context, const struct entry *entry, json_t *command);

#endif
