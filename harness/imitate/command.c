// What the command imitate, and a --load that begins with it, read.

#include "imitate.h"

#include "common/messages.h"
#include "common/text.h"

#include <stdlib.h>
#include <string.h>

#define ROW(name, argument, type, member)                                                          \
    OPTION_ROW(struct imitate_request, name, argument, type, member)

static const struct option_row rows[] = {
    {ROW("times", "X", OPTION_REAL, times), .minimum = 0.001, .maximum = 1000, .preset = "1",
     .help = "scale its rates, and its share of the CPUs, by this: 0.5 is half of the neighbour; a "
             "part without a rate (closed loop) stays as it is"},
    {ROW("candidate", "N", OPTION_COUNT, candidate), .minimum = 1, .maximum = CANDIDATES_MOST,
     .preset = "1", .help = "the one that --load takes: 1 is the best"},
    {ROW("specs", NULL, OPTION_FLAG, specs), .hidden = true,
     .help = "print the specs alone, a line each"},
    {ROW("step", "FOLDER", OPTION_TEXT, step), .hidden = true,
     .help = "say which experiment checks them, with its records in FOLDER"},
    {ROW("judge", "FOLDER", OPTION_TEXT, judge), .hidden = true, .help = "print what came of it"},
    {ROW("pid", "N", OPTION_COUNT, pid), .minimum = 1, .maximum = 1e9, .hidden = true,
     .help = "the neighbour, which runs"},
    {ROW("check-time", "TIME", OPTION_TIME, check_ns), .minimum = 1e9, .maximum = 1e14,
     .preset = "1m", .hidden = true, .help = "--step: how long it takes"},
    {0},
};

static const char intro[] =
    "Prints two or three loads that are like a recorded neighbour, the best first, and for each "
    "what stands for what. FILE is a recording by loadgen record or jostle import.";

const char *imitate_parse(struct imitate_request *request, int argc, char **argv)
{
    const struct option_group groups[] = {{.rows = rows, .values = request}};
    const struct program program = {.name = "jostle imitate",
                                    .usage = "FILE",
                                    .intro = intro,
                                    .groups = groups,
                                    .group_count = 1};
    int rest;
    *request = (struct imitate_request){0};
    options_free(options_parse(&program, argc, argv, &rest));
    if (argc - rest != 1)
        usage_error("imitate takes one recording: jostle imitate [OPTIONS] FILE");
    return argv[rest];
}

// The chosen one of a recording; wrong use ends the program.
static char *choose(const struct imitate_request *request, const char *path)
{
    struct recording recording;
    struct candidates candidates;
    if (!recording_read(&recording, path, request->times))
        exit(2);
    candidates_find(&candidates, &recording, request->times);
    if (candidates.count == 0)
        usage_error("imitate %s: no load is like it: see jostle imitate %s", path, path);
    if (request->candidate > candidates.count)
        usage_error("imitate %s --candidate %lu: it has %zu candidates", path,
                    (unsigned long)request->candidate, candidates.count);
    char *spec = must(strdup(candidates.candidate[request->candidate - 1].spec));
    candidates_free(&candidates);
    recording_free(&recording);
    return spec;
}

const char *imitate_spec(struct arena *arena, const char *part)
{
    struct imitate_request request;
    const char *error, *text = part + strspn(part, " \t\n");
    const size_t length = strlen(IMITATE);
    if (strncmp(text, IMITATE, length) != 0 || !strchr(" \t\n", text[length]))
        return part;
    size_t count = 0;
    char **words = words_split(text, &count, &error);
    if (!words)
        usage_error("load '%s': %s: check its quotes", part, error);
    arena_keep(arena, words);
    return arena_keep(arena, choose(&request, imitate_parse(&request, (int)count, words)));
}
