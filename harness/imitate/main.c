// imitate: which loads are like a recorded neighbour.

#include "imitate.h"

#include "common/messages.h"
#include "common/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void print_folded(const char *format, const char *text, size_t columns)
{
    OWNED char *line = text_of(format, text);
    OWNED char *folded = must(fold_text(line, columns));
    printf("%s\n", folded);
}

static void print_unseen(const struct recording *recording, const struct candidates *candidates,
                         const char *grouped, size_t columns)
{
    if (recording->machine)
        print_folded("unknown: %s",
                     "all but CPU time: this recording is of a whole machine; record the "
                     "neighbour with loadgen record --pid N FILE",
                     columns);
    for (size_t i = 0; i < candidates->unknown.count && !recording->machine; i++)
        print_folded("unknown: %s", candidates->unknown.item[i], columns);
    for (size_t i = 0; i < recording->unseen.count; i++)
        print_folded("not recorded: %s", recording->unseen.item[i], columns);
    if (grouped[0] == '\0')
        print_folded(
            "unknown: %s",
            "in which session or control group it was, which decides its share of the CPUs: "
            "write [group=session] or [group=cgroup] in front of the load where it was in "
            "another one than the target",
            columns);
    print_folded("%s",
                 "How far a slowdown beside such a load is from that beside the neighbour is not "
                 "known: jostle imitate --pid N --check measures it.",
                 columns);
}

static void print_all(const struct recording *recording, const struct candidates *candidates,
                      const struct imitate_request *request)
{
    const size_t columns = fold_columns(STDOUT_FILENO);
    const char *group = neighbour_group(request->pid);
    for (size_t i = 0; i < candidates->count; i++) {
        const struct candidate *one = &candidates->candidate[i];
        if (request->specs) {
            printf("%s%s\n", group, one->spec);
            continue;
        }
        printf("%zu  --load 'n=%s%s'\n", i + 1, group, one->spec);
        OWNED char *text = text_of("   %s: %s.", one->title, one->means);
        OWNED char *folded = must(fold_text(text, columns));
        printf("%s\n\n", folded);
    }
    if (!request->specs)
        print_unseen(recording, candidates, group, columns);
}

int main(int argc, char **argv)
{
    streams_open();
    struct imitate_request request;
    struct recording recording;
    struct candidates candidates;
    const char *path = imitate_parse(&request, argc, argv);
    if (!recording_read(&recording, path, request.times)) {
        recording_free(&recording);
        return EXIT_FAILURE;
    }
    candidates_find(&candidates, &recording, request.times);
    bool any = candidates.count > 0;
    if (any && request.step)
        check_step(&candidates, request.step, request.pid, (double)request.check_ns / 1e9);
    else if (any && request.judge)
        any = check_judge(&candidates, request.judge, request.pid);
    else if (any)
        print_all(&recording, &candidates, &request);
    else
        complain("%s: it did too little for any load to be like it: record it while it works",
                 path);
    candidates_free(&candidates);
    recording_free(&recording);
    return any ? EXIT_SUCCESS : EXIT_FAILURE;
}
