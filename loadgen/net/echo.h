/* Threads that answer round trips: they block, for a poll in between would add to the
 * time that is measured. */
#ifndef LOADGEN_NET_ECHO_H
#define LOADGEN_NET_ECHO_H

#include "net/receive-state.h"

/* Starts one for a stream (TCP) or a socket (UDP), which it owns from then on. 0, or errno: then
 * the descriptor is still the caller's. */
int net_echo_start(struct net_peer *peer, int fd);
/* Ends all of a session's and waits for them. */
void net_echo_stop(struct net_peer *peer);
/* How many round trips of a session have been answered by threads that it has. */
uint64_t net_echo_answered(const struct net_peer *peer);
/* Any thread: CPU time of all, including those that have ended. */
int64_t net_echo_cpu_ns(struct net_server *server);
/* Whether they answer (held: false) or wait. */
void net_echo_hold(struct net_server *server, bool held);

#endif
