#include "net/net.h"

#include "common/cgroup.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/random.h>

// How the sending half introduces itself to a listener.

static int not_ours(const unsigned char *bytes, size_t count, char *error, size_t size)
{
    char said[32];
    // What a foreign peer said, as far as it is printable.
    size_t used = 0;
    for (size_t i = 0;
         i < count && i < 24 && used + 2 < sizeof said && bytes[i] != '\r' && bytes[i] != '\n'; i++)
        said[used++] = (char)(bytes[i] >= ' ' && bytes[i] < 0x7f ? bytes[i] : '.');
    said[used] = '\0';
    return BECAUSE(error, size,
                   "the peer is not loadgen net --listen (it sent \"%s\"): check address and port",
                   said);
}

// Reads a whole message, or as much as shows that it is none.
static int read_answer(int fd, int64_t until_ns, struct net_message *answer, int *retry,
                       char *error, size_t size)
{
    struct net_arriving arriving = {.count = 0};
    while (arriving.count < sizeof arriving.bytes) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        const int64_t left_ns = until_ns - clock_ns();
        const int ready = left_ns <= 0 ? 0 : poll(&wait, 1, (int)(left_ns / 1000000) + 1);
        if (ready == 0)
            return BECAUSE(
                error, size,
                "the peer accepts connections but does not answer: it is not loadgen net "
                "--listen, or it is paused or stopped: check it");
        if (ready < 0 || net_message_take(fd, &arriving) < 0) {
            *retry = 1;
            return BECAUSE(
                error, size,
                "the peer closed the connection (%s): it is not loadgen net --listen, or too "
                "busy: check it",
                errno == 0 ? "end of file" : strerror(errno));
        }
        if (net_message_read(arriving.bytes, arriving.count, answer) != 0)
            return not_ours(arriving.bytes, arriving.count, error, size);
    }
    return 0;
}

// Sends a hello on a fresh connection and waits for the answer. 0, or -1 with
// the reason in error: silent, gone, something else, another version, refused.
// *retry: it may succeed in a moment (the listener closed the connection).
static int net_hello(int fd, const struct net_message *hello, int64_t timeout_ns,
                     struct net_message *answer, int *retry, char *error, size_t size)
{
    const int64_t until_ns = clock_ns() + timeout_ns;
    *retry = 0;
    if (net_message_send(fd, hello) != NET_MESSAGE_BYTES) {
        *retry = 1;
        return BECAUSE(error, size,
                       "the peer closed the connection (%s): it is not loadgen net --listen: check "
                       "address and port",
                       strerror(errno));
    }
    if (read_answer(fd, until_ns, answer, retry, error, size) != 0)
        return -1;
    if (answer->version != NET_VERSION)
        snprintf(error, size, "the peer speaks version %u, this one %u: use the same loadgen",
                 answer->version, NET_VERSION);
    else if (answer->kind != NET_ANSWER || answer->token != hello->token)
        snprintf(error, size,
                 "the peer sent an unexpected answer: use the same loadgen at both ends");
    else if (answer->number == NET_FULL)
        snprintf(error, size,
                 "the listener has as many sessions, streams or blocks as it takes: try again "
                 "later, or give fewer --streams or a smaller --block-size");
    else if (answer->number != NET_FINE)
        snprintf(error, size,
                 "the listener refuses this load: use the same loadgen at both ends; if the "
                 "listener was restarted, start this load again");
    else
        return 0;
    return -1;
}

#define HELLO_TRIES 4
#define TRY_NS      100000000 // between two of them
#define SLICE_US    100000    // a round trip that takes longer checks for orders

// ---- hello ----

// What to do about a connection that could not be made.
static const char *remedy(int error)
{
    switch (error) {
    case ENETUNREACH:
    case ENETDOWN:
    case EHOSTUNREACH:
        return "is its interface up (ip link set lo up, in a network namespace of its own)?";
    case ECONNREFUSED:
    case ECONNRESET:
    case ETIMEDOUT:
        return "is the peer still there?";
    default:
        return "give fewer --streams";
    }
}

