#include "net/address.h"
#include "load.h"

#include "common/version.h"

#include <arpa/inet.h>
#include <assert.h>
#include <endian.h>
#include <netinet/in.h>
#include <poll.h>

#define BACKLOG 1024 // rogue peers may come in crowds

// ---- text ----

static int is_port(const char *text)
{
    char *end;
    const unsigned long port = strtoul(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' && port <= 65535;
}

static int refuse(const char *text, char *error, size_t size)
{
    return BECAUSE(error, size,
                   "%.100s: not an address: give one such as 127.0.0.1:5300 or [::1]:5300", text);
}

int net_address_split(const char *text, int listener, char host[NI_MAXHOST], char port[NI_MAXSERV],
                      char *error, size_t size)
{
    const char *colon = strrchr(text, ':');
    const char *number = !colon ? text : colon + 1;
    const char *name = text;
    size_t length = !colon ? 0 : (size_t)(colon - text);
    if (*name == '[') {
        if (length < 3 || name[length - 1] != ']')
            return refuse(text, error, size);
        name++;
        length -= 2;
    } else if (memchr(name, ':', length)) {
        return refuse(text, error, size); // ::1 without brackets
    }
    if (!is_port(number) || length >= NI_MAXHOST || strlen(number) >= NI_MAXSERV ||
        (length == 0 && !listener) || (!listener && strtoul(number, NULL, 10) == 0))
        return refuse(text, error, size);
    if (length == 0)
        snprintf(host, NI_MAXHOST, "127.0.0.1");
    else
        snprintf(host, NI_MAXHOST, "%.*s", (int)length, name);
    snprintf(port, NI_MAXSERV, "%s", number);
    return 0;
}

uint16_t net_address_port(const struct net_address *address)
{
    return ntohs(address->at.ss_family == AF_INET6
                     ? ((const struct sockaddr_in6 *)&address->at)->sin6_port
                     : ((const struct sockaddr_in *)&address->at)->sin_port);
}

bool net_address_same_host(const struct sockaddr_storage *one, const struct sockaddr_storage *other)
{
    if (one->ss_family != other->ss_family)
        return false;
    if (one->ss_family == AF_INET)
        return ((const struct sockaddr_in *)one)->sin_addr.s_addr ==
               ((const struct sockaddr_in *)other)->sin_addr.s_addr;
    return one->ss_family == AF_INET6 &&
           IN6_ARE_ADDR_EQUAL(&((const struct sockaddr_in6 *)one)->sin6_addr,
                              &((const struct sockaddr_in6 *)other)->sin6_addr);
}

bool net_address_is_near(int fd)
{
    struct sockaddr_storage own, peer;
    socklen_t own_size = sizeof own, peer_size = sizeof peer;
    if (getsockname(fd, (struct sockaddr *)&own, &own_size) != 0 ||
        getpeername(fd, (struct sockaddr *)&peer, &peer_size) != 0)
        return false;
    if (peer.ss_family == AF_INET &&
        ntohl(((const struct sockaddr_in *)&peer)->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET)
        return true;
    return net_address_same_host(&own, &peer);
}

void net_address_set_port(struct net_address *address, uint16_t port)
{
    if (address->at.ss_family == AF_INET6)
        ((struct sockaddr_in6 *)&address->at)->sin6_port = htons(port);
    else
        ((struct sockaddr_in *)&address->at)->sin_port = htons(port);
}

const char *net_address_format(const struct net_address *address, char *text, size_t size)
{
    char host[NI_MAXHOST];
    if (getnameinfo((const struct sockaddr *)&address->at, address->length, host, sizeof host, NULL,
                    0, NI_NUMERICHOST) != 0)
        snprintf(host, sizeof host, "?");
    snprintf(text, size, address->at.ss_family == AF_INET6 ? "[%s]:%u" : "%s:%u", host,
             net_address_port(address));
    return text;
}

const char *net_address_peer(int fd, char *text, size_t size)
{
    struct net_address peer = {.length = sizeof peer.at};
    if (getpeername(fd, (struct sockaddr *)&peer.at, &peer.length) != 0) {
        snprintf(text, size, "a peer that is gone");
        return text;
    }
    return net_address_format(&peer, text, size);
}

// All addresses of a name; NULL, with the reason in error.
static struct addrinfo *resolve(const char *text, int listener, char *error, size_t size)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                                   .ai_flags = AI_NUMERICSERV | (listener ? AI_PASSIVE : 0)};
    char host[NI_MAXHOST], port[NI_MAXSERV];
    struct addrinfo *found = NULL;
    if (net_address_split(text, listener, host, port, error, size) != 0)
        return NULL;
    linked_names();
    const int failed = getaddrinfo(host, port, &hints, &found);
    if (failed == 0)
        return found;
    snprintf(error, size, "%.200s: the address does not resolve (%s): check the name", text,
             failed == EAI_SYSTEM ? strerror(errno) : gai_strerror(failed));
    return NULL;
}

