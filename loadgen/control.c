// The control plane: one loop on the main thread, with the phases of a load, signals, timers, and
// what the lines on stdin ask for.

#include "input.h"

#define LONG_OPERATION_S 1.0

#define FLUSH_MS 10 // between attempts to write what nobody has read yet

enum phase { PAUSED, STARTING, STEADY, PAUSING, ENDING, ENDED };

struct control {
    struct run *run;
    uv_loop_t loop;
    enum phase phase;
    bool failed, resumed_once, told_long, told_moved;
    uv_signal_t signals[ENDING_SIGNALS], suspended;
    uv_timer_t settle, duration, interval, flush, room;
    uv_prepare_t before_sleep;
    uv_async_t wake;         // the engine has reported something
    _Atomic unsigned events; // bits 1 << enum engine_event
    struct input input;
    struct snapshot now, window, at_start, at_mark, at_interval;
};

static void end(struct control *control);

static void say(struct control *control, const char *event)
{
    struct line line;
    if (!control->run->report.json)
        return;
    report_open(&line, event);
    if (strcmp(event, "steady") == 0)
        stages_put_phase(control->run, &line);
    report_write(&control->run->report, &line);
}

// Said once: the load goes on, but not where it was to be.
static void tell_moved(struct control *control)
{
    struct run *run = control->run;
    struct cpu_list given, now;
    char from[CPUS_TEXT], to[CPUS_TEXT];
    if (control->told_moved || !engine_is_moved(run))
        return;
    control->told_moved = true;
    engine_worker_cpus(run, &given);
    engine_cpus(run, &now);
    run_warn(run,
             "it was put on CPU %s, and by now runs on CPU %s: see who has changed the cpuset or "
             "moved it, and measure again",
             cpus_format(&given, from, sizeof from),
             now.count == 0 ? "?" : cpus_format(&now, to, sizeof to));
}

// Reports what happened between *since and control->now, and moves *since up to that.
static void report_window(struct control *control, const char *event, const char *mark,
                          struct snapshot *since)
{
    accounting_difference(&control->now, since, &control->window);
    *since = control->now;
    if (!control->run->report.json)
        events_print_window(control->run, event, &control->window);
    if (control->run->load->notes)
        control->run->load->notes(control->run, event, &control->window);
    tell_moved(control);
    if (control->run->report.json) // last: nothing comes after a summary
        events_write_window(control->run, event, mark, &control->window);
}

static void say_window(struct control *control, const char *event, const char *mark,
                       struct snapshot *since)
{
    accounting_snapshot(control->run, &control->now);
    report_window(control, event, mark, since);
}

static void on_flush(uv_timer_t *timer)
{
    struct control *control = timer->data;
    if (!report_flush(&control->run->report))
        uv_timer_stop(timer);
}

// Before the loop sleeps: what nobody has read yet is tried again until it is read.
static void before_sleep(uv_prepare_t *prepare)
{
    struct control *control = prepare->data;
    if (!uv_is_active((uv_handle_t *)&control->flush) && report_flush(&control->run->report))
        uv_timer_start(&control->flush, on_flush, FLUSH_MS, FLUSH_MS);
}

// ---- phases ----

static uint64_t milliseconds(int64_t time_ns)
{
    return (uint64_t)((time_ns + 999999) / 1000000);
}

static void on_settled(uv_timer_t *timer)
{
    struct control *control = timer->data;
    if (control->phase != STARTING)
        return;
    control->phase = STEADY;
    say(control, "steady");
}