// Connects and is let in; a busy listener may need a second try.
// peer: an address that is known, else `text` is dialled and *peer set. -1: error.
static int enter(struct run *run, struct net_address *peer, const char *text,
                 const struct net_message *hello, struct net_message *answer, char *error,
                 size_t size)
{
    const int64_t timeout_ns = settings_of(run)->timeout_ns;
    for (int try = 0; try < HELLO_TRIES; try++) {
        int retry = 0;
        const int fd = text ? net_address_dial(text, timeout_ns, peer, error, size)
                            : net_address_connect(peer, SOCK_STREAM, timeout_ns);
        const int failure = errno;
        if (fd < 0 && !text)
            snprintf(error, size, "cannot connect: %s: %s",
                     limits_why(failure, (char[LIMITS_WHY]){0}, LIMITS_WHY), remedy(failure));
        if (fd < 0)
            return -1;
        if (net_hello(fd, hello, timeout_ns, answer, &retry, error, size) == 0)
            return fd;
        close(fd);
        if (!retry)
            break;
        sleep_until_ns(clock_ns() + TRY_NS);
    }
    if (text) {
        char what[400];
        snprintf(what, sizeof what, "%s", error);
        snprintf(error, size, "%.100s: %s", text, what);
    }
    return -1;
}

static int open_session(struct run *run, unsigned index)
{
    struct net_state *state = state_of(run);
    struct net_session *session = &state->sessions[index];
    const struct net_message hello = {.kind = NET_SESSION,
                                      .mode = state->mode,
                                      .block_bytes = (uint32_t)state->block_bytes,
                                      .streams =
                                          state->stream_count / state->session_count +
                                          (index < state->stream_count % state->session_count),
                                      .token = session->token};
    struct net_message answer;
    char error[512];
    struct net_address peer;
    if (session->server)
        peer = session->server->address;
    session->fd = enter(run, &peer, session->server ? NULL : settings_of(run)->connect, &hello,
                        &answer, error, sizeof error);
    if (session->fd < 0)
        return run_fail(run, "%s", error);
    session->udp_port = (uint16_t)answer.values[0];
    session->peer = peer;
    fcntl(session->fd, F_SETFL, O_NONBLOCK);
    // UDP gives way to nobody: a harness knows what it measures, and who typed it may not.
    const struct common *common = &run->common;
    if (state_of(run)->mode == NET_UDP && isinf(run->rate) && !common->control && !common->calib &&
        !common->force && !net_address_is_near(session->fd))
        run_warn(run,
                 "datagrams without --limit take the whole network as far as %s, and those of "
                 "others are lost there: give --limit, or --force if nobody else is on it",
                 settings_of(run)->connect);
    return 0;
}

// ---- streams ----

