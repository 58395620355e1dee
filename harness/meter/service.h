// meter --service: keeps a server running for the runs of another program.
//
// The first line of --output is {"event":"ready"}. stdin has a line for each command; the
// answer is a JSON line:
//   start    starts it unless it is up; up {"event":"up"} once it is ready
//   restart  ends it first where it is up; `restart N` then starts the command N of --commands
//   mark     {"event":"mark", ...}: what its processes used and waited for since the last mark
//   stop     {"event":"down"}
// Unasked comes {"event":"died","message":...} as soon as it has ended by itself. What cannot
// be done is an {"event":"error","message":...}, and the end. The end of stdin, a terminating
// signal and the death of the caller end the service in good order, and meter.
#ifndef METER_SERVICE_H
#define METER_SERVICE_H

#include "command_line.h"
#include "signals.h"

// Returns meter's exit code.
int service_run(const struct command_line *asked, const struct signals *signals);

#endif
