#!/usr/bin/env bats
# The targets at sizes that take seconds.

load ../helpers

@test "qap proves the stated optimum of every instance shipped of up to 15 places" {
    local file
    local -i count=0
    for file in "$ROOT"/workloads/instances/*.dat; do
        [[ $(head -n 1 "$file") -le 15 ]] || continue
        run -0 "$WORKLOADS/qap" "$file"
        [[ $output == "optimum $(awk 'NF { last = $2 } END { print last }' "$file"), verified"* ]]
        count+=1
    done
    ((count >= 7))
}
