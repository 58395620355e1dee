// How the sending half connects to a listener, says hello, and is let in.

#include "net/net.h"

#include "common/cgroup.h"

#include <poll.h>

static int not_ours(const unsigned char *bytes, size_t count, struct net_hello *hello)
{
    char said[32];
    // What a foreign peer said, as far as it is printable.
    size_t used = 0;
    for (size_t i = 0;
         i < count && i < 24 && used + 2 < sizeof said && bytes[i] != '\r' && bytes[i] != '\n'; i++)
        said[used++] = (char)(bytes[i] >= ' ' && bytes[i] < 0x7f ? bytes[i] : '.');
    said[used] = '\0';
    return BECAUSE(hello->error, sizeof hello->error,
                   "the peer is not loadgen net --listen (it sent \"%s\"): check address and port",
                   said);
}

// Reads a whole message, or as much as shows that it is none.
static int read_answer(int fd, int64_t until_ns, struct net_hello *hello)
{
    struct net_arriving arriving = {.count = 0};
    while (arriving.count < sizeof arriving.bytes) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        const int64_t left_ns = until_ns - clock_ns();
        const int ready = left_ns <= 0 ? 0 : poll(&wait, 1, (int)(left_ns / 1000000) + 1);
        if (ready == 0)
            return BECAUSE(
                hello->error, sizeof hello->error,
                "the peer accepts connections but does not answer: it is not loadgen net "
                "--listen, or it is paused or stopped: check it");
        if (ready < 0 || net_message_take(fd, &arriving) < 0) {
            hello->retry = true;
            return BECAUSE(
                hello->error, sizeof hello->error,
                "the peer closed the connection (%s): it is not loadgen net --listen, or too "
                "busy: check it",
                errno == 0 ? "end of file" : strerror(errno));
        }
        if (net_message_read(arriving.bytes, arriving.count, &hello->answer) != 0)
            return not_ours(arriving.bytes, arriving.count, hello);
    }
    return 0;
}

// Sends a hello on a fresh connection and waits for the answer. 0, or -1 with
// the reason in hello->error: silent, gone, something else, another version, refused.
static int greet(int fd, int64_t timeout_ns, struct net_hello *hello)
{
    const struct net_message *answer = &hello->answer;
    const int64_t until_ns = clock_ns() + timeout_ns;
    hello->retry = false;
    if (net_message_send(fd, &hello->message) != NET_MESSAGE_BYTES) {
        hello->retry = true;
        return BECAUSE(hello->error, sizeof hello->error,
                       "the peer closed the connection (%s): it is not loadgen net --listen: check "
                       "address and port",
                       strerror(errno));
    }
    if (read_answer(fd, until_ns, hello) != 0)
        return -1;
    if (answer->version != NET_VERSION)
        snprintf(hello->error, sizeof hello->error,
                 "the peer speaks version %u, this one %u: use the same loadgen", answer->version,
                 NET_VERSION);
    else if (answer->kind != NET_ANSWER || answer->token != hello->message.token)
        snprintf(hello->error, sizeof hello->error,
                 "the peer sent an unexpected answer: use the same loadgen at both ends");
    else if (answer->number == NET_FULL)
        snprintf(hello->error, sizeof hello->error,
                 "the listener has as many sessions, streams or blocks as it takes: try again "
                 "later, or give fewer --streams or a smaller --block-size");
    else if (answer->number != NET_FINE)
        snprintf(hello->error, sizeof hello->error,
                 "the listener refuses this load: use the same loadgen at both ends; if the "
                 "listener was restarted, start this load again");
    else
        return 0;
    return -1;
}

#define HELLO_TRIES 4
#define TRY_NS      100000000 // between two of them

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

int net_enter(struct run *run, struct net_address *peer, const char *text, struct net_hello *hello)
{
    const int64_t timeout_ns = settings_of(run)->timeout_ns;
    for (int try = 0; try < HELLO_TRIES; try++) {
        const int fd =
            text ? net_address_dial(text, timeout_ns, peer, hello->error, sizeof hello->error)
                 : net_address_connect(peer, SOCK_STREAM, timeout_ns);
        const int failure = errno;
        if (fd < 0 && !text)
            snprintf(hello->error, sizeof hello->error, "cannot connect: %s: %s",
                     limits_why(failure, (char[LIMITS_WHY]){0}, LIMITS_WHY), remedy(failure));
        if (fd < 0)
            return -1;
        if (greet(fd, timeout_ns, hello) == 0)
            return fd;
        close(fd);
        if (!hello->retry)
            break;
        sleep_until_ns(clock_ns() + TRY_NS);
    }
    if (text) {
        char what[400];
        snprintf(what, sizeof what, "%.399s", hello->error);
        snprintf(hello->error, sizeof hello->error, "%.100s: %s", text, what);
    }
    return -1;
}
