#include "output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const size_t precision = JSON_COMPACT | JSON_REAL_PRECISION(12);

static bool write_line(const json_t *object, FILE *stream)
{
    return json_dumpf(object, stream, precision) == 0 && fputc('\n', stream) != EOF &&
           fflush(stream) == 0;
}

static bool complain(const char *path)
{
    fprintf(stderr,
            "jostle: estimate: %s cannot be written (%s): look at the folder and its space\n", path,
            strerror(errno));
    return false;
}

static bool write_and_rename(const json_t *object, const char *temporary, int fd, const char *path)
{
    FILE *stream = fdopen(fd, "w");
    if (!stream) {
        close(fd);
        return false;
    }
    // Readable as any new file would be, which mkstemp does not do.
    bool good = fchmod(fd, 0644) == 0 && write_line(object, stream);
    good = fclose(stream) == 0 && good;
    return good && rename(temporary, path) == 0;
}

bool output_json(const json_t *object, const char *path, FILE *stream)
{
    if (strcmp(path, "-") == 0)
        return write_line(object, stream) || complain("the summary");
    char *temporary = NULL;
    if (asprintf(&temporary, "%s.XXXXXX", path) < 0)
        return complain(path);
    int fd = mkstemp(temporary);
    bool good = fd >= 0 && write_and_rename(object, temporary, fd, path);
    if (!good) {
        complain(path);
        if (fd >= 0)
            unlink(temporary);
    }
    free(temporary);
    return good;
}
