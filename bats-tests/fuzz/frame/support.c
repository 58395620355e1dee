#include "fuzz.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where an end of the program leads to while fuzz_returns() is under way. */
static jmp_buf escape;
static bool escapes;

void fuzz_broken(const char *file, int line, const char *promise)
{
    fprintf(stderr, "%s:%d: broken promise: %s\n", file, line, promise);
    abort();
}

/* ---- the ends of the program, and what it says: the linker puts these in their place ---- */

void __wrap_exit(int status) __attribute__((noreturn));
void __real_exit(int status) __attribute__((noreturn));
void __wrap_usage_error(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
bool __wrap_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

void __wrap_exit(int status)
{
    if (escapes)
        longjmp(escape, 1);
    __real_exit(status);
}

/* A message is made, as its arguments may be what is wrong, and is not printed. */
static void __attribute__((format(printf, 1, 0))) make(const char *format, va_list arguments)
{
    char text[4096];
    fuzz_require(vsnprintf(text, sizeof text, format, arguments) > 0);
}

void __wrap_usage_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    make(format, arguments);
    va_end(arguments);
    fuzz_require(escapes);
    longjmp(escape, 1);
}

bool __wrap_complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    make(format, arguments);
    va_end(arguments);
    return false;
}

/* What lies on the way of a longjmp() is no leak of the program, which would have ended. */
void __lsan_disable(void) __attribute__((weak));
void __lsan_enable(void) __attribute__((weak));

bool fuzz_returns(void (*function)(void *context), void *context)
{
    volatile bool returned = false;
    if (__lsan_disable != NULL)
        __lsan_disable();
    escapes = true;
    if (setjmp(escape) == 0) {
        function(context);
        returned = true;
    }
    escapes = false;
    if (__lsan_enable != NULL)
        __lsan_enable();
    return returned;
}

/* ---- inputs ---- */

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    fuzz_require(text != NULL);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

FILE *fuzz_stream(const uint8_t *data, size_t size)
{
    /* fmemopen() takes no empty file. */
    FILE *stream = size == 0 ? fopen("/dev/null", "re") : fmemopen((void *)data, size, "r");
    fuzz_require(stream != NULL);
    return stream;
}

size_t fuzz_line(const uint8_t **data, size_t *size, const uint8_t **line)
{
    *line = NULL;
    if (*size == 0)
        return 0;
    *line = *data;
    const uint8_t *end = memchr(*data, '\n', *size);
    const size_t length = end == NULL ? *size : (size_t)(end - *data);
    const size_t taken = end == NULL ? length : length + 1;
    *data += taken;
    *size -= taken;
    return length;
}

/* ---- files ---- */

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status, (void)kind, (void)walk;
    (void)remove(path);
    return 0;
}

static char folder[PATH_MAX];

static void remove_folder(void)
{
    (void)nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

const char *fuzz_folder(void)
{
    const char *where = getenv("TMPDIR");
    if (folder[0] != '\0')
        return folder;
    snprintf(folder, sizeof folder, "%s/fuzz.XXXXXX", where != NULL ? where : "/tmp");
    fuzz_require(mkdtemp(folder) != NULL);
    fuzz_require(atexit(remove_folder) == 0);
    return folder;
}

const char *fuzz_write(const char *name, const uint8_t *data, size_t size)
{
    static char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", fuzz_folder(), name);
    FILE *file = fopen(path, "we");
    fuzz_require(file != NULL);
    fuzz_require(size == 0 || fwrite(data, size, 1, file) == 1);
    fuzz_require(fclose(file) == 0);
    return path;
}

void fuzz_write_line(const char *name, const uint8_t **data, size_t *size)
{
    const uint8_t *line;
    const size_t length = fuzz_line(data, size, &line);
    (void)fuzz_write(name, line, length);
}
