#include "stops.h"

#include <signal.h>

void stops_begin(struct stops *stops)
{
    *stops = (struct stops){.total_known = true};
}

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

void stops_ended(struct stops *stops)
{
    if (stops->since_ns == 0)
        stops->total_known = false;
}

void stops_continued(struct stops *stops, int64_t start_ns, int64_t now_ns)
{
    // Its stop was not seen: meter was stopped, too.
    if (stops->since_ns == 0)
        stops_stopped(stops, 0, now_ns, true);
    const int64_t since_ns = stops->since_ns > start_ns ? stops->since_ns : start_ns;
    stops->total_ns += now_ns > since_ns ? now_ns - since_ns : 0;
    stops->since_ns = 0;
}
