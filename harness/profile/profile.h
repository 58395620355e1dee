// What profile is made of, and a profile as other programs read it.

#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include "harness/pressure/pressure.h"
#include "harness/study/study.h"

// The profile of a program: what loads cost it, and what it does to others; jostle.program/1.
// Made on one machine, for one place of its neighbour.

enum { PROFILE_TEXT = 64, PROFILE_REPORTERS = 16, PROFILE_WHY = 256 };

// Small kernels that show what neighbours do: a spin's wall time for its CPU time, loads from half
// of the L2 cache and from memory, page faults.
enum beside_reporter { BESIDE_GAP, BESIDE_L2, BESIDE_MEMORY, BESIDE_FAULTS, BESIDE_REPORTERS };
extern const char *const beside_reporters[BESIDE_REPORTERS];

// Loads of the sensitivity at most, beside which the reporters are read.
enum { PROFILE_BESIDE = SENSITIVITY_KINDS * SENSITIVITY_POINTS };

// A record that was checked, and what is read of it; the texts are the record's, "" where not
// known.
struct program_profile {
    json_t *record;
    const char *name; // of the program, fit for a file name
    const char *made, *version, *sha256, *host, *place;
    const char *machine; // its hash (pressure.h)
    double alone_s;      // mean time alone
    double cpus_used;    // alone; NAN: not known
    double noise_sd;     // of log(wall time) of runs alone, from one to the next
    size_t noise_n;      // runs alone
    double confidence;   // of all intervals, two-sided
    struct sensitivity sensitivity;
};

// Reads a profile from a jostle.program/1. False: `why` says what is wrong, such as "holds no
// profile: give a file that jostle profile has made".
bool profile_from_json(struct program_profile *profile, json_t *record, char *why, size_t size);

// Reads it from a file. False: `why` says what is wrong, without the path.
bool profile_read(struct program_profile *profile, const char *path, char *why, size_t size);

void profile_free(struct program_profile *profile);

// A program as a load: run again and again, with its stdin and what comes before a run.

// "NAME=exec --loop ...", as `--load` takes it, to be freed. program: an object with `words`,
// `input`, `prepare` and `ignore_failure` (null: none), such as that of a jostle.program/1.
char *loop_text(const char *name, const json_t *program);

// The gate: is this machine quiet enough for a figure at all? From the noise of profiles, before
// any prediction is shown.

// Half-width, as a share, within which a slowdown is to be told; runs a side (alone, beside the
// neighbour) that one is ready to spend on it: what they buy at a standard deviation of 4 %.
// With fewer runs alone than the least, no noise is known.
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

// Makes each reporter that gives a figure here a metric of the experiment that is being said: of a
// run without one of its figures nothing is known, and a small container's memory may keep some
// from one. Their names with commas between, to be freed.
char *profile_put_reporters(void);

// The profile of the records in FOLDER, a jostle.program/1 with what could not be told as
// `reasons`; paths in it are relative to the folder of `file`. A new reference; NULL after a
// message on stderr.
json_t *derive_profile(const char *folder, const char *file);

// What runs alone show, a jostle.noise/1, a new reference; NULL after a message on stderr.
json_t *derive_noise(const char *folder);

#endif
