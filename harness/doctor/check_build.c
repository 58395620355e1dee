/* How this jostle was built. */

#include "checks.h"
#include "common/optional.h"

#include "common/version.h"

void check_libraries(struct findings *findings)
{
    char missing[256];
    if (optional_missing(missing, sizeof missing))
        findings_add(findings, "libraries", STATUS_OK,
                     "install them, and build again with make WITHOUT= (docs/install.md), where "
                     "that is needed",
                     "built without %s", missing);
    else
        findings_add(findings, "libraries", STATUS_OK, NULL, "built with jemalloc and liburing");
}
