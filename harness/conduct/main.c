// conduct: makes the runs of one experiment, with what is beside them, and keeps their records.

#include "conduct.h"

#include "harness/stats/json.h"

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

// Opens everything. False with `folder.error` set, or after a message on stderr.
static bool open_all(struct conduct *conduct)
{
    const char *path = conduct->request->experiment, *written = conduct->request->written;
    struct folder *folder = &conduct->folder;
    size_t set_aside = 0;
    char stamp[LOCK_STAMP_SIZE];
    struct utsname machine;
    conduct->host = must(strdup(uname(&machine) == 0 ? machine.nodename : "unknown"));
    conduct->warnings = json_array();
    conduct->undone = json_array();
    conduct->steps = json_array();
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
    if (!experiment_open(&conduct->experiment, path))
        return false;
    course_init(&conduct->course, &conduct->experiment);
    if (!earlier_take_over(conduct, &set_aside))
        return false;
    // The last entry of `resumed` has how many runs were there, and how many of them were set
    // aside. A complete experiment is left as it is; its last entry has its numbers.
    json_t *resumed = json_object_get(conduct->experiment.json, "resumed");
    json_t *last = json_array_get(resumed, json_array_size(resumed) - 1);
    if (!json_is_object(last) || json_object_get(conduct->experiment.json, "after"))
        return true;
    json_extend(last, json_pack("{s:I, s:I}", "runs", (json_int_t)conduct->earlier, "set_aside",
                                (json_int_t)set_aside));
    return conduct_write_experiment(conduct);
}

// Does what bash says until stdin ends. False: no answer can be written.
static bool obey(struct conduct *conduct)
{
    struct lines *commands = &conduct->commands;
    bool good = true;
    char *line;
    size_t length;
    while (good && commands->fd >= 0) {
        (void)lines_read(commands);
        while (good && (line = lines_next(commands, &length)) != NULL)
            good = commands_take(conduct, line);
    }
    return good;
}

static void free_all(struct conduct *conduct)
{
    lines_free(&conduct->commands);
    sources_free(&conduct->sources);
    status_free(&conduct->status);
    course_free(&conduct->course);
    experiment_close(&conduct->experiment);
    folder_close(&conduct->folder);
    json_decref(conduct->probe);
    json_decref(conduct->warnings);
    json_decref(conduct->undone);
    json_decref(conduct->after);
    json_decref(conduct->steps);
    free(conduct->host);
}

// Serves the experiment until stdin ends. Returns the program's exit code.
static int serve(const struct request *request)
{
    // Ctrl-C reaches all of jostle's processes: what it means is jostle's to say, and the
    // end of our input ends us. With ulimit -f the write fails, and says why.
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
    struct conduct conduct = {.request = request,
                              .output = stdout,
                              .commands = {.fd = STDIN_FILENO},
                              .take = commands_take,
                              .folder = {.fd = -1}};
    bool good = open_all(&conduct);
    if (!good)
        (void)conduct_fail(&conduct, "-", conduct.folder.error); // "": it has been said
    good = good && obey(&conduct);
    if (conduct.has_begun && !conduct.has_ended)
        status_write(&conduct.status, &conduct.course, "interrupted", NULL);
    if (conduct.folder.fd >= 0)
        (void)folder_sync(&conduct.folder);
    free_all(&conduct);
    return good ? 0 : 1;
}

#define ROW(name, argument, type, member) OPTION_ROW(struct request, name, argument, type, member)

static const struct option_row rows[] = {
    {ROW("pid", "N", OPTION_COUNT, pid), .minimum = 1, .maximum = 4194304, .preset = "1",
     .help = "the process that measures, for status.json"},
    {ROW("written", "STAMP", OPTION_TEXT, written),
     .help = "refuse if experiment.json is another than the one with this stamp"},
    {ROW("ready", "SECONDS", OPTION_COUNT, ready_s), .minimum = 0, .maximum = 999999,
     .preset = "600",
     .help = "a load that is not ready after SECONDS has failed (0: it may take any time)"},
    {ROW("steady", "SECONDS", OPTION_COUNT, steady_s), .minimum = 0, .maximum = 999999,
     .preset = "60", .help = "or that has not answered anything else after SECONDS"},
    {ROW("quiet", NULL, OPTION_FLAG, quiet), .help = "do not report what is continued"},
    {0},
};