void run_steady_in(struct run *run, int64_t time_ns)
{
    uv_timer_start(&run->control->settle, on_settled, milliseconds(time_ns), 0);
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

// The end by --duration. Paced operations end at that very time, although the loop's timer is some
// milliseconds late: up to the end of the last one's time, so that a rate of a few a second is met
// exactly. At most a tenth more.
static void start_duration(struct control *control)
{
    struct run *run = control->run;
    int64_t length_ns = run->common.duration_ns;
    const double wanted_ns = (double)length_ns, each_ns = engine_quantum(run) / run->rate * 1e9;
    if (has_operations(run->load) && isfinite(run->rate) && run->rate > 0) {
        if (each_ns <= wanted_ns / 10 && !has_schedule(run) && run->arrivals == ARRIVALS_EVEN)
            length_ns = (int64_t)(ceil(wanted_ns / each_ns) * each_ns);
        engine_set_length(run, length_ns);
    }
    uv_timer_start(&control->duration, on_duration, milliseconds(length_ns) + 1, 0);
}

// An operation that is longer than the load itself, or than a second, is no even flow: what is
// measured meanwhile may see none of it. Said once: a rate may change often.
static void tell_long_operation(struct control *control)
{
    struct run *run = control->run;
    const double quantum = engine_quantum(run), each_s = quantum / run->rate;
    const double length_s = (double)run->common.duration_ns / 1e9;
    const bool is_long = quantum > 1 && each_s > LONG_OPERATION_S;
    char size[48], time[24];
    if (!has_operations(run->load) || !isfinite(each_s) || control->told_long ||
        (!is_long && !(length_s > 0 && each_s > length_s)))
        return;
    control->told_long = true;
    if (strcmp(run->unit, UNIT_BYTES) == 0)
        units_format_size(quantum, size, sizeof size);
    else
        snprintf(size, sizeof size, "%.0f ops", quantum);
    run_warn(run,
             "this rate is one operation (%s) in %s, so a shorter run may have none: give a higher "
             "rate",
             size, units_format_time(each_s * 1e9, time, sizeof time));
}

static void resume(struct control *control)
{
    struct run *run = control->run;
    if (control->phase == STEADY || control->phase == STARTING) {
        say(control, "steady");
        return;
    }
    control->phase = STARTING;
    uv_update_time(&control->loop); // prepare() may have taken long: timers count from now
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
    if (run->load->process)
        run->load->process->resume(run); // a failure is reported as any other is
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
    if (run->load->process)
        run->load->process->pause(run);
}

static void finish(struct control *control)
{
    struct run *run = control->run;
    control->phase = ENDED;
    engine_wait_idle(run);
    engine_drop_owed(run);
    accounting_snapshot(run, &control->now); // before anything is checked: that is no load
    if (!failure_of(run) && run->load->verify)
        (void)run->load->verify(run); // a failure is reported as any other is
    const char *failure = failure_of(run);
    if (failure) {
        control->failed = true;
        report_say(&run->report, "error", failure);
    }
    report_window(control, "summary", NULL, &control->at_start);
    engine_stop(run);
    uv_stop(&control->loop);
}

// Pauses what runs, and then finishes.
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
        if (run->load->process)
            run->load->process->pause(run);
    }
    if (!active || !run->load->process)
        finish(control);
}

// Whoever says so does not wait for the reader of the report.
static void end_told(void *context)
{
    struct control *control = context;
    control->run->report.hurried = true;
    end(control);
}

static void become_paused(struct control *control)
{
    if (control->phase == ENDING) {
        finish(control);
    } else if (control->phase == PAUSING) {
        control->phase = PAUSED;
        say(control, "paused");
        input_hand_on(&control->input);
    }
}

void run_paused(struct run *run)
{
    become_paused(run->control);
}

// ---- what the engine reports ----

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
    const int64_t settle_ns = control->run->load->settle_ns;
    if (events & 1U << ENGINE_RUNNING && control->phase == STARTING)
        run_steady_in(control->run, settle_ns > 0 ? settle_ns : USUAL_SETTLE_NS);
    if (events & 1U << ENGINE_IDLE && !control->run->load->process)
        become_paused(control);
}

// ---- stdin ----

// While a pause is under way a line has to wait, so that each command meets the state that it
// expects.
static bool accepts(void *context)
{
    const struct control *control = context;
    return control->phase != PAUSING && control->phase != ENDING && control->phase != ENDED;
}

