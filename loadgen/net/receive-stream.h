/* The bytes of a TCP stream: counted, and thrown away. */
#ifndef LOADGEN_NET_RECEIVE_STREAM_H
#define LOADGEN_NET_RECEIVE_STREAM_H

#include "net/receive-state.h"

/* Takes what a connection has, up to a bound; false: it is at its end. */
bool net_receive_stream(struct net_connection *connection);

#endif
