/* What server.c, receive.c and echo.c know of each other. All runs in
 * the server's thread unless it says otherwise. */
#ifndef LOADGEN_NET_RECEIVE_H
#define LOADGEN_NET_RECEIVE_H

#include "net/server.h"
#include "net/wire.h"

#include <pthread.h>
#include <stdatomic.h>
#include <uv.h>

/* Bounds, so that no crowd of strangers takes the place of a real peer. */
#define NET_MOST_SESSIONS  64
#define NET_MOST_STREAMS   1024
#define NET_MOST_STRANGERS 64                  /* the oldest has to go */
#define NET_HELLO_NS       INT64_C(2000000000) /* time that a stranger has for a hello */
#define NET_REPORT_MS      100

struct net_echo;

/* A session, as the receiving half sees it. */
struct net_peer {
    struct net_server *server;
    struct net_connection *control;
    enum net_mode mode;
    uint64_t token;
    uint32_t block_bytes, streams;
    uint64_t *next; /* datagrams: the number that each stream goes on with */
    uint64_t received_bytes, datagrams, lost, out_of_order;
    bool changed; /* since the last report */
    struct net_echo *echoes;
};

enum net_standing { NET_STRANGER, NET_CONTROL, NET_DATA };

struct net_connection {
    struct net_server *server;
    struct net_connection *next, *previous; /* in order of arrival */
    struct net_peer *peer;                  /* NULL: none (any more) */
    enum net_standing standing;
    bool polite; /* has said good-bye */
    int fd;
    uv_poll_t poll;
    int64_t since_ns;
    unsigned char message[NET_MESSAGE_BYTES];
    size_t used;
    struct {
        uint64_t bytes; /* received so far */
        uint64_t looked_bytes, flushed_bytes;
        int64_t looked_ns, not_before_ns;
        bool on;
    } patience; /* patience.c's own */
};

struct net_server {
    struct run *run;
    struct net_server_plan plan;
    struct net_address address;
    int listen_fd, udp_fd;
    uv_loop_t loop;
    uv_async_t wake;
    uv_timer_t sweep, report, rest, flush, drain;
    uv_poll_t listener, datagrams;
    bool started;   /* handles are open */
    bool reporting; /* the report timer runs */
    bool listening;
    struct {
        unsigned count; /* datagrams since looked_ns */
        uint64_t looked_bytes;
        int64_t looked_ns;
    } burst; /* patience.c's own */
    struct net_connection *first, *last;
    unsigned strangers, streams;
    struct net_peer *peers[NET_MOST_SESSIONS];
    unsigned peer_count;
    struct net_peer *recent; /* whose datagram came last */
    struct net_batch *batch;
    unsigned char *buffer;
    struct {
        _Alignas(64) _Atomic uint64_t bytes;
        _Atomic uint64_t datagrams;
        _Atomic int64_t lost;
        _Atomic uint64_t out_of_order, strangers;
    } counts;
    /* Shared with threads that answer round trips. */
    pthread_mutex_t mutex;
    pthread_cond_t released;
    _Atomic bool held; /* paused: nobody answers */
    int64_t ended_cpu_ns;
    /* Of --loopback. */
    pthread_t thread;
    bool threaded;
    _Atomic bool quit;
    clockid_t cpu_clock;
};

/* receive.c */
#define NET_BUFFER_BYTES (128u << 10)
/* Takes what a connection has; false: it is at its end. */
bool net_receive_bytes(struct net_connection *connection);
struct net_batch *net_batch_new(bool discard);
/* Returns how many came, those of strangers included. */
unsigned net_receive_datagrams(struct net_server *server);
/* Something has come for a session. */
void net_received(struct net_peer *peer, uint64_t bytes);

/* patience.c: a fast connection wakes its receiver less often. */
void net_patience_note(struct net_connection *connection, size_t bytes);
void net_patience_end(struct net_server *server);
/* A datagram socket is readable. */
void net_patience_datagrams(uv_poll_t *poll, int status, int events);

/* echo.c: threads that answer. They own fd from then on. 0, or errno. */
int net_echo_start(struct net_peer *peer, int fd);
/* Ends all of a session's and waits for them. */
void net_echo_stop(struct net_peer *peer);
/* Any thread: CPU time of all, those that have ended included. */
int64_t net_echo_cpu_ns(struct net_server *server);
/* Lets them answer, or not. */
void net_echo_hold(struct net_server *server, bool held);

#endif
