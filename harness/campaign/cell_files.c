// The files of a cell of the campaign that is being run.

#include "drive.h"

#include "common/memory.h"
#include "common/save.h"
#include "common/text.h"

#include <errno.h>
#include <string.h>

const char *drive_cell_name(const struct drive *drive, size_t index)
{
    return drive->states->list[index].cell_name;
}

const char *drive_cell_path(const struct drive *drive, size_t index, const char *file,
                            char path[PATH_MAX])
{
    return cell_path(drive->campaign->folder, drive_cell_name(drive, index), file, path);
}

bool drive_save(const char *path, const json_t *record, size_t flags)
{
    OWNED char *text = must(json_dumps(record, flags));
    return save_text(path, text, SAVE_STATE);
}

bool drive_complain_unwritable(const char *path)
{
    const int error = errno;
    return complain("%s cannot be written to (%s): %s; then run the same command again, it "
                    "continues from here",
                    path, strerror(error), save_advice_at(error, path));
}
