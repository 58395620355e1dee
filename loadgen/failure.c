#include "failure.h"

#include "engine-state.h"

#include <stdarg.h>
#include <stdio.h>

/* The first failure counts. */
static void __attribute__((format(printf, 2, 0)))
fail(struct run *run, const char *format, va_list arguments)
{
    struct engine *engine = run->engine;
    pthread_mutex_lock(&engine->mutex);
    if (engine->failure[0] == '\0')
        vsnprintf(engine->failure, sizeof engine->failure, format, arguments);
    pthread_mutex_unlock(&engine->mutex);
    engine_report(engine, ENGINE_FAILED);
}

const char *failure_of(const struct run *run)
{
    return run->engine->failure[0] == '\0' ? NULL : run->engine->failure;
}

int run_fail(struct run *run, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail(run, format, arguments);
    va_end(arguments);
    return -1;
}

int worker_fail(struct worker *worker, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail(worker->run, format, arguments);
    va_end(arguments);
    return -1;
}

void run_warn(struct run *run, const char *format, ...)
{
    char text[LONGEST_MESSAGE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (run->common.calib)
        complain("%s", text); /* stdout is for the record alone */
    else
        report_warning(&run->report, text);
}
