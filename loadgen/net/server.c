#include "net/receive.h"

#include "load.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* The watch over time: what a peer may hold without a word, and for how long. */

#define HELLO_NS    2000000000  /* the most that a hello may take */
#define REST_NS     10000000000 /* and the rest of a stream whose session has ended */
#define LONGEST_MS  1000        /* between two sweeps */
#define SHORTEST_MS 50

static int64_t smaller(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

/* Those that have said too little, or have nobody any more. */
static void drop_stale(struct net_server *server, int64_t at_ns)
{
    const int64_t hello_ns = smaller(HELLO_NS, server->plan.timeout_ns);
    for (struct net_connection *one = server->connections, *next; one != NULL; one = next) {
        next = one->next;
        const bool fresh = one->part == NET_PART_NEW;
        if (one->peer != NULL || at_ns - one->since_ns < (fresh ? hello_ns : REST_NS))
            continue;
        net_count(&server->counts.rejected, fresh);
        net_connection_drop(one);
    }
}

static void expel_incomplete(struct net_server *server, int64_t at_ns)
{
    for (unsigned i = server->peer_count; i-- > 0;) {
        struct net_peer *peer = server->peers[i];
        if (!peer->complete && at_ns - peer->active_ns >= server->plan.timeout_ns)
            net_session_expel(peer, "it has not opened the streams that it announced");
    }
}

static void on_sweep(uv_timer_t *timer)
{
    struct net_server *server = timer->data;
    const int64_t at_ns = now_ns();
    net_activity_note(server);
    drop_stale(server, at_ns);
    if (!server->plan.local)
        expel_incomplete(server, at_ns);
    if (server->plan.local ? server->parts[NET_PART_NEW] == 0 : server->connections == NULL)
        uv_timer_stop(timer);
}

/* There is a connection to be watched. */
static void net_sweep_begin(struct net_server *server)
{
    const int64_t quarter_ms = server->plan.timeout_ns / 4000000;
    const int64_t period_ms =
        quarter_ms < SHORTEST_MS ? SHORTEST_MS : smaller(quarter_ms, LONGEST_MS);
    if (!uv_is_active((uv_handle_t *)&server->sweep))
        uv_timer_start(&server->sweep, on_sweep, (uint64_t)period_ms, (uint64_t)period_ms);
}

/* Held, nobody is heard, and no time passes. */
static void net_sweep_hold(struct net_server *server, bool held)
{
    const int64_t at_ns = now_ns();
    if (held) {
        uv_timer_stop(&server->sweep);
        return;
    }
    for (unsigned i = 0; i < server->peer_count; i++)
        server->peers[i]->active_ns = at_ns;
    for (struct net_connection *one = server->connections; one != NULL; one = one->next)
        one->since_ns = at_ns;
    if (server->connections != NULL)
        net_sweep_begin(server);
}

/* The bytes of a TCP stream: counted, and thrown away. */

#define ROUNDS 8 /* before others have their turn */

/* Takes what a connection has, up to a bound; false: it is at its end. */
static bool net_receive_stream(struct net_connection *connection)
{
    struct net_server *server = connection->server;
    const int flags = MSG_DONTWAIT | (server->plan.discard ? MSG_TRUNC : 0);
    for (int round = 0; round < ROUNDS; round++) {
        const ssize_t got = recv(connection->fd, server->buffer, NET_BUFFER_BYTES, flags);
        if (got == 0)
            return false;
        if (got < 0)
            return errno == EAGAIN || errno == EINTR;
        net_count(&server->counts.bytes, (uint64_t)got);
        if (connection->peer != NULL)
            net_peer_received(connection->peer, (uint64_t)got);
        net_batch_received(connection, (size_t)got);
        if ((size_t)got < NET_BUFFER_BYTES)
            return true; /* that was all, most likely */
    }
    return true;
}

#define ACCEPT_AT_ONCE  64
#define PORT_TRIES      16
#define HELLO_S         2
#define OWN_DESCRIPTORS 32  /* files, sockets and the loop's */
#define REST_MS         100 /* from accepting, where descriptors have run out */

/* ---- connections ---- */

static void on_readable(uv_poll_t *poll, int status, int events);

/* Whatever has come of it; NULL is fine. */
static void listen_to(struct net_connection *connection)
{
    if (connection != NULL)
        uv_poll_start(&connection->poll, UV_READABLE, on_readable);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    struct net_connection *connection = poll->data;
    (void)status; /* an error is found by reading, too */
    (void)events;
    if (connection->part == NET_PART_NEW)
        listen_to(net_session_greet(connection));
    else if (connection->part == NET_PART_CONTROL)
        net_session_hear(connection);
    else if (!net_receive_stream(connection))
        net_session_stream_ended(connection);
}

static void on_listener(uv_poll_t *poll, int status, int events);

static void on_rested(uv_timer_t *timer)
{
    struct net_server *server = timer->data;
    uv_poll_start(&server->listener, UV_READABLE, on_listener);
}

static void on_listener(uv_poll_t *poll, int status, int events)
{
    struct net_server *server = poll->data;
    (void)status;
    (void)events;
    for (int i = 0; i < ACCEPT_AT_ONCE; i++) {
        const int fd = accept4(server->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            net_sweep_begin(server);
            listen_to(net_session_admit(server, fd));
            continue;
        }
        if (errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM)
            return; /* no more, or one that has left again */
        net_session_free_descriptors(server);
        /* Those still waiting would wake this thread again and again. */
        uv_poll_stop(poll);
        uv_timer_start(&server->rest, on_rested, REST_MS, 0);
        return;
    }
}

/* ---- running ---- */

static void on_wake(uv_async_t *wake)
{
    struct net_server *server = wake->data;
    if (atomic_load(&server->quit))
        uv_stop(&server->loop);
}

/* Held, it reads nothing, so that senders come to a stop. */
static void hold(struct net_server *server, bool held)
{
    net_echo_hold(server, held);
    if (held) {
        uv_poll_stop(&server->listener);
        uv_timer_stop(&server->rest);
        uv_timer_stop(&server->report);
        net_sweep_hold(server, true);
        net_batch_end(server);
    } else {
        net_sweep_hold(server, false);
        uv_poll_start(&server->listener, UV_READABLE, on_listener);
    }
    net_port_hold(&server->port, held);
    for (struct net_connection *one = server->connections; one != NULL; one = one->next)
        if (held)
            uv_poll_stop(&one->poll);
        else
            listen_to(one);
    for (unsigned i = 0; i < server->peer_count; i++) {
        server->peers[i]->changed = false;
        if (server->peers[i]->port != NULL)
            net_port_hold(server->peers[i]->port, held);
    }
}

void net_server_run(struct net_server *server, struct worker *worker)
{
    hold(server, false);
    while (worker_running(worker))
        uv_run(&server->loop, UV_RUN_ONCE);
    hold(server, true);
}

static void *server_main(void *argument)
{
    struct net_server *server = argument;
    pthread_setname_np(pthread_self(), "net/receive");
    if (cpus_pin_list(&server->run->cpus) != 0)
        run_warn(server->run, "cannot pin the receiver to the CPUs of --cpus: %s", strerror(errno));
    hold(server, false);
    while (!atomic_load(&server->quit))
        uv_run(&server->loop, UV_RUN_DEFAULT);
    return NULL;
}

int net_server_start(struct net_server *server)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(&server->thread, NULL, server_main, server);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    server->threaded = error == 0;
    if (error == 0)
        pthread_getcpuclockid(server->thread, &server->cpu_clock);
    return error;
}

