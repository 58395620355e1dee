// The receiving half: opens and closes it, accepts connections, and runs its loop.

#include "net/net.h"

#include "common/cgroup.h"

#include <netinet/tcp.h>
#include <sys/resource.h>

#define ACCEPT_AT_ONCE  64
#define PORT_TRIES      16
#define HELLO_S         2
#define OWN_DESCRIPTORS 32  // files, sockets and the loop's
#define REST_MS         100 // from accepting, where descriptors have run out

static void on_readable(uv_poll_t *poll, int status, int events);

// Whatever has come of it; NULL is fine.
static void listen_to(struct net_connection *connection)
{
    if (connection)
        uv_poll_start(&connection->poll, UV_READABLE, on_readable);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    struct net_connection *connection = poll->data;
    struct net_peer *peer = connection->peer;
    (void)status; // an error is found by reading, too
    (void)events;
    if (connection->part == NET_PART_NEW) {
        listen_to(net_session_greet(connection));
    } else if (connection->part == NET_PART_CONTROL) {
        net_session_hear(connection);
    } else if (!net_receive_stream(connection)) { // the other end has closed it
        if (peer) {
            peer->next[connection->number] = 0;
            peer->joined--;
        }
        net_connection_drop(connection);
    }
}

static void on_listener(uv_poll_t *poll, int status, int events);

static void on_rested(uv_timer_t *timer)
{
    struct net_server *server = timer->data;
    uv_poll_start(&server->listener, UV_READABLE, on_listener);
}

static void note_refused(struct net_server *server, int error)
{
    int none = 0;
    if (atomic_compare_exchange_strong(&server->refused, &none, error))
        net_warn(server, "a connection cannot be accepted: %s: it waits",
                 limits_why(error, (char[LIMITS_WHY]){0}, LIMITS_WHY));
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
            return; // no more, or one that has left again
        note_refused(server, errno);
        net_session_free_descriptors(server);
        // Connections that still wait would wake this thread again and again.
        uv_poll_stop(poll);
        uv_timer_start(&server->rest, on_rested, REST_MS, 0);
        return;
    }
}

static void on_wake(uv_async_t *wake)
{
    struct net_server *server = wake->data;
    if (atomic_load(&server->quit))
        uv_stop(&server->loop);
}

// Held, it reads nothing, so that senders come to a stop; nobody is heard, and no time passes.
static void hold(struct net_server *server, bool held)
{
    const int64_t at_ns = clock_ns();
    net_echo_hold(server, held);
    if (held) {
        uv_poll_stop(&server->listener);
        uv_timer_stop(&server->rest);
        uv_timer_stop(&server->report);
        uv_timer_stop(&server->sweep);
        net_batch_end(server);
    } else {
        uv_poll_start(&server->listener, UV_READABLE, on_listener);
        if (server->connections)
            net_sweep_begin(server);
    }
    net_port_hold(&server->port, held);
    for (struct net_connection *one = server->connections; one; one = one->next) {
        one->since_ns = at_ns;
        if (held)
            uv_poll_stop(&one->poll);
        else
            listen_to(one);
    }
    for (unsigned i = 0; i < server->peer_count; i++) {
        server->peers[i]->active_ns = at_ns;
        server->peers[i]->changed = false;
        if (server->peers[i]->port)
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
    const int error = thread_start(&server->thread, server_main, server);
    server->threaded = error == 0;
    if (error == 0)
        pthread_getcpuclockid(server->thread, &server->cpu_clock);
    return error;
}

// How many streams there are descriptors for, as many as this process may have, beside sessions
// and those who have not said hello.
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

// TCP and UDP share a port; where any will do, one that both can have.
static int open_sockets(struct net_server *server, const char *address)
{
    struct net_address bound;
    char error[512];
    const int hello_s = HELLO_S;
    for (int i = 0; i < PORT_TRIES; i++) {
        server->listen_fd = net_address_listen(address, &server->address, error, sizeof error);
        if (server->listen_fd < 0)
            return run_fail(server->run, "%s", error);
        server->port.fd =
            net_address_datagrams(&server->address, net_address_port(&server->address), &bound);
        if (server->port.fd >= 0)
            break;
        close(server->listen_fd);
        server->listen_fd = -1;
    }
    if (server->port.fd < 0)
        return run_fail(
            server->run,
            "cannot listen at %.200s: its UDP port: %s: give another port, or end what holds it",
            address, strerror(errno));
    // The kernel hands a connection over together with its hello: a silent one
    // takes no descriptor of ours.
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

struct net_server *net_server_open(struct run *run, const char *address, uint64_t token)
{
    struct net_server *server = zeroed_lines(1, sizeof *server);
    if (!server) {
        run_fail(run, "out of memory: free some");
        return NULL;
    }
    server->run = run;
    server->settings = settings_of(run);
    server->local = token != 0;
    server->token = token;
    server->listen_fd = server->port.fd = -1;
    server->held = true;
    server->most_streams = server->local ? NET_MOST_STREAMS : most_streams();
    pthread_mutex_init(&server->mutex, NULL);
    pthread_cond_init(&server->released, NULL);
    server->messages = net_messages_new(server->settings->discard);
    server->buffer = malloc(NET_BUFFER_BYTES);
    int failed = !server->messages || !server->buffer ? UV_ENOMEM : 0;
    const bool bound = failed == 0 && open_sockets(server, address) == 0;
    if (bound)
        failed = open_handles(server);
    if (bound && failed == 0)
        return server;
    if (failed != 0)
        run_fail(run, "cannot make a receiver: %s", uv_strerror(failed));
    net_server_close(server);
    return NULL;
}

void net_server_close(struct net_server *server)
{
    if (!server)
        return;
    if (server->threaded) {
        atomic_store(&server->quit, true);
        uv_async_send(&server->wake);
        pthread_join(server->thread, NULL);
    }
    while (server->peer_count > 0)
        net_session_end(server->peers[0]);
    while (server->connections)
        net_connection_drop(server->connections);
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
