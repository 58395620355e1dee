#include "cpus.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool has(const struct cpus *cpus, size_t cpu)
{
    return (cpus->bits[cpu / CPUS_WORD_BITS] >> (cpu % CPUS_WORD_BITS) & 1UL) != 0;
}

static bool parse_number(const char **text, size_t *number)
{
    char *end;
    if (!isdigit((unsigned char)**text))
        return false;
    errno = 0;
    const unsigned long value = strtoul(*text, &end, 10);
    if (errno != 0 || value >= CPUS_MAX)
        return false;
    *text = end;
    *number = value;
    return true;
}

bool cpus_parse(struct cpus *cpus, const char *text)
{
    *cpus = (struct cpus){0};
    for (;;) {
        size_t first;
        if (!parse_number(&text, &first))
            return false;
        size_t last = first;
        if (*text == '-') {
            text++;
            if (!parse_number(&text, &last) || last < first)
                return false;
        }
        for (size_t cpu = first; cpu <= last; cpu++)
            cpus->bits[cpu / CPUS_WORD_BITS] |= 1UL << (cpu % CPUS_WORD_BITS);
        if (*text == '\0')
            return true;
        if (*text++ != ',')
            return false;
    }
}

void cpus_format(const struct cpus *cpus, char *text)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t cpu = 0; cpu < CPUS_MAX; cpu++) {
        if (!has(cpus, cpu))
            continue;
        const size_t first = cpu;
        while (cpu + 1 < CPUS_MAX && has(cpus, cpu + 1))
            cpu++;
        char range[32];
        const char *comma = used > 0 ? "," : "";
        const int length = first == cpu
                               ? snprintf(range, sizeof range, "%s%zu", comma, first)
                               : snprintf(range, sizeof range, "%s%zu-%zu", comma, first, cpu);
        if (length < 0 || used + (size_t)length >= CPUS_TEXT_LENGTH)
            return;
        memcpy(text + used, range, (size_t)length + 1);
        used += (size_t)length;
    }
}

bool cpus_pin(const struct cpus *cpus)
{
    return syscall(SYS_sched_setaffinity, 0, sizeof cpus->bits, cpus->bits) == 0;
}

bool cpus_current(struct cpus *cpus)
{
    *cpus = (struct cpus){0};
    return syscall(SYS_sched_getaffinity, 0, sizeof cpus->bits, cpus->bits) > 0;
}
