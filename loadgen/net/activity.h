/* When each session was last heard. */
#ifndef LOADGEN_NET_ACTIVITY_H
#define LOADGEN_NET_ACTIVITY_H

#include "net/receive-state.h"

/* Notes of each session whether anything has come since the last call. */
void net_activity_note(struct net_server *server);

#endif
