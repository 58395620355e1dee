// The doctor: what makes results wrong on this machine. Each check adds one finding.
#ifndef DOCTOR_DOCTOR_H
#define DOCTOR_DOCTOR_H

#include "common/counters.h"

#include <jansson.h>
#include <limits.h>

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
    char advice[PATH_MAX + 64]; // what to do; "": nothing
};

struct findings;

struct check {
    const char *name;
    void (*make)(struct findings *findings);
    bool gates;     // where it warns a measurement would be worth nothing now
    size_t counter; // of pressure: the member of struct counters
};

struct findings {
    const struct watch *watch; // what happened within a second
    const struct check *check; // the one that is made
    size_t count;
    struct finding finding[40];
};

// One of the check that is made. advice: what to do, NULL where nothing is wrong.
void findings_add(struct findings *findings, enum status status, const char *advice,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));
#define found_ok(findings, ...)      findings_add(findings, STATUS_OK, NULL, __VA_ARGS__)
#define found_unknown(findings, ...) findings_add(findings, STATUS_UNKNOWN, NULL, __VA_ARGS__)

size_t findings_count(const struct findings *findings, enum status status);
// A line for each, and how many there are, on stdout.
void findings_print(const struct findings *findings);
// `findings` of jostle.doctor/1. A new reference.
json_t *findings_to_json(const struct findings *findings);

// ---- watch.c: what happens on the machine within a second

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
// What a counter has grown by; UNKNOWN where it is not known, or has stepped back.
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

// Each check adds one finding. In the order of their lines; a nameless one ends each table.
extern const struct check checks_of_machine[]; // its CPUs, and who else is at work
extern const struct check checks_of_system[];
extern const struct check checks_of_limits[]; // of a container, a job, a group, the folder
extern const struct check checks_of_build[];  // what this jostle and its programs can do

#endif
