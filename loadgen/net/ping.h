/* Request and response: one at a time in each stream. */
#ifndef LOADGEN_NET_PING_H
#define LOADGEN_NET_PING_H

struct worker;

/* load.h's work. */
void net_ping_work(struct worker *worker);

#endif
