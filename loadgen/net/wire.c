#include "net/wire.h"

#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

static const char magic[8] = {'J', 'O', 'S', 'T', 'L', 'n', 'e', 't'};

/* ---- bytes ---- */

static void put16(unsigned char *at, uint16_t value)
{
    value = htobe16(value);
    memcpy(at, &value, sizeof value);
}

static void put32(unsigned char *at, uint32_t value)
{
    value = htobe32(value);
    memcpy(at, &value, sizeof value);
}

static void put64(unsigned char *at, uint64_t value)
{
    value = htobe64(value);
    memcpy(at, &value, sizeof value);
}

static uint16_t get16(const unsigned char *at)
{
    uint16_t value;
    memcpy(&value, at, sizeof value);
    return be16toh(value);
}

static uint32_t get32(const unsigned char *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return be32toh(value);
}

static uint64_t get64(const unsigned char *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return be64toh(value);
}

void net_message_write(const struct net_message *message, unsigned char bytes[NET_MESSAGE_BYTES])
{
    memcpy(bytes, magic, sizeof magic);
    put16(bytes + 8, NET_VERSION);
    bytes[10] = (unsigned char)message->kind;
    bytes[11] = (unsigned char)message->mode;
    put32(bytes + 12, message->block_bytes);
    put32(bytes + 16, message->streams);
    put32(bytes + 20, message->number);
    put64(bytes + 24, message->token);
    for (int i = 0; i < NET_VALUES; i++)
        put64(bytes + 32 + 8 * i, message->values[i]);
}

int net_message_read(const unsigned char *bytes, size_t count, struct net_message *message)
{
    if (memcmp(bytes, magic, count < sizeof magic ? count : sizeof magic) != 0)
        return -1;
    if (count < NET_MESSAGE_BYTES)
        return 0;
    *message = (struct net_message){.version = get16(bytes + 8),
                                    .kind = bytes[10],
                                    .mode = bytes[11],
                                    .block_bytes = get32(bytes + 12),
                                    .streams = get32(bytes + 16),
                                    .number = get32(bytes + 20),
                                    .token = get64(bytes + 24)};
    for (int i = 0; i < NET_VALUES; i++)
        message->values[i] = get64(bytes + 32 + 8 * i);
    return 0;
}

void net_head_write(const struct net_head *head, unsigned char bytes[NET_HEAD_BYTES])
{
    put32(bytes, head->token);
    put32(bytes + 4, head->stream);
    put64(bytes + 8, head->number);
}

struct net_head net_head_read(const unsigned char bytes[NET_HEAD_BYTES])
{
    return (struct net_head){
        .token = get32(bytes), .stream = get32(bytes + 4), .number = get64(bytes + 8)};
}

/* ---- the sending half's hello ---- */

static int64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* What a peer said that is none of us, as far as it can be shown. */
static void quote(const unsigned char *bytes, size_t count, char *text, size_t size)
{
    size_t used = 0;
    for (size_t i = 0;
         i < count && i < 24 && used + 2 < size && bytes[i] != '\r' && bytes[i] != '\n'; i++)
        text[used++] = (char)(bytes[i] >= ' ' && bytes[i] < 0x7f ? bytes[i] : '.');
    text[used] = '\0';
}

static int alien(const unsigned char *bytes, size_t count, char *error, size_t size)
{
    char said[32];
    quote(bytes, count, said, sizeof said);
    snprintf(error, size,
             "the peer is not loadgen net --listen (it says \"%s\"): check address and port", said);
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
        const int64_t left_ns = until_ns - clock_ns();
        const int ready = left_ns <= 0 ? 0 : poll(&wait, 1, (int)(left_ns / 1000000) + 1);
        const ssize_t got = ready <= 0 ? -1 : recv(fd, bytes + used, sizeof bytes - used, 0);
        if (ready == 0) {
            snprintf(error, size,
                     "the peer accepts connections and says nothing: it is not loadgen net "
                     "--listen, is paused or stopped");
            return -1;
        }
        if (got <= 0) {
            *retry = 1;
            snprintf(error, size,
                     "the peer closed the connection (%s): it is not loadgen net "
                     "--listen, or has too many strangers",
                     got == 0 ? "end of file" : strerror(errno));
            return -1;
        }
        used += (size_t)got;
        if (net_message_read(bytes, used, answer) != 0)
            return alien(bytes, used, error, size);
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
                 "the peer answers something else than it was asked: use the same "
                 "loadgen at both ends");
    else if (answer->number == NET_FULL)
        snprintf(error, size, "the listener has as many sessions as it takes: try again later");
    else if (answer->number == NET_UNKNOWN)
        snprintf(error, size, "the listener does not know this session: it was started anew");
    else if (answer->number != NET_FINE)
        snprintf(error, size, "the listener refuses: it does not take such a load");
    else
        return 0;
    return -1;
}

int net_hello(int fd, const struct net_message *hello, int64_t timeout_ns,
              struct net_message *answer, int *retry, char *error, size_t size)
{
    unsigned char bytes[NET_MESSAGE_BYTES];
    const int64_t until_ns = clock_ns() + timeout_ns;
    *retry = 0;
    net_message_write(hello, bytes);
    if (send(fd, bytes, sizeof bytes, MSG_NOSIGNAL) != sizeof bytes) {
        *retry = 1;
        snprintf(error, size, "the peer closed the connection (%s): it is not loadgen net --listen",
                 strerror(errno));
        return -1;
    }
    if (read_answer(fd, until_ns, answer, retry, error, size) != 0)
        return -1;
    return judge(hello, answer, error, size);
}
