# The named arguments as the environment object of a result.
$ARGS.named
| { host, os, kernel, architecture, cpu, cpus_online, cpus_allowed, governor,
    virtual_machine: (.virtual_machine == "yes"), memory_bytes,
    load_average: (.load_average | split(" ")[:3] | map(tonumber? // null)),
    clocksource, folder, file_system, device,
    versions: { jostle, bash },
    slurm }
