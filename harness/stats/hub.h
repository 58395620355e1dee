#ifndef STATS_HUB_H
#define STATS_HUB_H

#include "decide.h"
#include "session.h"

#include <jansson.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

// The course of one experiment: which run is next, and what it has shown so far.
// Pure: records in, decisions and the result out; no files, no clock.

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

// status.json: how far a cell of a campaign is, for those who watch from
// elsewhere. Its times are those of the records: it is written between runs, and
// never looks at a clock. How much time was spent comes from the machine's uptime, as the
// time of day may be set meanwhile.

struct status {
    char *path;            // NULL: not a cell, nothing is written
    json_t *fixed;         // the members that never change
    double began_s;        // when this session began, seconds since 1970
    double began_uptime_s; // the same moment since the machine was started; NAN: not known
    double now_s;          // the end of the last run, seconds since 1970
    double spent_s;        // how long after the beginning that was
    double before_s;       // seconds that earlier sessions took
    double written_s;      // spent_s when it was last written
};

// Whether FOLDER/status.json says that its cell is done.
bool status_is_done(const char *folder);

// Prepares FOLDER/status.json, if the experiment is a cell. `pid` is jostle's; now_s is the
// time of day, uptime_s the same moment since the machine was started, or NAN.
void status_begin(struct status *status, const struct experiment *experiment, const char *folder,
                  const char *host, long pid, double now_s, double uptime_s);

// After a run: writes "running", a second after the last time at the earliest.
void status_run(struct status *status, const struct course *course);

// Writes `state`: running, done, failed or interrupted. `reason` may be NULL. A
// folder that cannot be written to is found by the records, hence no error here.
void status_write(struct status *status, const struct course *course, const char *state,
                  const char *reason);

void status_free(struct status *status);

// What the hub of one experiment holds, and how it answers. main.c runs it, commands.c takes what
// comes and ends it; course.c decides and puts the records together.

// What the program is told to do; exactly one of `experiment` and `derive`.
struct request {
    const char *experiment; // folder of the experiment to be the hub of
    const char *written;    // of its experiment.json, see lock_stamp; NULL: not known
    uint64_t pid;           // of jostle, for status.json
    bool quiet;
    bool derive; // result.json of the folders that are named
};

// Lines that come through a pipe, however long.
struct lines {
    int fd; // -1: closed
    char *text;
    size_t length, capacity;
    size_t taken; // of the text: the line that was given last
};

// Reads what has come. False: that was the end, and it is closed.
bool lines_read(struct lines *lines);

// The next whole line, without its newline, valid until the next call; NULL where there is none
// yet, or no more.
char *lines_next(struct lines *lines, size_t *length);

void lines_free(struct lines *lines);

struct source {
    char *id;        // how commands name it: "meter", "service", "probe", or a load's index
    char *name;      // of the load
    char *condition; // of the load, NULL for meter
    char *node;      // NULL: the target's own
    bool optional;   // that it ends or fails ends nothing else
    struct lines lines;
    char *event;  // that is awaited, NULL: none
    json_t *last; // the last `mark`, meter's record, or the probe's sample
};

struct sources {
    struct source *source;
    size_t count;
    struct pollfd *poll; // [count + 1]: the first is free for the caller
};

enum { FOLDER_ERROR = 512 };

struct folder {
    char *path;          // without a slash at its end
    char *runs;          // path of runs.jsonl
    int fd;              // of runs.jsonl, locked
    size_t lines;        // records that we have appended
    off_t size_bytes;    // of runs.jsonl, once we have appended to it
    size_t synced_lines; // those of them that are on the disk
    double synced_s;     // when the run ended that runs.jsonl was last flushed after; NAN: not yet
    bool is_described;   // experiment.json is on the disk, too
    char error[FOLDER_ERROR]; // why the last call was false
};

// Runs between which the harness has nothing to do: stats orders them from meter itself.
struct series {
    int fd; // meter's commands; -1: none is made
    int64_t
        variant[MAX_CONDITIONS]; // meter's command, by condition; -1: the harness makes its runs
    bool warm_up;                // its runs do not count; one whose runs do is another
    bool hold;                   // the harness wants the answer after the run that is made
    size_t made, condition; // its runs that were kept, the condition of the last that was begun
};

