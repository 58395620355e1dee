/* What the workers of the sending half have in common: a libuv loop each, that waits
 * for sockets; and the watch over the peer. */
#ifndef LOADGEN_NET_WORKER_H
#define LOADGEN_NET_WORKER_H

#include "net/net-state.h"

struct net_worker {
    uv_loop_t loop;
    uv_async_t wake;
    uv_timer_t timer;
    pthread_mutex_t mutex; /* of open: whether wake may be sent to, by any thread */
    bool open;
    bool looping, failed;
    struct net_stream **streams; /* its own */
    unsigned count;
    unsigned next;      /* stream whose turn it is */
    int64_t checked_ns; /* when it last checked on the peer */
    void *batch;        /* datagram.c's own */
};

/* load.h's begin and end. */
int net_worker_open(struct worker *worker);
void net_worker_close(struct worker *worker);
/* Any thread, as long as the state lives: ends a wait. */
void net_worker_interrupt(struct net_worker *own);
/* At the begin and at the end of work(). */
void net_worker_begin(struct worker *worker);
void net_worker_end(struct worker *worker);
/* Whether sockets are ready; block: until one is, orders change, or 0.1 s is over. */
void net_worker_wait(struct net_worker *own, bool block);
/* When to wake for work that is due at next_ns: late enough that writes grow, early
 * enough to check on the peer. */
int64_t net_worker_step(int64_t at_ns, int64_t next_ns);
/* The load fails: the peer is gone (errno, or 0: end of file); or it has done `what`
 * for the time of --timeout. */
void net_worker_gone(struct worker *worker, const struct net_session *session, int error);
void net_worker_silent(struct worker *worker, const char *what);
/* Takes what the peer has reported: 0, or -1 after worker_fail() when it is gone. */
int net_worker_hear(struct worker *worker, struct net_session *session);
/* Checks on the peer every NET_CHECK_NS; false once it is gone. */
bool net_worker_fine(struct worker *worker, int64_t at_ns);
/* What has been received in a session: exact in this process, else as reported. */
void net_worker_counts(const struct net_session *session, struct net_counts *counts);

#endif