static int open_stream(struct run *run, struct net_stream *stream)
{
    const struct net_state *state = state_of(run);
    struct net_session *session = stream->session;
    struct net_address peer = session->peer;
    struct net_message answer;
    char error[512] = "";
    if (net_is_udp(state->mode)) {
        net_address_set_port(&peer, session->udp_port);
        stream->fd = net_address_connect(&peer, SOCK_DGRAM, 0);
        if (stream->fd < 0)
            snprintf(error, sizeof error, "cannot open a datagram socket: %s: give fewer --streams",
                     limits_why(errno, (char[LIMITS_WHY]){0}, LIMITS_WHY));
    } else {
        const struct net_message hello = {.kind = NET_STREAM,
                                          .mode = state->mode,
                                          .number = stream->number,
                                          .token = session->token};
        stream->fd = enter(run, &peer, NULL, &hello, &answer, error, sizeof error);
    }
    // What keeps our own receiver from accepting is said best by itself.
    const int refused = session->server ? atomic_load(&session->server->refused) : 0;
    if (stream->fd < 0 && refused != 0)
        snprintf(error, sizeof error, "cannot accept one more connection: %s: give fewer --streams",
                 limits_why(refused, (char[LIMITS_WHY]){0}, LIMITS_WHY));
    if (stream->fd < 0)
        return run_fail(run, "stream %u: %s", stream->number + 1, error);
    const int yes = 1;
    const struct timeval slice = {.tv_usec = SLICE_US};
    if (state->mode == NET_TCP)
        fcntl(stream->fd, F_SETFL, O_NONBLOCK);
    if (state->mode == NET_TCP_PING)
        setsockopt(stream->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (net_is_ping(state->mode)) {
        setsockopt(stream->fd, SOL_SOCKET, SO_RCVTIMEO, &slice, sizeof slice);
        setsockopt(stream->fd, SOL_SOCKET, SO_SNDTIMEO, &slice, sizeof slice);
    }
    return 0;
}

// ---- all of it ----

static int open_own_servers(struct run *run)
{
    struct net_state *state = state_of(run);
    for (unsigned i = 0; i < state->session_count; i++) {
        struct net_session *session = &state->sessions[i];
        session->server = state->servers[i] = net_server_open(run, "127.0.0.1:0", session->token);
        if (!session->server)
            return -1;
        state->server_count++;
        session->values = session->server->values;
        const int failed = net_server_start(session->server);
        if (failed != 0)
            return run_fail(run, "cannot start a receiver: %s: give fewer --threads",
                            limits_why(failed, (char[LIMITS_WHY]){0}, LIMITS_WHY));
    }
    return 0;
}

static int allocate(struct run *run)
{
    struct net_state *state = state_of(run);
    state->session_count = state->role == NET_LOOPBACK ? run->threads : 1;
    state->sessions = calloc(state->session_count, sizeof *state->sessions);
    state->servers = calloc(state->session_count, sizeof(struct net_server *));
    state->workers = calloc(run->threads, sizeof *state->workers);
    state->streams = zeroed_lines(state->stream_count, sizeof *state->streams);
    if (!state->sessions || !state->servers || !state->streams || !state->workers)
        return run_fail(run, "out of memory: give fewer --streams");
    for (unsigned i = 0; i < run->threads; i++)
        if ((state->workers[i].wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) < 0)
            return run_fail(run, "cannot make an eventfd: %s: give fewer --threads",
                            limits_why(errno, (char[LIMITS_WHY]){0}, LIMITS_WHY));
    for (unsigned i = 0; i < state->stream_count; i++)
        state->streams[i].fd = -1;
    for (unsigned i = 0; i < state->session_count; i++) {
        struct net_session *session = &state->sessions[i];
        session->fd = -1;
        session->values = session->reported;
        if (getrandom(&session->token, sizeof session->token, 0) != (ssize_t)sizeof session->token)
            return run_fail(run, "no random numbers: %s", strerror(errno));
    }
    return 0;
}

int net_open(struct run *run)
{
    struct net_state *state = state_of(run);
    if (allocate(run) != 0 || (state->role == NET_LOOPBACK && open_own_servers(run) != 0))
        return -1;
    for (unsigned i = 0; i < state->session_count; i++)
        if (open_session(run, i) != 0)
            return -1;
    for (unsigned i = 0; i < state->stream_count; i++) {
        struct net_stream *stream = &state->streams[i];
        stream->session = &state->sessions[i % state->session_count];
        stream->number = i / state->session_count;
        if (open_stream(run, stream) != 0)
            return -1;
    }
    return 0;
}

void net_close(struct run *run)
{
    struct net_state *state = state_of(run);
    for (unsigned i = 0; state->streams && i < state->stream_count; i++)
        if (state->streams[i].fd >= 0)
            close(state->streams[i].fd);
    for (unsigned i = 0; state->sessions && i < state->session_count; i++) {
        const struct net_session *session = &state->sessions[i];
        if (session->fd < 0)
            continue;
        // A peer that is gone needs no good-bye.
        (void)net_message_send(session->fd,
                               &(struct net_message){.kind = NET_BYE, .token = session->token});
        close(session->fd);
    }
    for (unsigned i = 0; i < state->server_count; i++)
        net_server_close(state->servers[i]);
    for (unsigned i = 0; state->workers && i < run->threads; i++)
        if (state->workers[i].wake_fd > 0)
            close(state->workers[i].wake_fd);
    free(state->workers);
    free(state->streams);
    free(state->sessions);
    free(state->servers);
    state->workers = NULL;
    state->streams = NULL;
    state->sessions = NULL;
    state->servers = NULL;
    state->server_count = 0;
}

// Request and response: one at a time in each stream.

#define LOST_NS 1000000000 // a datagram without an answer for so long is lost

// True if the call should be made once more: after a wait of a tenth of a second without anything.
static bool again(struct net_stream *stream, ssize_t result, int64_t since_ns)
{
    struct worker *worker = stream->worker;
    const int64_t at_ns = clock_ns();
    if (result >= 0 || (errno != EAGAIN && errno != EINTR)) {
        net_worker_gone(worker, stream->session, result == 0 ? 0 : errno);
        return false;
    }
    if (!net_worker_fine(worker, at_ns))
        return false;
    if (at_ns - since_ns > settings_of(worker->run)->timeout_ns) {
        net_worker_silent(worker, "not answered");
        return false;
    }
    return worker_running(worker);
}

// ---- TCP ----

static bool read_rest(struct net_stream *stream, unsigned char *block, int64_t since_ns)
{
    const size_t length = state_of(stream->worker->run)->block_bytes;
    while (stream->owed > 0) {
        const ssize_t got =
            recv(stream->fd, block, stream->owed < length ? stream->owed : length, 0);
        if (got > 0)
            stream->owed -= (size_t)got;
        else if (!again(stream, got, since_ns))
            return false;
    }
    return true;
}

static bool write_rest(struct net_stream *stream, unsigned char *block, int64_t since_ns)
{
    const size_t length = state_of(stream->worker->run)->block_bytes;
    while (stream->offset > 0) {
        const ssize_t sent = send(stream->fd, block, stream->offset, MSG_NOSIGNAL);
        if (sent > 0)
            stream->offset -= (size_t)sent;
        else if (!again(stream, sent, since_ns))
            return false;
    }
    stream->owed = length; // to be read
    return true;
}

// ---- UDP ----

// Numbers a request: in its head, or in as many low bytes as there are.
static void write_number(const struct net_stream *stream, unsigned char *block)
{
    const struct net_state *state = state_of(stream->worker->run);
    const struct net_head head = {.token = (uint32_t)stream->session->token,
                                  .stream = stream->number,
                                  .number = stream->next};
    if (!net_is_short(state)) {
        net_head_write(&head, block);
        return;
    }
    for (size_t i = 0; i < state->block_bytes && i < sizeof head.number; i++)
        block[i] = (unsigned char)(head.number >> (8 * i));
}

// Whether this is the answer; older ones come late, and count no more.
static bool is_answer(const struct net_stream *stream, const unsigned char *block, ssize_t got)
{
    const struct net_state *state = state_of(stream->worker->run);
    if (!net_is_short(state))
        return got >= NET_HEAD_BYTES && net_head_read(block).number == stream->next;
    bool same = got == (ssize_t)state->block_bytes;
    for (size_t i = 0; same && i < state->block_bytes && i < sizeof stream->next; i++)
        same = block[i] == (unsigned char)(stream->next >> (8 * i));
    return same;
}

static bool datagram_trip(struct net_stream *stream, unsigned char *block, int64_t since_ns)
{
    const size_t length = state_of(stream->worker->run)->block_bytes;
    ssize_t got;
    int64_t sent_ns = since_ns;
    stream->next++;
    write_number(stream, block);
    do {
        got = send(stream->fd, block, length, MSG_NOSIGNAL);
    } while (got < 0 && again(stream, got, since_ns));
    if (got < 0)
        return false;
    while (!is_answer(stream, block, got = recv(stream->fd, block, length, 0))) {
        if (got <= 0 && !again(stream, got, since_ns))
            return false;
        if (clock_ns() - sent_ns < LOST_NS)
            continue;
        atomic_fetch_add_explicit(&stream->lost, 1, memory_order_relaxed);
        sent_ns = clock_ns();
        stream->next++;
        write_number(stream, block);
        if (send(stream->fd, block, length, MSG_NOSIGNAL) < 0 && !again(stream, -1, since_ns))
            return false;
    }
    return true;
}

void net_ping_work(struct worker *worker)
{
    const struct net_state *state = state_of(worker->run);
    struct net_worker *own = worker->state;
    struct net_stream *stream = own->streams[0];
    unsigned char *block = state->block + (size_t)worker->index * state->block_bytes;
    int64_t due_ns, start_ns = clock_ns();
    net_worker_begin(worker);
    // A round trip that a pause has cut short is completed before the next.
    if ((stream->offset > 0 && !write_rest(stream, block, start_ns)) ||
        !read_rest(stream, block, start_ns))
        return;
    while (!own->failed && worker_wait_due(worker, &due_ns)) {
        start_ns = clock_ns();
        if (state->mode == NET_TCP_PING)
            stream->offset = state->block_bytes;
        if (state->mode == NET_UDP_PING
                ? !datagram_trip(stream, block, start_ns)
                : !write_rest(stream, block, start_ns) || !read_rest(stream, block, start_ns))
            continue; // a pause came in between, or it failed
        counter_add(&stream->sent_bytes, state->block_bytes);
        worker_done(worker, due_ns, start_ns, clock_ns(), 1);
    }
}
