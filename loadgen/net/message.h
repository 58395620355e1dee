// The messages and the heads of datagrams between the two halves of a network load.
#ifndef LOADGEN_NET_MESSAGE_H
#define LOADGEN_NET_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// The half that connects says hello first, and is answered, so that each finds out at once whether
// the other is loadgen. A session has one control connection, for reports and its end; each further
// connection (TCP), and each datagram, names the session's random token.

#define NET_VERSION 3

enum net_mode { NET_TCP = 1, NET_UDP, NET_TCP_PING, NET_UDP_PING };

static inline bool net_is_udp(enum net_mode mode)
{
    return mode == NET_UDP || mode == NET_UDP_PING;
}

enum net_kind {
    NET_SESSION = 1, // hello: a new session
    NET_STREAM,      // hello: one more connection of a session
    NET_ANSWER,      // to a hello; number is an enum net_status
    NET_REPORT,      // what has been received: values
    NET_BYE,         // the session ends as it should
    NET_ASK          // for a report at once
};

enum net_status { NET_FINE, NET_FULL, NET_WRONG };

// The order of a report's values.
enum { NET_RECEIVED_BYTES, NET_DATAGRAMS, NET_LOST, NET_OUT_OF_ORDER, NET_VALUES };

struct net_message {
    uint16_t version;
    enum net_kind kind;
    enum net_mode mode;
    uint32_t block_bytes;
    uint32_t streams;
    uint32_t number; // stream of a hello, status of an answer
    uint64_t token;
    uint64_t values[NET_VALUES]; // of an answer: the UDP port
};

#define NET_MESSAGE_BYTES 64

// A message, or half of one, while it comes in.
struct net_arriving {
    unsigned char bytes[NET_MESSAGE_BYTES];
    size_t count;
};

void net_message_write(const struct net_message *message, unsigned char bytes[NET_MESSAGE_BYTES]);
// Sends one without waiting: how much of it got through, as send().
ssize_t net_message_send(int fd, const struct net_message *message);
// Takes what there is of one, without waiting. 1: more bytes, or all; 0: nothing at present; -1:
// errno, or 0 at the end.
int net_message_take(int fd, struct net_arriving *arriving);
// 0; -1: these bytes are no message of ours. Fewer than all (at least one) only show
// whether they can become one.
int net_message_read(const unsigned char *bytes, size_t count, struct net_message *message);

// At the head of each datagram that has room for it.
struct net_head {
    uint32_t token;  // the session's, its low half
    uint32_t stream; // NET_HEAD_MARK: no data, all before `number` has been sent
    uint64_t number; // of the datagram in its stream, from 0
};

#define NET_HEAD_BYTES 16
#define NET_HEAD_MARK  0x80000000u

void net_head_write(const struct net_head *head, unsigned char bytes[NET_HEAD_BYTES]);
struct net_head net_head_read(const unsigned char bytes[NET_HEAD_BYTES]);

#endif
