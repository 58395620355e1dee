// The messages and the heads of datagrams between the two halves of a network load, as bytes.

#include "net/message.h"

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

// A message on its way: big-endian.
struct wire {
    char magic[8];
    uint16_t version;
    uint8_t kind, mode;
    uint32_t block_bytes, streams, number;
    uint64_t token, values[NET_VALUES];
};
static_assert(sizeof(struct wire) == NET_MESSAGE_BYTES, "no padding");

static const char magic[8] = {'J', 'O', 'S', 'T', 'L', 'n', 'e', 't'};

void net_message_write(const struct net_message *message, unsigned char bytes[NET_MESSAGE_BYTES])
{
    struct wire wire = {.version = htobe16(NET_VERSION),
                        .kind = (uint8_t)message->kind,
                        .mode = (uint8_t)message->mode,
                        .block_bytes = htobe32(message->block_bytes),
                        .streams = htobe32(message->streams),
                        .number = htobe32(message->number),
                        .token = htobe64(message->token)};
    memcpy(wire.magic, magic, sizeof magic);
    for (int i = 0; i < NET_VALUES; i++)
        wire.values[i] = htobe64(message->values[i]);
    memcpy(bytes, &wire, sizeof wire);
}

ssize_t net_message_send(int fd, const struct net_message *message)
{
    unsigned char bytes[NET_MESSAGE_BYTES];
    net_message_write(message, bytes);
    return send(fd, bytes, sizeof bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
}

int net_message_take(int fd, struct net_arriving *arriving)
{
    const ssize_t got = recv(fd, arriving->bytes + arriving->count,
                             sizeof arriving->bytes - arriving->count, MSG_DONTWAIT);
    if (got > 0)
        arriving->count += (size_t)got;
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    errno = got < 0 ? errno : 0;
    return got > 0 ? 1 : -1;
}

int net_message_read(const unsigned char *bytes, size_t count, struct net_message *message)
{
    struct wire wire;
    if (memcmp(bytes, magic, count < sizeof magic ? count : sizeof magic) != 0)
        return -1;
    if (count < NET_MESSAGE_BYTES)
        return 0;
    memcpy(&wire, bytes, sizeof wire);
    *message = (struct net_message){.version = be16toh(wire.version),
                                    .kind = wire.kind,
                                    .mode = wire.mode,
                                    .block_bytes = be32toh(wire.block_bytes),
                                    .streams = be32toh(wire.streams),
                                    .number = be32toh(wire.number),
                                    .token = be64toh(wire.token)};
    for (int i = 0; i < NET_VALUES; i++)
        message->values[i] = be64toh(wire.values[i]);
    return 0;
}

void net_head_write(const struct net_head *head, unsigned char bytes[NET_HEAD_BYTES])
{
    const struct net_head wire = {.token = htobe32(head->token),
                                  .stream = htobe32(head->stream),
                                  .number = htobe64(head->number)};
    static_assert(sizeof wire == NET_HEAD_BYTES, "no padding");
    memcpy(bytes, &wire, sizeof wire);
}

struct net_head net_head_read(const unsigned char bytes[NET_HEAD_BYTES])
{
    struct net_head wire;
    memcpy(&wire, bytes, sizeof wire);
    return (struct net_head){.token = be32toh(wire.token),
                             .stream = be32toh(wire.stream),
                             .number = be64toh(wire.number)};
}
