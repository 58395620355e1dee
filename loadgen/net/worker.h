#ifndef LOADGEN_NET_WORKER_H
#define LOADGEN_NET_WORKER_H

/* What the parts of the sending half, and the load itself, share: the options as
 * given, and the state of a run. */

#include "load.h"
#include "net/receive.h"

#define NET_BULK_BLOCK     (128u << 10) /* of TCP without --block-size: as large as iperf3's */
#define NET_DATAGRAM_BLOCK 1400u        /* fits into an Ethernet frame with every header */
/* Without --block-size, TCP is paced in pieces of so many bytes; those that are
 * due at the same time are one write. */
#define NET_PIECE 512u
/* Who has sent all that was due sleeps so long at least: writes grow, and 1 ms
 * is the largest step that a paced load may make. */
#define NET_STEP_NS  800000
#define NET_CHECK_NS 10000000 /* between two checks on the peer */

enum net_role { NET_LOOPBACK, NET_LISTEN, NET_CONNECT };

struct net_settings {
    bool tcp, udp, loopback, ping, discard;
    const char *listen, *connect;
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
    int fd; /* its control connection */
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
    struct net_address address;   /* of --listen, of --connect */
    struct net_worker *workers;   /* of the sending half */
    struct net_stream *streams;   /* stream i is worker i % threads's */
    struct net_session *sessions; /* session i is of workers i, i + session_count, ... */
    struct net_server **servers;  /* --loopback: one for each worker; --listen: one */
    unsigned char *block;         /* what is sent; at least block_bytes */
    double acknowledged;          /* the most that delivered() has said */
};

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

/* Datagrams without room for a head. */
static inline bool net_is_short(const struct net_state *state)
{
    return net_is_udp(state->mode) && state->block_bytes < NET_HEAD_BYTES;
}

static inline uint64_t net_sent_bytes(const struct net_stream *stream)
{
    return counter_read(&stream->sent_bytes);
}

/* What the workers of the sending half have in common: streams, waiting for
 * their sockets, and the watch over the peer. */

struct net_worker {
    int wake_fd; /* an eventfd that ends a wait */
    bool failed;
    struct net_stream **streams; /* its own */
    struct pollfd *polls;        /* of wake_fd and each stream */
    unsigned count;
    unsigned next;      /* stream whose turn it is */
    int64_t checked_ns; /* when it last checked on the peer */
    int64_t marked_ns;  /* when it last said how many datagrams there were */
    void *batch;        /* of datagrams */
};

/* load.h's begin and end. */
int net_worker_open(struct worker *worker);
void net_worker_close(struct worker *worker);
/* At the begin of work(). */
void net_worker_begin(struct worker *worker);
/* The load fails: the peer is gone (errno, or 0: end of file); or it has done `what`
 * for the time of --timeout. */
void net_worker_gone(struct worker *worker, const struct net_session *session, int error);
void net_worker_silent(struct worker *worker, const char *what);
/* Checks on the peer every NET_CHECK_NS; false once it is gone. */
bool net_worker_fine(struct worker *worker, int64_t at_ns);
/* What has been received in a session: exact in this process, else as reported. */
void net_worker_counts(const struct net_session *session, struct net_counts *counts);

/* load.h's work: TCP, without a limit or at a rate; UDP, numbered datagrams, many at a time. */
void net_bulk_work(struct worker *worker);
void net_datagram_work(struct worker *worker);
/* Of UDP, after net_worker_open(). 0, or -1 after worker_fail(). */
int net_datagram_open(struct worker *worker);

/* ---- client.c ---- */

/* Opens them all. 0, or -1 after run_fail(); net_close() afterwards in any case. */
int net_open(struct run *run);
/* Says good-bye, and closes them. */
void net_close(struct run *run);
/* load.h's work of --ping. */
void net_ping_work(struct worker *worker);

#endif