/* ---- opening and closing ---- */

/* How many streams there are descriptors for, as many as this process may have, beside sessions
 * and those who have not said hello. */
static unsigned most_streams(void)
{
    const rlim_t others = OWN_DESCRIPTORS + NET_MOST_NEW + 2 * NET_MOST_SESSIONS;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return NET_MOST_STREAMS;
    const rlim_t soft = limit.rlim_cur;
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        limit.rlim_cur = soft;
    const rlim_t most = limit.rlim_cur > 2 * others ? limit.rlim_cur - others : limit.rlim_cur / 2;
    return most < NET_MOST_STREAMS ? (unsigned)most : NET_MOST_STREAMS;
}

/* TCP and UDP share a port; where any will do, one that both can have. */
static int open_sockets(struct net_server *server, char *error, size_t size)
{
    struct net_address bound;
    const int hello_s = HELLO_S;
    for (int i = 0; i < PORT_TRIES; i++) {
        server->listen_fd = net_address_listen(server->plan.address, &server->address, error, size);
        if (server->listen_fd < 0)
            return -1;
        server->port.fd =
            net_address_datagrams(&server->address, net_address_port(&server->address), &bound);
        if (server->port.fd >= 0)
            break;
        snprintf(
            error, size,
            "cannot listen at %.200s: its UDP port: %s: give another port, or end what holds it",
            server->plan.address, strerror(errno));
        close(server->listen_fd);
        server->listen_fd = -1;
    }
    if (server->port.fd < 0)
        return -1;
    /* The kernel hands a connection over together with its hello: a silent one
     * takes no descriptor of ours. */
    setsockopt(server->listen_fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, &hello_s, sizeof hello_s);
    return 0;
}

