// The link that a packet to an address takes, as the kernel has it, and its speed.

#include "bench.h"

#include "common/machine.h"
#include "common/version.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <math.h>
#include <net/if.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ANY_PORT "9" // nothing is ever sent there

// The kernel chooses the address that a packet to `peer` would come from.
static bool own_address(const struct addrinfo *peer, struct sockaddr_storage *own)
{
    socklen_t length = sizeof *own;
    const int fd = socket(peer->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const bool found = fd >= 0 && connect(fd, peer->ai_addr, peer->ai_addrlen) == 0 &&
                       getsockname(fd, (struct sockaddr *)own, &length) == 0;
    if (fd >= 0)
        close(fd);
    return found;
}

static bool same(const struct sockaddr *a, const struct sockaddr_storage *b)
{
    if (!a || a->sa_family != b->ss_family)
        return false;
    if (a->sa_family == AF_INET)
        return memcmp(&((const struct sockaddr_in *)a)->sin_addr,
                      &((const struct sockaddr_in *)b)->sin_addr, sizeof(struct in_addr)) == 0;
    return a->sa_family == AF_INET6 &&
           memcmp(&((const struct sockaddr_in6 *)a)->sin6_addr,
                  &((const struct sockaddr_in6 *)b)->sin6_addr, sizeof(struct in6_addr)) == 0;
}

// The interface that has this address; loopback: a packet to oneself takes that one.
static bool interface_of(const struct sockaddr_storage *own, char name[IF_NAMESIZE], bool *loopback)
{
    struct ifaddrs *list;
    bool found = false;
    if (getifaddrs(&list) != 0)
        return false;
    for (const struct ifaddrs *one = list; one && !found; one = one->ifa_next) {
        found = same(one->ifa_addr, own);
        if (found) {
            snprintf(name, IF_NAMESIZE, "%s", one->ifa_name);
            *loopback = (one->ifa_flags & IFF_LOOPBACK) != 0;
        }
    }
    freeifaddrs(list);
    return found;
}

// Whether /sys/class/net/NAME/FILE is there.
static bool has(const char *name, const char *file)
{
    char path[128], full[PATH_MAX];
    snprintf(path, sizeof path, "/sys/class/net/%s/%s", name, file);
    return access(machine_path(path, full), F_OK) == 0;
}

// Hardware, or what is made of it: of other interfaces (veth, bridge, tunnel) the driver gives
// a number that limits nothing; veth's is 10000 always.
static bool is_real(const char *name)
{
    char path[64], full[PATH_MAX];
    snprintf(path, sizeof path, "/proc/net/vlan/%s", name);
    return has(name, "device") || has(name, "bonding") ||
           access(machine_path(path, full), F_OK) == 0;
}

static bool read_mbit(const char *name, double *mbit)
{
    char path[128], full[PATH_MAX];
    snprintf(path, sizeof path, "/sys/class/net/%s/speed", name);
    FILE *file = fopen(machine_path(path, full), "re");
    // A driver that does not know says -1, or the read fails.
    const bool known = file && fscanf(file, "%lf", mbit) == 1 && *mbit > 0;
    if (file)
        (void)fclose(file);
    return known;
}

double link_speed(const char *address, char *why, size_t size)
{
    struct sockaddr_storage own;
    char name[IF_NAMESIZE];
    bool loopback = false;
    double mbit;
    const struct addrinfo hints = {.ai_socktype = SOCK_DGRAM, .ai_flags = AI_NUMERICHOST};
    struct addrinfo *peer;
    if (getaddrinfo(address, ANY_PORT, &hints, &peer) != 0)
        peer = NULL;
    const bool routed = peer && own_address(peer, &own) && interface_of(&own, name, &loopback),
               to_itself = routed && (loopback || same(peer->ai_addr, &own));
    if (peer)
        freeaddrinfo(peer);
    if (!routed)
        snprintf(why, size, "not known here: there is no route to %s", address);
    else if (to_itself)
        snprintf(why, size, "not known here: loopback has no link speed");
    else if (!is_real(name))
        snprintf(why, size, "not known here: %s is a virtual interface, which has no link speed",
                 name);
    else if (!read_mbit(name, &mbit))
        snprintf(why, size, "not known here: the driver of %s gives no link speed", name);
    else {
        snprintf(why, size, "link speed, headers included: /sys/class/net/%s/speed", name);
        return mbit * 1e6;
    }
    return NAN;
}

bool link_print_address(const char *name)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    char address[NI_MAXHOST];
    struct addrinfo *list;
    linked_names();
    if (getaddrinfo(name, NULL, &hints, &list) != 0)
        return false;
    const bool known = getnameinfo(list->ai_addr, list->ai_addrlen, address, sizeof address, NULL,
                                   0, NI_NUMERICHOST) == 0;
    freeaddrinfo(list);
    return known && puts(address) != EOF && fflush(stdout) == 0;
}
