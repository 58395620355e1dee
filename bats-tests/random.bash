# Random numbers for programs of awk, the same in every awk. Sourced, never run.

# For programs of awk: rand() and srand() differ from one awk to the next. random_from(SEED), then random(), from 0 to 1.
# shellcheck disable=SC2034 # for those who source this
RANDOM_AWK='
    function random() {
        random_state = (random_state * 16807) % 2147483647
        return random_state / 2147483647
    }
    function random_from(seed) {
        random_state = (seed * 104729) % 2147483647
        random()
        random()
    }'
