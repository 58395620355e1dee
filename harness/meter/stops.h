// For how long the target was stopped by a signal.
#ifndef METER_STOPS_H
#define METER_STOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stops {
    size_t count;
    int64_t total_ns;
    bool total_known; // not where meter was stopped with it: nobody was there to see
    int64_t since_ns; // it is stopped, 0: it is not
    int terminal;     // SIGTTIN, SIGTTOU: the terminal stopped it, 0: none did
};

// The target is stopped by the signal. missed: meter was stopped, too, so that this may have been
// long ago.
void stops_stopped(struct stops *stops, int signal_number, int64_t now_ns, bool missed);

// The target has ended while meter was stopped, or before meter ran again: whether it was stopped,
// too, the kernel no longer says.
void stops_ended(struct stops *stops);

// It runs again, or has ended. What was before start_ns is not of the run.
void stops_continued(struct stops *stops, int64_t start_ns, int64_t now_ns);

#endif
