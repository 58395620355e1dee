// What the bytes of a peer come to, decided without a socket, a clock or memory of its own.

#include "net/protocol.h"

static bool fits(const struct net_message *hello)
{
    return hello->mode >= NET_TCP && hello->mode <= NET_UDP_PING && hello->streams > 0 &&
           hello->streams <= NET_MOST_STREAMS && hello->block_bytes > 0 &&
           hello->block_bytes <=
               (net_is_udp(hello->mode) ? NET_LARGEST_DATAGRAM : NET_LARGEST_BLOCK);
}

// As far as all messages are alike.
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
