/* The receiving half of a network load: one thread with a libuv loop that accepts
 * sessions and counts what comes; each stream of round trips is answered by a thread
 * of its own. --listen runs it in its worker, --loopback in a thread of its own. */
#ifndef LOADGEN_NET_SERVER_H
#define LOADGEN_NET_SERVER_H

#include "net/receive.h"

#include <stdbool.h>
#include <stdint.h>

struct run;
struct worker;

/* All are cumulative. */
struct net_counts {
    uint64_t received_bytes, datagrams;
    int64_t lost; /* may fall, when a datagram comes late */
    uint64_t out_of_order, rejected;
    int64_t echo_cpu_ns, thread_cpu_ns; /* of threads of the server's own */
};

/* Bound and listening when it returns; NULL, with the reason in error. */
struct net_server *net_server_open(struct run *run, const struct net_server_plan *plan, char *error,
                                   size_t size);
/* In a thread of its own until net_server_close(). 0, or errno. */
int net_server_start(struct net_server *server);
/* In this worker's thread while worker_running(). */
void net_server_run(struct net_server *server, struct worker *worker);
/* Any thread: orders have changed. */
void net_server_wake(struct net_server *server);
/* Nobody may be in net_server_run(). NULL is fine. */
void net_server_close(struct net_server *server);
/* Any thread. */
void net_server_count(struct net_server *server, struct net_counts *counts);
const struct net_address *net_server_address(const struct net_server *server);

#endif
