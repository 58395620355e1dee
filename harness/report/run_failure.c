#include "run_failure.h"

#include "memory.h"

#include <stdlib.h>
#include <string.h>

enum failure { NO_FAILURE, OF_SERVICE, NOT_STARTED, TIMED_OUT, BY_SIGNAL, BY_EXIT, OF_METRIC };

static bool is_known(const struct value *value)
{
    return value != NULL && value->type != VIEW_NULL;
}

static enum failure kind_of(const struct value *run)
{
    if (is_known(view_path(run, "service", "died")))
        return OF_SERVICE;
    if (is_known(view_get(run, "start_error")))
        return NOT_STARTED;
    if (view_true(view_get(run, "timed_out")))
        return TIMED_OUT;
    if (view_is(view_get(run, "signal"), VIEW_NUMBER))
        return BY_SIGNAL;
    if (view_number(view_get(run, "exit_code"), 0) != 0)
        return BY_EXIT;
    return is_known(view_get(run, "metric_failure")) ? OF_METRIC : NO_FAILURE;
}

static char *metric_words(const struct value *failure)
{
    char *metric = view_string(view_get(failure, "metric")),
         *reason = view_string(view_get(failure, "reason"));
    char *text = text_of("metric %s: %s", metric == NULL ? "?" : metric,
                         reason == NULL ? "not known" : reason);
    free(metric);
    free(reason);
    return text;
}

static char *start_words(const struct value *run)
{
    char *error = view_string(view_get(run, "start_error"));
    char *text = text_of("the target could not be started (%s)", error == NULL ? "?" : error);
    free(error);
    return text;
}

char *run_failure(const struct value *run)
{
    switch (kind_of(run)) {
    case NO_FAILURE:
        return NULL;
    case OF_SERVICE:
        return must(strdup("the service ended during the run"));
    case NOT_STARTED:
        return start_words(run);
    case TIMED_OUT:
        return text_of("the target ran into the time-out after %g s",
                       view_number(view_get(run, "wall_s"), 0));
    case BY_SIGNAL:
        return text_of("the target was ended by signal %.0f",
                       view_number(view_get(run, "signal"), 0));
    case BY_EXIT:
        return text_of("the target failed with exit code %.0f",
                       view_number(view_get(run, "exit_code"), 0));
    case OF_METRIC:
        return metric_words(view_get(run, "metric_failure"));
    }
    return NULL;
}

bool run_counts(const struct value *run, const struct value *settings)
{
    const enum failure kind = kind_of(run);
    const struct value *codes = view_get(settings, "ignore_codes");
    if (kind == NO_FAILURE)
        return true;
    if (!view_true(view_get(settings, "ignore_failure")) || kind == NOT_STARTED ||
        kind == OF_SERVICE)
        return false;
    for (const struct value *code = view_first(codes); code != NULL; code = view_next(codes, code))
        if (kind == BY_EXIT && view_number(code, -1) == view_number(view_get(run, "exit_code"), -2))
            return true;
    return view_first(codes) == NULL;
}