static int open_handles(struct net_server *server)
{
    uv_timer_t *timers[] = {&server->report, &server->rest, &server->flush, &server->sweep};
    int error = uv_loop_init(&server->loop);
    if (error != 0)
        return error;
    server->started = true;
    for (size_t i = 0; i < sizeof timers / sizeof timers[0]; i++) {
        uv_timer_init(&server->loop, timers[i]);
        timers[i]->data = server;
    }
    error = uv_async_init(&server->loop, &server->wake, on_wake);
    if (error == 0)
        error = uv_poll_init(&server->loop, &server->listener, server->listen_fd);
    if (error == 0)
        error = net_port_open(&server->port, server, NULL, server->port.fd);
    server->wake.data = server->listener.data = server;
    return error;
}

struct net_server *net_server_open(struct run *run, const struct net_server_plan *plan, char *error,
                                   size_t size)
{
    struct net_server *server = zeroed_lines(1, sizeof *server);
    if (server == NULL) {
        snprintf(error, size, "out of memory: free some");
        return NULL;
    }
    server->run = run;
    server->plan = *plan;
    server->listen_fd = server->port.fd = -1;
    server->held = true;
    server->most_streams = plan->local ? NET_MOST_STREAMS : most_streams();
    pthread_mutex_init(&server->mutex, NULL);
    pthread_cond_init(&server->released, NULL);
    server->messages = net_messages_new(plan->discard);
    server->buffer = malloc(NET_BUFFER_BYTES);
    int failed = server->messages == NULL || server->buffer == NULL ? UV_ENOMEM : 0;
    if (failed == 0 && open_sockets(server, error, size) != 0) {
        net_server_close(server);
        return NULL;
    }
    if (failed == 0)
        failed = open_handles(server);
    if (failed != 0) {
        snprintf(error, size, "cannot make a receiver: %s", uv_strerror(failed));
        net_server_close(server);
        return NULL;
    }
    return server;
}

void net_server_close(struct net_server *server)
{
    if (server == NULL)
        return;
    if (server->threaded) {
        atomic_store(&server->quit, true);
        uv_async_send(&server->wake);
        pthread_join(server->thread, NULL);
    }
    net_session_end_all(server);
    if (server->started)
        loop_close(&server->loop);
    if (server->listen_fd >= 0)
        close(server->listen_fd);
    if (server->port.fd >= 0)
        close(server->port.fd);
    pthread_cond_destroy(&server->released);
    pthread_mutex_destroy(&server->mutex);
    free(server->messages);
    free(server->buffer);
    free(server);
}

void net_server_count(struct net_server *server, struct net_counts *counts)
{
    *counts = (struct net_counts){
        .received_bytes = atomic_load_explicit(&server->counts.bytes, memory_order_relaxed),
        .datagrams = atomic_load_explicit(&server->counts.datagrams, memory_order_relaxed),
        .lost = atomic_load_explicit(&server->counts.lost, memory_order_relaxed),
        .out_of_order = atomic_load_explicit(&server->counts.out_of_order, memory_order_relaxed),
        .rejected = atomic_load_explicit(&server->counts.rejected, memory_order_relaxed),
        .echo_cpu_ns = net_echo_cpu_ns(server),
        .thread_cpu_ns = server->threaded ? clock_ns(server->cpu_clock) : 0};
}