static void take(struct net_address *address, const struct addrinfo *found)
{
    *address = (struct net_address){.length = found->ai_addrlen};
    memcpy(&address->at, found->ai_addr, found->ai_addrlen);
}

// ---- the receiving half ----

// A socket of a type bound to an address; -1: errno.
static int bind_to(const struct net_address *address, int type)
{
    const int yes = 1;
    const int fd = socket(address->at.ss_family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    // Not kept from a port by connections of the past that are still closing.
    if ((type != SOCK_STREAM || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0) &&
        (address->at.ss_family != AF_INET6 ||
         setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes) == 0) &&
        bind(fd, (const struct sockaddr *)&address->at, address->length) == 0 &&
        (type != SOCK_STREAM || listen(fd, BACKLOG) == 0))
        return fd;
    const int error = errno;
    close(fd);
    errno = error;
    return -1;
}

static void read_bound(int fd, struct net_address *bound)
{
    bound->length = sizeof bound->at;
    getsockname(fd, (struct sockaddr *)&bound->at, &bound->length);
}

int net_address_listen(const char *text, struct net_address *bound, char *error, size_t size)
{
    struct addrinfo *all = resolve(text, 1, error, size);
    int fd = -1;
    if (!all)
        return -1;
    for (const struct addrinfo *one = all; one && fd < 0; one = one->ai_next) {
        take(bound, one);
        fd = bind_to(bound, SOCK_STREAM);
    }
    if (fd < 0)
        snprintf(error, size, "cannot listen at %.200s: %s: %s", text, strerror(errno),
                 errno == EADDRINUSE ? "give another port, or end what holds it"
                 : errno == EMFILE || errno == ENFILE
                     ? "raise ulimit -n, or give fewer --threads"
                     : "give an address of this machine and a port that is free");
    else
        read_bound(fd, bound);
    freeaddrinfo(all);
    return fd;
}

int net_address_datagrams(const struct net_address *address, uint16_t port,
                          struct net_address *bound)
{
    struct net_address wanted = *address;
    net_address_set_port(&wanted, port);
    const int fd = bind_to(&wanted, SOCK_DGRAM);
    if (fd >= 0)
        read_bound(fd, bound);
    return fd;
}

// ---- the sending half ----

// Waits for a connection under way. 0, or -1 with errno.
static int wait_connected(int fd, int64_t timeout_ns)
{
    struct pollfd wait = {.fd = fd, .events = POLLOUT};
    int error = 0;
    socklen_t length = sizeof error;
    const int ready = poll(&wait, 1, (int)(timeout_ns / 1000000));
    if (ready == 0)
        error = ETIMEDOUT;
    else if (ready < 0 || getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0)
        error = errno;
    errno = error;
    return error == 0 ? 0 : -1;
}

