#ifndef CAMPAIGN_FOLDER_H
#define CAMPAIGN_FOLDER_H

/* The folder of a campaign: its plan, its lock. */

#include <jansson.h>
#include <stdbool.h>

/* Makes the folder, and holds it until the program ends: tasks that measure some of its cells share
 * it, whoever measures all of them has it alone. One with files of somebody else's is wrong use.
 * False after a message. */
bool folder_hold(const char *folder, bool shared);

/* Brings the plan, and the file that it was made from, into the folder, and says in
 * what it differs from the one that is there. shared: it must be the one that is
 * there. file: for messages. False after a message. */
bool folder_keep_plan(const char *folder, const json_t *plan, const char *conf_path,
                      const char *file, bool shared);

#endif
