#include "frame.h"

static void on_stop(uv_signal_t *handle, int number)
{
    struct run *run = handle->data;
    (void)number;
    run->load->process->suspend(run, true);
    // Stops as if nobody had caught the signal: the kernel leaves out a process group that has no
    // shell to continue it. Returns when somebody has continued us.
    uv_signal_stop(handle);
    raise(SIGTSTP);
    uv_signal_start(handle, on_stop, SIGTSTP);
    run->load->process->suspend(run, false);
}

// What a load did between two times: a mark, an interval, all of it.

static void add_percentiles(struct line *line, const char *name, const struct histogram *histogram)
{
    line_object(line, name);
    for (size_t i = 0; i < QUANTILES; i++)
        line_fixed(line, latency_quantiles[i].field,
                   latency_ns(histogram, latency_quantiles[i].quantile), 0);
    line_close(line);
}

// The field "cpus": where the kernel lets the load run, read back from it; null
// when nothing of the load is there to ask about.
static void window_cpus(struct run *run, struct line *line)
{
    struct cpu_list cpus;
    char text[CPUS_TEXT];
    engine_cpus(run, &cpus);
    line_text(line, "cpus", cpus.count == 0 ? NULL : cpus_format(&cpus, text, sizeof text));
}

static void write_window(struct run *run, const char *event, const char *mark,
                         const struct snapshot *window)
{
    struct line line;
    report_open(&line, event);
    if (mark)
        line_text(&line, "mark", mark);
    line_text(&line, "load", run->load->name);
    line_text(&line, "unit", run->unit);
    line_fixed(&line, "offered", per_second(window->offered, window), 6);
    line_fixed(&line, "achieved", per_second(window->amount, window), 6);
    line_count(&line, "late", window->late);
    line_count(&line, "dropped", window->dropped);
    line_fixed(&line, "cpu_s", (double)window->cpu_ns / 1e9, 6);
    line_fixed(&line, "elapsed_s", (double)window->active_ns / 1e9, 6);
    window_cpus(run, &line);
    stages_put_phase(run, &line);
    if (has_operations(run->load)) {
        line_fixed(&line, "rate", run->rate, 6); // null: without a limit
        line_count(&line, "operations", window->operations);
        line_object(&line, "latency");
        add_percentiles(&line, "service", &window->service);
        add_percentiles(&line, "response", &window->response);
        line_close(&line);
    }
    if (run->load->fields)
        run->load->fields(run, window, &line);
    if (run->load->summary_fields && strcmp(event, "summary") == 0)
        run->load->summary_fields(run, window, &line);
    report_write(&run->report, &line);
}

static void print_latency(struct run *run, const char *name, const struct histogram *histogram)
{
    char text[24];
    report_print(&run->report, "  %s:", name);
    for (size_t i = 0; i < QUANTILES; i++)
        report_print(&run->report, "%s %s %s", i > 0 ? "," : "", latency_quantiles[i].words,
                     units_format_time(latency_ns(histogram, latency_quantiles[i].quantile), text,
                                       sizeof text));
    report_print(&run->report, "\n");
}

static void print_window(struct run *run, const char *event, const struct snapshot *window)
{
    char offered[48], achieved[48];
    const bool whole = strcmp(event, "summary") == 0;
    units_format_rate(per_second(window->offered, window), run->unit, offered, sizeof offered);
    units_format_rate(per_second(window->amount, window), run->unit, achieved, sizeof achieved);
    if (strcmp(run->unit, UNIT_NONE) == 0)
        report_print(&run->report, "%s%s: %.3f s CPU in %.3f s\n", run->load->name,
                     whole ? ", in all" : "", (double)window->cpu_ns / 1e9,
                     (double)window->active_ns / 1e9);
    else
        report_print(
            &run->report,
            "%s%s: offered %s, achieved %s, late %llu, dropped %llu, %.3f s CPU in %.3f s\n",
            run->load->name, whole ? ", in all" : "", offered, achieved,
            (unsigned long long)window->late, (unsigned long long)window->dropped,
            (double)window->cpu_ns / 1e9, (double)window->active_ns / 1e9);
    if (whole && has_operations(run->load) && window->operations > 0) {
        print_latency(run, "service", &window->service);
        print_latency(run, "response", &window->response);
    }
}

#define LONG_OPERATION_S 1.0

#define FLUSH_MS 10 // between attempts to write what nobody has read yet

enum phase { PAUSED, STARTING, STEADY, PAUSING, ENDING, ENDED };

// The control lines on stdin: a pipe, a socket, a terminal or a file.
struct input {
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_pipe_t pipe;
        uv_tty_t tty;
    } handle;
    bool open;
    bool is_stream; // else a file, or /dev/null: cannot be polled, and need not be
    bool reading;   // the stream
    bool handing;   // a line is being obeyed
    bool ended, told;
    int error; // of the end, of libuv
    struct lines lines;
};

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
static void hand_on(struct control *control);

// ---- events on stdout ----

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

