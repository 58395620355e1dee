// The commands of the hub, one line each, fields separated by tabs; stats --help
// lists them.
#ifndef STATS_COMMANDS_H
#define STATS_COMMANDS_H

#include "hub.h"

// Takes one command (which it cuts to pieces). False if no answer can be written.
bool commands_take(struct hub *hub, char *line);

// Takes one line that an awaited source has sent, and its reference. False if no
// answer can be written.
bool commands_event(struct hub *hub, struct source *source, json_t *line);

#endif
