// Who has to leave a listener that is full, decided on plain data.

#include "net/seats.h"

#include "net/protocol.h"

#include <netinet/in.h>
#include <string.h>

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
