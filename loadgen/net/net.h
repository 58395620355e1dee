/* loadgen net's own parts, known to each other: the options, and what workers
 * share. net.c has the load, options.c the options, client.c the sending
 * half's sessions, bulk.c, datagram.c and ping.c its workers' loops,
 * server.c, receive.c, patience.c and echo.c the receiving half, wire.c what
 * the two say to each other, address.c addresses and sockets, calib.c the calibration. */
#ifndef LOADGEN_NET_H
#define LOADGEN_NET_H

#include "calibration.h"
#include "load.h"
#include "net/address.h"
#include "net/server.h"
#include "net/wire.h"

#include <uv.h>

#define NET_BULK_BLOCK     (128u << 10) /* of TCP without --block-size: as large as iperf3's */
#define NET_DATAGRAM_BLOCK 1400u        /* fits into an Ethernet frame with every header */
#define NET_LARGEST_BLOCK  (16u << 20)
#define NET_LARGEST_RATE   1e12 /* bytes a second; a limit above was a mistake */
/* Without --block-size, TCP is paced in pieces of so many bytes; those that are
 * due at the same time are one write. */
#define NET_PIECE 512u
/* Who has sent all that was due sleeps so long at least: writes grow, and 1 ms
 * is the largest step that a paced load may make. */
#define NET_STEP_NS 800000
#define NET_LOOK_NS 10000000

enum net_role { NET_LOOPBACK, NET_LISTEN, NET_CONNECT };

struct net_settings {
    bool tcp, udp, loopback, ping, discard, calib;
    const char *listen, *connect, *calibration;
    uint64_t block_bytes, streams;
    int64_t timeout_ns;
};

/* One connection of the sending half, or for UDP one sequence of datagrams. A
 * worker has its streams to itself. */
struct net_stream {
    int fd;
    unsigned number; /* in its session */
    struct net_session *session;
    struct worker *worker;
    uv_poll_t poll;
    bool blocked;  /* the socket takes no more at present */
    uint64_t owed; /* bytes due and not yet written */
    size_t offset; /* bytes of the present block that are written */
    uint64_t next; /* datagrams: the next number */
    /* When it was last seen to move, and how far it was then. */
    int64_t moved_ns;
    uint64_t moved_bytes;
    _Alignas(64) _Atomic uint64_t sent_bytes;
    _Atomic uint64_t lost; /* round trips without an answer */
};

/* What the sending half has with one listener. */
struct net_session {
    int fd; /* the connection that tells of all others */
    uint64_t token;
    uint16_t udp_port;
    struct net_server *server; /* of --loopback: in this process; NULL: elsewhere */
    struct net_address peer;
    unsigned char report[NET_MESSAGE_BYTES]; /* half of one, while it comes in */
    size_t report_used;
    int64_t heard_ns;
    /* Of the peer's last report. */
    _Atomic uint64_t received_bytes, datagrams, lost, out_of_order;
};

struct net_state {
    enum net_role role;
    enum net_mode mode;
    bool whole_blocks; /* a block is one write; else pieces that are due are */
    size_t block_bytes;
    unsigned stream_count, session_count, server_count;
    struct net_address address;     /* of --listen, of --connect */
    struct net_worker *workers;     /* of the sending half */
    struct net_stream *streams;     /* stream i is worker i % threads's */
    struct net_session *sessions;   /* session i is of workers i, i + session_count, ... */
    struct net_server **servers;    /* --loopback: one for each worker; --listen: one */
    unsigned char *block;           /* what is sent; at least block_bytes */
    double acknowledged;            /* the most that delivered() has said */
    struct calibration_found found; /* that a percentage was of */
};

extern const struct load net_load, net_ping_load;
extern const struct setting net_options[];

static inline struct net_settings *net_settings_of(const struct run *run)
{
    return run->settings;
}

static inline struct net_state *net_state_of(const struct run *run)
{
    return run->state;
}

static inline bool net_is_ping(enum net_mode mode)
{
    return mode == NET_TCP_PING || mode == NET_UDP_PING;
}

static inline bool net_is_udp(enum net_mode mode)
{
    return mode == NET_UDP || mode == NET_UDP_PING;
}

/* options.c */
void net_check(struct run *run);
const char *net_mode_name(enum net_mode mode);
/* What a calibration is of. */
void net_key(const struct run *run, struct calibration_key *key);
int net_rate(struct run *run, const char *text, double *rate, char *error, size_t size);

/* client.c: servers and sessions and streams of the sending half; 0, or -1
 * after run_fail(). */
int net_open(struct run *run);
/* Says good-bye; safe when half open. */
void net_close(struct run *run);
/* What has come from the peer: 0, or -1 after worker_fail() when it is gone. */
int net_hear(struct worker *worker, struct net_session *session);

/* worker.c: what workers have in common. */
struct net_worker {
    uv_loop_t loop;
    uv_async_t wake;
    uv_timer_t timer;
    pthread_mutex_t mutex; /* of open: whether wake may be sent to, by any thread */
    bool open;
    bool looping, failed;
    struct net_stream **streams; /* its own */
    unsigned count;
    unsigned next;     /* stream whose turn it is */
    int64_t looked_ns; /* when it last looked after the peer */
    void *batch;       /* datagram.c's own */
};
int net_worker_open(struct worker *worker);
void net_worker_close(struct worker *worker);
/* Any thread, as long as the state lives: ends a wait. */
void net_worker_interrupt(struct net_worker *own);
/* At the begin and at the end of work(). */
void net_worker_begin(struct worker *worker);
void net_worker_end(struct worker *worker);
/* Looks whether sockets are ready; block: until one is, orders change, or 0.1 s is over. */
void net_worker_wait(struct net_worker *own, bool block);
/* The load fails: the peer is gone (errno, or 0: end of file); it has done `what`
 * for the time of --timeout. */
void net_worker_gone(struct worker *worker, const struct net_session *session, int error);
void net_worker_silent(struct worker *worker, const char *what);
/* Looks after the peer every NET_LOOK_NS; false once it is gone. */
bool net_worker_fine(struct worker *worker, int64_t at_ns);
/* What has been received in a session: exact in this process, else as reported. */
void net_worker_counts(const struct net_session *session, struct net_counts *counts);

/* The workers' loops. */
void net_bulk_work(struct worker *worker);
int net_datagram_open(struct worker *worker);
void net_datagram_work(struct worker *worker);
void net_ping_work(struct worker *worker);

/* calib.c */
int net_calibrate(struct run *run);

#endif
