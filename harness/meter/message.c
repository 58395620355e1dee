#include "message.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

bool complain(const char *format, ...)
{
    char line[1024];
    char text[960];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const int length = snprintf(line, sizeof line, "jostle: meter: %s\n", text);
    // When stderr is gone too, there is nobody left to tell.
    if (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0)
        return false;
    return false;
}
