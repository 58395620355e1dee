/* ping-pong tcp|udp BYTES SECONDS: the least that a round trip over loopback can
 * take with blocking sockets, for bench/loads.conf: a child sends back what comes, the
 * parent counts. Prints round trips a second, and their median in us. */

#include "common/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define LARGEST (1 << 16)
#define SAMPLES (1 << 22)

static char block[LARGEST];

static void die(const char *what)
{
    fprintf(stderr, "ping-pong: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void read_all(int fd, size_t count)
{
    for (size_t used = 0; used < count;) {
        const ssize_t got = recv(fd, block, count - used, 0);
        if (got <= 0)
            exit(got < 0); /* the other one has ended */
        used += (size_t)got;
    }
}

static void echo(int fd, size_t count)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
    for (;;) {
        read_all(fd, count);
        if (send(fd, block, count, MSG_NOSIGNAL) != (ssize_t)count)
            exit(0);
    }
}

/* Two connected sockets over 127.0.0.1. */
static void connect_pair(int type, int pair[2])
{
    const int yes = 1;
    struct sockaddr_in at[2] = {{.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)},
                                {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof at[0];
    int fd[2] = {socket(AF_INET, type, 0), socket(AF_INET, type, 0)};
    for (int i = 0; i < 2; i++)
        if (fd[i] < 0 || bind(fd[i], (struct sockaddr *)&at[i], length) != 0 ||
            getsockname(fd[i], (struct sockaddr *)&at[i], &length) != 0)
            die("no socket");
    if (type == SOCK_STREAM && listen(fd[1], 1) != 0)
        die("cannot listen");
    if (connect(fd[0], (struct sockaddr *)&at[1], length) != 0)
        die("cannot connect");
    if (type == SOCK_DGRAM && connect(fd[1], (struct sockaddr *)&at[0], length) != 0)
        die("cannot connect");
    pair[0] = fd[0];
    pair[1] = type == SOCK_STREAM ? accept(fd[1], NULL, NULL) : fd[1];
    for (int i = 0; i < 2 && type == SOCK_STREAM; i++)
        setsockopt(pair[i], IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

static int order(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    uint32_t *times = malloc(SAMPLES * sizeof *times);
    int pair[2];
    char *end;
    if (argc != 4 || times == NULL) {
        fprintf(stderr, "usage: ping-pong tcp|udp BYTES SECONDS\n");
        return 2;
    }
    const size_t bytes = strtoul(argv[2], &end, 10);
    const double seconds = strtod(argv[3], &end);
    if (bytes < 1 || bytes > LARGEST || !(seconds > 0))
        return 2;
    connect_pair(strcmp(argv[1], "udp") == 0 ? SOCK_DGRAM : SOCK_STREAM, pair);
    const pid_t child = fork();
    if (child < 0)
        die("no child");
    if (child == 0)
        echo(pair[1], bytes);
    const int64_t start_ns = clock_ns();
    int64_t before_ns = start_ns, at_ns = start_ns;
    size_t count = 0;
    for (; at_ns - start_ns < (int64_t)(seconds * 1e9); before_ns = at_ns, count++) {
        if (send(pair[0], block, bytes, MSG_NOSIGNAL) != (ssize_t)bytes)
            die("cannot send");
        read_all(pair[0], bytes);
        at_ns = clock_ns();
        times[count % SAMPLES] = (uint32_t)(at_ns - before_ns);
    }
    kill(child, SIGTERM);
    const size_t kept = count < SAMPLES ? count : SAMPLES;
    qsort(times, kept, sizeof *times, order);
    printf("%.1f %.3f\n", (double)count * 1e9 / (double)(at_ns - start_ns),
           (double)times[kept / 2] / 1000);
    free(times);
    return 0;
}
