// Why a run fails, kept until its end, and what it warns of.

#include "engine.h"

#include <stdarg.h>

const char *failure_of(const struct run *run)
{
    if (!run->engine)
        return "out of memory: free some";
    return run->engine->failure[0] == '\0' ? NULL : run->engine->failure;
}

int run_end(struct run *run, int status, const char *format, ...)
{
    struct engine *engine = run->engine;
    char text[LONGEST_MESSAGE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!engine) {
        complain("%s", text);
        exit(status);
    }
    pthread_mutex_lock(&engine->mutex);
    if (engine->failure[0] == '\0')
        memcpy(engine->failure, text, sizeof text);
    pthread_mutex_unlock(&engine->mutex);
    engine_report(engine, ENGINE_FAILED);
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
        complain("%s", text); // stdout is for the record alone
    else
        report_say(&run->report, "warning", text);
}
