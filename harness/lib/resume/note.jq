# experiment.json as it was ($old, slurped) and as it is asked for now ($new):
# the old one, with the limits of now and one more entry in `resumed`.
$old[0] as $old | $new[0] as $new
| $old
| .settings = $new.settings
| .cell = ($new.cell // .cell)
| .resumed = (.resumed // []) + [
    { time: $new.before.time, host: $new.environment.host, kernel: $new.environment.kernel, cpu: $new.environment.cpu,
      file_system: $new.environment.file_system, device: $new.environment.device,
      slurm: $new.environment.slurm, runs: $runs, set_aside: $aside, before: $new.before } ]
| del(.stopped, .after)
