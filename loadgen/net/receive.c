#include "net/net.h"

#define STACK_BYTES (256u << 10) // of a thread; there may be NET_MOST_STREAMS of them

struct net_echo {
    struct net_echo *next; // of the same session
    struct net_peer *peer;
    struct net_server *server;
    int fd;
    bool datagrams;
    bool alone, connected; // datagrams: there is one stream; its address is known
    uint32_t token;
    struct sockaddr_storage host; // that the session is of
    _Atomic uint64_t answered;
    size_t block_bytes;
    unsigned char *block;
    pthread_t thread;
    clockid_t cpu_clock;
    _Atomic bool quit;
    _Atomic bool ended; // has added its CPU time to the server's
};

static void count(struct net_echo *echo, size_t bytes)
{
    net_count(&echo->server->values[NET_RECEIVED_BYTES], bytes);
    net_count(&echo->server->values[NET_DATAGRAMS], 1);
    counter_add(&echo->answered, 1);
}

// While the load is paused there are no answers.
static void wait_released(struct net_echo *echo)
{
    struct net_server *server = echo->server;
    if (!atomic_load_explicit(&server->held, memory_order_relaxed))
        return;
    pthread_mutex_lock(&server->mutex);
    while (atomic_load(&server->held) && !atomic_load(&echo->quit))
        pthread_cond_wait(&server->released, &server->mutex);
    pthread_mutex_unlock(&server->mutex);
}

