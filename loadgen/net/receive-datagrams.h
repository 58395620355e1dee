/* The datagrams of all sessions: counted, and judged by their numbers. */
#ifndef LOADGEN_NET_RECEIVE_DATAGRAMS_H
#define LOADGEN_NET_RECEIVE_DATAGRAMS_H

#include "net/receive-state.h"

/* Room for many at a time; NULL: no memory. discard: their content is not copied. */
struct net_messages *net_messages_new(bool discard);
/* Takes what is there, up to a bound. Returns how many came, rejected ones included. */
unsigned net_receive_datagrams(struct net_port *port);

#endif
