// Addresses as they are typed and shown, and sockets bound and connected to them.
#ifndef LOADGEN_NET_ADDRESS_H
#define LOADGEN_NET_ADDRESS_H

#include <netdb.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

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

#endif
