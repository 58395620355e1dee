#ifndef LOADGEN_NET_SESSION_H
#define LOADGEN_NET_SESSION_H

/* The receiving half's sessions: who is let in, what they have received, and the end. */

#include "net/receive.h"

/* Takes an accepted connection, whose hello should be there already, and answers it: a session's
 * first, or one of its streams. Anything else is rejected: counted and closed. Returns the
 * connection, to be polled, or NULL where there is nothing to poll. */
struct net_connection *net_session_admit(struct net_server *server, int fd);
/* The same for one of which only a part of its hello had come. */
struct net_connection *net_session_greet(struct net_connection *connection);
/* Something can be read from a control connection: news of its end. */
void net_session_hear(struct net_connection *connection);
/* The other end has closed a stream. */
void net_session_stream_ended(struct net_connection *connection);
/* Ends a session that should not stay: nothing is read from it any more. why: for a warning, of
 * which there are few, for anybody may cause them. */
void net_session_expel(struct net_peer *peer, const char *why);
/* Descriptors have run out: of the sessions that are silent, the one with the most streams leaves.
 */
void net_session_free_descriptors(struct net_server *server);
void net_session_end_all(struct net_server *server);

/* When each session was last heard. */

/* Notes of each session whether anything has come since the last call. */
void net_activity_note(struct net_server *server);

#endif
