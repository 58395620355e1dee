#include "hub.h"
#include "json.h"
#include "result.h"
#include "session.h"

#include "common/lock.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/options.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

// stats: what to run next, and what the runs so far show. The same records and
// seed give the same answers: it never reads a clock.

// ---- what an earlier session left ----

// What a line of runs.jsonl says of whether its run is to be made again.
struct earlier_run {
    double block;  // NAN: it has none
    int condition; // -1: none that is known
    int exit_code;
    enum failure failure;
    bool is_of_host;
};

struct earlier {
    struct hub *hub;
    struct earlier_run *run;
    size_t count, capacity;
    struct replay replay;
};

static void take_line(void *to, json_t *record)
{
    struct earlier *earlier = to;
    const struct experiment *experiment = &earlier->hub->experiment;
    const char *host = json_text_at(record, "host");
    if (!host)
        host = json_text_at(json_object_get(experiment->json, "environment"), "host");
    earlier->run = grown(earlier->run, earlier->count, &earlier->capacity, sizeof *earlier->run);
    earlier->run[earlier->count++] = (struct earlier_run){
        .block = json_number_at(record, "block"),
        .condition =
            settings_condition(&experiment->settings, json_text_or_empty(record, "condition")),
        .exit_code = judge_exit_code(record),
        .failure = judge_failure(record),
        .is_of_host = !host || strcmp(host, earlier->hub->host) == 0,
    };
    replay_line(&earlier->replay, record);
}

// Whether each line's run must be made again: one of a block that another host began, as pairs are
// made of runs on one machine, and the run whose failure ended the experiment. *count: how many.
// To be freed.
static bool *resume_unusable(const struct earlier *earlier, size_t *count)
{
    const struct settings *settings = &earlier->hub->experiment.settings;
    const size_t width = settings->condition_count;
    const uint64_t all = width >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << width) - 1;
    double blocks = 0;
    for (size_t i = 0; i < earlier->count; i++)
        if (earlier->run[i].block > blocks && earlier->run[i].block <= MAX_RUNS_LIMIT)
            blocks = earlier->run[i].block;
    // The conditions of the runs by block, a bit each.
    OWNED uint64_t *seen = must(calloc((size_t)blocks + 1, sizeof *seen));
    for (size_t i = 0; i < earlier->count; i++) {
        const struct earlier_run *run = &earlier->run[i];
        if (run->condition >= 0 && run->block > 0 && run->block <= blocks)
            seen[(size_t)run->block] |= (uint64_t)1 << run->condition;
    }
    bool *unusable = must(calloc(earlier->count + 1, sizeof *unusable));
    *count = 0;
    for (size_t i = 0; i < earlier->count; i++) {
        const struct earlier_run *run = &earlier->run[i];
        if (!(run->block > 0) || run->block > blocks)
            continue;
        const bool is_open = seen[(size_t)run->block] != all;
        // What did not keep the objective in time is an answer.
        const bool is_answer = failure_is_answer(run->failure, settings_has_capacity(settings));
        unusable[i] =
            !(is_answer || failure_counts(run->failure, run->exit_code, &settings->ignored)) ||
            (is_open && !run->is_of_host);
        *count += unusable[i];
    }
    return unusable;
}

// Takes over what an earlier session left. Sets aside what cannot be used, and then takes all of
// the file anew.
static bool take_over(struct hub *hub, size_t *set_aside)
{
    struct folder *folder = &hub->folder;
    struct earlier earlier = {.hub = hub, .replay = {.session = &hub->course.session}};
    bool good = folder_repair(folder) && records_each(folder->runs, take_line, &earlier, false);
    replay_complain(&earlier.replay, folder->runs);
    OWNED bool *unusable = good ? resume_unusable(&earlier, set_aside) : NULL;
    if (good && *set_aside > 0) {
        complain("%zu run%s in %s set aside, to be made again: failed, or begun in a block on "
                 "another host",
                 *set_aside, *set_aside == 1 ? "" : "s", folder->path);
        course_free(&hub->course);
        course_init(&hub->course, &hub->experiment);
        good = folder_set_aside(folder, unusable) &&
               replay_records(&hub->course.session, folder->runs, true);
    }
    hub->earlier = hub->folder.lines = hub->course.session.count;
    free(earlier.run);
    return good;
}