struct hub {
    const struct request *request;
    FILE *output;
    char *host; // the name of this machine
    struct experiment experiment;
    struct course course;
    struct folder folder;
    struct sources sources;
    struct status status;
    json_t *probe;    // the sample made before the next run; NULL: none
    json_t *undone;   // [{load, text}, ...] of the next run: settings that its loads have undone
    json_t *warnings; // [{load, condition, text}, ...] of this session
    json_t *after;    // the counters at the end
    json_t *steps;    // [{step, name, ...}, ...], or a text why there are none
    size_t earlier;   // runs that an earlier session left
    bool has_begun, has_ended;
    bool has_left;     // what is to be undone after the experiment is not
    bool service_died; // since it came up
    bool death_said;   // to the harness, which then ends the run
    bool awaits_run;   // while one is made, the death of the service is an answer, too
    bool await;        // an answer is owed when all awaited sources have sent their event
    struct series series;
};

// Ends it, whatever is being made. Safe to call twice.
void series_close(struct series *series);

// Writes one answer. False if nobody reads it.
bool hub_answer(struct hub *hub, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Answers `failed`: because of that source ("-": the hub itself).
bool hub_fail(struct hub *hub, const char *source, const char *text);

// An answer is one line of fields with tabs in between: makes blanks of what would end either.
char *hub_one_field(char *text);

// Keeps a warning for the result, and prints it, once. `source` NULL: of the harness.
void hub_warn(struct hub *hub, const struct source *source, const char *text);

// Writes experiment.json with what was added to it. False after a message on stderr.
bool hub_write_experiment(const struct hub *hub);

// Opens and locks PATH/runs.jsonl; another process's lock is waited for two
// seconds. All functions here are false with `error` set when they fail.
bool folder_open(struct folder *folder, const char *path);

// Moves a last line that was not written in full to runs.jsonl.torn, and says so
// on stderr.
bool folder_repair(struct folder *folder);

// Marks the records in those lines of the file as not to be used, as `lines` says of each: block
// and order become 0, what they were is kept in `set_aside`, and the flag set-aside is added.
bool folder_set_aside(struct folder *folder, const bool *lines);

// Appends a record as one whole line; after a failure the file is as before. It is on the disk at
// once where a second has passed, by the times of the records, since the last that was flushed.
bool folder_append(struct folder *folder, const json_t *record);

// Brings all records to the disk, with experiment.json.
bool folder_sync(struct folder *folder);

// PATH/NAME; to be freed.
char *folder_file(const struct folder *folder, const char *name);

void folder_close(struct folder *folder);

// Opens a FIFO for reading, without waiting for its writer. False with errno set.
bool sources_open(struct sources *sources, const char *id, const char *name, const char *condition,
                  const char *node, const char *path);

struct source *sources_find(struct sources *sources, const char *id);

// Waits until an awaited source can be read, or the descriptor `other` can.
// False if poll failed; *other_ready says whether it is `other`.
bool sources_wait(struct sources *sources, int other, bool *other_ready);

// The next whole line as JSON, a new reference; NULL where there is none yet (or
// no more: then it is closed). A line that is no JSON object is passed over.
json_t *source_next(struct source *source);

void sources_free(struct sources *sources);

// The commands of the hub, one line each, fields separated by tabs; stats --help
// lists them.

// Takes one command (which it cuts to pieces). False if no answer can be written.
bool commands_take(struct hub *hub, char *line);

// What follows when all awaited sources have sent their event: the answer, or the next run of a
// series. False if no answer can be written.
bool commands_arrived(struct hub *hub);

// Takes one line that an awaited source has sent, and its reference. False if no
// answer can be written.
bool commands_event(struct hub *hub, struct source *source, json_t *line);

// One run of the hub: its record, from what meter, the loads, the probe and the service said, and
// what is answered of one that failed.

// A new reference to the jostle.run/1, with its flags, of the run that is `next`; `meter`: its
// jostle.meter/1, mark_delay_s: the longest round trip of the marks to other nodes.
json_t *assemble_run(struct hub *hub, const json_t *meter, double mark_delay_s);

// Where hyperfine is the engine, puts the figures that it has exported in the place of meter's,
// which are of hyperfine and target together. What hyperfine does not report is null. False where
// it has exported no result.
bool assemble_hyperfine(struct hub *hub, json_t *meter);

// Answers that the last run failed and ends the experiment, how, and what to do. False if no answer
// can be written.
bool assemble_failure(struct hub *hub);

#endif
