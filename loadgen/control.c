#include "control.h"

#include "accounting.h"
#include "calibration.h"
#include "ending.h"
#include "engine.h"
#include "failure.h"
#include "load.h"
#include "rate.h"
#include "window.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <uv.h>

#define LONGEST_INPUT 4096

#define SIGNALS ENDING_SIGNALS

enum phase { PAUSED, STARTING, STEADY, PAUSING, ENDING, ENDED };

struct control {
    struct run *run;
    uv_loop_t loop;
    enum phase phase;
    bool failed, resumed_once;
    uv_signal_t signals[SIGNALS];
    uv_timer_t settle, duration, interval;
    uv_async_t wake;         /* the engine has reported something */
    _Atomic unsigned events; /* bits 1 << enum engine_event */
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_pipe_t pipe;
        uv_tty_t tty;
    } input;
    bool input_open;
    char text[LONGEST_INPUT]; /* of stdin, not looked at yet */
    size_t text_used;
    bool text_ended;
    struct snapshot now, window, at_start, at_mark, at_interval;
};

static void end(struct control *control);
static void read_lines(struct control *control);

/* ---- events on stdout ---- */

static void say(struct control *control, const char *event)
{
    struct line line;
    if (!control->run->report.json)
        return;
    report_open(&line, event);
    report_write(&control->run->report, &line);
}

static void say_error(struct control *control, const char *problem, const char *word)
{
    char text[256];
    snprintf(text, sizeof text, "%s: %.100s: give pause, resume, rate VALUE, mark NAME or quit",
             problem, word);
    report_error(&control->run->report, text);
}

static void say_ready(struct control *control)
{
    struct run *run = control->run;
    struct line line;
    char cpus[2048];
    if (!run->report.json)
        return;
    report_open(&line, "ready");
    line_text(&line, "load", run->load->name);
    line_text(&line, "unit", run->unit);
    line_fixed(&line, "rate", run->rate, 6);
    line_count(&line, "threads", run->threads);
    if (run->threads > 0)
        window_cpus(run, &line);
    else
        line_text(&line, "cpus", cpus_format(&run->cpus, cpus, sizeof cpus));
    line_fixed(&line, "quota_cpus", run->quota_cpus, 6);
    if (run->load->report != NULL && run->load->report->describe != NULL)
        run->load->report->describe(run, &line);
    calibration_describe(run, &line);
    report_write(&run->report, &line);
}

/* Reports what happened between *since and control->now, and moves *since up to that. */
static void report_window(struct control *control, const char *event, const char *mark,
                          struct snapshot *since)
{
    accounting_difference(&control->now, since, &control->window);
    *since = control->now;
    window_report(control->run, event, mark, &control->window);
}

static void say_window(struct control *control, const char *event, const char *mark,
                       struct snapshot *since)
{
    accounting_snapshot(control->run, &control->now);
    report_window(control, event, mark, since);
}

/* ---- phases ---- */

static void become_steady(struct control *control)
{
    if (control->phase != STARTING)
        return;
    control->phase = STEADY;
    say(control, "steady");
}

static void on_settled(uv_timer_t *timer)
{
    become_steady(timer->data);
}

void run_steady(struct run *run)
{
    become_steady(run->control);
}

static void on_interval(uv_timer_t *timer)
{
    struct control *control = timer->data;
    say_window(control, "interval", NULL, &control->at_interval);
    if (control->run->report.broken)
        end(control);
}

static void on_duration(uv_timer_t *timer)
{
    end(timer->data);
}

static uint64_t milliseconds(int64_t time_ns)
{
    return (uint64_t)((time_ns + 999999) / 1000000);
}

/* The duration; for a paced load with operations up to the end of the last one's
 * time, so that a rate of a few a second is met exactly. At most a tenth more. */
static int64_t whole_duration(const struct run *run)
{
    const double wanted_ns = (double)run->common.duration_ns;
    const double each_ns = run->quantum / run->rate * 1e9;
    if (each_ns > wanted_ns / 10)
        return run->common.duration_ns;
    return (int64_t)(ceil(wanted_ns / each_ns) * each_ns);
}

/* The end by --duration. Paced operations end at that very time, although the
 * loop's timer is some milliseconds late. */
static void start_duration(struct control *control)
{
    struct run *run = control->run;
    int64_t length_ns = run->common.duration_ns;
    if (run->load->timed && isfinite(run->rate) && run->rate > 0) {
        length_ns = whole_duration(run);
        engine_set_length(run, length_ns);
    }
    uv_timer_start(&control->duration, on_duration, milliseconds(length_ns) + 1, 0);
}

static void resume(struct control *control)
{
    struct run *run = control->run;
    if (control->phase == STEADY || control->phase == STARTING) {
        say(control, "steady");
        return;
    }
    control->phase = STARTING;
    uv_update_time(&control->loop); /* prepare() may have taken long: timers count from now */
    if (!control->resumed_once && run->common.duration_ns > 0)
        start_duration(control);
    engine_resume(run);
    accounting_snapshot(run, &control->at_mark);
    control->at_interval = control->at_mark;
    if (run->common.interval_ns > 0) {
        const uint64_t interval_ms = milliseconds(run->common.interval_ns);
        uv_timer_start(&control->interval, on_interval, interval_ms, interval_ms);
    }
    control->resumed_once = true;
    if (run->load->process != NULL)
        run->load->process->resume(run); /* a failure is reported as any other is */
}

