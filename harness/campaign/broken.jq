# A cell -> its status, where it could not write its own.
{ schema: "jostle.status/1", cell: .name, key,
    limits: (.settings | with_entries(select(.key | IN("error", "confidence", "min-runs", "max-runs", "max-time", "metric", "at-most")))),
    state: $state, reason: $reason, host: $host, pid: 1, started: $now, updated: $now, runs: 0,
    max_runs: ((.settings["max-runs"] // "30" | tonumber) * (if .load == null then 1 else 2 end)),
    error: null, asked_error: (.settings.error // "0.05" | tonumber), expected_runs: null, spent_s: 0, slurm_job: null }
