#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include "common/sha256.h"
#include "harness/pressure/pressure.h"
#include "harness/study/study.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

// The profile of a program: what loads cost it, and what it does to others; jostle.program/1.
// Made on one machine, for one place of its neighbour.

enum { PROFILE_TEXT = 64, PROFILE_CPUS = 256, PROFILE_REPORTERS = 16, PROFILE_WHY = 256 };

// Time alone, in seconds of wall clock.
struct profile_alone {
    double mean_s, low_s, high_s; // with its interval; NAN: it has none
    double sd_s;                  // from run to run
    size_t n;                     // runs
    double cpus_used;             // CPU time / wall time without waiting for a CPU; NAN: not known
    double threads;               // how many it had at most; NAN: not known
    double burst_s;               // CPU time from one wait to the next; NAN: not known
};

// How runs alone vary from one to the next.
struct profile_noise {
    double sd;          // of log(wall time)
    double correlation; // of neighbouring runs (lag 1); NAN: too few runs
    size_t n;           // runs
};

// What the program does to a reporter: log of its ratio to what it reads alone, positive is
// worse.
struct profile_reporter {
    char name[SENSITIVITY_NAME];
    double log_ratio, low, high; // NAN: unknown
    double sd;                   // standard error of log_ratio
    size_t n;                    // pairs of readings
};

// Small kernels that show what neighbours do: a spin's wall time for its CPU time, loads from half
// of the L2 cache and from memory, page faults.
enum beside_reporter { BESIDE_GAP, BESIDE_L2, BESIDE_MEMORY, BESIDE_FAULTS, BESIDE_REPORTERS };
extern const char *const beside_reporters[BESIDE_REPORTERS];

// What a load of the sensitivity does to them: log ratios to alone, positive is worse.
enum { PROFILE_BESIDE = SENSITIVITY_KINDS * SENSITIVITY_POINTS };
struct profile_beside {
    char kind[SENSITIVITY_NAME];
    double level;                       // a fraction, as the sensitivity has it
    double log_ratio[BESIDE_REPORTERS]; // NAN: not known
};

struct program_profile {
    char made[PROFILE_TEXT];        // 2026-11-22T02:10:26Z
    char version[PROFILE_TEXT];     // of jostle
    char name[PROFILE_TEXT];        // of the program, fit for a file name
    char sha256[SHA256_DIGITS + 1]; // of its executable; "": not known
    char host[PROFILE_TEXT];
    char kernel[PROFILE_CPUS];
    char machine[IDENTITY_DIGITS + 1]; // pressure.h
    char place[SENSITIVITY_NAME];      // core, smt, l3, node, machine
    char target_cpus[PROFILE_CPUS], load_cpus[PROFILE_CPUS];
    double confidence; // of all intervals, two-sided
    struct profile_alone alone;
    struct profile_noise noise;
    struct sensitivity sensitivity;
    // As a neighbour, looping:
    double pressure_cpus_used; // CPUs that it kept busy; NAN: not known
    size_t reporters;
    struct profile_reporter reporter[PROFILE_REPORTERS];
    size_t besides;
    struct profile_beside beside[PROFILE_BESIDE];
    json_t *record; // all that was read (words, reasons, experiments); NULL: it is not from a file
};

// To begin with: nothing is known.
void profile_begin(struct program_profile *profile);

// Of a jostle.program/1. False: `why` says what is wrong, such as "holds no profile: give a file
// that jostle profile has made".
bool profile_from_json(struct program_profile *profile, const json_t *record, char *why,
                       size_t size);

// Of a file. False: `why` says what is wrong, without the path.
bool profile_read(struct program_profile *profile, const char *path, char *why, size_t size);

// The record, a new reference; what `record` has and this does not know is kept.
json_t *profile_to_json(const struct program_profile *profile);

void profile_free(struct program_profile *profile);

// What a program does to its neighbours: what reporters read beside it and alone. Pure.

// Log ratios of readings beside the program to the reading alone of the same block, positive is
// worse.
struct pressure_readings {
    size_t blocks, reporters;
    const char *name[REPORTERS];
    double *log_ratio; // [block * reporters + reporter]; NAN: missing
};

// Fills the profile's reporters: mean, standard error and interval (Student's t) of each.
// Those with fewer than two blocks have no error, those with none no ratio.
void pressure_reporters(struct program_profile *profile, const struct pressure_readings *readings);

// The mean of one of them over the blocks that have it; NAN: none has.
double pressure_mean(const struct pressure_readings *readings, size_t reporter);

// A program as a load: run again and again, with its stdin and what comes before a run.

// "NAME=exec --loop ...", as `--load` takes it, to be freed. program: an object with `words`,
// `input`, `prepare` and `ignore_failure` (null: none), such as that of a jostle.program/1.
char *loop_text(const char *name, const json_t *program);

// The gate: is this machine quiet enough for a figure at all? From the noise of profiles, before
// any prediction is shown.

// Half-width, as a share, within which a slowdown is to be told; runs a side (alone, beside the
// neighbour) that one is ready to spend on it: what they buy at a standard deviation of 4 %.
// Of fewer runs alone than the least, no noise is known.
#define GATE_HALF_WIDTH 0.02
enum { GATE_RUNS = 31, GATE_LEAST_RUNS = 5, GATE_TEXT = 200 };

struct gate {
    bool passed;
    double sd;            // of log(wall time), alone; NAN: not known
    double half_width;    // that GATE_RUNS runs a side reach, at 95 %, as a share
    double wanted;        // half-width that would do
    double runs_needed;   // a side, for that; NAN: not known
    char text[GATE_TEXT]; // "alone-sd 15 %, it would take 430 runs a side for ..."; in any case
};

// Runs a side for a half-width of a ratio of two means, as a share, at 95 %:
// 2 (1.96 sd / half_width)^2, which takes no credit for runs that are neighbours in time.
double gate_runs(double sd, double half_width);

// sd of log(wall time) alone from n runs
// (NAN: none). effect: the slowdown - 1 to be told; 0 where it is not known. The gate is
// passed where GATE_RUNS runs a side give GATE_HALF_WIDTH, or a quarter of the effect, if that
// is more: a slowdown of 2 can be told on a machine where one of 1.03 cannot.
struct gate profile_gate_judge(double sd, size_t n, double effect);

// ---- how a profile is made, of a jostle.profile-plan/1

extern const struct study profile_study;

// Names of the experiments, each in a folder of that name.
#define STEP_ALONE       "alone"
#define STEP_SENSITIVITY "sensitivity"
#define STEP_ADDED       "added"
#define STEP_PRESSURE    "pressure"

// Says what a profile still needs (study.h), by its plan and by what is in its folder; verbose: the
// experiment shows its own result; dry_run: after the runs alone only how long the rest takes.
// False after a message on stderr.
bool steps_print(const char *folder, bool verbose, bool dry_run);

// The profile of the records in FOLDER, a jostle.program/1 with what could not be told as
// `reasons`; paths in it are relative to the folder of `file`. A new reference; NULL after a
// message on stderr.
json_t *derive_profile(const char *folder, const char *file);

// What runs alone show, a jostle.noise/1, a new reference; NULL after a message on stderr.
json_t *derive_noise(const char *folder);

#endif
