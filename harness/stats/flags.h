// The cases of warnings, one row each (messages.h says what a reader does with them):
// FLAG(ITS NAME IN C, its name in records, severity, words, advice, bias). Of a PROBLEM the bias
// may be left out: it biases. Those up to UNSTEADY are seen in the values alone (oddities_find).
FLAG(OUTLIERS, "outliers", NOTE,
     "{few} of {all} runs are far from the others ({runs}; {extreme}) {pull}",
     "check what else ran then, or use --statistic median")
FLAG(TWO_MODES, "two-modes", NOTE,
     "the runs fall into two groups, {groups} (the smaller one: {runs}): the share of each group "
     "decides the {statistic}, which may be like no run",
     "find what differs (placement, caches, frequency), or measure the two separately")
FLAG(WARM_UP, "warm-up", NOTE, "the first run {first}, and pulls the mean {pull} %: {meaning}",
     "{remedy}")
FLAG(STEP, "step", PROBLEM_THAT_MATTERS,
     "from run {run} on the level differs by {change} % of the mean: something changed for good, "
     "and the {statistic} mixes two states{pairs}",
     "find out what changed, and measure again")
FLAG(TREND, "trend", PROBLEM_THAT_MATTERS,
     "the runs drift by {change} % of the mean from the first to the last: the {statistic} "
     "depends on when the experiment stops{pairs}",
     "check for heat, a disk that fills up or a cache that grows")
FLAG(AUTOCORRELATION, "autocorrelation", PROBLEM_THAT_MATTERS,
     "neighbouring runs resemble each other (correlation about {rho}): they say less than their "
     "number suggests{known}{pairs}",
     "measure again with a larger --min-runs, or at another time")
FLAG(COARSE_CLOCK, "coarse-clock", PROBLEM, "{clock}", "{remedy}", BIAS_NONE)
FLAG(LOAD_VARIANCE, "load-variance", NOTE,
     "the runs vary {times} times as much as the baseline's ({own} % against {base} %): the load "
     "itself makes the {values} vary, so single runs differ from the {statistic}, and the "
     "interval needs more runs",
     "use a steadier load or a longer input")
FLAG(CARRY_OVER, "carry-over", PROBLEM_THAT_MATTERS,
     "runs of the baseline that directly follow a run with this load {effect} those that follow "
     "an unloaded one ({after} and {others} runs{washout}): the load's after-effects are in the "
     "baseline, and the slowdown is wrong",
     "{remedy}", BIAS_ALL_LOW)
FLAG(UNSTEADY, "unsteady", PROBLEM_THAT_MATTERS,
     "the {effect} changes within the experiment and stays so for a while: {first} over the first "
     "third of the {all} pairs and {last} over the last (correlation of neighbouring pairs about "
     "{rho}): its interval is widened as far as so few pairs allow",
     "find what changes it (a disk or a cache that fills up, heat, other jobs), or let the load "
     "settle, and measure again with a larger --min-runs")
FLAG(FAILED_RUNS, "failed-runs", PROBLEM, "{few} of {all} runs failed ({kinds}): {meaning}",
     "{remedy}", BIAS_LOW)
FLAG(TIMED_OUT, "timed-out", PROBLEM,
     "{few} of {all} runs ran into the time-out: their times are lower bounds, so the {statistic} "
     "is at least what is shown, and has no interval and no slowdown{output}",
     "raise --timeout, or use a shorter input", BIAS_LOW)
FLAG(STEAL, "steal", PROBLEM_OF_SOME,
     "the host took more than 2 % of the target's time during {few} of {all} runs: their times "
     "may be too long",
     "measure at another time, or on a machine of your own")
FLAG(FOREIGN_LOAD, "foreign-load", PROBLEM_OF_SOME,
     "other programs used more than 5 % of the CPUs, or more than one CPU, during {few} of {all} "
     "runs{who}: their times may be too long",
     "end whatever else runs (jostle doctor names it)")
FLAG(SWAP_IN, "swap-in", PROBLEM_OF_SOME,
     "pages came back from swap during {few} of {all} runs: their times may be too long",
     "free memory, or turn swap off with swapoff -a")
FLAG(THROTTLED, "throttled", PROBLEM_OF_SOME,
     "heat throttled the CPUs during {few} of {all} runs: their times may be too long",
     "let the machine cool down")
FLAG(STOPPED, "stopped", PROBLEM,
     "the target, or what measures it, was stopped by a signal during {few} of {all} runs: their "
     "times include that",
     "measure again, and use neither Ctrl-Z nor SIGSTOP; or use --statistic median")
FLAG(
    MEMORY_KILL, "memory-kill", PROBLEM,
    "the kernel killed processes for want of memory during {few} of {all} runs; if one was the "
    "target's, its work is in no figure",
    "free memory, raise the limit of the cgroup, or use a smaller input or load, and measure again")