int net_address_connect(const struct net_address *peer, int type, int64_t timeout_ns)
{
    const int fd = socket(peer->at.ss_family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    if ((connect(fd, (const struct sockaddr *)&peer->at, peer->length) == 0 ||
         (errno == EINPROGRESS && wait_connected(fd, timeout_ns) == 0)) &&
        fcntl(fd, F_SETFL, 0) == 0) // blocking
        return fd;
    const int error = errno;
    close(fd);
    errno = error;
    return -1;
}

static const char *what_to_do(int error)
{
    switch (error) {
    case ECONNREFUSED:
        return "no listener there: start loadgen net --listen first";
    case ETIMEDOUT:
        return "no answer: check address, route and firewall";
    case EINTR:
        return "ended by a signal";
    default:
        return "check address and route";
    }
}

int net_address_dial(const char *text, int64_t timeout_ns, struct net_address *peer, char *error,
                     size_t size)
{
    struct addrinfo *all = resolve(text, 0, error, size);
    int fd = -1;
    if (!all)
        return -1;
    for (const struct addrinfo *one = all; one && fd < 0; one = one->ai_next) {
        take(peer, one);
        fd = net_address_connect(peer, SOCK_STREAM, timeout_ns);
    }
    if (fd < 0)
        snprintf(error, size, "cannot connect to %.200s: %s: %s", text, strerror(errno),
                 what_to_do(errno));
    freeaddrinfo(all);
    return fd;
}

// Whoever has one global address of IPv6 has all of its /64.
static bool is_same(const struct sockaddr_storage *one, const struct sockaddr_storage *other)
{
    if (one->ss_family == AF_INET6 && other->ss_family == AF_INET6) {
        const struct in6_addr *first = &((const struct sockaddr_in6 *)one)->sin6_addr;
        const struct in6_addr *second = &((const struct sockaddr_in6 *)other)->sin6_addr;
        if ((first->s6_addr[0] & 0xe0) == 0x20)
            return memcmp(first, second, 8) == 0;
    }
    return net_address_same_host(one, other);
}

static unsigned held_by(const struct net_seat *seats, unsigned count,
                        const struct sockaddr_storage *host)
{
    unsigned held = 0;
    for (unsigned i = 0; i < count; i++)
        held += is_same(seats[i].host, host);
    return held;
}

int net_seats_free(const struct net_seat *seats, unsigned count, int64_t limit_ns,
                   const struct sockaddr_storage *newcomer)
{
    const unsigned held_by_newcomer = held_by(seats, count, newcomer);
    unsigned most = 0;
    int chosen = -1;
    for (unsigned i = 0; i < count; i++) {
        const unsigned held = held_by(seats, count, seats[i].host);
        const bool silent = seats[i].silent_ns >= limit_ns, more = held > held_by_newcomer;
        if (silent ? !more && !is_same(seats[i].host, newcomer)
                   : !more || held <= NET_MOST_SESSIONS / 2)
            continue;
        if (chosen >= 0 &&
            (held < most || (held == most && seats[i].silent_ns <= seats[chosen].silent_ns)))
            continue;
        most = held;
        chosen = (int)i;
    }
    return chosen;
}

// A message on its way: big-endian.
struct wire {
    char magic[8];
    uint16_t version;
    uint8_t kind, mode;
    uint32_t block_bytes, streams, number;
    uint64_t token, values[NET_VALUES];
};
static_assert(sizeof(struct wire) == NET_MESSAGE_BYTES, "no padding");

static const char magic[8] = {'J', 'O', 'S', 'T', 'L', 'n', 'e', 't'};

void net_message_write(const struct net_message *message, unsigned char bytes[NET_MESSAGE_BYTES])
{
    struct wire wire = {.version = htobe16(NET_VERSION),
                        .kind = (uint8_t)message->kind,
                        .mode = (uint8_t)message->mode,
                        .block_bytes = htobe32(message->block_bytes),
                        .streams = htobe32(message->streams),
                        .number = htobe32(message->number),
                        .token = htobe64(message->token)};
    memcpy(wire.magic, magic, sizeof magic);
    for (int i = 0; i < NET_VALUES; i++)
        wire.values[i] = htobe64(message->values[i]);
    memcpy(bytes, &wire, sizeof wire);
}

ssize_t net_message_send(int fd, const struct net_message *message)
{
    unsigned char bytes[NET_MESSAGE_BYTES];
    net_message_write(message, bytes);
    return send(fd, bytes, sizeof bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
}

int net_message_take(int fd, struct net_arriving *arriving)
{
    const ssize_t got = recv(fd, arriving->bytes + arriving->count,
                             sizeof arriving->bytes - arriving->count, MSG_DONTWAIT);
    if (got > 0)
        arriving->count += (size_t)got;
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    errno = got < 0 ? errno : 0;
    return got > 0 ? 1 : -1;
}

int net_message_read(const unsigned char *bytes, size_t count, struct net_message *message)
{
    struct wire wire;
    if (memcmp(bytes, magic, count < sizeof magic ? count : sizeof magic) != 0)
        return -1;
    if (count < NET_MESSAGE_BYTES)
        return 0;
    memcpy(&wire, bytes, sizeof wire);
    *message = (struct net_message){.version = be16toh(wire.version),
                                    .kind = wire.kind,
                                    .mode = wire.mode,
                                    .block_bytes = be32toh(wire.block_bytes),
                                    .streams = be32toh(wire.streams),
                                    .number = be32toh(wire.number),
                                    .token = be64toh(wire.token)};
    for (int i = 0; i < NET_VALUES; i++)
        message->values[i] = be64toh(wire.values[i]);
    return 0;
}

void net_head_write(const struct net_head *head, unsigned char bytes[NET_HEAD_BYTES])
{
    const struct net_head wire = {.token = htobe32(head->token),
                                  .stream = htobe32(head->stream),
                                  .number = htobe64(head->number)};
    static_assert(sizeof wire == NET_HEAD_BYTES, "no padding");
    memcpy(bytes, &wire, sizeof wire);
}

struct net_head net_head_read(const unsigned char bytes[NET_HEAD_BYTES])
{
    struct net_head wire;
    memcpy(&wire, bytes, sizeof wire);
    return (struct net_head){.token = be32toh(wire.token),
                             .stream = be32toh(wire.stream),
                             .number = be64toh(wire.number)};
}

static bool fits(const struct net_message *hello)
{
    return hello->mode >= NET_TCP && hello->mode <= NET_UDP_PING && hello->streams > 0 &&
           hello->streams <= NET_MOST_STREAMS && hello->block_bytes > 0 &&
           hello->block_bytes <=
               (net_is_udp(hello->mode) ? NET_LARGEST_DATAGRAM : NET_LARGEST_BLOCK);
}

// As far as all messages are alike.
static enum net_heard hear(const unsigned char *bytes, size_t count, struct net_message *message)
{
    if (net_message_read(bytes, count, message) != 0)
        return NET_HEARD_FOREIGN;
    if (count < NET_MESSAGE_BYTES)
        return NET_HEARD_PART;
    return message->version == NET_VERSION ? NET_HEARD_FINE : NET_HEARD_WRONG;
}

enum net_heard net_protocol_hello(const unsigned char *bytes, size_t count,
                                  struct net_message *hello)
{
    const enum net_heard heard = hear(bytes, count, hello);
    if (heard != NET_HEARD_FINE || hello->kind == NET_STREAM)
        return heard;
    return hello->kind == NET_SESSION && fits(hello) ? NET_HEARD_FINE : NET_HEARD_WRONG;
}

enum net_heard net_protocol_control(const unsigned char *bytes, size_t count, uint64_t token,
                                    struct net_message *message)
{
    const enum net_heard heard = hear(bytes, count, message);
    if (heard != NET_HEARD_FINE)
        return heard;
    return message->token == token && (message->kind == NET_BYE || message->kind == NET_ASK)
               ? NET_HEARD_FINE
               : NET_HEARD_WRONG;
}

bool net_protocol_joins(const struct net_message *stream, enum net_mode mode, uint32_t streams)
{
    return !net_is_udp(mode) && stream->mode == mode && stream->number < streams;
}

uint64_t net_protocol_echo_bytes(const struct net_message *hello)
{
    if (hello->mode == NET_UDP_PING)
        return NET_ECHO_DATAGRAM_ROOM;
    return hello->mode == NET_TCP_PING ? (uint64_t)hello->streams * hello->block_bytes : 0;
}