static void pause_load(struct control *control)
{
    struct run *run = control->run;
    if (control->phase == PAUSED) {
        say(control, "paused");
        return;
    }
    control->phase = PAUSING;
    uv_timer_stop(&control->settle);
    uv_timer_stop(&control->interval);
    engine_pause(run);
    if (run->load->process != NULL)
        run->load->process->pause(run);
}

static void finish(struct control *control)
{
    struct run *run = control->run;
    control->phase = ENDED;
    engine_wait_idle(run);
    accounting_snapshot(run, &control->now); /* before anything is checked: that is no load */
    if (failure_of(run) == NULL && run->load->verify != NULL)
        (void)run->load->verify(run); /* a failure is reported as any other is */
    const char *failure = failure_of(run);
    if (failure != NULL) {
        control->failed = true;
        report_error(&run->report, failure);
    }
    report_window(control, "summary", NULL, &control->at_start);
    engine_stop(run);
    uv_stop(&control->loop);
}

/* Pauses what runs, and then finishes. */
static void end(struct control *control)
{
    struct run *run = control->run;
    if (control->phase == ENDING || control->phase == ENDED)
        return;
    const bool active = control->phase != PAUSED;
    const bool pausing = control->phase == PAUSING;
    control->phase = ENDING;
    uv_timer_stop(&control->interval);
    uv_timer_stop(&control->settle);
    uv_timer_stop(&control->duration);
    if (active && !pausing) {
        engine_pause(run);
        if (run->load->process != NULL)
            run->load->process->pause(run);
    }
    if (!active || run->load->process == NULL)
        finish(control);
}

static void become_paused(struct control *control)
{
    if (control->phase == ENDING) {
        finish(control);
    } else if (control->phase == PAUSING) {
        control->phase = PAUSED;
        say(control, "paused");
        read_lines(control);
    }
}

void run_paused(struct run *run)
{
    become_paused(run->control);
}

/* ---- what the engine reports ---- */

static void on_engine(void *context, enum engine_event event)
{
    struct control *control = context;
    atomic_fetch_or(&control->events, 1U << event);
    uv_async_send(&control->wake);
}

static void on_wake(uv_async_t *wake)
{
    struct control *control = wake->data;
    const unsigned events = atomic_exchange(&control->events, 0);
    if (events & 1U << ENGINE_FAILED)
        end(control);
    if (events & 1U << ENGINE_RUNNING && control->phase == STARTING)
        uv_timer_start(&control->settle, on_settled, milliseconds(control->run->load->settle_ns),
                       0);
    if (events & 1U << ENGINE_IDLE && control->run->load->process == NULL)
        become_paused(control);
}

/* ---- stdin ---- */

static void change_rate(struct control *control, const char *text)
{
    char error[256];
    double rate;
    if (rate_of(control->run, text, &rate, error, sizeof error) != 0)
        report_error(&control->run->report, error);
    else
        engine_set_rate(control->run, rate);
}

static void obey(struct control *control, char *text)
{
    text[strcspn(text, "\r")] = '\0';
    char *argument = strchr(text, ' ');
    if (argument != NULL)
        *argument++ = '\0';
    if (strcmp(text, "pause") == 0 && argument == NULL)
        pause_load(control);
    else if (strcmp(text, "resume") == 0 && argument == NULL)
        resume(control);
    else if (strcmp(text, "quit") == 0 && argument == NULL)
        end(control);
    else if (strcmp(text, "rate") == 0 && argument != NULL)
        change_rate(control, argument);
    else if (strcmp(text, "mark") == 0 && argument != NULL && *argument != '\0')
        say_window(control, "mark", argument, &control->at_mark);
    else
        say_error(control, "not a command", text);
    if (control->run->report.broken)
        end(control);
}

/* Obeys the whole lines that have been read; while a pause is under way the
 * rest has to wait, so that each command meets the state that it expects. */
static void read_lines(struct control *control)
{
    char text[LONGEST_INPUT];
    char *newline;
    while (control->phase != PAUSING && control->phase != ENDING && control->phase != ENDED &&
           (newline = memchr(control->text, '\n', control->text_used)) != NULL) {
        const size_t length = (size_t)(newline - control->text);
        memcpy(text, control->text, length);
        text[length] = '\0';
        control->text_used -= length + 1;
        memmove(control->text, newline + 1, control->text_used);
        obey(control, text);
    }
    if (control->text_used == sizeof control->text) {
        say_error(control, "not a command", "a line that is too long");
        control->text_used = 0;
    }
    if (control->text_ended && control->phase != PAUSING)
        end(control);
}

