// Reads what --ready says of a service that can be used: a port, a URL, a line of output or a
// command.
#include "common/ready.h"

#include "common/pattern.h"
#include "common/text.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HTTP_PORT = 80, PORT_DIGITS = 5, PORT_LAST = 65535 };

static bool wrong(char *error, size_t size, const char *what)
{
    snprintf(error, size, "%s", what);
    return false;
}

static void add_ipv4(struct ready *ready, struct in_addr address)
{
    struct sockaddr_in internet = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)ready->port), .sin_addr = address};
    memcpy(&ready->address[ready->address_count++], &internet, sizeof internet);
}

static void add_ipv6(struct ready *ready, struct in6_addr address)
{
    struct sockaddr_in6 internet = {
        .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)ready->port), .sin6_addr = address};
    memcpy(&ready->address[ready->address_count++], &internet, sizeof internet);
}

// The addresses that host and port mean.
static bool resolve(struct ready *ready)
{
    struct in_addr ipv4 = {.s_addr = htonl(INADDR_LOOPBACK)};
    struct in6_addr ipv6 = IN6ADDR_LOOPBACK_INIT;
    ready->address_count = 0;
    if (ready->host[0] == '\0' || strcmp(ready->host, "localhost") == 0) {
        add_ipv4(ready, ipv4);
        add_ipv6(ready, ipv6);
    } else if (inet_pton(AF_INET, ready->host, &ipv4) == 1) {
        add_ipv4(ready, ipv4);
    } else if (inet_pton(AF_INET6, ready->host, &ipv6) == 1) {
        add_ipv6(ready, ipv6);
    }
    return ready->address_count > 0;
}

// A port of so many characters.
static bool take_port(struct ready *ready, const char *text, size_t length)
{
    const bool digits =
        length >= 1 && length <= PORT_DIGITS && strspn(text, "0123456789") >= length;
    ready->port = digits ? (unsigned)strtoul(text, NULL, 10) : 0;
    return ready->port >= 1 && ready->port <= PORT_LAST;
}

static bool take_host(struct ready *ready, const char *text, size_t length)
{
    if (length >= 2 && text[0] == '[' && text[length - 1] == ']') {
        text++;
        length -= 2;
    }
    if (length >= sizeof ready->host)
        return false;
    memcpy(ready->host, text, length);
    ready->host[length] = '\0';
    return true;
}

// Finds the last colon in that many characters; the colons of an address in brackets do not count.
static const char *port_colon(const char *text, size_t length)
{
    for (size_t i = length; i-- > 0 && text[i] != ']';)
        if (text[i] == ':')
            return text + i;
    return NULL;
}

static bool parse_port(struct ready *ready, const char *text, char *error, size_t size)
{
    const size_t length = strlen(text);
    const char *colon = port_colon(text, length);
    const char *number = !colon ? text : colon + 1;
    ready->kind = READY_PORT;
    ready->host[0] = '\0';
    if (!take_port(ready, number, strlen(number)))
        return wrong(error, size, "not a port: give one such as port:6379");
    if (colon && !take_host(ready, text, (size_t)(colon - text)))
        return wrong(error, size, "not an address: give one such as port:127.0.0.1:6379");
    return resolve(ready) || wrong(error, size,
                                   "not an address: give localhost, or a numeric one such as "
                                   "port:127.0.0.1:6379");
}

static bool parse_http(struct ready *ready, const char *text, char *error, size_t size)
{
    // Both http:http://HOST and the URL itself.
    const char *rest = text_after(text, "http://");
    rest = rest ? rest : text_after(text, "//");
    rest = rest ? rest : text;
    const size_t length = strcspn(rest, "/");
    const char *colon = port_colon(rest, length), *path = rest + length;
    const size_t host = !colon ? length : (size_t)(colon - rest);
    ready->kind = READY_HTTP;
    ready->port = HTTP_PORT;
    if (strlen(path) >= sizeof ready->path || strpbrk(path, " \t\r\n"))
        return wrong(error, size,
                     "not a URL that can be asked: give one such as "
                     "http://localhost:8080/health");
    if ((colon && !take_port(ready, colon + 1, length - host - 1)) || host == 0 ||
        !take_host(ready, rest, host) || !resolve(ready))
        return wrong(error, size,
                     "not an address: give localhost or a numeric one, and a port, "
                     "such as http://localhost:8080/health");
    snprintf(ready->path, sizeof ready->path, "%s", *path == '\0' ? "/" : path);
    return true;
}

static bool parse_match(struct ready *ready, const char *text, char *error, size_t size)
{
    const size_t length = strlen(text);
    regex_t compiled;
    char why[128];
    ready->kind = READY_MATCH;
    if (length < 3 || text[0] != '/' || text[length - 1] != '/' || length >= sizeof ready->regex)
        return wrong(error, size,
                     "not a regular expression: give one such as match:/ready to accept/");
    snprintf(ready->regex, sizeof ready->regex, "%.*s", (int)(length - 2), text + 1);
    if (pattern_compile(&compiled, ready->regex, REG_NOSUB | REG_NEWLINE, why, sizeof why)) {
        regfree(&compiled);
        return true;
    }
    snprintf(error, size, "not a POSIX extended regular expression (%s): fix it", why);
    return false;
}

static bool parse_command(struct ready *ready, const char *text, char *error, size_t size)
{
    const char *why;
    size_t count;
    char **words = words_split(text, &count, &why);
    ready->kind = READY_COMMAND;
    ready->command = text;
    free(words);
    if (words && count > 0)
        return true;
    snprintf(error, size,
             "not a command (%s): give port:6379, http:URL, match:/REGEX/ or a command",
             !words ? why : "it has no word");
    return false;
}

bool ready_parse(struct ready *ready, const char *text, char *error, size_t size)
{
    static const struct {
        const char *prefix;
        bool (*parse)(struct ready *ready, const char *text, char *error, size_t size);
    } kinds[] = {{"port:", parse_port}, {"http:", parse_http}, {"match:", parse_match}};
    *ready = (struct ready){0};
    if (text_after(text, "https:"))
        return wrong(error, size,
                     "nothing here can encrypt: give an http: URL, or a command such "
                     "as 'curl -sfk URL'");
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const char *rest = text_after(text, kinds[i].prefix);
        if (rest)
            return kinds[i].parse(ready, rest, error, size);
    }
    return parse_command(ready, text, error, size);
}

bool ready_check(const char *text, char *error, size_t size)
{
    struct ready ready;
    return ready_parse(&ready, text, error, size);
}
