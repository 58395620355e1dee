// --on: makes a folder for the records of another host, whose jostle measures, and hands the
// command line over.

#include "experiment.h"
#include "nodes.h"

#include "common/machine_json.h"
#include "common/messages.h"
#include "harness/record/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The words of the command line that the host is given: all but what is about this machine.
static void put_words(const struct plan_request *experiment)
{
    static const char *const ours[] = {"on",
                                       "output",
                                       "resume",
                                       "json",
                                       "quiet",
                                       "style",
                                       "export-json",
                                       "export-csv",
                                       "export-markdown",
                                       "export-asciidoc",
                                       "export-orgmode",
                                       NULL};
    struct arena arena = {0};
    const struct option_list words = options_words(experiment->given, ours, &arena);
    for (size_t i = 0; i < words.count; i++)
        pair_put("on_word", words.item[i]);
    // hyperfine's --output is where the target writes.
    if (options_given(experiment->given, "output") && !experiment->session.output) {
        pair_put("on_word", "--stdout");
        pair_put("on_word", experiment->settings.out);
    }
    if (experiment->after_dashes)
        pair_put("on_word", "--");
    for (size_t i = 0; i < experiment->target.count; i++)
        pair_put("on_word", experiment->target.item[i]);
    arena_free(&arena);
}

static void check_elsewhere(const struct plan_request *experiment)
{
    const struct session *session = &experiment->session;
    const bool files = session->json || experiment->session.show_output;
    if (session->cell)
        usage_error("--on and --cell: a cell is measured where its job runs: leave out --on");
    if (session->resume && !session->output)
        usage_error("--resume: which experiment? Give its folder with --output");
    for (size_t i = 0; i < EXPORTS; i++)
        if (strchr(session->on, ',') && (files || session->exports[i].count > 0))
            usage_error("--on %s: --json, --export-... and --show-output are for one host: use "
                        "jostle report with its folder",
                        session->on);
    session_check_files(session);
}

// The program's name, for the folder.
static const char *program_name(struct plan_request *experiment)
{
    const struct option_list *variants = &experiment->settings.variant;
    const char *text = experiment->target.count > 0 ? experiment->target.item[0]
                       : variants->count > 0        ? variants->item[0]
                                                    : "";
    return arena_format(&experiment->arena, "%.*s", (int)strcspn(text, " "), text);
}

static void put_host(struct plan_request *experiment, const char *host, const char *path)
{
    if (*host == '\0' || *host == '-' || host[strspn(host, HOST_CHARACTERS)] != '\0')
        usage_error("--on %s: not the name of a host: give one as ssh has it, such as web1 or "
                    "alice@web1, or several, such as web1,web2",
                    experiment->session.on);
    const bool resume = experiment->session.resume;
    json_t *old = resume ? experiment_known(path) : NULL;
    experiment_folder_open(&experiment->folder, &experiment->arena, path, resume, old != NULL);
    experiment_folder_close(&experiment->folder);
    json_decref(old);
    pair_put("on_host", host);
    pair_put("on_folder", experiment->folder.path);
}

bool elsewhere_write(struct plan_request *experiment)
{
    struct session *session = &experiment->session;
    if (!session->on)
        return true;
    check_elsewhere(experiment);
    const char *path = session->output
                           ? session->output
                           : folder_default(&experiment->arena, program_name(experiment));
    char *rest = arena_format(&experiment->arena, "%s", session->on);
    const bool several = strchr(rest, ',');
    for (char *host; (host = strsep(&rest, ","));)
        put_host(experiment, host,
                 several ? arena_format(&experiment->arena, "%s/%s", path, host) : path);
    put_words(experiment);
    plan_write_session(experiment);
    plan_write_resume(experiment, path);
    return fflush(stdout) == 0;
}
