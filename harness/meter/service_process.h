// The server's processes: started, watched and ended. This process must be a subreaper without
// other children.
#ifndef METER_SERVICE_PROCESS_H
#define METER_SERVICE_PROCESS_H

#include "command_line.h"
#include "service_log.h"
#include "signals.h"

#include "common/group.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// From --stop-signal to SIGKILL.
#define SERVICE_STOP_S 10

struct service_process {
    const struct command_line *asked;
    const struct signals *signals;
    struct group group; // its own, while it runs and until the next start
    struct service_log out, errors;
    size_t command; // of the asked targets: the server, also of the next start
    pid_t main;     // of the command that was started; 0: none was
    bool ended;     // that one
    int status;     // then: its wait status
    bool daemon;    // it has left the service to descendants
    bool is_empty;  // no process is left
    bool killed;    // --stop-signal has not ended it
    pid_t probe;    // a command of --ready that runs; 0: none
    bool probe_succeeded;
    char probe_why[256];  // why the last one could not be run; "": it could
    int64_t memory_kills; // when the command was started, as of memory_kills_read()
    bool leave;           // stdin has ended, or a signal has come
};

// Starts the server, in a group of its own. False: text says why not.
bool service_process_start(struct service_process *process, char *text, size_t size);

// Starts the command of --ready, unless it still runs.
void service_process_probe(struct service_process *process, const char *command);

// Waits for so long, or until something has happened: a process has ended, a
// signal has come, stdin has hung up, or (with commands) has something to read. Takes in what
// has happened to processes.
void service_process_wait(struct service_process *process, int timeout_ms, bool commands);

// Whether the server has ended by itself; notices that it is a daemon.
bool service_process_gone(struct service_process *process);

// Ends all processes: --stop-signal to the server, SERVICE_STOP_S later
// SIGKILL to all that is left. False: one cannot be killed.
bool service_process_end(struct service_process *process);

// Ends all of them at once. False: one cannot be killed.
bool service_process_kill(struct service_process *process);

// "exited with status 1", then the text `when`, and the last line that it
// wrote.
const char *service_process_how(const struct service_process *process, const char *when, char *text,
                                size_t size);

// The last line that it wrote to stderr, or else to stdout; "" for none.
void service_process_last_line(const struct service_process *process, char *line, size_t size);

#endif
