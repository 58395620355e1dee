/* What the workers of the sending half have in common: streams, waiting for
 * their sockets, and the watch over the peer. */
#ifndef LOADGEN_NET_WORKER_H
#define LOADGEN_NET_WORKER_H

#include "net/net-state.h"

struct net_worker {
    int wake_fd; /* an eventfd that ends a wait */
    bool failed;
    struct net_stream **streams; /* its own */
    struct pollfd *polls;        /* of wake_fd and each stream */
    unsigned count;
    unsigned next;      /* stream whose turn it is */
    int64_t checked_ns; /* when it last checked on the peer */
    int64_t marked_ns;  /* when it last said how many datagrams there were */
    void *batch;        /* datagram.c's own */
};

/* load.h's begin and end. */
int net_worker_open(struct worker *worker);
void net_worker_close(struct worker *worker);
/* Any thread, as long as the state lives: ends a wait. */
void net_worker_interrupt(struct net_worker *own);
/* At the begin of work(). */
void net_worker_begin(struct worker *worker);
/* Marks streams whose socket has room again as no longer blocked. block: waits until
 * one has, orders change, or 0.1 s is over. Returns whether any was blocked. */
bool net_worker_wait(struct net_worker *own, bool block);
/* When to wake for work that is due at next_ns: late enough that writes grow, early
 * enough to check on the peer. */
int64_t net_worker_step(int64_t at_ns, int64_t next_ns);
/* The load fails: the peer is gone (errno, or 0: end of file); or it has done `what`
 * for the time of --timeout. */
void net_worker_gone(struct worker *worker, const struct net_session *session, int error);
void net_worker_silent(struct worker *worker, const char *what);
/* Takes what the peer has reported: 0, or -1 after worker_fail() when it is gone. */
int net_worker_hear(struct worker *worker, struct net_session *session);
/* Has the peer report what it has received by now, and waits for that for a moment: a report
 * that came by itself may be a tenth of a second old. */
void net_worker_ask(struct worker *worker, struct net_session *session);
/* Checks on the peer every NET_CHECK_NS; false once it is gone. */
bool net_worker_fine(struct worker *worker, int64_t at_ns);
/* What has been received in a session: exact in this process, else as reported. */
void net_worker_counts(const struct net_session *session, struct net_counts *counts);

#endif
