# A campaign, the status of its cells, the jobs that were submitted for it and
# what Slurm's queue says -> jostle.standing/1.
def lines($text): $text | split("\n")[] | select(. != "") | split("\t");
(reduce $cells[] as $cell ({}; .[$cell.cell] = $cell)) as $status
| (reduce lines($stale) as $line ({}; .[$line[0]] = $line[1])) as $gone
| [lines($waiting) | { id: .[0], job: .[1], state: .[2] }] as $tasks
| [$campaign[0].cells[] as $cell
   | ($status[$cell.name] // { state: "waiting", runs: 0, max_runs: null, error: null, asked_error: null, expected_runs: null })
   | { number: $cell.number, name: $cell.name, state, reason: (.reason // null), host: (.host // null), runs, max_runs, expected_runs,
       error, asked_error, updated: (.updated // null), slurm_job: (.slurm_job // null) }
   # A definition that was changed is another experiment: it waits again.
   | if $status[$cell.name].key? and $cell.key and $status[$cell.name].key != $cell.key then . + { state: "waiting", reason: "its definition was changed" } else . end
   | if .state == "running" and $gone[.name] then . + { state: "stale", reason: $gone[.name] } else . end] as $all
| { schema: "jostle.standing/1", name: $campaign[0].name, folder: $folder,
    counts: (reduce $all[].state as $state ({ cells: ($all | length), done: 0, running: 0, failed: 0, interrupted: 0, stale: 0, waiting: 0 }; .[$state] += 1)),
    jobs: [lines($jobs) | { role: .[2], id: .[3] }
      | .id as $id
      | .states = (if $queue == null then null
                   else reduce ($tasks[] | select(.job == $id) | .state) as $state ({}; .[$state] += 1) end)],
    queue: $queue,
    cells: $all }
