// Recorded CPU load, core by core: how busy each was in each span of time.
#ifndef LOADGEN_CPU_PROFILE_H
#define LOADGEN_CPU_PROFILE_H

// Two formats are read. The text one, of the classic course tool:
//
//     cores: 2
//     length: 3
//     time: 1000 ms
//     load: 0.1373 0.8
//     ...
//
// where `time:` and `load:` may share a line, loads are fractions of a core (0 to
// 1), and times are either stamps (rising; each ends its span, or begins it when
// the first is 0) or lengths of spans (not rising). A single time is a length, or, beyond a
// day, a stamp: the load does not change then, and its span is of 1 s. More than a year in
// all is refused. And JSON lines, as `loadgen
// record` writes them: {"schema":"jostle.profile/1","cores":2,"unit":"percent",...},
// then for each span {"time_ms":1000.0,"load":[12.5,80]} with the time of its end.
// Other members are skipped, and so is the last line, {"event":"summary",...}. A recorded neighbour
// (jostle.profile/2) is the same with more members.

#include <stddef.h>
#include <stdio.h>

struct profile {
    unsigned cores;
    size_t spans;
    double *end_ms; // of each span, from the start; rising
    double *load;   // [span * cores + core], 0 to 1
};

// Reads a whole profile. 0, or -1 with the reason, and what to do, in error.
int profile_read(FILE *file, struct profile *profile, char *error, size_t size);
void profile_free(struct profile *profile);

// Finds `name`: a path, or the name of a profile that came with jostle. Those are in the folder
// that `folder` names then: $JOSTLE_PROFILES, or that of the source tree, or where it is installed;
// "": there is none. NULL: no such file.
FILE *profile_open(const char *name, char *folder, size_t size);

// One core's recorded load as a function of time: how much CPU time a worker should
// have used, and the inverse.

// Demand as CPU time since the start; repeats from its beginning at its end.
struct track {
    size_t spans;
    double *end_ns;  // wall clock, rising
    double *used_ns; // CPU time up to then
};

// The mean of the loads of cores first to last, at a speed (2: in half of the
// time). 0, or -1 when out of memory.
int track_make(struct track *track, const struct profile *profile, unsigned first, unsigned last,
               double speed);
void track_free(struct track *track);
// CPU time in ns that should have been used after_ns from the start.
double track_demand(const struct track *track, double after_ns);
// When that much is reached: the inverse. INFINITY: never.
double track_when(const struct track *track, double used_ns);

#endif
