/* Control lines: what comes on stdin of loadgen --control, in pieces. The first byte says in which.
 */
#include "frame/fuzz.h"

#include "common/units.h"
#include "frame.h"

#include <stdlib.h>
#include <string.h>

const enum fuzz_input fuzz_input = FUZZ_BYTES;

static void check_command(char *text, size_t length)
{
    struct rate rate;
    const char *end = text + length;
    const struct command command = command_read(text, length);
    fuzz_require(command.word != NULL);
    if (command.kind == COMMAND_RATE || command.kind == COMMAND_MARK)
        fuzz_require(command.argument > text && command.argument <= end);
    if (command.kind == COMMAND_RATE)
        (void)units_rate(command.argument, &rate);
}

/* Takes the lines that are there; returns how many bytes they had. */
static void take(struct lines *lines)
{
    char text[LINES_LONGEST];
    size_t length;
    enum lines_answer answer;
    while ((answer = lines_take(lines, text, &length)) != LINES_NONE)
        if (answer == LINES_ONE) {
            fuzz_require(length < LINES_LONGEST && text[length] == '\0');
            fuzz_require(memchr(text, '\n', length) == NULL);
            check_command(text, length);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lines *lines = calloc(1, sizeof *lines);
    const size_t most = size == 0 ? 1 : data[0] + 1U;
    fuzz_require(lines != NULL);
    while (size > 0) {
        size_t room;
        char *to = lines_room(lines, &room);
        fuzz_require(room > 0);
        room = room < size ? room : size;
        room = room < most ? room : most;
        memcpy(to, data, room);
        lines_added(lines, room);
        data += room;
        size -= room;
        take(lines);
    }
    free(lines);
    return 0;
}
