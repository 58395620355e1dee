/* probe --show, --page: what a watch has written, for jostle report. */

#include "harness/probe/commands.h"
#include "harness/probe/history.h"

#include "common/messages.h"
#include "common/record_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_OF_TABLE = 24, ROWS_OF_PAGE = 240 };

int probe_show(int argc, char **argv)
{
    struct histories histories;
    const bool page = strcmp(argv[0], "--page") == 0;
    if (argc != 2)
        usage_error("probe %s: takes one file or folder", argv[0]);
    if (!histories_read(argv[1], &histories))
        return EXIT_FAILURE;
    json_t *record = histories_to_json(&histories, page ? ROWS_OF_PAGE : ROWS_OF_TABLE);
    if (page)
        history_charts_add(record);
    const bool written = json_dumpf(record, stdout, RECORD_FORMAT) == 0 && putchar('\n') != EOF &&
                         fflush(stdout) == 0;
    json_decref(record);
    histories_free(&histories);
    return written ? EXIT_SUCCESS : EXIT_FAILURE;
}
