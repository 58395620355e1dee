/* The connections that a listener has accepted: a list, the latest first. */
#ifndef LOADGEN_NET_CONNECTION_H
#define LOADGEN_NET_CONNECTION_H

#include "net/receive-state.h"

#define NET_MOST_NEW 128 /* that have not said hello yet: the oldest leaves for another */

/* Takes a connection into the list, not yet polled; peer: NULL for a new one. NULL: no memory;
 * the descriptor is the caller's then. */
struct net_connection *net_connection_add(struct net_server *server, struct net_peer *peer, int fd,
                                          enum net_part part);
/* Takes it out of the list. The descriptor remains open, and is returned. */
int net_connection_release(struct net_connection *connection);
/* The same, and closes it. */
void net_connection_drop(struct net_connection *connection);
/* Reads what there is of a message. 1: more bytes, or all, in ->heard; 0: nothing at present; -1:
 * it is at its end. */
int net_connection_hear(struct net_connection *connection);
/* Drops new ones until there is room for another. */
void net_connection_make_room(struct net_server *server);

#endif
