/* The receiving half's datagram sockets: everybody's, and one of a session's own where its
 * datagrams are shorter than a head (wire.h), so that the port says whose they are. */
#ifndef LOADGEN_NET_PORT_H
#define LOADGEN_NET_PORT_H

#include "net/receive-state.h"

/* Gives a bound socket its buffer, and its handles in the server's loop. 0, or libuv's error;
 * the socket stays the caller's. owner: see net_port. */
int net_port_open(struct net_port *port, struct net_server *server, struct net_peer *owner, int fd);
/* Reads what comes, or for the time of a pause nothing. */
void net_port_hold(struct net_port *port, bool held);

/* A session's own: its port number, 0 where none can be had. */
uint16_t net_port_own(struct net_peer *peer);
/* Closes it, if there is one. */
void net_port_disown(struct net_peer *peer);

#endif
