#include "optional.h"

#include <stdio.h>

#ifdef WITHOUT_jemalloc
#define JEMALLOC false
#else
#define JEMALLOC true
#endif
#ifdef WITHOUT_liburing
#define LIBURING false
#else
#define LIBURING true
#endif

const struct optional_library optional_libraries[OPTIONALS] = {
    [OPTIONAL_JEMALLOC] = {"jemalloc", JEMALLOC, "alloc has only glibc's allocator"},
    [OPTIONAL_LIBURING] = {"liburing", LIBURING, "io --depth runs threads"},
};

bool optional_missing(char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < OPTIONALS && used < size; i++)
        if (!optional_libraries[i].present)
            used += (size_t)snprintf(text + used, size - used, "%s%s (%s)", used == 0 ? "" : ", ",
                                     optional_libraries[i].name, optional_libraries[i].lost);
    return used > 0;
}

#ifdef JOSTLE_STATIC

#include <nss.h>

bool linked_static(void)
{
    return true;
}

void linked_names(void)
{
    (void)__nss_configure_lookup("hosts", "files dns");
    (void)__nss_configure_lookup("passwd", "files");
}

#else

bool linked_static(void)
{
    return false;
}

void linked_names(void)
{
}

#endif
