/* The network stack: a byte to and fro over TCP at 127.0.0.1. One thread has both ends, so that
 * no other has to be woken: that is what `wake` shows. */

#include "harness/probe/reporter_kernel.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/tcp.h>
#include <math.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct loopback_state {
    int end[2];
};

static void close_loopback(void *untyped)
{
    struct loopback_state *state = untyped;
    for (int i = 0; i < 2; i++)
        if (state->end[i] >= 0)
            close(state->end[i]);
    free(state);
}

static bool connect_ends(int end[2])
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    const int one = 1;
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool good = listener >= 0 && bind(listener, (struct sockaddr *)&address, length) == 0 &&
                listen(listener, 1) == 0 &&
                getsockname(listener, (struct sockaddr *)&address, &length) == 0;
    end[0] = good ? socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
    good = end[0] >= 0 && connect(end[0], (struct sockaddr *)&address, length) == 0;
    end[1] = good ? accept4(listener, NULL, NULL, SOCK_CLOEXEC) : -1;
    for (int i = 0; i < 2; i++)
        good = end[i] >= 0 && good &&
               setsockopt(end[i], IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) == 0;
    const int error = errno;
    if (listener >= 0)
        close(listener);
    errno = error;
    return good;
}

static void *open_loopback(const struct kernel_setting *setting, char *reason, size_t size)
{
    struct loopback_state *state = malloc(sizeof *state);
    (void)setting;
    if (state == NULL)
        return NULL;
    state->end[0] = state->end[1] = -1;
    if (connect_ends(state->end))
        return state;
    snprintf(reason, size, "no connection at 127.0.0.1: %s", strerror(errno));
    close_loopback(state);
    return NULL;
}

static bool pass(int from, int to)
{
    char byte = 0;
    return send(from, &byte, 1, MSG_NOSIGNAL) == 1 && recv(to, &byte, 1, 0) == 1;
}

static double window_loopback(void *untyped, int64_t window_ns)
{
    const struct loopback_state *state = untyped;
    const int64_t begin_ns = kernel_wall_ns();
    int64_t used_ns;
    double done = 0;
    do {
        if (!pass(state->end[0], state->end[1]) || !pass(state->end[1], state->end[0]))
            return NAN;
        done++;
        used_ns = kernel_wall_ns() - begin_ns;
    } while (used_ns < window_ns);
    return (double)used_ns / done;
}

double loopback_packets(const void *untyped)
{
    const struct loopback_state *state = untyped;
    double sum = 0;
    for (int i = 0; i < 2; i++) {
        struct tcp_info info = {0};
        socklen_t length = sizeof info;
        if (getsockopt(state->end[i], IPPROTO_TCP, TCP_INFO, &info, &length) != 0 ||
            length < offsetof(struct tcp_info, tcpi_segs_out) + sizeof info.tcpi_segs_out)
            return NAN;
        sum += info.tcpi_segs_out;
    }
    return sum;
}

const struct reporter_kernel kernel_loopback = {open_loopback, window_loopback, close_loopback};