static bool send_all(int fd, const unsigned char *bytes, size_t count)
{
    while (count > 0) {
        const ssize_t sent = send(fd, bytes, count, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        bytes += sent;
        count -= (size_t)sent;
    }
    return true;
}

static void answer_stream(struct net_echo *echo)
{
    for (;;) {
        size_t used = 0;
        while (used < echo->block_bytes) {
            const ssize_t got = recv(echo->fd, echo->block + used, echo->block_bytes - used, 0);
            if (got == 0 || (got < 0 && errno != EINTR))
                return;
            used += got > 0 ? (size_t)got : 0;
        }
        wait_released(echo);
        if (!send_all(echo->fd, echo->block, echo->block_bytes))
            return;
        count(echo, echo->block_bytes);
    }
}

// Waits for a datagram of the session; 0: it was another's. Its sender is known unless the socket
// is connected, and has to be the host that the session was opened from by TCP, whatever token it
// has: nobody is to be sent answers to what others asked in his name.
static size_t take_datagram(struct net_echo *echo, struct sockaddr_storage *from, socklen_t *length)
{
    *length = sizeof *from;
    const ssize_t got = echo->connected ? recv(echo->fd, echo->block, NET_ECHO_DATAGRAM_ROOM, 0)
                                        : recvfrom(echo->fd, echo->block, NET_ECHO_DATAGRAM_ROOM, 0,
                                                   (struct sockaddr *)from, length);
    if (got <= 0 || (!echo->connected && !net_address_same_host(from, &echo->host)))
        return 0;
    const bool ours =
        echo->block_bytes < NET_HEAD_BYTES
            ? (size_t)got == echo->block_bytes
            : got >= NET_HEAD_BYTES && net_head_read(echo->block).token == echo->token;
    return ours ? (size_t)got : 0;
}

static void answer_datagrams(struct net_echo *echo)
{
    // A socket that was shut down returns at once, again and again, until quit is seen.
    while (!atomic_load_explicit(&echo->quit, memory_order_relaxed)) {
        struct sockaddr_storage from;
        socklen_t length;
        const size_t got = take_datagram(echo, &from, &length);
        if (got == 0)
            continue;
        wait_released(echo);
        // For a connected socket the kernel need not look up the route each time.
        if (echo->alone && !echo->connected)
            echo->connected = connect(echo->fd, (struct sockaddr *)&from, length) == 0;
        const ssize_t sent = echo->connected ? send(echo->fd, echo->block, got, MSG_NOSIGNAL)
                                             : sendto(echo->fd, echo->block, got, MSG_NOSIGNAL,
                                                      (struct sockaddr *)&from, length);
        if (sent == (ssize_t)got)
            count(echo, got);
    }
}

static void *echo_main(void *argument)
{
    struct net_echo *echo = argument;
    struct net_server *server = echo->server;
    pthread_setname_np(pthread_self(), "net/echo");
    cpus_pin_list(&server->run->cpus);
    if (echo->datagrams)
        answer_datagrams(echo);
    else
        answer_stream(echo);
    pthread_mutex_lock(&server->mutex);
    server->ended_cpu_ns += clock_of(CLOCK_THREAD_CPUTIME_ID);
    atomic_store(&echo->ended, true);
    pthread_mutex_unlock(&server->mutex);
    shutdown(echo->fd, SHUT_RDWR);
    return NULL;
}

int net_echo_start(struct net_peer *peer, int fd)
{
    const bool datagrams = peer->mode == NET_UDP_PING;
    const int yes = 1;
    struct net_echo *echo = calloc(1, sizeof *echo);
    unsigned char *block = calloc(1, datagrams ? NET_ECHO_DATAGRAM_ROOM : peer->block_bytes);
    pthread_attr_t attributes;
    int error = !echo || !block ? ENOMEM : pthread_attr_init(&attributes);
    if (error == 0) {
        *echo = (struct net_echo){.peer = peer,
                                  .server = peer->server,
                                  .fd = fd,
                                  .datagrams = datagrams,
                                  .alone = peer->streams == 1,
                                  .token = (uint32_t)peer->token,
                                  .host = peer->host,
                                  .block_bytes = peer->block_bytes,
                                  .block = block};
        fcntl(fd, F_SETFL, 0); // blocking
        if (!datagrams)
            setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        error = pthread_attr_setstacksize(&attributes, STACK_BYTES);
        // Under the mutex: its CPU clock is there as soon as others can find it.
        pthread_mutex_lock(&peer->server->mutex);
        if (error == 0)
            error = pthread_create(&echo->thread, &attributes, echo_main, echo);
        if (error == 0) {
            pthread_getcpuclockid(echo->thread, &echo->cpu_clock);
            echo->next = peer->echoes;
            peer->echoes = echo;
            peer->server->echoes++;
        }
        pthread_mutex_unlock(&peer->server->mutex);
        pthread_attr_destroy(&attributes);
    }
    if (error != 0) {
        free(block);
        free(echo);
    }
    return error;
}

void net_echo_stop(struct net_peer *peer)
{
    struct net_server *server = peer->server;
    for (struct net_echo *echo = peer->echoes; echo; echo = echo->next) {
        atomic_store(&echo->quit, true);
        shutdown(echo->fd, SHUT_RDWR); // wakes the thread, also of a datagram socket
    }
    pthread_mutex_lock(&server->mutex);
    pthread_cond_broadcast(&server->released);
    pthread_mutex_unlock(&server->mutex);
    while (peer->echoes) {
        struct net_echo *echo = peer->echoes;
        pthread_join(echo->thread, NULL);
        pthread_mutex_lock(&server->mutex);
        peer->echoes = echo->next;
        server->echoes--;
        pthread_mutex_unlock(&server->mutex);
        close(echo->fd);
        free(echo->block);
        free(echo);
    }
}

int64_t net_server_cpu_ns(struct net_server *server)
{
    pthread_mutex_lock(&server->mutex);
    int64_t sum_ns = server->ended_cpu_ns + (server->threaded ? clock_of(server->cpu_clock) : 0);
    for (unsigned i = 0; i < server->peer_count; i++)
        for (struct net_echo *echo = server->peers[i]->echoes; echo; echo = echo->next)
            if (!atomic_load(&echo->ended))
                sum_ns += clock_of(echo->cpu_clock);
    pthread_mutex_unlock(&server->mutex);
    return sum_ns;
}

uint64_t net_echo_answered(const struct net_peer *peer)
{
    uint64_t sum = 0;
    for (const struct net_echo *echo = peer->echoes; echo; echo = echo->next)
        sum += counter_read(&echo->answered);
    return sum;
}

void net_echo_hold(struct net_server *server, bool held)
{
    pthread_mutex_lock(&server->mutex);
    atomic_store(&server->held, held);
    pthread_cond_broadcast(&server->released);
    pthread_mutex_unlock(&server->mutex);
}

// ---- reports ----

#define REPORT_MS 100

void net_peer_report(struct net_peer *peer)
{
    struct net_message report = {.kind = NET_REPORT, .mode = peer->mode, .token = peer->token};
    memcpy(report.values, peer->values, sizeof report.values);
    const ssize_t sent = net_message_send(peer->control_fd, &report);
    if (sent == NET_MESSAGE_BYTES)
        peer->changed = false;
    else if (sent > 0) // half a report: a peer that reads none for so long is lost
        shutdown(peer->control_fd, SHUT_RDWR);
}

static void on_report(uv_timer_t *timer)
{
    struct net_server *server = timer->data;
    bool any = false;
    for (unsigned i = 0; i < server->peer_count; i++) {
        any = any || server->peers[i]->changed;
        if (server->peers[i]->changed)
            net_peer_report(server->peers[i]);
    }
    if (!any)
        uv_timer_stop(timer);
}

// Reports go out as long as anything comes in.
static void net_peer_changed(struct net_peer *peer)
{
    struct net_server *server = peer->server;
    peer->changed = true;
    if (!server->local && !uv_is_active((uv_handle_t *)&server->report))
        uv_timer_start(&server->report, on_report, REPORT_MS, REPORT_MS);
}

void net_peer_received(struct net_peer *peer, uint64_t bytes)
{
    peer->values[NET_RECEIVED_BYTES] += bytes;
    if (!peer->changed)
        net_peer_changed(peer);
}

// ---- datagrams: counted, and judged by their numbers ----

#define BATCH   64 // datagrams of one recvmmsg()
#define ROUNDS  8  // before others have their turn
#define LARGEST 65536

struct net_messages {
    struct mmsghdr messages[BATCH];
    struct iovec parts[BATCH][2];
    unsigned char heads[BATCH][NET_HEAD_BYTES];
    unsigned char payload[LARGEST]; // of all: never read
};

struct net_messages *net_messages_new(bool discard)
{
    struct net_messages *messages = calloc(1, sizeof *messages);
    if (!messages)
        return NULL;
    for (int i = 0; i < BATCH; i++) {
        messages->parts[i][0] = (struct iovec){messages->heads[i], NET_HEAD_BYTES};
        messages->parts[i][1] = (struct iovec){messages->payload, LARGEST};
        messages->messages[i].msg_hdr.msg_iov = messages->parts[i];
        messages->messages[i].msg_hdr.msg_iovlen = discard ? 1 : 2;
    }
    return messages;
}

static struct net_peer *peer_of(struct net_server *server, uint32_t token)
{
    if (server->recent && (uint32_t)server->recent->token == token)
        return server->recent;
    for (unsigned i = 0; i < server->peer_count; i++)
        if (server->peers[i]->mode == NET_UDP && (uint32_t)server->peers[i]->token == token)
            return server->recent = server->peers[i];
    return NULL;
}

static void lose(struct net_peer *peer, int64_t more)
{
    peer->values[NET_LOST] += (uint64_t)more;
    net_count(&peer->server->values[NET_LOST], (uint64_t)more);
}

// Loss is a gap in the numbers; one that comes late was no loss after all, but
// is out of order (as iperf3 counts; one that comes twice is taken for that, too).
static void count_number(struct net_peer *peer, uint32_t stream, uint64_t number)
{
    uint64_t *next = &peer->next[stream];
    if (number >= *next) {
        if (number > *next)
            lose(peer, (int64_t)(number - *next));
        *next = number + 1;
        return;
    }
    peer->values[NET_OUT_OF_ORDER]++;
    net_count(&peer->server->values[NET_OUT_OF_ORDER], 1);
    if (peer->values[NET_LOST] > 0)
        lose(peer, -1);
}

// A mark: so many datagrams of a stream have been sent. At a session's own port, where data have no
// numbers, lost is what the marks say of all streams, less what has come.
static void take_mark(struct net_peer *peer, uint32_t stream, uint64_t number)
{
    uint64_t *next = &peer->next[stream];
    int64_t lost = number > *next ? (int64_t)(number - *next) : 0;
    *next += (uint64_t)lost;
    if (peer->port) {
        uint64_t all = 0;
        for (uint32_t i = 0; i < peer->streams; i++)
            all += peer->next[i];
        const uint64_t come = peer->values[NET_DATAGRAMS];
        lost = (int64_t)((all > come ? all - come : 0) - peer->values[NET_LOST]);
    }
    if (lost != 0)
        lose(peer, lost);
    net_peer_changed(peer);
}

// Returns the session's peer that a datagram counted for, or NULL. At a session's own port it is a
// mark, or data of which the length is all that is known.
static struct net_peer *take(struct net_port *port, const struct mmsghdr *message,
                             const unsigned char *bytes)
{
    const struct net_head head = net_head_read(bytes);
    const uint32_t stream = head.stream & ~NET_HEAD_MARK;
    const bool mark = stream != head.stream;
    struct net_peer *peer = port->owner;
    if (peer && message->msg_len == peer->block_bytes) {
        peer->values[NET_DATAGRAMS]++;
        return peer;
    }
    if (!peer && message->msg_len >= NET_HEAD_BYTES)
        peer = peer_of(port->server, head.token);
    if (!peer ||
        (port->owner
             ? message->msg_len != NET_HEAD_BYTES || !mark || head.token != (uint32_t)peer->token
             : peer->port != NULL) ||
        stream >= peer->streams || head.number > NET_LARGEST_NUMBER) {
        net_count(&port->server->rejected, 1);
        return NULL;
    }
    if (mark) {
        take_mark(peer, stream, head.number);
        return NULL;
    }
    count_number(peer, stream, head.number);
    peer->values[NET_DATAGRAMS]++;
    return peer;
}

// Takes what is there, up to a bound. Returns how many came, rejected ones included.
static unsigned receive_datagrams(struct net_port *port)
{
    unsigned all = 0;
    struct net_server *server = port->server;
    struct net_messages *messages = server->messages;
    const int flags = MSG_DONTWAIT | (server->settings->discard ? MSG_TRUNC : 0);
    for (int round = 0; round < ROUNDS; round++) {
        const int count = recvmmsg(port->fd, messages->messages, BATCH, flags, NULL);
        uint64_t taken = 0, bytes = 0;
        if (count <= 0)
            return all; // errors of a datagram socket are of single datagrams
        all += (unsigned)count;
        for (int i = 0; i < count; i++) {
            const struct mmsghdr *message = &messages->messages[i];
            struct net_peer *peer = take(port, message, messages->heads[i]);
            if (!peer)
                continue;
            net_peer_received(peer, message->msg_len);
            bytes += message->msg_len;
            taken++;
        }
        net_count(&server->values[NET_DATAGRAMS], taken);
        net_count(&server->values[NET_RECEIVED_BYTES], bytes);
        if (count < BATCH)
            break;
    }
    return all;
}

// ---- batches ----

#define BATCH_RATE   0.5        // bytes a nanosecond
#define CHECK_BYTES  (8u << 20) // between two readings of the clock
#define BURST_COUNT  1000
#define BURST_RATE   1e-4 // datagrams a nanosecond
#define FITTING_RATE 2.0  // bytes a nanosecond
#define FLUSH_MS     5
#define SLOW_BYTES   1250000    // in FLUSH_MS: half the rate that it began at
#define AGAIN_NS     1000000000 // not sooner: it would stall a sender with small buffers

static void set(struct net_connection *connection, bool on)
{
    const int bytes = on ? NET_BUFFER_BYTES : 1;
    // A mark below what has already arrived takes effect at once.
    if (setsockopt(connection->fd, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof bytes) == 0)
        connection->batch.on = on;
}

static void on_flush(uv_timer_t *timer)
{
    struct net_server *server = timer->data;
    bool any = false;
    for (struct net_connection *one = server->connections; one; one = one->next) {
        if (!one->batch.on)
            continue;
        if (one->batch.bytes - one->batch.flushed_bytes < SLOW_BYTES) {
            set(one, false);
            one->batch.not_before_ns = clock_ns() + AGAIN_NS;
        }
        one->batch.flushed_bytes = one->batch.bytes;
        any = any || one->batch.on;
    }
    if (!any)
        uv_timer_stop(timer);
}

void net_batch_received(struct net_connection *connection, size_t bytes)
{
    struct net_server *server = connection->server;
    connection->batch.bytes += bytes;
    if (connection->batch.on ||
        connection->batch.bytes - connection->batch.checked_bytes < CHECK_BYTES)
        return;
    const int64_t at_ns = clock_ns();
    const double passed_ns = (double)(at_ns - connection->batch.checked_ns);
    const double more = (double)(connection->batch.bytes - connection->batch.checked_bytes);
    connection->batch.checked_ns = at_ns;
    connection->batch.checked_bytes = connection->batch.bytes;
    if (more < BATCH_RATE * passed_ns || at_ns < connection->batch.not_before_ns)
        return;
    set(connection, true);
    connection->batch.flushed_bytes = connection->batch.bytes;
    if (!uv_is_active((uv_handle_t *)&server->flush)) {
        uv_update_time(&server->loop);
        uv_timer_start(&server->flush, on_flush, FLUSH_MS, FLUSH_MS);
    }
}

static void on_datagrams(uv_poll_t *poll, int status, int events);

static void on_drain(uv_timer_t *timer)
{
    struct net_port *port = timer->data;
    if (receive_datagrams(port) > 0)
        return;
    uv_timer_stop(timer);
    port->burst.count = 0;
    uv_poll_start(&port->poll, UV_READABLE, on_datagrams);
}

static void on_datagrams(uv_poll_t *poll, int status, int events)
{
    struct net_port *port = poll->data;
    (void)status;
    (void)events;
    port->burst.count += receive_datagrams(port);
    if (port->burst.count < BURST_COUNT)
        return;
    // Whether they come so fast that a millisecond's is worth waiting for, and not so
    // fast that they would not fit into the socket's buffer.
    const uint64_t bytes = counter_read(&port->server->values[NET_RECEIVED_BYTES]);
    const int64_t at_ns = clock_ns();
    const double passed_ns = (double)(at_ns - port->burst.checked_ns);
    const bool burst = port->burst.count > BURST_RATE * passed_ns &&
                       (double)(bytes - port->burst.checked_bytes) < FITTING_RATE * passed_ns;
    port->burst.count = 0;
    port->burst.checked_ns = at_ns;
    port->burst.checked_bytes = bytes;
    if (!burst)
        return;
    uv_poll_stop(poll);
    uv_update_time(&port->server->loop);
    uv_timer_start(&port->drain, on_drain, 1, 1);
}

void net_batch_end(struct net_server *server)
{
    uv_timer_stop(&server->flush);
    for (struct net_connection *one = server->connections; one; one = one->next)
        if (one->batch.on)
            set(one, false);
}

// ---- sockets ----

#define BUFFER_BYTES (4 << 20) // as much as net.core.rmem_max gives, at most this

int net_port_open(struct net_port *port, struct net_server *server, struct net_peer *owner, int fd)
{
    const int buffer = BUFFER_BYTES;
    *port = (struct net_port){.server = server, .owner = owner, .fd = fd};
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
    const int error = uv_poll_init(&server->loop, &port->poll, fd);
    if (error != 0)
        return error;
    uv_timer_init(&server->loop, &port->drain); // cannot fail
    port->poll.data = port->drain.data = port;
    port->handles = 2;
    return 0;
}

void net_port_hold(struct net_port *port, bool held)
{
    uv_timer_stop(&port->drain);
    if (held)
        uv_poll_stop(&port->poll);
    else
        uv_poll_start(&port->poll, UV_READABLE, on_datagrams);
}

uint16_t net_port_own(struct net_peer *peer)
{
    struct net_server *server = peer->server;
    struct net_address bound;
    struct net_port *port = malloc(sizeof *port);
    const int fd = !port ? -1 : net_address_datagrams(&server->address, 0, &bound);
    if (fd < 0 || net_port_open(port, server, peer, fd) != 0) {
        if (fd >= 0)
            close(fd);
        free(port);
        return 0;
    }
    peer->port = port;
    net_port_hold(port, false);
    return net_address_port(&bound);
}

static void on_port_closed(uv_handle_t *handle)
{
    struct net_port *port = handle->data;
    if (--port->handles == 0)
        free(port);
}

void net_port_disown(struct net_peer *peer)
{
    struct net_port *port = peer->port;
    if (!port)
        return;
    peer->port = NULL;
    uv_close((uv_handle_t *)&port->poll, on_port_closed);
    uv_close((uv_handle_t *)&port->drain, on_port_closed);
    close(port->fd);
}
