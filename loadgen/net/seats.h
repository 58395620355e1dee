// Who has to leave a listener that is full.
#ifndef LOADGEN_NET_SEATS_H
#define LOADGEN_NET_SEATS_H

#include "net/address.h"

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
