// The course of one experiment: records in, decisions out; no files, no clock.

#ifndef CONDUCT_COURSE_H
#define CONDUCT_COURSE_H

#include "harness/stats/decide.h"
#include "harness/stats/session.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct block_probe {
    bool wanted;
    size_t block;   // the last one that was begun
    double since_s; // time of the runs since the last one
};

struct course {
    struct experiment *experiment;
    struct session session;
    size_t warm_ups;      // unmeasured runs that are still to be made, of all conditions
    struct decision next; // what is to be done now
    bool is_warm_up;      // `next` is a run that does not count
    bool is_washout;      // it is one without load, between a loaded run and the next
    bool is_start;        // it is one without load, right after a start of the service
    size_t started;    // the block that the service was started for last; 0: none in this session
    size_t start_runs; // so many of those were made since
    struct block_probe probe; // who measures sets .wanted before course_begin()
    double probe_s;           // how long to measure the machine before `next`; 0: not at all
    json_t *last;             // the last record of this session, or NULL
};

// Makes the course of an experiment that must outlive it.
void course_init(struct course *course, struct experiment *experiment);

// Decides what is next: before the first run, and after the session was told of something else than
// a run.
void course_choose(struct course *course);

// Takes the record of the run that `next` names, and decides again. False if
// the record does not fit: `why` then says why.
bool course_take(struct course *course, json_t *record, char *why, size_t why_size);

// Notes that the machine was measured before `next`.
void course_probed(struct course *course);

void course_free(struct course *course);

#endif
