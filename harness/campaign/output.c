#include "output.h"

#include <stdio.h>
#include <string.h>

void print_safe(FILE *stream, const char *text, const char *allowed)
{
    for (; *text != '\0'; text++)
        if (allowed == NULL || strchr(allowed, *text) != NULL)
            fputc(*text, stream);
        else if (((unsigned char)*text & 0xC0) != 0x80) /* not inside a UTF-8 character */
            fputc('_', stream);
}

int print_end(void)
{
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
