/* How the sending half introduces itself to a listener. */
#ifndef LOADGEN_NET_HELLO_H
#define LOADGEN_NET_HELLO_H

#include "net/wire.h"

/* Sends a hello on a fresh connection and waits for the answer. 0, or -1 with
 * the reason in error: silent, gone, something else, another version, refused.
 * *retry: it may succeed in a moment (the listener closed the connection). */
int net_hello(int fd, const struct net_message *hello, int64_t timeout_ns,
              struct net_message *answer, int *retry, char *error, size_t size);

#endif
