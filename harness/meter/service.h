// meter --service: keeps a server running for the runs of another program.
//
// The first line of --output is {"event":"ready"}. stdin has a line for each command; the
// answer is a JSON line:
//   start    starts it unless it is up; up {"event":"up"} once it is ready
//   restart  ends it first where it is up
//   mark     {"event":"mark", ...}: what its processes used and waited for since the last mark
//   stop     {"event":"down"}
// Unasked comes {"event":"died","message":...} as soon as it has ended by itself. What cannot
// be done is an {"event":"error","message":...}, and the end. The end of stdin, a terminating
// signal and the death of the caller end the service in good order, and meter.
#ifndef METER_SERVICE_H
#define METER_SERVICE_H

#include "run.h"

// service_run: returns meter's exit code.
int service_run(const struct settings *settings, const struct signals *signals);

// What a service's tree of processes has used, and waited for, between two marks.
//
// CPU time is the control group's where there is one; else the sum over the processes that
// live and those that were waited for. Memory is of the processes that live at the second
// mark: the peak since the first of what each has for itself, and shared pages once, as many
// as the process with the most has. Stalls are those of the group's pressure files (cgroup
// v2), and of the thread that waited longest for a CPU: lower bounds, as in system.h.

struct thread_delay {
    pid_t thread;
    int64_t delay_ns;
};

// Running totals.
struct service_totals {
    bool from_group; // else the next two are not known
    int64_t user_ns;
    int64_t system_ns;
    int64_t cpu_ns;
    bool has_stalls;
    uint64_t stall_us[STALL_COUNT];
    struct thread_delay *delays; // by thread, ascending
    size_t delay_count;
    size_t processes;
    bool own_session;      // one of them is in another session than we are
    uint64_t memory_bytes; // since the last reading; 0: nothing lives
};

// service_totals_read: the totals of now; peaks of memory begin anew. Fill *totals with zeros
// before the first reading.
void service_totals_read(struct service_totals *totals, const struct group *group,
                         const struct stall_files *files);

// service_totals_write: the members of a `mark` event: what grew from one reading to the next,
// elapsed_ns apart.
void service_totals_write(struct line *line, const struct service_totals *before,
                          const struct service_totals *after, int64_t elapsed_ns);

void service_totals_free(struct service_totals *totals);

// The server's processes: started, watched and ended. This process must be a subreaper without
// other children.

struct service_log {
    int fd;     // a capture; -1: there is none
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

// service_log_trim: gives up the disk's blocks of all but the end. To be called now and then.
void service_log_trim(const struct service_log *log);

// service_log_text: the output since the last start, its last size - 1 bytes at most, with a
// terminating NUL (and with ? for each NUL of its own).
void service_log_text(const struct service_log *log, char *text, size_t size);

#endif