static void on_buffer(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
    struct control *control = handle->data;
    (void)suggested;
    buffer->base = control->text + control->text_used;
    buffer->len = sizeof control->text - control->text_used;
}

static void on_input(uv_stream_t *stream, ssize_t length, const uv_buf_t *buffer)
{
    struct control *control = stream->data;
    (void)buffer;
    if (length < 0) {
        uv_read_stop(stream);
        control->text_ended = true; /* end of file, or as good as that */
        read_lines(control);
        return;
    }
    control->text_used += (size_t)length;
    read_lines(control);
}

/* A file or /dev/null cannot be polled, and need not be: it is all there. */
static void read_file_input(struct control *control)
{
    ssize_t length;
    while ((length = read(STDIN_FILENO, control->text + control->text_used,
                          sizeof control->text - control->text_used)) > 0) {
        control->text_used += (size_t)length;
        read_lines(control);
    }
    control->text_ended = true;
    read_lines(control);
}

static int open_input(struct control *control)
{
    int error = 0;
    control->input.handle.data = control;
    switch (uv_guess_handle(STDIN_FILENO)) {
    case UV_TTY:
        error = uv_tty_init(&control->loop, &control->input.tty, STDIN_FILENO, 1);
        break;
    case UV_NAMED_PIPE:
    case UV_TCP:
        error = uv_pipe_init(&control->loop, &control->input.pipe, 0);
        if (error == 0)
            error = uv_pipe_open(&control->input.pipe, STDIN_FILENO);
        break;
    default:
        read_file_input(control);
        return 0;
    }
    if (error != 0)
        return error;
    control->input_open = true;
    control->input.handle.data = control;
    return uv_read_start(&control->input.stream, on_buffer, on_input);
}

/* ---- beginning and end ---- */

static void on_signal(uv_signal_t *handle, int number)
{
    (void)number;
    end(handle->data);
}

static void open_handles(struct control *control)
{
    uv_timer_t *timers[] = {&control->settle, &control->duration, &control->interval};
    for (size_t i = 0; i < sizeof timers / sizeof timers[0]; i++) {
        uv_timer_init(&control->loop, timers[i]);
        timers[i]->data = control;
    }
    uv_async_init(&control->loop, &control->wake, on_wake);
    control->wake.data = control;
    for (size_t i = 0; i < SIGNALS; i++) {
        uv_signal_init(&control->loop, &control->signals[i]);
        control->signals[i].data = control;
        if (!ending_is_left_out(ending_signals[i], control->run->common.control))
            uv_signal_start(&control->signals[i], on_signal, ending_signals[i]);
    }
}

static void close_one(uv_handle_t *handle, void *unused)
{
    (void)unused;
    if (!uv_is_closing(handle))
        uv_close(handle, NULL);
}

static void close_loop(struct control *control)
{
    uv_walk(&control->loop, close_one, NULL);
    while (uv_run(&control->loop, UV_RUN_DEFAULT) != 0) /* an uv_stop() may still be pending */
        continue;
    uv_loop_close(&control->loop);
}

/* With a harness: the load must not outlive it, even if it is killed. */
static void bind_to_parent(struct control *control, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
    if (getppid() != parent) /* it died before that was in force */
        end(control);
}

static void begin(struct control *control, pid_t parent)
{
    struct run *run = control->run;
    int error = 0;
    accounting_snapshot(run, &control->at_start);
    control->at_mark = control->at_interval = control->at_start;
    say_ready(control);
    if (!run->common.control) {
        resume(control);
        return;
    }
    bind_to_parent(control, parent);
    error = open_input(control);
    if (error != 0) {
        run_fail(run, "cannot read stdin: %s: give it a pipe", uv_strerror(error));
        end(control);
    }
}

static int prepare(struct control *control)
{
    struct run *run = control->run;
    int failed = engine_create(run, on_engine, control);
    if (failed == 0 && run->load->prepare != NULL)
        failed = run->load->prepare(run);
    if (failed == 0)
        failed = engine_start(run);
    return failed;
}

int control_run(struct run *run)
{
    const pid_t parent = getppid();
    struct control *control = calloc(1, sizeof *control);
    if (control == NULL || uv_loop_init(&control->loop) != 0) {
        complain("cannot start the control plane: %s", strerror(errno));
        free(control);
        return 1;
    }
    control->run = run;
    run->control = control;
    run->loop = &control->loop;
    signal(SIGPIPE, SIG_IGN);
    open_handles(control);
    if (prepare(control) == 0) {
        begin(control, parent);
        if (control->phase != ENDED)
            uv_run(&control->loop, UV_RUN_DEFAULT);
    } else {
        const char *failure = run->engine == NULL ? NULL : failure_of(run);
        report_error(&run->report, failure == NULL ? "out of memory: free some" : failure);
        control->failed = true;
    }
    if (run->engine != NULL)
        engine_stop(run);
    close_loop(control); /* before cleanup: loads may have handles in it */
    if (run->load->cleanup != NULL)
        run->load->cleanup(run);
    const int code = control->failed ? 1 : 0;
    engine_free(run);
    run->control = NULL;
    free(control);
    return code;
}
