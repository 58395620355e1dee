#include "salt.h"

#include <sys/random.h>
#include <time.h>
#include <unistd.h>

uint64_t salt(void)
{
    uint64_t number;
    struct timespec now;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) == (ssize_t)sizeof number)
        return number;
    /* Early after the boot, or before Linux 3.17. */
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return ((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec) ^
           ((uint64_t)getpid() * 0x9E3779B97F4A7C15u);
}
