/* The options of loadgen net: what they mean together, and which are refused. */
#ifndef LOADGEN_NET_OPTIONS_H
#define LOADGEN_NET_OPTIONS_H

#include "load.h"
#include "net/wire.h"

extern const struct option_row net_options[];

/* load.h's check and rate. */
void net_check(struct run *run);
int net_rate(struct run *run, const char *text, double *rate, char *error, size_t size);
/* "tcp", "udp", "tcp-ping", "udp-ping". */
const char *net_mode_name(enum net_mode mode);

#endif
