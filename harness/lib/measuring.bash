# The settings that a campaign's cell may have, and how their values are checked.
# Sourced, never run.

for measuring_part in common options; do
    # shellcheck source=/dev/null
    source "$JOSTLE_LIB/$measuring_part.bash"
done
unset measuring_part

declare -A options=([aa]='' [at_most]='')
# shellcheck disable=SC2034 # read through a nameref
declare -a experiment_options=(
    'error|E|fraction|0.05|stop when the relative error (half-width of the confidence interval / mean) is at most E'
    'confidence|C|fraction|0.95|confidence of every interval'
    'min-runs|N|count||runs of each condition at least (default: 12, or --max-runs where that is less)'
    'max-runs|N|count|30|runs of each condition at most'
    'max-time|TIME|time||start no further run after TIME'
    'warmup|N|count0|0|runs of each condition before the measurement; recorded as block 0, not used'
    'metric|LIST|metric|wall_s|what must converge: wall_s, user_s, system_s, max_rss_bytes or all'
    'discard-warmup|N|count0|0|leave the first N runs of each condition out of the result; they stay recorded'
    'prepare|CMD|text||run CMD with bash before each run, unmeasured'
    'cleanup|CMD|text||run CMD with bash after each run, unmeasured'
    'cold||flag||empty the page cache before each run: as root all of it, else only what --cold-path names'
    'cold-path|PATH|list||files or folders to put out of the page cache where there is no root'
    'timeout|TIME|time||end a run, and its whole process tree, after TIME'
    'ignore-failure||flag||go on when the target fails'
    'target-cpus|LIST|cpus||pin the target to these CPUs'
    'load-cpus|LIST|cpus||pin the loads to these CPUs'
    'place|PLACE|place||where the loads are, seen from the target: core, smt, l3, node, other-node or machine; pins both'
    'place-cpus|N[:M]|cores||with --place: cores for the target, and for the loads (default: 1, and as many)'
    'nice|N|int||priority of the target, in every condition alike'
    'load-nice|N|int||priority of the loads'
    'settle|TIME|time|1|how long an exec: load runs before a run starts'
    'seed|N|count0||seed of the random order (default: taken from the clock, and recorded)'
    'engine|NAME|engine|meter|who measures a run: meter or hyperfine'
    'strict||flag||refuse to measure on a machine with other load, swapping, throttling or memory pressure'
    'show-output||flag||let the target write to the terminal'
    'output|DIR|text||folder for the records (default: jostle-results/TARGET.TIME)'
    'resume||flag||go on with the experiment in --output DIR, if it holds one: same command, loads and settings'
    'cell|JSON|cell||the cell of a campaign that this is: recorded as it is, and DIR/status.json tells how it stands'
    'json|FILE|text||write the result to FILE too, - for stdout'
    'quiet||flag||print nothing but errors'
    'verbose||flag||show each command on stderr as it is run'
    'help||flag||this text'
)
# shellcheck disable=SC2034 # read through a nameref
declare -a measuring_options=(
    "load|NAME=SPEC|list||a load: a loadgen command line, joined by ' + ', or exec: COMMAND"
    "${experiment_options[@]}"
)