// Opens everything. False with `folder.error` set, or after a message on stderr.
static bool open_all(struct hub *hub)
{
    const char *path = hub->request->experiment, *written = hub->request->written;
    struct folder *folder = &hub->folder;
    size_t set_aside = 0;
    char stamp[LOCK_STAMP_SIZE];
    struct utsname machine;
    hub->host = must(strdup(uname(&machine) == 0 ? machine.nodename : "unknown"));
    hub->warnings = json_array();
    hub->undone = json_array();
    hub->steps = json_array();
    if (!folder_open(folder, path))
        return false;
    // Until we had the lock, another jostle could write an experiment.json of its own.
    OWNED char *description = folder_file(folder, EXPERIMENT_FILE);
    lock_stamp(description, stamp);
    if (written && strcmp(stamp, written) != 0) {
        snprintf(folder->error, sizeof folder->error,
                 "another jostle has begun to measure into %.300s: choose another folder",
                 folder->path);
        return false;
    }
    if (!experiment_open(&hub->experiment, path))
        return false;
    course_init(&hub->course, &hub->experiment);
    if (!take_over(hub, &set_aside))
        return false;
    // The last entry of `resumed` has how many runs were there, and how many of them were set
    // aside. A complete experiment is left as it is; its last entry has its numbers.
    json_t *resumed = json_object_get(hub->experiment.json, "resumed");
    json_t *last = json_array_get(resumed, json_array_size(resumed) - 1);
    if (!json_is_object(last) || json_object_get(hub->experiment.json, "after"))
        return true;
    json_extend(last, json_pack("{s:I, s:I}", "runs", (json_int_t)hub->earlier, "set_aside",
                                (json_int_t)set_aside));
    return hub_write_experiment(hub);
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
            } else if (source->lines.fd < 0 && source->optional) {
                free(source->event);
                source->event = NULL;
            } else if (source->lines.fd < 0) {
                return hub_fail(hub, source->id, "");
            } else {
                break;
            }
        }
        all = all && (!source->event || strcmp(source->event, "died") == 0);
    }
    if (!all && hub->await && hub->awaits_run && hub->service_died && !hub->death_said) {
        hub->await = false;
        hub->death_said = true;
        return hub_answer(hub, "died");
    }
    if (!hub->await || !all)
        return true;
    hub->await = false;
    return commands_arrived(hub);
}

// Takes commands until stdin ends. False: no answer can be written.
static bool loop(struct hub *hub)
{
    struct lines commands = {.fd = STDIN_FILENO};
    bool good = true, ready;
    char *line;
    size_t length;
    while (good && commands.fd >= 0) {
        good = advance(hub) && sources_wait(&hub->sources, commands.fd, &ready);
        if (good && ready)
            (void)lines_read(&commands);
        while (good && (line = lines_next(&commands, &length)) != NULL)
            good = commands_take(hub, line);
    }
    lines_free(&commands);
    return good;
}

// Serves the experiment in the folder command->experiment until stdin ends.
// Returns the program's exit code.
static int serve_run(const struct request *request)
{
    // Ctrl-C reaches all of jostle's processes: what it means is jostle's to say, and the
    // end of our input ends us. With ulimit -f the write fails, and says why.
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
    struct hub hub = {
        .request = request, .output = stdout, .folder = {.fd = -1}, .series = {.fd = -1}};
    bool good = open_all(&hub);
    if (!good)
        hub_fail(&hub, "-", hub.folder.error); // "": it has been said
    good = good && loop(&hub);
    if (hub.has_begun && !hub.has_ended)
        status_write(&hub.status, &hub.course, "interrupted", NULL);
    if (hub.folder.fd >= 0)
        (void)folder_sync(&hub.folder);
    sources_free(&hub.sources);
    status_free(&hub.status);
    course_free(&hub.course);
    experiment_close(&hub.experiment);
    folder_close(&hub.folder);
    json_decref(hub.probe);
    json_decref(hub.warnings);
    json_decref(hub.undone);
    json_decref(hub.after);
    json_decref(hub.steps);
    free(hub.host);
    return good ? 0 : 1;
}

#define ROW(name, argument, type, member) OPTION_ROW(struct request, name, argument, type, member)

static const struct option_row rows[] = {
    {ROW("experiment", "DIR", OPTION_TEXT, experiment),
     .help = "be the hub of the experiment in DIR (see below)"},
    {ROW("derive", NULL, OPTION_FLAG, derive), .help = "write DIR/" RESULT_FILE
                                                       " from DIR/" EXPERIMENT_FILE
                                                       " and DIR/" RUNS_FILE ", for each DIR"},
    {ROW("pid", "N", OPTION_COUNT, pid), .minimum = 1, .maximum = 4194304, .preset = "1",
     .help = "the process that measures, for status.json"},
    {ROW("written", "STAMP", OPTION_TEXT, written),
     .help =
         "with --experiment: refuse if experiment.json is another than the one with this stamp"},
    {ROW("quiet", NULL, OPTION_FLAG, quiet),
     .help = "with --experiment: do not report what is continued"},
    {0},
};

