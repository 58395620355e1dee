// The threads that answer round trips: one for each stream.

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
    int error = echo && block ? pthread_attr_init(&attributes) : ENOMEM;
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