FLAG(SHARED_NODE, "shared-node", NOTE,
     "other jobs were on the node when {few} of {all} runs began: their times may be too long",
     "request the node exclusively")
FLAG(SHARED_LATER, "shared-node", NOTE,
     "other jobs ({jobs}) came to the node during the measurement: times may be too long",
     "request the node exclusively")
FLAG(SURVIVORS, "survivors", PROBLEM,
     "processes outlived the target in {few} of {all} runs, up to {most} of them: they were "
     "ended, and what they would have done is in no figure",
     "have the target wait for what it starts, or start what is to stay with --setup or --service")
FLAG(SEVERAL_HOSTS, "several-hosts", PROBLEM,
     "the runs were made on several hosts ({hosts}): a slowdown pairs runs of one host, but mean "
     "and variance mix them",
     "where that matters, measure again on one host", BIAS_NONE)
FLAG(UNLIKE_CORES, "unlike-cores", NOTE,
     "the target's CPUs are of unlike speed ({kinds}): its time depends on which of them the "
     "kernel puts it on",
     "give it CPUs of one kind with --target-cpus; jostle topology shows them")
FLAG(CHANGED, "changed", PROBLEM,
     "before the measurement continued after {few}, this changed: {changes}: the figures mix both",
     "measure again into another folder")
FLAG(CHANGED_MEANWHILE, "changed", PROBLEM,
     "while it was measured, and not by its last runs, this changed: {changes}: the figures mix "
     "both",
     "measure again, and do not modify input files meanwhile")
FLAG(STDOUT_NULL, "stdout-null", PROBLEM,
     "the target's stdout is /dev/null, and {program} knows: it does less there than where its "
     "output is read",
     "give --stdout pipe")
FLAG(
    FIXED_TIME, "fixed-time", PROBLEM,
    "the program runs for a fixed time{how}, so what changes is what it gets done, which its times "
    "do not show",
    "{remedy}")
FLAG(LOAD_SHORT, "load-short", PROBLEM,
     "{load} ran at only {percent} % of the requested rate{share}: the full load may cost more",
     "{remedy}", BIAS_LOW)
FLAG(LOAD_NONE, "load-short", PROBLEM,
     "{load} offered nothing in any of {all} runs: at its rate one operation takes longer than a "
     "run",
     "raise the load's rate, or use a longer input", BIAS_LOW)
FLAG(LOAD_UNEVEN, "load-uneven", NOTE,
     "{load} delivered nothing, or less than it offered, in {few} of {all} runs, but enough on "
     "average",
     "measure for longer if single runs matter")
FLAG(LOAD_TIME, "load-time", NOTE,
     "the CPU time of {load} is a lower bound: no control group counts it, and what its processes "
     "used that ended without being waited for is not counted, so it may be taken for foreign-load",
     "measure as root, or where jostle can make a control group")
FLAG(LOAD_WARNING, "load-warning", PROBLEM, "{load}: {text}", "{remedy}", BIAS_LOW)
FLAG(HARNESS_WARNING, "harness-warning", NOTE, "{text}", "repeat the measurement if it matters")
FLAG(NOT_CONVERGED, "not-converged", PROBLEM_THAT_MATTERS, "{error} after {runs}{limit}",
     "{remedy}", BIAS_NONE)
FLAG(RANGE, "range", NOTE, "the objectives are {kept}: the capacity is {bound}{sure}",
     "{end} of --vary to find it")
FLAG(TIME_OUT_MISSED, "time-out-missed", NOTE,
     "{few} of {all} runs ran into the time-out, and count as not keeping the objectives",
     "raise --timeout if a run that keeps them may take as long")
FLAG(STRAY_RUNS, "stray-runs", NOTE,
     "{few} of {all} runs missed the objectives far below the capacity: something else than the "
     "rate made them miss",
     "find out what, such as a cold start or a busy machine; a share of 5 % is allowed for")
FLAG(NOISE, "noise", NOTE, "the {effect} cannot be distinguished from noise{floor}",
     "if you expect an effect, begin a new experiment with a larger --min-runs: continuing this "
     "one until an effect appears produces false positives")
FLAG(NO_RATIO, "no-ratio", NOTE,
     "the baseline counts 0 in all runs, so there is no ratio: stopping and gates ignore this "
     "metric",
     "compare the figures themselves")
FLAG(WASHOUT, "washout", NOTE,
     "{why}{runs} unmeasured run{plural} of the target separate{singular} a loaded run from the "
     "next from block {block} on, and the {excluded} runs before that are set aside",
     "give --washout {runs} to have that from the beginning")
FLAG(CARRY_OVER_SLOW, "carry-over", PROBLEM_THAT_MATTERS,
     "the load's after-effects showed in the baseline's runs even with unmeasured runs of the "
     "target in between, {runs} by now: what fades so slowly may not be gone, and the slowdown is "
     "too close to 1",
     "measure baseline and load apart and compare them, or restore the state with --prepare "
     "(docs/statistics.md#interleaving)",
     BIAS_ALL_LOW)