static const char intro[] =
    "Decides what an experiment measures next, and reports what the runs show: it is\n"
    "the hub of an experiment (--experiment), or derives the results of finished\n"
    "ones (--derive). The same records lead to the same decisions; it never reads a\n"
    "clock.\n";

static const char details[] =
    "The hub (--experiment DIR):\n"
    "stats holds DIR/runs.jsonl locked, puts each run's record together from the\n"
    "raw lines of meter and the loads, judges it, appends it, keeps status.json of\n"
    "a campaign's cell, and writes result.json. Commands come on standard input,\n"
    "fields separated by tabs; those with -> are answered by one line, or by\n"
    "`failed SOURCE TEXT`:\n"
    "  meter FIFO              where meter's lines come from\n"
    "  service FIFO            and those of the meter that keeps the service\n"
    "  load INDEX NAME CONDITION NODE FIFO\n"
    "                          and those of a load; NODE empty: this one\n"
    "  probe FIFO              and those of the probe before each block, which may fail\n"
    "  await EVENT SOURCE...   -> ok, when each source (INDEX, meter, service, probe) has sent\n"
    "                          it; `died`: the service ended while a run was made\n"
    "  begin US [UPTIME [probe]]\n"
    "                          -> what is next; US: time of day in microseconds, UPTIME: since\n"
    "                          the machine was started; probe: there is one\n"
    "  record [US]             -> what is next; US: longest round trip of marks, or -\n"
    "  series FIFO VARIANT...  -> made RUNS CONDITION, then what is next: makes runs, by orders "
    "to\n"
    "                          meter's FIFO, up to one of a condition whose VARIANT is -, or what\n"
    "                          is no run. CONDITION: of its last; failed behind it: that one is\n"
    "                          for `record`, and nothing else is said\n"
    "  hold                    ends a series after its run, and an await at once -> silent;\n"
    "                          but not what has been answered meanwhile\n"
    "  end                     ends it now -> made RUNS CONDITION\n"
    "  rested                  -> what is next, after `pause SECONDS`\n"
    "  probed                  -> what is next, after `probe SECONDS`\n"
    "  stop REASON             -> what is next: stop\n"
    "  after JSON              the kernel's counters at the end, for the result\n"
    "  steps step ID NAME TASKS ELAPSED_S CPU_S MAX_RSS_BYTES STATE\n"
    "                          what a scheduler counted of one step, for the result\n"
    "  steps reason TEXT       or why it counted nothing\n"
    "  warn TEXT               a warning, for the result\n"
    "  left TEXT               the same, of what stays on or undone: kept in experiment.json also\n"
    "                          where there is no result\n"
    "  finish [NAME...]        -> done VERDICT, once all files are written, and of these in DIR\n"
    "                          those removed that are empty\n"
    "  ended STATE [REASON]    how it ended without a result, for status.json\n"
    "What is next: `run CONDITION BLOCK ORDER PROGRESS MORE [VALUE]`\n"
    "(block 0: a run that does not count; VALUE of --vary), `pause SECONDS`, `probe SECONDS`\n"
    "(measure the machine), or `stop REASON TEXT [ADVICE]`; TEXT: how the\n"
    "target failed (ADVICE: what to do), else the verdict of a gate so far.\n"
    "\n"
    "Exit status:\n"
    "  0  done    1  records or results cannot be read or written    2  wrong use\n";

int main(int argc, char **argv)
{
    streams_open();
    struct request request = {0};
    const struct option_group groups[] = {{.rows = rows, .values = &request}};
    const struct program program = {.name = "stats",
                                    .usage = "[DIR...]",
                                    .intro = intro,
                                    .details = details,
                                    .groups = groups,
                                    .group_count = 1};
    int rest;
    options_free(options_parse(&program, argc, argv, &rest));
    if (request.derive && rest == argc)
        usage_error("stats: --derive: name the folders of experiments");
    if (!request.derive && rest < argc)
        usage_error("stats: %s: no such operand: folders come with --derive", argv[rest]);
    if (request.derive == (request.experiment != NULL))
        usage_error("stats: give either --experiment or --derive");
    return request.derive ? result_derive(argv + rest, argc - rest) : serve_run(&request);
}
