#include "request.h"

#include "common/messages.h"
#include "common/options.h"
#include "common/text.h"

#include <stdlib.h>
#include <string.h>

#define MOST_COPIES 4096

#define ROW(name, argument, type, member)                                                          \
    OPTION_ROW(struct copies_request, name, argument, type, member)

static const struct option_row rows[] = {
    {ROW("copies", "N", OPTION_COUNT, copies), .minimum = 1, .maximum = MOST_COPIES, .preset = "1",
     .help = "how many copies run at once"},
    {ROW("mix", "NAME=CMD", OPTION_LIST, mix), .check = option_check_assignment, .wrong = "program",
     .help = "one of several programs, in place of PROGRAM; copies are dealt to them in turn"},
    {ROW("pin", "LISTS", OPTION_TEXT, pin), .wrong = "0:x",
     .help = "the CPUs of each copy, lists with a colon between: 0:1 or 0-1:2-3; where there are "
             "more copies than lists they begin again"},
    {ROW("own-folder", NULL, OPTION_FLAG, own_folder),
     .help = "start each copy in an empty folder of its own"},
    {ROW("input", "FILE", OPTION_TEXT, input),
     .help = "stdin of each copy, opened anew for each (default: /dev/null)"},
    {ROW("in-turn", NULL, OPTION_FLAG, in_turn),
     .help = "not at once: each begins when the one before has ended"},
    {0},
};

static const char intro[] =
    "Starts copies of a program at the same moment, waits for all of them, and prints what they "
    "took, a line each: copies; copy_s, the mean of their wall times, and NAME_s that of the "
    "copies of one program of --mix; worst_s, the longest; makespan_s, from the start to the last "
    "end; throughput, copies / makespan in 1/s; cpu_s, CPU time of a copy in the mean; peak_bytes, "
    "memory of the largest process.\n\n"
    "{copy} in a word is the number of the copy, from 1 on, and {scratch} an empty folder of its "
    "own, which is removed at the end. In the environment they are JOSTLE_COPY and JOSTLE_COPIES. "
    "The output of the copies is discarded; of the first that fails the last line of stderr is "
    "shown, and the others are ended.";

static const char details[] =
    "Examples:\n"
    "  copies --copies 2 --pin 0:1 -- ./solver input.dat\n"
    "  copies --copies 4 --mix 'a=./solver in' --mix 'b=./server --port 80{copy}'\n\n"
    "Exit status:\n"
    "  0  all copies ended with 0    1  failure of copies itself    2  wrong use\n"
    "  else that of the copy that failed first; 128 + the signal that ended it";

static void read_mix(struct copies_request *request)
{
    request->program = calloc(request->mix.count, sizeof *request->program);
    if (!request->program)
        usage_error("out of memory: free some");
    for (size_t i = 0; i < request->mix.count; i++) {
        struct program_words *program = &request->program[i];
        const char *text = request->mix.item[i], *equals = strchr(text, '='), *why = "";
        program->name = strndup(text, (size_t)(equals - text));
        program->words = words_split(equals + 1, &program->word_count, &why);
        if (!program->name || !program->words || program->word_count == 0)
            usage_error("--mix %s: %s: give NAME=CMD", text,
                        !program->words ? why : "there is no command");
    }
    request->program_count = request->mix.count;
}

static void read_words(struct copies_request *request, char **words, size_t count)
{
    if (request->mix.count > 0 && count > 0)
        usage_error("--mix and %s: two sorts of programs: give one of them", words[0]);
    if (request->mix.count > 0) {
        read_mix(request);
        return;
    }
    if (count == 0)
        usage_error("no program: give one after --");
    request->program = calloc(1, sizeof *request->program);
    if (!request->program)
        usage_error("out of memory: free some");
    *request->program = (struct program_words){.words = words, .word_count = count};
    request->program_count = 1;
}

// The lists of --pin.
static void read_seats(struct copies_request *request)
{
    char *copy = !request->pin ? NULL : strdup(request->pin), *rest = copy;
    size_t count = 1;
    for (const char *at = request->pin; at && *at != '\0'; at++)
        count += *at == ':';
    if (!request->pin)
        return;
    request->seat = calloc(count, sizeof *request->seat);
    if (!copy || !request->seat)
        usage_error("out of memory: free some");
    for (char *list = strsep(&rest, ":"); list; list = strsep(&rest, ":"))
        if (cpus_parse(list, &request->seat[request->seat_count++]) != 0)
            usage_error("--pin %s: '%s' is no list of CPUs: give lists such as 0:1 or 0-1:2-3",
                        request->pin, list);
    free(copy);
}

void copies_request_read(struct copies_request *request, int argc, char **argv)
{
    const struct option_group groups[] = {{.rows = rows, .values = request}};
    const struct program program = {.name = "copies",
                                    .usage = "[--] PROGRAM [ARGS...]",
                                    .intro = intro,
                                    .details = details,
                                    .groups = groups,
                                    .group_count = 1,
                                    .stop_at_operand = true};
    int rest;
    *request = (struct copies_request){0};
    request->options = options_parse(&program, argc, argv, &rest);
    read_seats(request);
    read_words(request, argv + rest, (size_t)(argc - rest));
}

void copies_request_free(struct copies_request *request)
{
    for (size_t i = 0; i < request->mix.count; i++) {
        free((char *)request->program[i].name);
        free(request->program[i].words);
    }
    free(request->program);
    free(request->seat);
    options_free(request->options);
}
