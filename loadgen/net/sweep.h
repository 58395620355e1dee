/* The watch over time: what a peer may hold without a word, and for how long. */
#ifndef LOADGEN_NET_SWEEP_H
#define LOADGEN_NET_SWEEP_H

#include "net/receive-state.h"

/* There is a connection to be watched. */
void net_sweep_begin(struct net_server *server);
/* Held, nobody is heard, and no time passes. */
void net_sweep_hold(struct net_server *server, bool held);

#endif
