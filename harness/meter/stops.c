// Adds up for how long the target was stopped by a signal.
#include "stops.h"

#include "common/text.h"

#include <sys/wait.h>

// For how long the target was stopped by a signal (SIGSTOP, Ctrl-Z, a terminal).

// The target is stopped by the signal. missed: meter was stopped, too, so
// that this may have been long ago.
void stops_stopped(struct stops *stops, int signal_number, int64_t now_ns, bool missed)
{
    if (signal_number == SIGTTIN || signal_number == SIGTTOU)
        stops->terminal = signal_number;
    if (stops->since_ns != 0)
        return;
    stops->count++;
    stops->since_ns = now_ns;
    stops->total_known = stops->total_known && !missed;
}

// The target has ended while meter was stopped, or before meter ran again: whether
// it was stopped, too, the kernel no longer says.
void stops_ended(struct stops *stops)
{
    if (stops->since_ns == 0)
        stops->total_known = false;
}

// It runs again, or has ended. start_ns: what was before is not of the run.
void stops_continued(struct stops *stops, int64_t start_ns, int64_t now_ns)
{
    // Its stop was not seen: meter was stopped, too.
    if (stops->since_ns == 0)
        stops_stopped(stops, 0, now_ns, true);
    const int64_t since_ns = stops->since_ns > start_ns ? stops->since_ns : start_ns;
    stops->total_ns += now_ns > since_ns ? now_ns - since_ns : 0;
    stops->since_ns = 0;
}
