#include "output.h"

#include "json.h"

#include "common/messages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// How an object is written: one line, or a document for people, too.
static const size_t line_form = JSON_COMPACT | JSON_REAL_PRECISION(FIGURE_DIGITS);
static const size_t document_form = JSON_INDENT(2) | JSON_REAL_PRECISION(RECORD_DIGITS);

static bool write_object(const json_t *object, FILE *stream, size_t form)
{
    return json_dumpf(object, stream, form) == 0 && fputc('\n', stream) != EOF &&
           fflush(stream) == 0;
}

static bool unwritten(const char *path)
{
    return complain("stats: %s cannot be written (%s): check the folder and its space", path,
                    strerror(errno));
}

static bool write_and_rename(const json_t *object, const char *temporary, int fd, const char *path,
                             size_t form)
{
    FILE *stream = fdopen(fd, "w");
    if (!stream) {
        close(fd);
        return false;
    }
    // Readable as any new file would be, which mkstemp does not do.
    bool good = fchmod(fd, 0644) == 0 && write_object(object, stream, form) && fsync(fd) == 0;
    good = fclose(stream) == 0 && good;
    return good && rename(temporary, path) == 0;
}

// A device, a pipe, a folder or a link to one: to be written to as it is. To rename
// over it would replace it, for every program on the machine if it is /dev/null.
static bool is_special(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

static bool write_directly(const json_t *object, const char *path)
{
    FILE *file = fopen(path, "w");
    bool good = file && write_object(object, file, line_form);
    if (file)
        good = fclose(file) == 0 && good;
    return good || unwritten(path);
}

static bool write_renamed(const json_t *object, const char *path, size_t form)
{
    char *temporary = NULL;
    if (asprintf(&temporary, "%s.XXXXXX", path) < 0)
        return unwritten(path);
    int fd = mkstemp(temporary);
    bool good = fd >= 0 && write_and_rename(object, temporary, fd, path, form);
    if (!good) {
        unwritten(path);
        if (fd >= 0)
            unlink(temporary);
    }
    free(temporary);
    return good;
}

bool output_json(const json_t *object, const char *path, FILE *stream)
{
    if (strcmp(path, "-") == 0)
        return write_object(object, stream, line_form) || unwritten("the summary");
    return is_special(path) ? write_directly(object, path) : write_renamed(object, path, line_form);
}

bool output_document(const json_t *object, const char *path)
{
    return write_renamed(object, path, document_form);
}
