// Opens the sessions and streams of the sending half, and its own receivers, and closes them.

#include "net/net.h"

#include "common/cgroup.h"

#include <sys/eventfd.h>
#include <sys/random.h>

#define SLICE_US 100000 // a round trip that takes longer checks for orders

static int open_session(struct run *run, unsigned index)
{
    struct net_state *state = net_state_of(run);
    struct net_session *session = &state->sessions[index];
    const unsigned more = index < state->stream_count % state->session_count;
    struct net_hello hello = {
        .message = {.kind = NET_SESSION,
                    .mode = state->mode,
                    .block_bytes = (uint32_t)state->block_bytes,
                    .streams = state->stream_count / state->session_count + more,
                    .token = session->token}};
    struct net_address peer;
    if (session->server)
        peer = session->server->address;
    session->fd = net_enter(run, &peer, session->server ? NULL : settings_of(run)->connect, &hello);
    if (session->fd < 0)
        return run_fail(run, "%s", hello.error);
    session->udp_port = (uint16_t)hello.answer.values[0];
    session->peer = peer;
    fcntl(session->fd, F_SETFL, O_NONBLOCK);
    // UDP gives way to nobody: a harness knows what it measures, and who typed it may not.
    const struct common *common = &run->common;
    if (net_state_of(run)->mode == NET_UDP && isinf(run->rate) && !common->control &&
        !common->calib && !common->force && !net_address_is_near(session->fd))
        run_warn(run,
                 "datagrams without --limit take the whole network as far as %s, and those of "
                 "others are lost there: give --limit, or --force if nobody else is on it",
                 settings_of(run)->connect);
    return 0;
}

static int open_stream(struct run *run, struct net_stream *stream)
{
    const struct net_state *state = net_state_of(run);
    struct net_session *session = stream->session;
    struct net_address peer = session->peer;
    struct net_hello hello = {.message = {.kind = NET_STREAM,
                                          .mode = state->mode,
                                          .number = stream->number,
                                          .token = session->token}};
    if (net_is_udp(state->mode)) {
        net_address_set_port(&peer, session->udp_port);
        stream->fd = net_address_connect(&peer, SOCK_DGRAM, 0);
        if (stream->fd < 0)
            snprintf(hello.error, sizeof hello.error,
                     "cannot open a datagram socket: %s: give fewer --streams",
                     limits_why(errno, (char[LIMITS_WHY]){0}, LIMITS_WHY));
    } else {
        stream->fd = net_enter(run, &peer, NULL, &hello);
    }
    // What keeps our own receiver from accepting is said best by itself.
    const int refused = session->server ? atomic_load(&session->server->refused) : 0;
    if (stream->fd < 0 && refused != 0)
        snprintf(hello.error, sizeof hello.error,
                 "cannot accept one more connection: %s: give fewer --streams",
                 limits_why(refused, (char[LIMITS_WHY]){0}, LIMITS_WHY));
    if (stream->fd < 0)
        return run_fail(run, "stream %u: %s", stream->number + 1, hello.error);
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

static int open_own_servers(struct run *run)
{
    struct net_state *state = net_state_of(run);
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
    struct net_state *state = net_state_of(run);
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
    struct net_state *state = net_state_of(run);
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
    struct net_state *state = net_state_of(run);
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
