/* UDP, without a limit or at a rate: numbered datagrams, many at a time. */
#ifndef LOADGEN_NET_DATAGRAM_H
#define LOADGEN_NET_DATAGRAM_H

struct worker;

/* After net_worker_open(). 0, or -1 after worker_fail(). */
int net_datagram_open(struct worker *worker);
/* load.h's work. */
void net_datagram_work(struct worker *worker);

#endif
