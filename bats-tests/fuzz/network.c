/* What an unknown peer may send: the messages of a network load, what they come to, and who leaves
 * a full listener for it; and addresses as they are typed. */
#include "frame/fuzz.h"

#include "net/protocol.h"
#include "net/seats.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

const enum fuzz_input fuzz_input = FUZZ_BYTES;

static void check_message(const uint8_t *data, size_t size)
{
    struct net_message message;
    unsigned char again[NET_MESSAGE_BYTES];
    const size_t count = size < NET_MESSAGE_BYTES ? size : NET_MESSAGE_BYTES;
    if (count == 0 || net_message_read(data, count, &message) != 0 || count < NET_MESSAGE_BYTES)
        return;
    if (message.version != NET_VERSION)
        return;
    net_message_write(&message, again);
    fuzz_require(memcmp(again, data, sizeof again) == 0);
}

static void check_head(const uint8_t *data, size_t size)
{
    unsigned char again[NET_HEAD_BYTES];
    if (size < NET_HEAD_BYTES)
        return;
    const struct net_head head = net_head_read(data);
    net_head_write(&head, again);
    fuzz_require(memcmp(again, data, sizeof again) == 0);
}

/* What a stranger can make a listener hold. */
static void check_protocol(const uint8_t *data, size_t size)
{
    struct net_message message;
    if (net_protocol_hello(data, size, &message) == NET_HEARD_FINE) {
        fuzz_require(message.kind == NET_STREAM || message.kind == NET_SESSION);
        if (message.kind == NET_SESSION) {
            fuzz_require(message.streams > 0 && message.streams <= NET_MOST_STREAMS);
            fuzz_require(message.block_bytes > 0 && message.block_bytes <= NET_LARGEST_BLOCK);
        }
        fuzz_require(net_protocol_echo_bytes(&message) <=
                         (uint64_t)NET_MOST_STREAMS * NET_LARGEST_BLOCK ||
                     message.kind == NET_STREAM);
        (void)net_protocol_joins(&message, NET_TCP, 4);
    }
    if (net_protocol_control(data, size, 5, &message) == NET_HEARD_FINE)
        fuzz_require((message.kind == NET_BYE || message.kind == NET_ASK) && message.token == 5);
}

/* A session for each two bytes: its host and for how long it has been silent. */
static void check_seats(const uint8_t *data, size_t size)
{
    enum { SEATS = 64, HOSTS = 4 };
    struct sockaddr_storage hosts[HOSTS];
    struct net_seat seats[SEATS];
    unsigned count = 0;
    memset(hosts, 0, sizeof hosts);
    for (unsigned i = 0; i < HOSTS; i++) {
        hosts[i].ss_family = AF_INET;
        ((struct sockaddr_in *)&hosts[i])->sin_addr.s_addr = i;
    }
    for (; count < SEATS && 2 * count + 1 < size; count++)
        seats[count] = (struct net_seat){.host = &hosts[data[2 * count] % HOSTS],
                                         .silent_ns = data[2 * count + 1]};
    for (unsigned i = 0; i < HOSTS; i++) {
        const int leaves = net_seats_free(seats, count, 100, &hosts[i]);
        fuzz_require(leaves >= -1 && leaves < (int)count);
    }
}

static void check_address(const char *text, int listener)
{
    char host[NI_MAXHOST], port[NI_MAXSERV], error[256] = "";
    if (net_address_split(text, listener, host, port, error, sizeof error) != 0)
        fuzz_require(error[0] != '\0');
    else
        fuzz_require(strtoul(port, NULL, 10) <= 65535);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    check_message(data, size);
    check_head(data, size);
    check_protocol(data, size);
    check_seats(data, size);
    check_address(text, 0);
    check_address(text, 1);
    free(text);
    return 0;
}
