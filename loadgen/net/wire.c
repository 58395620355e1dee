#include "net/wire.h"

#include <assert.h>
#include <endian.h>
#include <string.h>

/* A message on its way: big-endian. */
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

static bool fits(const struct net_message *hello)
{
    return hello->mode >= NET_TCP && hello->mode <= NET_UDP_PING && hello->streams > 0 &&
           hello->streams <= NET_MOST_STREAMS && hello->block_bytes > 0 &&
           hello->block_bytes <=
               (net_is_udp(hello->mode) ? NET_LARGEST_DATAGRAM : NET_LARGEST_BLOCK);
}

/* As far as all messages are alike. */
static enum net_heard hear(const unsigned char *bytes, size_t count, struct net_message *message)
{
    if (net_message_read(bytes, count, message) != 0)
        return NET_HEARD_FOREIGN;
    if (count < NET_MESSAGE_BYTES)
        return NET_HEARD_PART;
    return message->version == NET_VERSION ? NET_HEARD_FINE : NET_HEARD_WRONG;
}

enum net_heard net_protocol_hello(const unsigned char *bytes, size_t count,
                                  struct net_message *hello)
{
    const enum net_heard heard = hear(bytes, count, hello);
    if (heard != NET_HEARD_FINE || hello->kind == NET_STREAM)
        return heard;
    return hello->kind == NET_SESSION && fits(hello) ? NET_HEARD_FINE : NET_HEARD_WRONG;
}

enum net_heard net_protocol_control(const unsigned char *bytes, size_t count, uint64_t token,
                                    struct net_message *message)
{
    const enum net_heard heard = hear(bytes, count, message);
    if (heard != NET_HEARD_FINE)
        return heard;
    return message->token == token && (message->kind == NET_BYE || message->kind == NET_ASK)
               ? NET_HEARD_FINE
               : NET_HEARD_WRONG;
}

bool net_protocol_joins(const struct net_message *stream, enum net_mode mode, uint32_t streams)
{
    return !net_is_udp(mode) && stream->mode == mode && stream->number < streams;
}

uint64_t net_protocol_echo_bytes(const struct net_message *hello)
{
    if (hello->mode == NET_UDP_PING)
        return NET_ECHO_DATAGRAM_ROOM;
    return hello->mode == NET_TCP_PING ? (uint64_t)hello->streams * hello->block_bytes : 0;
}
