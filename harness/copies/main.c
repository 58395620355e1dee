/* copies: starts copies of a program at the same moment, and says what they took. What
 * `jostle pack` measures; by itself any launcher's test of how many fit. */

#include "copy.h"

#include "common/keeper.h"
#include "common/messages.h"
#include "common/streams.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TAIL_BYTES 512

static double seconds(int64_t time_ns)
{
    return (double)time_ns / 1e9;
}

/* The last line that a copy wrote to stderr, into text; "" for none. */
static void last_line(const struct copy *copy, char text[TAIL_BYTES])
{
    const off_t end = copy->stderr_fd < 0 ? 0 : lseek(copy->stderr_fd, 0, SEEK_END);
    const off_t from = end > TAIL_BYTES - 1 ? end - (TAIL_BYTES - 1) : 0;
    ssize_t length = end <= 0 ? 0 : pread(copy->stderr_fd, text, TAIL_BYTES - 1, from);
    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r'))
        length--;
    text[length > 0 ? length : 0] = '\0';
    const char *line = strrchr(text, '\n');
    if (line != NULL)
        memmove(text, line + 1, strlen(line));
}

/* Says how a copy failed; returns our exit status. */
static int failed(const struct copies *copies)
{
    const struct copy *copy = copies->failed;
    const char *name = copy->program->name == NULL ? copy->words[0] : copy->program->name;
    char text[TAIL_BYTES];
    last_line(copy, text);
    if (WIFSIGNALED(copy->status)) {
        const int number = WTERMSIG(copy->status);
        complain("copy %zu of %zu (%s) was ended by signal %d (%s)%s%s", copy->number,
                 copies->count, name, number, strsignal(number), *text == '\0' ? "" : ": ", text);
        return 128 + number;
    }
    complain("copy %zu of %zu (%s) ended with exit status %d%s%s", copy->number, copies->count,
             name, WEXITSTATUS(copy->status), *text == '\0' ? "" : ": ", text);
    return WEXITSTATUS(copy->status);
}

/* The mean wall time of the copies of one program. */
static double mean_s(const struct copies *copies, const struct program_words *program)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < copies->count; i++)
        if (program == NULL || copies->copy[i].program == program) {
            sum += seconds(copies->copy[i].wall_ns);
            count++;
        }
    return sum / (double)count;
}

static bool print(const struct copies *copies)
{
    const struct copies_request *request = copies->request;
    int64_t worst_ns = 0, cpu_ns = 0, peak_bytes = 0;
    for (size_t i = 0; i < copies->count; i++) {
        const struct copy *copy = &copies->copy[i];
        worst_ns = copy->wall_ns > worst_ns ? copy->wall_ns : worst_ns;
        peak_bytes = copy->peak_bytes > peak_bytes ? copy->peak_bytes : peak_bytes;
        cpu_ns += copy->cpu_ns;
    }
    printf("copies %zu\ncopy_s %.9f\n", copies->count, mean_s(copies, NULL));
    for (size_t i = 0; i < request->mix.count && i < copies->count; i++)
        printf("%s_s %.9f\n", request->program[i].name, mean_s(copies, &request->program[i]));
    printf("worst_s %.9f\nmakespan_s %.9f\nthroughput %.9g\ncpu_s %.9f\npeak_bytes %lld\n",
           seconds(worst_ns), seconds(copies->makespan_ns),
           (double)copies->count / seconds(copies->makespan_ns),
           seconds(cpu_ns) / (double)copies->count, (long long)peak_bytes);
    return fflush(stdout) == 0;
}

static int run(struct copies *copies)
{
    if (!copies_run(copies))
        return EXIT_FAILURE;
    if (copies->signal != 0)
        return 128 + copies->signal;
    if (copies->failed != NULL)
        return failed(copies);
    return print(copies) ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    streams_open();
    struct copies_request request;
    struct copies copies;
    int code = EXIT_FAILURE;
    copies_request_read(&request, argc, argv);
    const struct keeper keeper = {.passed = &copies.signals, .name = "copies-keeper"};
    if (copies_prepare(&copies, &request) && keeper_start(&keeper, &code))
        code = run(&copies);
    copies_free(&copies);
    copies_request_free(&request);
    return code;
}
