#include "libraries.h"
#include "common/optional.h"

#include "common/version.h"

#include <hwloc.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <uv.h>

#ifndef WITHOUT_jemalloc
#include <jemalloc/jemalloc.h>
#else
#define JEMALLOC_VERSION ""
#endif
#ifndef LIBURING_VERSION
#define LIBURING_VERSION "" /* older headers do not say: the Makefile asks pkg-config */
#endif

void libraries_print(void)
{
    static const char *const versions[OPTIONALS] = {
        [OPTIONAL_JEMALLOC] = JEMALLOC_VERSION, [OPTIONAL_LIBURING] = LIBURING_VERSION};
    char missing[512];
    printf("built with: libuv %s, jansson %s, hwloc %s", uv_version_string(), JANSSON_VERSION,
           HWLOC_VERSION);
    for (size_t i = 0; i < OPTIONALS; i++)
        if (optional_libraries[i].present)
            printf(", %s%s%.*s", optional_libraries[i].name, versions[i][0] == '\0' ? "" : " ",
                   (int)strcspn(versions[i], "-_"), versions[i]);
    putchar('\n');
    if (optional_missing(missing, sizeof missing))
        printf("without: %s\n", missing);
}
