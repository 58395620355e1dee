#include "probe.h"

#include "clock.h"
#include "common/file.h"

#include <errno.h>
#include <poll.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CONNECT_MS 200
#define ANSWER_NS  NS_PER_S

// finish_connection: of a socket that is still connecting.
static bool finish_connection(int fd)
{
    struct pollfd file = {.fd = fd, .events = POLLOUT};
    int error = 0;
    socklen_t size = sizeof error;
    return poll(&file, 1, CONNECT_MS) == 1 &&
           getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

// connect_to: a socket that is connected to the first address that accepts; -1: none does.
static int connect_to(const struct ready *ready)
{
    for (size_t i = 0; i < ready->address_count; i++) {
        const struct sockaddr *address = (const struct sockaddr *)&ready->address[i];
        const int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd < 0)
            continue;
        if (connect(fd, address, sizeof ready->address[i]) == 0 ||
            (errno == EINPROGRESS && finish_connection(fd)))
            return fd;
        (void)close(fd);
    }
    return -1;
}

bool probe_answers(const struct ready *ready)
{
    const int fd = connect_to(ready);
    if (fd >= 0)
        (void)close(fd);
    return fd >= 0;
}

// read_start: the first size - 1 bytes of the answer, or what there is of them in time.
static void read_start(int fd, char *text, size_t size)
{
    const int64_t deadline_ns = clock_ns() + ANSWER_NS;
    size_t length = 0;
    while (length < size - 1) {
        struct pollfd file = {.fd = fd, .events = POLLIN};
        const int64_t left_ms = (deadline_ns - clock_ns()) / NS_PER_MS;
        if (left_ms <= 0 || poll(&file, 1, (int)left_ms) < 1)
            break;
        const ssize_t got = read(fd, text + length, size - 1 - length);
        if (got <= 0)
            break;
        length += (size_t)got;
    }
    text[length] = '\0';
}

bool probe_http(const struct ready *ready)
{
    char request[READY_PATH_SIZE + READY_HOST_SIZE + 128], answer[16];
    unsigned status = 0;
    const int fd = connect_to(ready);
    if (fd < 0)
        return false;
    // 1.0: the answer ends with the connection, and the host is a mere courtesy.
    const int length = snprintf(request, sizeof request,
                                "GET %s HTTP/1.0\r\nHost: %s\r\nConnection: close\r\n\r\n",
                                ready->path, ready->host);
    if (file_write_all(fd, request, (size_t)length)) {
        read_start(fd, answer, sizeof answer);
        if (sscanf(answer, "HTTP/%*1u.%*1u %3u", &status) != 1)
            status = 0;
    }
    (void)close(fd);
    return status >= 200 && status < 400;
}

bool probe_matches(const struct ready *ready, const char *text)
{
    regex_t compiled;
    if (regcomp(&compiled, ready->regex, REG_EXTENDED | REG_NOSUB | REG_NEWLINE) != 0)
        return false;
    const bool matches = regexec(&compiled, text, 0, NULL, 0) == 0;
    regfree(&compiled);
    return matches;
}
