/* pack: how many copies of a program fit on a node. It reads and writes files; processes are the
 * shell's.
 *
 *     --expand DIR   what the command line is to measure, as pack-plan.json
 *     --trial DIR    the words that run one copy; what they print becomes DIR/trial.txt
 *     --next DIR     writes the cell of the next stage, which jostle slowdown measures
 *     --derive DIR   pack.json from the records; prints the verdict of --at-most
 *     --show DIR     the same on stdout, with texts for the formats
 *     --page DIR     and with its charts as drawings
 *
 * Without any of these it prints what the shell is to do. */
#include "charts.h"
#include "derive.h"
#include "launcher.h"
#include "next.h"
#include "plan.h"
#include "request.h"
#include "texts.h"

#include "common/messages.h"
#include "common/pair.h"
#include "common/streams.h"
#include "common/units.h"
#include "harness/report/memory.h"
#include "harness/stats/output.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* jostle-results/pack.PROGRAM.TIME.PID, to be freed. */
static char *default_folder(const json_t *plan)
{
    char stamp[32], *name = must(strdup(plan_name(plan)));
    const time_t now = time(NULL);
    struct tm local;
    for (char *c = name; *c != '\0'; c++)
        if (!isascii(*c) || (!isalnum((unsigned char)*c) && strchr("._-", *c) == NULL))
            *c = '_';
    if (strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", localtime_r(&now, &local)) == 0)
        stamp[0] = '\0';
    char *folder = text_of("jostle-results/pack.%.100s.%s.%d", name, stamp, (int)getppid());
    free(name);
    return folder;
}

/* How long the trial may take: no longer than a run, nor than all. */
static int64_t trial_ns(const struct request *request)
{
    int64_t timeout_ns = request->max_time_ns;
    if (request->timeout != NULL)
        (void)units_time(request->timeout, &timeout_ns); /* checked as the option's value */
    return timeout_ns < request->max_time_ns ? timeout_ns : request->max_time_ns;
}

/* What the shell is to do, as pairs of key and value, each ended by NUL. */
static int print_request(const struct request *request)
{
    json_t *plan = plan_make(request);
    char seconds[32], most[32], trial_s[32];
    char *folder = request->output != NULL ? must(strdup(request->output)) : default_folder(plan);
    snprintf(seconds, sizeof seconds, "%lld", (long long)(request->max_time_ns / 1000000000));
    snprintf(trial_s, sizeof trial_s, "%.9g", (double)trial_ns(request) / 1e9);
    snprintf(most, sizeof most, "%zu", plan_most(plan));
    pair_put("folder", folder);
    pair_put("max_time_s", seconds);
    pair_put("trial_s", trial_s);
    pair_put("named", request->output);
    pair_put("setup", request->setup);
    pair_put("prepare", request->prepare);
    pair_put("conclude", request->conclude);
    pair_put("cleanup", request->cleanup);
    pair_put("most", most);
    pair_put("name", plan_name(plan));
    pair_put("place", pack_place_names[request->place]);
    pair_put("format", request->format != NULL ? request->format : "terminal");
    pair_put("json", request->json);
    pair_put_flag("resume", request->resume);
    pair_put_flag("dry_run", request->dry_run);
    pair_put_flag("verbose", request->verbose);
    pair_put_flag("quiet", request->quiet);
    free(folder);
    json_decref(plan);
    return 0;
}

static int expand(const struct request *request)
{
    json_t *plan = plan_make(request);
    const bool good = plan_write(plan, request->expand, request->resume);
    json_decref(plan);
    return good ? 0 : 1;
}

static int trial(const char *dir)
{
    json_t *plan = plan_load(dir);
    if (plan == NULL)
        return 1;
    launcher_print(plan, 0);
    json_decref(plan);
    return 0;
}

static int derive(const char *dir)
{
    json_t *pack = pack_derive(dir);
    char *path = text_of("%s/pack.json", dir);
    const bool good = pack != NULL && output_document(pack, path);
    if (good)
        printf("%s\n", pack_gate(pack) == NULL ? "none" : pack_gate(pack));
    free(path);
    json_decref(pack);
    return good ? 0 : 1;
}

static int show(const char *dir, bool drawn)
{
    json_t *pack = pack_derive(dir);
    if (pack == NULL)
        return 1;
    texts_add(pack);
    if (drawn)
        charts_add(pack);
    const bool good = output_json(pack, "-", stdout);
    json_decref(pack);
    return good ? 0 : 1;
}

int main(int argc, char **argv)
{
    streams_open();
    struct request request;
    int status = 0;
    request_read(&request, argc, argv);
    if (request.expand != NULL)
        status = expand(&request);
    else if (request.trial != NULL)
        status = trial(request.trial);
    else if (request.next != NULL)
        status = next_print(request.next, request.left_s, request.again) ? 0 : 1;
    else if (request.derive != NULL)
        status = derive(request.derive);
    else if (request.show != NULL)
        status = show(request.show, false);
    else if (request.page != NULL)
        status = show(request.page, true);
    else
        status = print_request(&request);
    request_free(&request);
    return fflush(stdout) == 0 ? status : 1;
}
