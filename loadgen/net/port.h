#ifndef LOADGEN_NET_PORT_H
#define LOADGEN_NET_PORT_H

/* The receiving half's datagram sockets: everybody's, and one of a session's own where its
 * datagrams are shorter than a head (wire.h), so that the port says whose they are. */

#include "net/receive.h"

/* Gives a bound socket its buffer, and its handles in the server's loop. 0, or libuv's error;
 * the socket stays the caller's. owner: see net_port. */
int net_port_open(struct net_port *port, struct net_server *server, struct net_peer *owner, int fd);
/* Reads what comes, or for the time of a pause nothing. */
void net_port_hold(struct net_port *port, bool held);

/* A session's own: its port number, 0 where none can be had. */
uint16_t net_port_own(struct net_peer *peer);
/* Closes it, if there is one. */
void net_port_disown(struct net_peer *peer);

/* Receiving in batches. A receiver of gigabytes a second would be woken for every few
 * kilobytes, and each wake-up of an idle CPU costs more than the copy. So for a
 * connection that fast the kernel is told to wait until NET_BUFFER_BYTES are there
 * (SO_RCVLOWAT), until it is slow again: a timer takes what is left in between.
 * Datagrams that come that fast are read by the millisecond. Slower loads, and those
 * are all that are finely paced, are read as they come. */

/* After bytes were taken from a connection: may switch its batches on. */
void net_batch_received(struct net_connection *connection, size_t bytes);
/* Before a pause: all connections are read as they come. */
void net_batch_end(struct net_server *server);

/* Room for many at a time; NULL: no memory. discard: their content is not copied. */
struct net_messages *net_messages_new(bool discard);

#endif
