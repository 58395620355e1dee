// The server's processes: started, watched and ended. This process must be a subreaper without
// other children.
#ifndef METER_SERVICE_PROCESS_H
#define METER_SERVICE_PROCESS_H

#include "group.h"
#include "settings.h"
#include "signals.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct service_log {
    int fd;     // -1: there is none
    off_t from; // where the output of the last start begins
};

// From --stop-signal to SIGKILL.
#define SERVICE_STOP_S 10

struct service_process {
    const struct settings *settings;
    const struct signals *signals;
    struct group group; // its own, while it runs and until the next start
    struct service_log out, errors;
    pid_t main;    // of the command that was started; 0: none was
    bool ended;    // that one
    int status;    // then: its wait status
    bool daemon;   // it has left the service to descendants
    bool is_empty; // no process is left
    bool killed;   // --stop-signal has not ended it
    pid_t probe;   // a command of --ready that runs; 0: none
    bool probe_succeeded;
    bool leave; // stdin has ended, or a signal has come
};

// service_process_start: in a group of its own. False: text says why not.
bool service_process_start(struct service_process *process, char *text, size_t size);

// service_process_probe: starts the command of --ready, unless it still runs.
void service_process_probe(struct service_process *process, const char *command);

// service_process_wait: for so long, or until something has happened: a process has ended, a
// signal has come, stdin has hung up, or (with commands) has something to read. Takes in what
// has happened to processes.
void service_process_wait(struct service_process *process, int timeout_ms, bool commands);

// service_process_gone: whether the server has ended by itself; notices that it is a daemon.
bool service_process_gone(struct service_process *process);

// service_process_end: ends all processes: --stop-signal to the server, SERVICE_STOP_S later
// SIGKILL to all that is left. False: one cannot be killed.
bool service_process_end(struct service_process *process);

// service_process_kill: ends all of them at once. False: one cannot be killed.
bool service_process_kill(struct service_process *process);

// service_process_how: "exited with status 1", then the text `when`, and the last line that it
// wrote.
const char *service_process_how(const struct service_process *process, const char *when, char *text,
                                size_t size);

// service_process_last_line: that it wrote to stderr, or else to stdout; "" for none.
void service_process_last_line(const struct service_process *process, char *line, size_t size);

// service_log_open: makes the file. False with errno.
bool service_log_open(struct service_log *log);

// service_log_trim: gives up the disk's blocks of all but the end. To be called now and then.
void service_log_trim(const struct service_log *log);

// service_log_text: the output since the last start, its last size - 1 bytes at most, with a
// terminating NUL (and with ? for each NUL of its own).
void service_log_text(const struct service_log *log, char *text, size_t size);

void service_log_close(struct service_log *log);

#endif
