// What the files of loadgen net share; each section says of which file it is.
#ifndef LOADGEN_NET_NET_H
#define LOADGEN_NET_NET_H

// See load.h.
#define OPTIONS_OF struct net_settings

#include "load.h"
#include "net/address.h"
#include "net/message.h"
#include "net/protocol.h"
#include "net/seats.h"

#include <uv.h> // and what the C library has of sockets

// What the parts of the receiving half share. All of it runs in the server's thread unless
// a comment says otherwise.

#define NET_BUFFER_BYTES (128u << 10)

struct net_echo;
struct run;
struct worker;
struct net_peer;

// A datagram socket: everybody's, or that of one session whose datagrams are too short to
// say whose they are.
struct net_port {
    struct net_server *server;
    struct net_peer *owner; // NULL: everybody's
    int fd;
    uv_poll_t poll;
    uv_timer_t drain;
    struct {
        unsigned count; // datagrams since checked_ns
        uint64_t checked_bytes;
        int64_t checked_ns;
    } burst;          // udp_receive.c's own
    unsigned handles; // still to be closed: udp_receive.c's own
};

// A session, as the receiving half sees it.
struct net_peer {
    struct net_server *server;
    int control_fd; // where its reports go
    struct sockaddr_storage host;
    enum net_mode mode;
    uint64_t token;
    uint32_t block_bytes, streams;
    uint64_t *next;  // datagrams: the number that each stream continues with; with a port of its
                     // own, how many each has sent, as the last mark said; connections: 1 for a
                     // stream that has joined
    unsigned joined; // connections: how many streams have
    bool complete;   // all have, or none is needed
    uint64_t echo_bytes;         // that are set aside for it, of NET_MOST_ECHO_BYTES
    struct net_port *port;       // of its own; NULL: everybody's
    uint64_t values[NET_VALUES]; // of its reports
    bool changed;                // since the last one
    struct net_echo *echoes;
    int64_t active_ns; // when something was last seen to come from it, and how much by then
    uint64_t active_count;
};

enum net_part { NET_PART_NEW, NET_PART_CONTROL, NET_PART_STREAM, NET_PARTS };

// An accepted connection: one that has not said hello yet, a session's control connection, or one
// of its TCP streams.
struct net_connection {
    struct net_server *server;
    struct net_connection *next, *previous;
    struct net_peer *peer; // NULL: it has no session yet, or that has ended
    enum net_part part;
    uint32_t number;  // of a stream in its session
    int64_t since_ns; // that it is a new one, or a stream without a session
    bool said_bye;
    struct net_arriving heard;
    int fd;
    uv_poll_t poll;
    struct {
        uint64_t bytes; // received so far
        uint64_t checked_bytes, flushed_bytes;
        int64_t checked_ns, not_before_ns;
        bool on;
    } batch; // tcp_receive.c's own
};

struct net_server {
    struct run *run;
    const struct net_settings *settings;
    bool local;     // for this process alone, which reads the counts by itself
    uint64_t token; // with local: of the only session that is let in
    struct net_address address;
    int listen_fd;
    uv_loop_t loop;
    uv_async_t wake;
    uv_timer_t report, rest, flush, sweep;
    uv_poll_t listener;
    struct net_port port;               // everybody's
    bool started;                       // handles are open
    struct net_connection *connections; // the latest first
    unsigned parts[NET_PARTS];          // how many there are of each
    unsigned echoes;                    // streams of round trips
    unsigned most_streams;              // NET_MOST_STREAMS, or what descriptors are enough for
    uint64_t echo_bytes;
    unsigned warned; // how often, of what peers do
    struct net_peer *peers[NET_MOST_SESSIONS];
    unsigned peer_count;
    struct net_peer *recent; // whose datagram came last
    struct net_messages *messages;
    unsigned char *buffer;
    // The sums over all sessions; what is lost may fall, when a datagram comes late.
    _Alignas(64) _Atomic uint64_t values[NET_VALUES];
    _Atomic uint64_t rejected;
    _Atomic int refused; // errno of the first connection that could not be accepted; 0: all were
    // Shared with threads that answer round trips.
    pthread_mutex_t mutex;
    pthread_cond_t released;
    _Atomic bool held; // paused: no round trip is answered
    int64_t ended_cpu_ns;
    // With --loopback the server has a thread of its own.
    pthread_t thread;
    bool threaded;
    _Atomic bool quit;
    clockid_t cpu_clock;
};

