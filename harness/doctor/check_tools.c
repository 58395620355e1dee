/* The programs that the commands in bash need. */

#include "checks.h"

#include "common/child.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"

/* Whether the first "MAJOR.MINOR" of the text is at least that; false where there is none. */
static bool is_at_least(const char *text, unsigned major, unsigned minor)
{
    unsigned have_major, have_minor;
    if (sscanf(text + strcspn(text, DIGITS), "%u.%u", &have_major, &have_minor) != 2)
        return false;
    return have_major > major || (have_major == major && have_minor >= minor);
}

static void add_version(struct findings *findings, const char *program, const char *version,
                        unsigned major, unsigned minor)
{
    char advice[96];
    (void)snprintf(advice, sizeof advice, "install %s %u.%u or newer, and put it first in PATH",
                   program, major, minor);
    if (is_at_least(version, major, minor))
        findings_add(findings, program, STATUS_OK, NULL, "%s %.*s (needed: %u.%u or newer)",
                     program, (int)strcspn(version, "("), version, major, minor);
    else
        findings_add(findings, program, STATUS_WARN, advice, "%s %.*s is too old", program,
                     (int)strcspn(version, "("), version);
}

/* harness/jostle, which is bash, says which one; an older one does not come so far. */
void check_bash(struct findings *findings)
{
    const char *version = getenv("JOSTLE_BASH_VERSION");
    if (version == NULL)
        findings_add(findings, "bash", STATUS_UNKNOWN, NULL,
                     "started without jostle, which says which bash it has");
    else
        add_version(findings, "bash", version, 4, 4);
}

void check_jq(struct findings *findings)
{
    char path[PATH_MAX], *said = NULL;
    const char *const argv[] = {"jq", "--version", NULL};
    if (!child_find("jq", path)) {
        findings_add(findings, "jq", STATUS_WARN, "install jq 1.5 or newer",
                     "jq is not installed: records are written, but no tables and reports");
        return;
    }
    if (child_run(argv, -1, &said) == 0) {
        said[strcspn(said, "\n")] = '\0';
        add_version(findings, "jq", strncmp(said, "jq-", 3) == 0 ? said + 3 : said, 1, 5);
    } else {
        findings_add(findings, "jq", STATUS_WARN, "install jq 1.5 or newer",
                     "%s does not run: no tables and reports", path);
    }
    free(said);
}
