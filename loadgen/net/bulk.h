/* TCP, without a limit or at a rate. */
#ifndef LOADGEN_NET_BULK_H
#define LOADGEN_NET_BULK_H

struct worker;

/* load.h's work. */
void net_bulk_work(struct worker *worker);

#endif
