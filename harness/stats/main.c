// stats: what to run next, and what the runs so far show. The same records and
// seed give the same answers: it never reads a clock.

#include "command_line.h"
#include "commands.h"
#include "experiment.h"
#include "judge.h"
#include "output.h"
#include "protocol.h"
#include "result.h"

#include "common/file.h"
#include "common/messages.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

// The hub of one experiment: commands on stdin, raw lines of meter and the loads
// from FIFOs, records to the folder, answers on stdout.

// What an earlier session left that cannot be used.

// The records' conditions by block, a bit each.
static uint64_t *conditions_by_block(const struct settings *settings, const json_t *records,
                                     size_t blocks)
{
    uint64_t *seen = calloc(blocks + 1, sizeof *seen);
    for (size_t i = 0; seen && i < json_array_size(records); i++) {
        const json_t *record = json_array_get(json_array_get(records, i), 1);
        const char *name = json_string_value(json_object_get(record, "condition"));
        const int condition = name ? settings_condition(settings, name) : -1;
        const double block = judge_number(record, "block");
        if (condition >= 0 && block > 0 && block <= (double)blocks)
            seen[(size_t)block] |= (uint64_t)1 << condition;
    }
    return seen;
}

static size_t last_block(const json_t *records)
{
    double last = 0;
    for (size_t i = 0; i < json_array_size(records); i++) {
        const double block = judge_number(json_array_get(json_array_get(records, i), 1), "block");
        if (block > last && block <= MAX_RUNS_LIMIT)
            last = block;
    }
    return (size_t)last;
}

static bool is_of_host(const struct experiment *experiment, const json_t *record, const char *host)
{
    const char *its = json_string_value(json_object_get(record, "host"));
    if (!its)
        its = json_string_value(
            json_object_get(json_object_get(experiment->json, "environment"), "host"));
    return !its || strcmp(its, host) == 0;
}

// Of `records` ([[number of the line, record], ...]) the numbers of those that
// must be made again on `host`: a block that another host began, as pairs are made
// of runs on one machine, and the run whose failure ended the experiment. A new
// array; NULL if memory ran out.
static json_t *resume_unusable(const struct experiment *experiment, const json_t *records,
                               const char *host)
{
    const struct settings *settings = &experiment->settings;
    const size_t blocks = last_block(records), width = settings->condition_count;
    const uint64_t all = width >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << width) - 1;
    uint64_t *seen = conditions_by_block(settings, records, blocks);
    json_t *numbers = seen ? json_array() : NULL;
    for (size_t i = 0; numbers && i < json_array_size(records); i++) {
        json_t *number = json_array_get(json_array_get(records, i), 0);
        const json_t *record = json_array_get(json_array_get(records, i), 1);
        const double block = judge_number(record, "block");
        if (!(block > 0) || block > (double)blocks)
            continue;
        const bool is_open = seen[(size_t)block] != all;
        const enum failure failure = judge_failure(record);
        // What did not keep the objective in time is an answer.
        const bool is_answer = settings_has_capacity(settings) && failure == FAILURE_TIMED_OUT;
        if (!(is_answer || judge_counts(failure, judge_exit_code(record), &settings->ignored)) ||
            (is_open && !is_of_host(experiment, record, host)))
            json_array_append(numbers, number);
    }
    free(seen);
    return numbers;
}

// Writes into the last entry of experiment.json's `resumed` how many runs were
// there and how many of them were set aside. False where there is no such entry,
// or it is of an earlier session.
static bool resume_note(struct experiment *experiment, size_t runs, size_t set_aside)
{
    json_t *resumed = json_object_get(experiment->json, "resumed");
    json_t *last = json_array_get(resumed, json_array_size(resumed) - 1);
    // A complete experiment is left as it is; its last entry has its numbers.
    if (!json_is_object(last) || json_object_get(experiment->json, "after"))
        return false;
    return json_object_set_new(last, "runs", json_integer((json_int_t)runs)) == 0 &&
           json_object_set_new(last, "set_aside", json_integer((json_int_t)set_aside)) == 0;
}

// Takes over what an earlier session left. Sets aside what cannot be used.
static bool take_over(struct hub *hub, size_t *set_aside)
{
    struct folder *folder = &hub->folder;
    json_t *records = NULL, *numbers = NULL;
    bool good = folder_repair(folder) && folder_read(folder, &records);
    if (good && folder->broken_line > 0)
        complain("%s: line %zu is no record: it is left out, the other runs are used", folder->runs,
                 folder->broken_line);
    numbers = good ? resume_unusable(&hub->experiment, records, hub->host) : NULL;
    *set_aside = json_array_size(numbers);
    if (good && *set_aside > 0) {
        complain("%zu run%s in %s set aside, to be made again: failed, or begun in a block on "
                 "another host",
                 *set_aside, *set_aside == 1 ? "" : "s", folder->path);
        json_decref(records);
        good = folder_set_aside(folder, numbers) && folder_read(folder, &records);
    }
    for (size_t i = 0; good && i < json_array_size(records); i++)
        good = course_replay(&hub->course, json_array_get(json_array_get(records, i), 1));
    hub->earlier = hub->folder.lines = hub->course.session.count;
    json_decref(numbers);
    json_decref(records);
    return good;
}

static bool write_experiment(const struct hub *hub)
{
    char *path = folder_file(&hub->folder, "experiment.json");
    const bool good = path && output_document(hub->experiment.json, path);
    free(path);
    return good;
}

