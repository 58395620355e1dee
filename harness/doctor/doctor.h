// The doctor: what makes results wrong on this machine. Each check adds one finding.
#ifndef DOCTOR_DOCTOR_H
#define DOCTOR_DOCTOR_H

#include "common/machine.h"

#include <jansson.h>

// ---- findings.c

enum status {
    STATUS_OK,
    STATUS_WARN,   // it can make results wrong
    STATUS_UNKNOWN // this machine does not show it: never guessed
};

struct finding {
    const char *check;
    enum status status;
    char text[512];
    char advice[256]; // what to do; "": nothing
};

struct findings {
    const struct watch *watch; // what happened within a second
    const char *check;         // the one that is made
    size_t count;
    struct finding finding[40];
};

// One of the check that is made. advice: what to do, NULL where nothing is wrong.
void findings_add(struct findings *findings, enum status status, const char *advice,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));
void found_ok(struct findings *findings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void found_unknown(struct findings *findings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

size_t findings_count(const struct findings *findings, enum status status);
// A line for each, and how many there are, on stdout.
void findings_print(const struct findings *findings);
// "CHECK: TEXT; CHECK: TEXT" of those that warn into text, cut off where it is too long. False:
// none warns.
bool findings_join_warnings(const struct findings *findings, char *text, size_t size);
// `findings` of jostle.doctor/1. A new reference.
json_t *findings_to_json(const struct findings *findings);

// What happens on the machine within a second.

struct watch {
    int64_t time_us;               // between the two readings
    struct counters before, after; // the kernel's counters
    double queue;                  // mean number of tasks that ran or waited, without us
    int64_t *cpu_busy_us;          // of each CPU, by its number
    size_t cpus;
    char culprit[128]; // the process that used most CPU time; "" when none stood out
};

// Takes a second.
void watch_machine(struct watch *watch);
void watch_free(struct watch *watch);
// By how much a counter has grown; UNKNOWN where it is not known.
int64_t watch_grown(int64_t before, int64_t after);

// ---- noise.c

// The noise floor of a machine: the same work again and again, by how much do its
// times differ? meter runs it, the functions of stats judge it.

// Works for so long, in rounds of fixed work for CPU, memory and the disk of the
// current folder. Returns `noise_floor` of jostle.doctor/1, a member for each kind
// that can be done here; NULL after a message.
json_t *noise_measure(int64_t time_ns);
// A finding for each kind: they are checks of their own.
void check_noise(struct findings *findings, const json_t *noise);

// ---- detours.c

// OS noise: what the kernel and others take of each allowed CPU while a thread on it does nothing
// but read the clock. A gap between two readings of more than a microsecond is a detour (the
// selfish benchmark of Beckman et al., Cluster 2006; the cost for N ranks as in Hoefler et al., SC
// 2010).

// Measures for so long on all CPUs at once. A jostle.os-noise/1, a new reference; NULL after a
// message.
json_t *detours_measure(int64_t time_ns);

// It in words. False: stdout cannot be written.
bool detours_print(const json_t *noise);

// ---- the checks

// Clock frequency and sharing of cores.
void check_governor(struct findings *findings);
void check_turbo(struct findings *findings);
void check_throttling(struct findings *findings);
void check_smt(struct findings *findings);
void check_core_kinds(struct findings *findings);
void check_caches(struct findings *findings);

// Others at work.
void check_cpu_use(struct findings *findings);
void check_run_queue(struct findings *findings);
void check_cpu_pressure(struct findings *findings);
void check_memory_pressure(struct findings *findings);
void check_io_pressure(struct findings *findings);
void check_steal(struct findings *findings);
void check_swap(struct findings *findings);

// How the system is set up.
void check_thp(struct findings *findings);
void check_aslr(struct findings *findings);
void check_sharing(struct findings *findings);
void check_numa(struct findings *findings);
void check_clock(struct findings *findings);
void check_timer(struct findings *findings);
void check_quota(struct findings *findings);
void check_hardware_counters(struct findings *findings);
void check_virtual(struct findings *findings);

// How this jostle was built: which optional libraries it lacks, and what is lost with them.
void check_libraries(struct findings *findings);
// The programs that the commands in bash need, and their versions.
void check_bash(struct findings *findings);
void check_jq(struct findings *findings);
// What a container, or a job, leaves of the machine.
void check_container(struct findings *findings);
void check_cpus(struct findings *findings);
void check_memory_limit(struct findings *findings);
void check_system_calls(struct findings *findings);
// Who gives out this machine's time: JOSTLE_SCHEDULERS has lines JOB<TAB>VERSION, JOB empty outside
// of one, or JOB<TAB>NAME<TAB>COMMAND where that command gives no version; without it none is
// named.
void check_scheduler(struct findings *findings);

// The current folder.
void check_folder(struct findings *findings);
void check_space(struct findings *findings);

#endif