// The receiver's threads all add to the same counters.
static inline void net_count(_Atomic uint64_t *counter, uint64_t more)
{
    atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

// ---- connections.c ----

#define NET_MOST_NEW 128 // that have not said hello yet: the oldest leaves for another

// Takes a connection into the list, not yet polled; peer: NULL for a new one. NULL: no memory;
// the descriptor is the caller's then.
struct net_connection *net_connection_add(struct net_server *server, struct net_peer *peer, int fd,
                                          enum net_part part);
// Takes it out of the list. The descriptor remains open, and is returned.
int net_connection_release(struct net_connection *connection);
// Takes it out of the list, and closes it.
void net_connection_drop(struct net_connection *connection);
// Warns of what a peer does, a few times: peers may do it for ever.
void net_warn(struct net_server *server, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// ---- session.c ----

// A connection that was just accepted: as net_session_greet(). The oldest that has not said hello
// leaves where there are too many of them.
struct net_connection *net_session_admit(struct net_server *server, int fd);
// Takes an accepted connection, whose hello should be there already, at least in part, and answers
// it: a session's first, or one of its streams. Anything else is rejected: counted and closed.
// Returns the connection, to be polled, or NULL where there is nothing to poll.
struct net_connection *net_session_greet(struct net_connection *fresh);
// Something can be read from a control connection: news of its end.
void net_session_hear(struct net_connection *connection);
// Ends a session. Streams that are still open are read to their end, for a while.
void net_session_end(struct net_peer *peer);
// Ends a session that should not stay: nothing is read from it any more. why: for a warning, of
// which there are few, for anybody may cause them.
void net_session_expel(struct net_peer *peer, const char *why);
// Descriptors have run out: of the sessions that are silent, the one with the most streams leaves.
void net_session_free_descriptors(struct net_server *server);
// Notes of each session whether anything has come since the last call.
void net_activity_note(struct net_server *server);

// ---- sweep.c ----

// There is a connection to be watched.
void net_sweep_begin(struct net_server *server);

// ---- echo.c ----

// Threads that answer round trips: they block, for a poll in between would add to the
// time that is measured.

// Starts one for a stream (TCP) or a socket (UDP), which it owns from then on. 0, or errno: then
// the descriptor is still the caller's.
int net_echo_start(struct net_peer *peer, int fd);
// Ends all of a session's and waits for them.
void net_echo_stop(struct net_peer *peer);
// How many round trips of a session have been answered by threads that it has.
uint64_t net_echo_answered(const struct net_peer *peer);
// Whether they answer (held: false) or wait.
void net_echo_hold(struct net_server *server, bool held);

// ---- peer_report.c ----

// Its reports go out as long as anything comes in: something has changed in them.
void net_peer_changed(struct net_peer *peer);
// Something has come for a session.
void net_peer_received(struct net_peer *peer, uint64_t bytes);
// Reports what it has received, at once.
void net_peer_report(struct net_peer *peer);

// ---- udp_receive.c ----

// The receiving half's datagram sockets: everybody's, and one of a session's own where its
// datagrams are shorter than a head, so that the port says whose they are.

// Gives a bound socket its buffer, and its handles in the server's loop. 0, or libuv's error;
// the socket stays the caller's. owner: see net_port.
int net_port_open(struct net_port *port, struct net_server *server, struct net_peer *owner, int fd);
// Reads what comes, or for the time of a pause nothing.
void net_port_hold(struct net_port *port, bool held);

// A session's own: its port number, 0 where none can be had.
uint16_t net_port_own(struct net_peer *peer);
// Closes it, if there is one.
void net_port_disown(struct net_peer *peer);

// Room for many at a time; NULL: no memory. discard: their content is not copied.
struct net_messages *net_messages_new(bool discard);

// ---- tcp_receive.c ----

// Takes what a connection has, up to a bound; false: it is at its end.
bool net_receive_stream(struct net_connection *connection);

// Receiving in batches. A receiver of gigabytes a second would be woken for every few
// kilobytes, and each wake-up of an idle CPU costs more than the copy. So for a
// connection that fast the kernel is told to wait until NET_BUFFER_BYTES are there
// (SO_RCVLOWAT), until it is slow again: a timer takes what is left in between.
// Datagrams that come that fast are read by the millisecond. Slower loads, and those
// are all that are finely paced, are read as they come.

// After bytes were taken from a connection: may switch its batches on.
void net_batch_received(struct net_connection *connection, size_t bytes);
// Before a pause: all connections are read as they come.
void net_batch_end(struct net_server *server);

// ---- server.c: what the load and its sending half use ----

// The receiving half of a network load: one thread with a libuv loop that accepts
// sessions and counts what comes; each stream of round trips is answered by a thread
// of its own. --listen runs it in its worker, --loopback in a thread of its own.

// Bound to an address, as it is typed, and listening when it returns; NULL after run_fail(). token:
// of the only session that a server for this process alone lets in; 0: one for everybody.
struct net_server *net_server_open(struct run *run, const char *address, uint64_t token);
// In a thread of its own until net_server_close(). 0, or errno.
int net_server_start(struct net_server *server);
// In this worker's thread while worker_running().
void net_server_run(struct net_server *server, struct worker *worker);
// Nobody may be in net_server_run(). NULL is fine.
void net_server_close(struct net_server *server);
// echo.c. Any thread: CPU time of all threads of its own, including those that have ended.
int64_t net_server_cpu_ns(struct net_server *server);

// ---- the options as given, and the state of a run ----

#define NET_BULK_BLOCK     (128u << 10) // of TCP without --block-size: as large as iperf3's
#define NET_DATAGRAM_BLOCK 1400u        // fits into an Ethernet frame with every header
// Without --block-size, TCP is paced in pieces of so many bytes; those that are
// due at the same time are one write.
#define NET_PIECE 512u
// Who has sent all that was due sleeps so long at least: writes grow, and 1 ms
// is the largest step that a paced load may make.
#define NET_STEP_NS  800000
#define NET_CHECK_NS 10000000 // between two checks on the peer

enum net_role { NET_LOOPBACK, NET_LISTEN, NET_CONNECT };

struct net_settings {
    bool tcp, udp, loopback, ping;
    bool discard; // what has come is dropped by the kernel, not copied
    const char *listen, *connect;
    uint64_t block_bytes, streams;
    int64_t timeout_ns; // of a listener: how long a session may be silent that is not complete, or
                        // not wanted
};

// One connection of the sending half, or for UDP one sequence of datagrams. A
// worker has its streams to itself.
struct net_stream {
    int fd;
    unsigned number; // in its session
    struct net_session *session;
    struct worker *worker;
    bool blocked;  // the socket takes no more at present
    uint64_t owed; // bytes due and not yet written
    size_t offset; // bytes of the present block that are written
    uint64_t next; // datagrams: the next number
    // When it was last seen to move, and how far it was then.
    int64_t moved_ns;
    uint64_t moved_bytes;
    _Alignas(64) _Atomic uint64_t sent_bytes;
    _Atomic uint64_t lost; // round trips without an answer
};

// What the sending half has with one listener.
struct net_session {
    int fd; // its control connection
    uint64_t token;
    uint16_t udp_port;
    struct net_server *server; // of --loopback: in this process; NULL: elsewhere
    struct net_address peer;
    struct net_arriving report;
    int64_t heard_ns;
    _Atomic uint64_t reported[NET_VALUES]; // last, by the peer
    const _Atomic uint64_t *values;        // these, or in this process the server's
};

struct net_state {
    enum net_role role;
    enum net_mode mode;
    bool whole_blocks; // a block is one write; else pieces that are due are
    size_t block_bytes;
    unsigned stream_count, session_count, server_count;
    struct net_address address;   // of --listen, of --connect
    struct net_worker *workers;   // of the sending half
    struct net_stream *streams;   // stream i is worker i % threads's
    struct net_session *sessions; // session i is of workers i, i + session_count, ...
    struct net_server **servers;  // --loopback: one for each worker; --listen: one
    unsigned char *block;         // what is sent; at least block_bytes
    double acknowledged;          // the most that delivered() has said
};

static inline struct net_state *net_state_of(const struct run *run)
{
    return run->state;
}

static inline bool net_is_ping(enum net_mode mode)
{
    return mode == NET_TCP_PING || mode == NET_UDP_PING;
}

// Datagrams without room for a head.
static inline bool net_is_short(const struct net_state *state)
{
    return net_is_udp(state->mode) && state->block_bytes < NET_HEAD_BYTES;
}

static inline uint64_t net_sent_bytes(const struct net_stream *stream)
{
    return counter_read(&stream->sent_bytes);
}

// ---- worker.c ----

// What the workers of the sending half have in common: streams, waiting for
// their sockets, and the watch over the peer.

struct net_worker {
    int wake_fd; // an eventfd that ends a wait
    bool failed;
    struct net_stream **streams; // its own
    struct pollfd *polls;        // of wake_fd and each stream
    unsigned count;
    unsigned next;       // stream whose turn it is
    int64_t checked_ns;  // when it last checked on the peer
    int64_t marked_ns;   // when it last said how many datagrams there were
    double bounded_rate; // of which waits at most a moment unsent; 0: no such bound yet
    void *batch;         // of datagrams
};

// load.h's begin and end.
int net_worker_open(struct worker *worker);
void net_worker_close(struct worker *worker);
// At the begin of work().
void net_worker_begin(struct worker *worker);
// The load fails: the peer is gone (errno, or 0: end of file); or it has done `what`
// for the time of --timeout.
void net_worker_gone(struct worker *worker, const struct net_session *session, int error);
void net_worker_silent(struct worker *worker, const char *what);
// Checks on the peer every NET_CHECK_NS; false once it is gone.
bool net_worker_fine(struct worker *worker, int64_t at_ns);

// Marks streams whose socket has room again as no longer blocked. block: waits until
// one has, orders change, or 0.1 s is over. Returns whether any was blocked.
bool net_worker_wait(struct net_worker *own, bool block);
// When to wake for work that is due at next_ns: late enough that writes grow, early
// enough to check on the peer.
int64_t net_worker_step(int64_t at_ns, int64_t next_ns);
// Takes what the peer has reported: 0, or -1 after worker_fail() when it is gone.
int net_worker_hear(struct worker *worker, struct net_session *session);
// Has the peer report what it has received by now, and waits for that for a moment: a report
// that came by itself may be a tenth of a second old.
void net_worker_ask(struct worker *worker, struct net_session *session);

// ---- tcp_send.c ----

// load.h's work of TCP, without a limit or at a rate.
void net_bulk_work(struct worker *worker);

// ---- udp_send.c ----

// load.h's begin, after net_worker_open(), and work of UDP: numbered datagrams, many at a time.
int net_datagram_open(struct worker *worker);
void net_datagram_work(struct worker *worker);

// ---- hello.c ----

// A hello and its answer.
struct net_hello {
    struct net_message message, answer;
    bool retry;      // it may succeed in a moment (the listener closed the connection)
    char error[512]; // why it failed
};

// Connects and is let in; a busy listener may need a second try. peer: an address that is known,
// else (text is not NULL) `text` is dialled and *peer set. Returns the descriptor, or -1 with
// hello->error.
int net_enter(struct run *run, struct net_address *peer, const char *text, struct net_hello *hello);

// ---- client.c ----

// Opens them all. 0, or -1 after run_fail(); net_close() afterwards in any case.
int net_open(struct run *run);
// Says good-bye, and closes them.
void net_close(struct run *run);

// ---- ping.c ----

// load.h's work of --ping.
void net_ping_work(struct worker *worker);

// ---- figures.c: load.h's functions of these names (net_count_all: count) ----

double net_delivered(struct run *run);
void net_count_all(struct run *run, double counters[LOAD_COUNTERS]);
void net_describe(struct run *run, struct line *line);
void net_fields(struct run *run, const struct snapshot *window, struct line *line);
void net_notes(struct run *run, const char *event, const struct snapshot *window);

#endif