static const char intro[] =
    "Makes the runs of the experiment in FOLDER: it decides which is next, orders it from\n"
    "meter, the loads, the service and the probe, and puts its record together, which it\n"
    "judges and appends to FOLDER/runs.jsonl.\n";

static const char details[] =
    "It holds runs.jsonl locked, keeps status.json of a campaign's cell, and writes\n"
    "result.json. Who starts it (jostle) starts and ends the programs, and does what is to\n"
    "be done around runs. Fields of a line are separated by tabs; on standard input:\n"
    "  meter, service, probe LINES ORDERS\n"
    "  load INDEX NAME CONDITION NODE LINES ORDERS\n"
    "                      -> ok: FIFOs, of what it writes and reads; NODE empty: this one\n"
    "  condition VARIANT SERVICE HOOK...\n"
    "                      of each in turn: which command of meter and of the service's meter\n"
    "                      it has, and which hooks around its runs\n"
    "  await EVENT SOURCE...\n"
    "                      -> ok, when each source (INDEX, meter, service, probe) has sent it\n"
    "  tell LINE SOURCE... tells these a line\n"
    "  close SOURCE...     closes what they read, which ends them\n"
    "  begin US [UPTIME [probe]]\n"
    "                      -> ready, or stop; US: time of day in microseconds, UPTIME: since\n"
    "                      the machine was started; probe: there can be one\n"
    "  go [US [RUNS [-|forecast|line|all [ended]]]]\n"
    "                      makes runs until `stop`: after US microseconds (0: any time), but not\n"
    "                      before RUNS of them; what is said of the progress; ended: meter says\n"
    "                      so before it looks for figures\n"
    "  ok                  an order was carried out\n"
    "  undone INDEX TEXT   in the run that is made, that load has not its settings\n"
    "  end                 -> made RUNS: ends the runs now\n"
    "  after JSON          the kernel's counters at the end, for the result\n"
    "  steps step ID NAME TASKS ELAPSED_S CPU_S MAX_RSS_BYTES STATE\n"
    "                      what a scheduler counted of one step, for the result\n"
    "  steps reason TEXT   or why it counted nothing\n"
    "  warn TEXT           a warning, for the result\n"
    "  left TEXT           the same, of what stays on or undone: kept in experiment.json also\n"
    "                      where there is no result\n"
    "  finish [NAME...]    -> done VERDICT, once all files are written, and of these in FOLDER\n"
    "                      those removed that are empty\n"
    "  ended STATE [REASON]\n"
    "                      how it ended without a result, for status.json\n"
    "and on standard output, besides what follows `->`:\n"
    "  hook prepare|resumed|ran|settled|recorded CONDITION\n"
    "                      an order: before a run; its loads are steady; the target has ended;\n"
    "                      the loads are paused; its record is kept\n"
    "  start probe         an order: start it, and say `probe`\n"
    "  kill meter          end the client that it runs: no answer is wanted\n"
    "  run CONDITION BLOCK ORDER PROGRESS SECONDS_LEFT RUNS_LEFT VALUE\n"
    "                      the run that is next (block 0: it does not count; -1: not known;\n"
    "                      VALUE of --vary)\n"
    "  forecast SECONDS_LEFT cut|- RUNS RUNS_LEFT\n"
    "                      once, after RUNS; cut: by the time\n"
    "  stop REASON RUNS VERDICT, or stop failure RUNS TEXT ADVICE service|target VARIANT\n"
    "                      no run follows: a gate's verdict, or how which of them failed\n"
    "  failed SOURCE TEXT  nothing follows (-: by itself)\n"
    "\n"
    "Exit status:\n"
    "  0  done    1  records or results cannot be read or written    2  wrong use\n";

int main(int argc, char **argv)
{
    streams_open();
    struct request request = {0};
    const struct option_group groups[] = {{.rows = rows, .values = &request}};
    const struct program program = {.name = "conduct",
                                    .usage = "FOLDER",
                                    .intro = intro,
                                    .details = details,
                                    .groups = groups,
                                    .group_count = 1};
    int rest;
    options_free(options_parse(&program, argc, argv, &rest));
    if (argc - rest != 1)
        usage_error("conduct: name the folder of one experiment");
    request.experiment = argv[rest];
    return serve(&request);
}
