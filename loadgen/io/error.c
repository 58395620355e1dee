#include "io/error.h"

#include <stdarg.h>
#include <stdio.h>

int io_error_set(struct io_error *error, int status, const char *format, ...)
{
    va_list arguments;

    error->status = status;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return -1;
}