static void say_ready(struct control *control)
{
    struct run *run = control->run;
    struct line line;
    char cpus[CPUS_TEXT];
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
    line_fixed(&line, "duration_s",
               run->common.duration_ns > 0 ? (double)run->common.duration_ns / 1e9 : NAN, 6);
    if (run->load->describe)
        run->load->describe(run, &line);
    stages_describe(run, &line);
    calibration_describe(run, &line);
    report_write(&run->report, &line);
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
        print_window(control->run, event, &control->window);
    if (control->run->load->notes)
        control->run->load->notes(control->run, event, &control->window);
    tell_moved(control);
    if (control->run->report.json) // last: nothing comes after a summary
        write_window(control->run, event, mark, &control->window);
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
static void end_told(struct control *control)
{
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
        hand_on(control);
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

// A line of `length` bytes, ended by NUL, which is written to.
static void obey(struct control *control, char *text, size_t length)
{
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

// Obeys whole lines; true: all that are there. While a pause is under way the rest has to wait, so
// that each command meets the state that it expects.
static bool obey_lines(struct control *control)
{
    char text[LINES_LONGEST];
    size_t length;
    while (control->phase != PAUSING && control->phase != ENDING && control->phase != ENDED) {
        const enum lines_answer answer = lines_take(&control->input.lines, text, &length);
        if (answer == LINES_NONE)
            return true;
        if (answer == LINES_ONE) {
            obey(control, text, length);
            continue;
        }
        snprintf(text, sizeof text, "a line is too long: give at most %d bytes, with its newline",
                 LINES_LONGEST);
        report_say(&control->run->report, "error", text);
    }
    return false;
}

static void on_buffer(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
    struct control *control = handle->data;
    (void)suggested;
    buffer->base = lines_room(&control->input.lines, &buffer->len);
}

static void on_input(uv_stream_t *stream, ssize_t length, const uv_buf_t *buffer)
{
    struct control *control = stream->data;
    struct input *input = &control->input;
    (void)buffer;
    if (length < 0) {
        input->ended = true;
        input->error = length == UV_EOF ? 0 : (int)length;
    } else {
        lines_added(&input->lines, (size_t)length);
    }
    hand_on(control);
}

// False when nothing more can come, or be taken in.
static bool read_file(struct input *input)
{
    size_t room;
    char *at = lines_room(&input->lines, &room);
    if (input->is_stream || input->ended || room == 0)
        return false;
    const ssize_t length = read(STDIN_FILENO, at, room);
    if (length > 0) {
        lines_added(&input->lines, (size_t)length);
    } else if (length == 0 || errno != EINTR) {
        input->ended = true;
        input->error = length < 0 ? uv_translate_sys_error(errno) : 0;
    }
    return !input->ended;
}

// Obeys what there is: to be called whenever a line may have become acceptable, also from within
// obey().
static void hand_on(struct control *control)
{
    struct input *input = &control->input;
    size_t room;
    bool all;
    if (input->handing || !input->open)
        return;
    input->handing = true;
    do
        all = obey_lines(control);
    while (all && read_file(input));
    input->handing = false;
    // While lines wait that are not taken, more would find no room, which libuv takes for an error.
    (void)lines_room(&input->lines, &room);
    const bool read = input->is_stream && !input->ended && room > 0;
    if (read && !input->reading)
        uv_read_start(&input->handle.stream, on_buffer, on_input);
    else if (!read && input->reading)
        uv_read_stop(&input->handle.stream);
    input->reading = read;
    if (!all || !input->ended || input->told)
        return;
    input->told = true;
    if (input->error != 0)
        run_fail(control->run, "cannot read stdin: %s: give it a pipe", uv_strerror(input->error));
    end_told(control);
}

static void open_input(struct control *control)
{
    struct input *input = &control->input;
    const uv_handle_type type = uv_guess_handle(STDIN_FILENO);
    if (type == UV_TTY)
        input->error = uv_tty_init(&control->loop, &input->handle.tty, STDIN_FILENO, 1);
    else if (type == UV_NAMED_PIPE || type == UV_TCP)
        input->error = uv_pipe_init(&control->loop, &input->handle.pipe, 0);
    if (input->error == 0 && (type == UV_NAMED_PIPE || type == UV_TCP))
        input->error = uv_pipe_open(&input->handle.pipe, STDIN_FILENO);
    input->is_stream =
        input->error == 0 && (type == UV_TTY || type == UV_NAMED_PIPE || type == UV_TCP);
    input->handle.handle.data = control;
    input->ended = input->error != 0;
    input->open = true;
    hand_on(control);
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
    // From now on until the loop is closed. Does nothing for a load that cannot suspend, and where
    // whoever started us ignores SIGTSTP, as a shell without job control does.
    struct sigaction action;
    uv_signal_init(&control->loop, &control->suspended);
    control->suspended.data = control->run;
    if (control->run->load->process && control->run->load->process->suspend &&
        sigaction(SIGTSTP, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
        uv_signal_start(&control->suspended, on_stop, SIGTSTP);
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
        say_ready(control);
        tell_long_operation(control);
        on_room(&control->room);
        if (run->report.broken)
            end(control);
        else if (run->common.control)
            open_input(control);
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
