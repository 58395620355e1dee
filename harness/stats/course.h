// The course of one experiment: which run is next, and what it has shown so far.
// Pure: records in, decisions and the result out; no files, no clock.
#ifndef STATS_COURSE_H
#define STATS_COURSE_H

#include "decide.h"
#include "experiment.h"
#include "replay.h"
#include "session.h"

struct block_probe {
    bool wanted;
    bool was_made;  // one in this session at least
    size_t block;   // the last one that was begun
    double since_s; // time of the runs since the last one
};

struct course {
    struct experiment *experiment;
    struct session session;
    struct replay replay;
    size_t warm_ups;          // unmeasured runs that are still to be made, of all conditions
    struct decision next;     // what is to be done now
    bool is_warm_up;          // `next` is a run that does not count
    bool is_washout;          // it is one without load, between a loaded run and the next
    struct block_probe probe; // who measures sets .wanted before course_begin()
    double probe_s;           // how long to measure the machine before `next`; 0: not at all
    json_t *last;             // the last record of this session, or NULL
};

// Makes the course of an experiment that must outlive it.
void course_init(struct course *course, struct experiment *experiment);

// Takes a record of an earlier session; one that does not fit does not count.
void course_replay(struct course *course, json_t *record);

// Decides what is next, to be called once before the first run.
void course_begin(struct course *course);

// Takes the record of the run that `next` names, and decides again. False if
// the record does not fit: `why` then says why.
bool course_take(struct course *course, json_t *record, char *why, size_t why_size);

// Notes that the machine was measured before `next`.
void course_probed(struct course *course);

// Notes that the pause that `next` names was made, and decides again.
void course_rest(struct course *course);

// Ends the experiment here for a reason that the records do not show.
void course_stop(struct course *course, enum stop_reason reason);

void course_free(struct course *course);

#endif
