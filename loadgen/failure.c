#include "failure.h"

#include "engine-state.h"

#include <stdarg.h>
#include <stdio.h>

static void fail(struct run *run, const char *text)
{
    struct engine *engine = run->engine;
    pthread_mutex_lock(&engine->mutex);
    if (engine->failure[0] == '\0')
        snprintf(engine->failure, sizeof engine->failure, "%s", text);
    pthread_mutex_unlock(&engine->mutex);
    engine_report(engine, ENGINE_FAILED);
}

const char *failure_of(const struct run *run)
{
    return run->engine->failure[0] == '\0' ? NULL : run->engine->failure;
}

int run_fail(struct run *run, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fail(run, text);
    return -1;
}

int worker_fail(struct worker *worker, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fail(worker->run, text);
    return -1;
}

void run_warn(struct run *run, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (run->common.calib)
        complain("%s", text); /* stdout is for the record alone */
    else
        report_warning(&run->report, text);
}