FLAG(FEW_REQUESTS, "few-requests", PROBLEM,
     "the {quantile} % quantile needs {needed} requests a run (100 beyond it), and {few} of {all} "
     "runs had fewer, down to {least}: a few requests decide it",
     "make each run longer, or take a lower quantile")
FLAG(CLOSED_LOOP, "closed-loop", NOTE,
     "the client waits for an answer before it sends the next request (a closed loop): while the "
     "service stalls nothing is sent, so {names} {verb} out what would have waited (coordinated "
     "omission)",
     "compare it at the same number of connections only; for response times at a given rate use a "
     "client with an open loop, such as wrk2 or vegeta")
FLAG(CLOSED_CAPACITY, "closed-loop", PROBLEM,
     "the client waits for an answer before it sends the next request (a closed loop): while the "
     "service stalls nothing is sent, so {names} {verb} out what would have waited (coordinated "
     "omission), and more seems to be kept than is",
     "use a client with an open loop, such as openloop, vegeta or wrk2")
FLAG(RATE_MISSED, "rate-missed", PROBLEM,
     "the client made {percent} % of the requests that it was told to make ({few} of {all} runs "
     "were off by more than 5 %): {meaning}",
     "lower the rate, or give the client more threads or CPUs; jostle capacity finds the rate "
     "that the service keeps")
FLAG(CLIENT_ERRORS, "client-errors", PROBLEM,
     "the client reported {errors}{share}in {few} of {all} runs: a request that fails is no "
     "answer, and "
     "often a faster one",
     "see the client's output, and the service's in service.stderr")
FLAG(HALVES, "halves-differ", PROBLEM,
     "the second half of a run differs from the first by {change} % ± {error} % ({name}, mean of "
     "{all} runs): the figure depends on how long a run is",
     "let the service warm up in --prepare or with --keep-service, or make each run longer")
FLAG(COLD_START, "cold-start", NOTE,
     "the first run after a start of the service shows {times} times the {metric} of later ones "
     "without a load ({starts} unmeasured): it is in no figure",
     "if a cold service is what you ask about, give --service-warmup 0")
FLAG(START_DIFFERS, "start-differs", PROBLEM,
     "the first measured run after a start of the service shows {times} times the {metric} of the "
     "last one before the next start: {meaning}, so that the figures depend on how long it was up",
     "{remedy}", BIAS_NONE)
FLAG(CLIENT_FULL, "client-full", PROBLEM,
     "in {few} of {all} runs the client computed nearly all the time: it used {cpus} CPUs on "
     "average, of {most} that its threads can use, and the service {service}, so that these "
     "figures are the client's limit rather than the service's",
     "give the client more threads and CPUs, run several clients, or lower the rate")
FLAG(CLIENT_HIT, "client-hit", PROBLEM,
     "beside this load the client waited for a CPU in {client} of its time alone, and the service "
     "in {service}: the load slowed the client rather than the service",
     "keep the load off the client's CPUs with --place, or --target-cpus and --load-cpus")
FLAG(SERVICE_RESTARTED, "service-restarted", PROBLEM,
     "the service ended by itself and was started anew before {few} of {all} runs: what is before "
     "and after that are two servers",
     "see service.stderr for why it ended")
FLAG(SERVICE_APART, "service-apart", PROBLEM,
     "the service has made a session of its own, as a daemon does, and this kernel shares the "
     "CPUs among sessions before it does among threads (autogroup): loads on its CPUs slow it "
     "down by another amount than they would in one session",
     "measure with sysctl kernel.sched_autogroup_enabled=0; a server that starts itself in the "
     "background (pg_ctl start, nginx without daemon off;) can stay in the foreground instead, but "
     "each backend of postgres makes a session whatever you do")
FLAG(SERVICE_ELSEWHERE, "service-elsewhere", PROBLEM,
     "the command of --service used no CPU time while its client ran: another program gives the "
     "answers (a container or a unit of systemd that the command only starts), and its time and "
     "memory are in no figure, nor can foreign load be told from them",
     "have --service be the server itself, or start it before jostle and count its control group "
     "with --account",
     BIAS_NONE)
FLAG(MACHINE_CHANGED, "machine-changed", NOTE,
     "the machine itself changed: by the probe before each block, {what} was {change} {better} "
     "{interval} at the end than at the beginning ({probes} probes): figures are not corrected",
     "check for heat, other jobs and other virtual machines on the host; ratios of runs in the "
     "same block hold")
FLAG(MACHINE_UNUSUAL, "machine-unusual", NOTE,
     "{what} of this machine is {ratio} times slower than its usual{since} ({range}; usual: the "
     "probes of {experiments} earlier experiments)",
     "run jostle blame; if it names nobody, suspect another guest of the host, a sibling thread or "
     "a lower clock")
