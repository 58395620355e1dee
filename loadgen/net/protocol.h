// What a listener makes of the bytes of a peer, and the limits of what it takes.
#ifndef LOADGEN_NET_PROTOCOL_H
#define LOADGEN_NET_PROTOCOL_H

#include "net/message.h"

// All of this is decided without a socket, a clock or memory of its own: a
// listener is given anybody's bytes, so these functions take any.

#define NET_MOST_SESSIONS 64
#define NET_MOST_STREAMS  1024
// A session of round trips holds a block for each of its streams: of all sessions together.
#define NET_MOST_ECHO_BYTES (256u << 20)
#define NET_LARGEST_BLOCK   (16u << 20)
// A datagram's number is so small that the sum over all streams of all sessions fits into an
// int64_t.
#define NET_LARGEST_NUMBER     (INT64_MAX / NET_MOST_STREAMS / NET_MOST_SESSIONS)
#define NET_LARGEST_DATAGRAM   65507 // that IPv4 can carry
#define NET_ECHO_DATAGRAM_ROOM 65536 // that the thread of such a session has

enum net_heard {
    NET_HEARD_PART,    // may become a message: wait for the rest
    NET_HEARD_FOREIGN, // is no message of ours
    NET_HEARD_WRONG,   // is ours, but of another version, or nothing that is said here
    NET_HEARD_FINE
};

// The first bytes of a fresh connection. Only after NET_HEARD_WRONG and NET_HEARD_FINE *hello is
// set; after the latter it is a NET_STREAM, or a NET_SESSION of which every number is within
// the limits above.
enum net_heard net_protocol_hello(const unsigned char *bytes, size_t count,
                                  struct net_message *hello);
// Bytes of a session's control connection; after NET_HEARD_FINE *message is NET_BYE or NET_ASK,
// and of this session.
enum net_heard net_protocol_control(const unsigned char *bytes, size_t count, uint64_t token,
                                    struct net_message *message);
// Whether a stream may join a session that was opened so: a mode with connections, and one of
// its streams.
bool net_protocol_joins(const struct net_message *stream, enum net_mode mode, uint32_t streams);
// What a session of round trips needs for blocks.
uint64_t net_protocol_echo_bytes(const struct net_message *hello);

#endif
