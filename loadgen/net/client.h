/* The sending half's sessions and streams, and the receivers of --loopback. */
#ifndef LOADGEN_NET_CLIENT_H
#define LOADGEN_NET_CLIENT_H

#include "net/worker.h"

/* Opens them all. 0, or -1 after run_fail(); net_close() afterwards in any case. */
int net_open(struct run *run);
/* Says good-bye, and closes them. */
void net_close(struct run *run);

#endif
