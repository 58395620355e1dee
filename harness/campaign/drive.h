// What the parts of `campaign run` share: the campaign that is being run, and its current cell.

// The dialogue with the shell that runs the cells of a campaign. The shell starts and
// ends processes; what to start, and what became of it, is decided here.
//
// Commands on stdin, each answered by pairs of name and value on stdout, as lib/study.bash reads
// them, the last of which is `over`:
//   next          step NAME, folder SCRATCH, session "", word WORD..., end
//                             make it the next one: measure this cell, in that folder, by a command
//                             line of jostle; DIR/cells/NAME/cell.json says what to measure
//                 step NAME, folder DIR, session NUMBER, word COMMAND, end
//                             first run the command, which prepares this session, there
//                 failed N, broken N, held N
//                             there is no other; so many targets failed; so many cells could not
//                             be measured; so many are being measured by another jostle
//                 stuck 1     no further cell would do better; a message was printed
//   ended STATUS              the exit status of jostle for that cell
//   prepared                  the session is: ask for the next cell again
// The end of stdin ends it.

#ifndef CAMPAIGN_DRIVE_H
#define CAMPAIGN_DRIVE_H

#include "campaign.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

// ---- scratch.c: the empty working folder of a cell

struct scratch {
    char path[PATH_MAX]; // "": there is none
    char note[PATH_MAX + HOST_NAME_MAX + 16];
    int fd; // locked, as long as we live; -1: it cannot be
};

// Makes one in base for the cell whose records are in folder. False after a message.
bool scratch_make(struct scratch *scratch, const char *base, const char *folder);
// Removes it, with everything in it.
void scratch_remove(struct scratch *scratch);

// ---- drive.c

struct drive {
    const struct campaign *campaign;
    const struct states *states;
    struct scratch scratch;
    size_t next;      // index of the cell to look at next
    bool full;        // nothing can be written any more
    size_t failed;    // cells whose target failed
    size_t broken;    // cells that could not be measured
    size_t held;      // cells that another jostle measures
    unsigned session; // that was prepared last, or is being prepared; 0: none
    // Where the campaign is: a bar on a terminal, a line for each cell in a log. While a cell is
    // measured, all that happens is one look at its status.json a second, and that only where there
    // is a terminal.
    bool terminal;
    size_t finished;
    size_t current; // index of the cell that is being measured
    bool measuring;
    double since_s; // when it began
    struct means means;
    bool *waiting; // is it still to be measured
};

// ---- cell_files.c

const char *drive_cell_name(const struct drive *drive, size_t index);
// A file of a cell, or with "" its folder. Returns path.
const char *drive_cell_path(const struct drive *drive, size_t index, const char *file,
                            char path[PATH_MAX]);
// Writes a file of a cell. False with errno.
bool drive_save(const char *path, const json_t *record, size_t flags);
// Says that a file or folder cannot be written, from errno. Returns false.
bool drive_complain_unwritable(const char *path);

// ---- outcome.c

// What came out of a cell, in a line: "slowdown 1.370 [1.350, 1.390], 24 runs", or what is
// said of the metrics that were requested, or of the variants, from its result.json; "done"
// where that cannot be read. Returns text.
const char *outcome_text(const char *result_path, char *text, size_t size);

// ---- progress.c

// The cell of that index is being measured from now on.
void progress_begin(struct drive *drive, size_t index);
// Says what became of the current cell. reason may be "".
void progress_end(struct drive *drive, const char *state, const char *reason);
// Draws the bar, where there is a terminal, and takes it away.
void progress_draw(const struct drive *drive);
void progress_clear(const struct drive *drive);

// ---- ended.c

// The current cell has ended with that exit status of jostle.
void drive_end_cell(struct drive *drive, int status);

#endif
