// Addresses as they are typed and shown, and sockets bound and connected to them.

#include "net/address.h"
#include "load.h"

#include "common/version.h"

#include <netinet/in.h>
#include <poll.h>

#define BACKLOG 1024 // rogue peers may come in crowds

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
    const char *number = colon ? colon + 1 : text;
    const char *name = text;
    size_t length = colon ? (size_t)(colon - text) : 0;
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