// Whether experiment.json is what this jostle wrote: until we had the lock, another one
// could write its own.
static bool is_ours(struct hub *hub)
{
    char stamp[LOCK_STAMP_SIZE];
    char *path = folder_file(&hub->folder, "experiment.json");
    lock_stamp(path ? path : "", stamp);
    free(path);
    if (!hub->command->written || strcmp(stamp, hub->command->written) == 0)
        return true;
    snprintf(hub->folder.error, sizeof hub->folder.error,
             "another jostle has begun to measure into %.300s: choose another folder",
             hub->folder.path);
    return false;
}

// Opens everything. False with `folder.error` set, or after a message on stderr.
static bool open_all(struct hub *hub)
{
    const char *path = hub->command->experiment;
    size_t set_aside = 0;
    struct utsname machine;
    hub->host = strdup(uname(&machine) == 0 ? machine.nodename : "unknown");
    hub->warnings = json_array();
    hub->steps = json_array();
    if (!folder_open(&hub->folder, path) || !is_ours(hub) ||
        !experiment_open(&hub->experiment, path) || !course_init(&hub->course, &hub->experiment) ||
        !take_over(hub, &set_aside))
        return false;
    return !resume_note(&hub->experiment, hub->earlier, set_aside) || write_experiment(hub);
}

// Whether the harness has to hear that the service has died while a run is made.
static bool is_news(const struct hub *hub)
{
    return hub->await && hub->awaits_run && hub->service_died && !hub->death_said;
}

// Answers an await once every source has sent its event. That the service has died, which
// is watched while a run is made, may be the answer instead.
static bool advance(struct hub *hub)
{
    bool all = true;
    for (size_t i = 0; hub->await && i < hub->sources.count; i++) {
        struct source *source = &hub->sources.source[i];
        while (source->event && hub->await) {
            json_t *line = source_next(source);
            if (line) {
                if (!commands_event(hub, source, line))
                    return false;
            } else if (source->fd < 0 && source->optional) {
                free(source->event);
                source->event = NULL;
            } else if (source->fd < 0) {
                return hub_fail(hub, source->id, "");
            } else {
                break;
            }
        }
        all = all && (!source->event || strcmp(source->event, "died") == 0);
    }
    if (!all && is_news(hub)) {
        hub->await = false;
        hub->death_said = true;
        return hub_answer(hub, "died");
    }
    if (!hub->await || !all)
        return true;
    hub->await = false;
    return hub_answer(hub, "ok");
}

struct input {
    char text[65536];
    size_t length;
    bool ended;
};

static bool read_input(struct input *input)
{
    if (input->length == sizeof input->text)
        return false; // no command is that long
    const ssize_t got =
        read(STDIN_FILENO, input->text + input->length, sizeof input->text - input->length);
    input->ended = got <= 0;
    input->length += got > 0 ? (size_t)got : 0;
    return true;
}

static bool take_commands(struct hub *hub, struct input *input)
{
    char *end;
    while (input->length > 0 && (end = memchr(input->text, '\n', input->length)) != NULL) {
        *end = '\0';
        if (!commands_take(hub, input->text))
            return false;
        const size_t size = (size_t)(end - input->text) + 1;
        input->length -= size;
        memmove(input->text, end + 1, input->length);
    }
    return true;
}

static bool loop(struct hub *hub)
{
    struct input input = {.length = 0};
    bool good = true, ready;
    while (good && !input.ended) {
        good = advance(hub) && sources_wait(&hub->sources, STDIN_FILENO, &ready);
        if (good && ready)
            good = read_input(&input) && take_commands(hub, &input);
    }
    return good;
}

static void close_all(struct hub *hub)
{
    sources_free(&hub->sources);
    status_free(&hub->status);
    course_free(&hub->course);
    experiment_close(&hub->experiment);
    folder_close(&hub->folder);
    json_decref(hub->probe);
    json_decref(hub->warnings);
    json_decref(hub->after);
    json_decref(hub->steps);
    free(hub->host);
}

// Ctrl-C reaches all of jostle's processes: what it means is jostle's to say, and the
// end of our input ends us.
static void ignore_signals(void)
{
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); // ulimit -f: the write fails, and says why
}

// Serves the experiment in the folder command->experiment until stdin ends.
// Returns the program's exit code.
static int serve_run(const struct command_line *command, FILE *output)
{
    ignore_signals();
    struct hub hub = {.command = command, .output = output, .folder = {.fd = -1}};
    bool good = open_all(&hub);
    if (!good)
        hub_fail(&hub, "-", hub.folder.error); // "": it has been said
    good = good && loop(&hub);
    if (hub.has_begun && !hub.has_ended)
        status_write(&hub.status, &hub.course, "interrupted", NULL);
    if (hub.folder.fd >= 0)
        (void)fdatasync(hub.folder.fd);
    close_all(&hub);
    return good ? 0 : 1;
}

static int run(const struct command_line *command)
{
    if (command->experiment)
        return serve_run(command, stdout);
    if (command->derive)
        return result_derive(command->operands, command->operand_count);
    return protocol_run(command, stdin, stdout);
}

int main(int argc, char **argv)
{
    streams_open();
    struct command_line command;
    command_line_parse(&command, argc, argv);
    const int code = run(&command);
    command_line_free(&command);
    return code;
}
