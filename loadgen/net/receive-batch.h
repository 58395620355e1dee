/* Receiving in batches. A receiver of gigabytes a second would be woken for every few
 * kilobytes, and each wake-up of an idle CPU costs more than the copy. So for a
 * connection that fast the kernel is told to wait until NET_BUFFER_BYTES are there
 * (SO_RCVLOWAT), until it is slow again: a timer takes what is left in between.
 * Datagrams that come that fast are read by the millisecond. Slower loads, and those
 * are all that are finely paced, are read as they come. */
#ifndef LOADGEN_NET_RECEIVE_BATCH_H
#define LOADGEN_NET_RECEIVE_BATCH_H

#include "net/receive-state.h"

/* After bytes were taken from a connection: may switch its batches on. */
void net_batch_received(struct net_connection *connection, size_t bytes);
/* The callback of the poll of a port, which is its data. */
void net_batch_datagrams(uv_poll_t *poll, int status, int events);
/* Before a pause: all connections are read as they come. */
void net_batch_end(struct net_server *server);

#endif