static void obey(void *context, char *text, size_t length)
{
    struct control *control = context;
    struct run *run = control->run;
    const struct command command = command_read(text, length);
    char error[256];
    double rate;
    switch (command.kind) {
    case COMMAND_PAUSE:
        pause_load(control);
        break;
    case COMMAND_RESUME:
        resume(control);
        break;
    case COMMAND_QUIT:
        end_told(control);
        break;
    case COMMAND_RATE:
        if (has_schedule(run))
            report_say(&run->report, "error",
                       "rate: --stages sets the rates: start the load with --limit to change it");
        else if (rate_of(run, command.argument, &rate, error, sizeof error) != 0)
            report_say(&run->report, "error", error);
        else
            engine_set_rate(run, rate);
        tell_long_operation(control);
        break;
    case COMMAND_MARK:
        say_window(control, "mark", command.argument, &control->at_mark);
        break;
    default:
        snprintf(error, sizeof error,
                 "not a command: %.100s: give pause, resume, rate VALUE, mark NAME or quit",
                 command.word);
        report_say(&run->report, "error", error);
    }
    if (run->report.broken)
        end(control);
}

// ---- beginning and end ----

static void on_room(uv_timer_t *timer)
{
    struct control *control = timer->data;
    const uint64_t next_ms = room_look(control->run);
    if (next_ms > 0)
        uv_timer_start(timer, on_room, next_ms, 0);
}

static void on_signal(uv_signal_t *handle, int number)
{
    (void)number;
    end_told(handle->data);
}

static void open_handles(struct control *control)
{
    uv_timer_t *timers[] = {&control->settle, &control->duration, &control->interval,
                            &control->flush, &control->room};
    for (size_t i = 0; i < sizeof timers / sizeof timers[0]; i++) {
        uv_timer_init(&control->loop, timers[i]);
        timers[i]->data = control;
    }
    uv_prepare_init(&control->loop, &control->before_sleep);
    control->before_sleep.data = control;
    uv_prepare_start(&control->before_sleep, before_sleep);
    uv_async_init(&control->loop, &control->wake, on_wake);
    control->wake.data = control;
    for (size_t i = 0; i < ENDING_SIGNALS; i++) {
        uv_signal_init(&control->loop, &control->signals[i]);
        control->signals[i].data = control;
        if (!ending_is_left_out(ending_signals[i]))
            uv_signal_start(&control->signals[i], on_signal, ending_signals[i]);
    }
    suspend_watch(&control->suspended, control->run);
}

static void close_one(uv_handle_t *handle, void *unused)
{
    (void)unused;
    if (!uv_is_closing(handle))
        uv_close(handle, NULL);
}

void loop_close(uv_loop_t *loop)
{
    uv_walk(loop, close_one, NULL);
    while (uv_run(loop, UV_RUN_DEFAULT) != 0) // an uv_stop() may still be pending
        continue;
    uv_loop_close(loop);
}

int control_run(struct run *run)
{
    const pid_t parent = getppid();
    struct control *control = calloc(1, sizeof *control);
    if (!control || uv_loop_init(&control->loop) != 0) {
        complain("cannot start the control plane: %s", strerror(errno));
        free(control);
        return 1;
    }
    control->run = run;
    control->input = (struct input){
        .run = run, .context = control, .accepts = accepts, .obey = obey, .at_end = end_told};
    run->control = control;
    run->loop = &control->loop;
    signal(SIGPIPE, SIG_IGN);
    open_handles(control);
    // With a harness: the load must not outlive it, even if it is killed.
    struct watch *watch = run->common.control ? watch_start(parent) : NULL;
    const int unprepared = engine_start(run, on_engine, control);
    watch_stop(watch);
    if (unprepared == 0) {
        accounting_snapshot(run, &control->at_start);
        control->at_mark = control->at_interval = control->at_start;
        events_ready(run);
        tell_long_operation(control);
        on_room(&control->room);
        if (run->report.broken)
            end(control);
        else if (run->common.control)
            input_open(&control->input);
        else
            resume(control);
        if (control->phase != ENDED)
            uv_run(&control->loop, UV_RUN_DEFAULT);
    } else {
        report_say(&run->report, "error", failure_of(run));
        control->failed = true;
    }
    if (run->engine)
        engine_stop(run);
    loop_close(&control->loop); // before the load's cleanup(): it may have handles in it
    const int code = control->failed ? 1 : 0;
    engine_free(run);
    run->control = NULL;
    free(control);
    return code;
}
