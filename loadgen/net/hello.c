#include "net/hello.h"

#include "load.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

/* What a foreign peer said, as far as it is printable. */
static void quote(const unsigned char *bytes, size_t count, char *text, size_t size)
{
    size_t used = 0;
    for (size_t i = 0;
         i < count && i < 24 && used + 2 < size && bytes[i] != '\r' && bytes[i] != '\n'; i++)
        text[used++] = (char)(bytes[i] >= ' ' && bytes[i] < 0x7f ? bytes[i] : '.');
    text[used] = '\0';
}

static int not_ours(const unsigned char *bytes, size_t count, char *error, size_t size)
{
    char said[32];
    quote(bytes, count, said, sizeof said);
    snprintf(error, size,
             "the peer is not loadgen net --listen (it sent \"%s\"): check address and port", said);
    return -1;
}

/* Reads a whole message, or as much as shows that it is none. */
static int read_answer(int fd, int64_t until_ns, struct net_message *answer, int *retry,
                       char *error, size_t size)
{
    unsigned char bytes[NET_MESSAGE_BYTES];
    size_t used = 0;
    while (used < sizeof bytes) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        const int64_t left_ns = until_ns - now_ns();
        const int ready = left_ns <= 0 ? 0 : poll(&wait, 1, (int)(left_ns / 1000000) + 1);
        const ssize_t got = ready <= 0 ? -1 : recv(fd, bytes + used, sizeof bytes - used, 0);
        if (ready == 0) {
            snprintf(error, size,
                     "the peer accepts connections but does not answer: it is not loadgen net "
                     "--listen, or it is paused or stopped: check it");
            return -1;
        }
        if (got <= 0) {
            *retry = 1;
            snprintf(error, size,
                     "the peer closed the connection (%s): it is not loadgen net "
                     "--listen, or too busy: check it",
                     got == 0 ? "end of file" : strerror(errno));
            return -1;
        }
        used += (size_t)got;
        if (net_message_read(bytes, used, answer) != 0)
            return not_ours(bytes, used, error, size);
    }
    return 0;
}

static int judge(const struct net_message *hello, const struct net_message *answer, char *error,
                 size_t size)
{
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
                 "listener was "
                 "restarted, start this load again");
    else
        return 0;
    return -1;
}

int net_hello(int fd, const struct net_message *hello, int64_t timeout_ns,
              struct net_message *answer, int *retry, char *error, size_t size)
{
    unsigned char bytes[NET_MESSAGE_BYTES];
    const int64_t until_ns = now_ns() + timeout_ns;
    *retry = 0;
    net_message_write(hello, bytes);
    if (send(fd, bytes, sizeof bytes, MSG_NOSIGNAL) != sizeof bytes) {
        *retry = 1;
        snprintf(
            error, size,
            "the peer closed the connection (%s): it is not loadgen net --listen: check address "
            "and port",
            strerror(errno));
        return -1;
    }
    if (read_answer(fd, until_ns, answer, retry, error, size) != 0)
        return -1;
    return judge(hello, answer, error, size);
}
