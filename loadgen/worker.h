#ifndef LOADGEN_WORKER_H
#define LOADGEN_WORKER_H

/* A worker's thread: begin, orders, end. Also the worker_ functions of load.h. */

/* For pthread_create(); argument is the struct worker. */
void *worker_main(void *argument);

#endif
