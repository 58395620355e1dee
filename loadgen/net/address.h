#ifndef LOADGEN_NET_ADDRESS_H
#define LOADGEN_NET_ADDRESS_H

#include <netdb.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

// The messages between the two halves of a network load. The one that connects says
// hello first, and is answered, so that each finds out at once whether the other is
// loadgen. A session has one control connection, for reports and its end; each further
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

// What the bytes of a peer come to, decided without a socket, a clock or memory of its own: a
// listener is given anybody's bytes, so these functions take any.

#define NET_MOST_SESSIONS 64
#define NET_MOST_STREAMS  1024
// A session of round trips holds a block for each of its streams: of all sessions together.
#define NET_MOST_ECHO_BYTES (256u << 20)
#define NET_LARGEST_BLOCK   (16u << 20)
// Of a datagram: those of all streams of all sessions together are no more than an int64_t can be.
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

// Addresses as they are typed and shown, and sockets bound and connected to them.

#define NET_ADDRESS_TEXT (NI_MAXHOST + 16)

struct net_address {
    struct sockaddr_storage at;
    socklen_t length;
};

// "HOST:PORT", "[::1]:PORT"; for a listener also "PORT" and ":PORT", at
// 127.0.0.1. Checks only the form: 0, or -1 with the reason in error.
int net_address_split(const char *text, int listener, char host[NI_MAXHOST], char port[NI_MAXSERV],
                      char *error, size_t size);
// Opens a socket of a type (SOCK_STREAM: listening) bound to the first address
// that can be; *bound is the one with its port. The descriptor is non-blocking; -1,
// with the reason in error.
int net_address_listen(const char *text, struct net_address *bound, char *error, size_t size);
// A datagram socket at that very address, or (port 0) another port of it; -1: errno.
int net_address_datagrams(const struct net_address *address, uint16_t port,
                          struct net_address *bound);
// Connects by TCP to the first of a name's addresses that answers within
// timeout_ns; *peer is that one. Blocking; -1, with the reason in error.
int net_address_dial(const char *text, int64_t timeout_ns, struct net_address *peer, char *error,
                     size_t size);
// To a known address; type SOCK_STREAM or SOCK_DGRAM. -1: errno.
int net_address_connect(const struct net_address *peer, int type, int64_t timeout_ns);
uint16_t net_address_port(const struct net_address *address);
void net_address_set_port(struct net_address *address, uint16_t port);
// Whether what the socket is connected to is on this machine.
bool net_address_is_near(int fd);
// Whether two have the same host, whatever their ports.
bool net_address_same_host(const struct sockaddr_storage *one,
                           const struct sockaddr_storage *other);
// "127.0.0.1:5201", "[::1]:5201"; returns text.
const char *net_address_format(const struct net_address *address, char *text, size_t size);
// The address of the other end of a connected socket.
const char *net_address_peer(int fd, char *text, size_t size);

// Who has to leave a listener that is full, decided on plain data.

// A session, as others compete with it for room.
struct net_seat {
    const struct sockaddr_storage *host;
    int64_t silent_ns;
};

// Which of these leaves for a newcomer, or -1: none, the newcomer has to. One host can neither take
// every seat from all others, nor push out a host that has fewer than it has itself:
// - a session that has been silent for limit_ns leaves, if its host has more sessions than the
//   newcomer's, or is the newcomer's;
// - else one of a host that has more than half of all seats a listener has leaves for a host that
// has fewer. Of several, that of the host with the most sessions that has been silent for longest.
int net_seats_free(const struct net_seat *seats, unsigned count, int64_t limit_ns,
                   const struct sockaddr_storage *newcomer);

#endif
