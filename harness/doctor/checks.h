#ifndef DOCTOR_CHECKS_H
#define DOCTOR_CHECKS_H

/* What makes results wrong on this machine. Each check adds one finding. */

#include "findings.h"
#include "noise.h"

/* Clock frequency and sharing of cores. */
void check_governor(struct findings *findings);
void check_turbo(struct findings *findings);
void check_throttling(struct findings *findings, const struct watch *watch);
void check_smt(struct findings *findings, const struct watch *watch);
void check_core_kinds(struct findings *findings);
void check_caches(struct findings *findings);

/* Others at work. */
void check_cpu_use(struct findings *findings, const struct watch *watch);
void check_run_queue(struct findings *findings, const struct watch *watch);
void check_cpu_pressure(struct findings *findings, const struct watch *watch);
void check_memory_pressure(struct findings *findings, const struct watch *watch);
void check_io_pressure(struct findings *findings, const struct watch *watch);
void check_steal(struct findings *findings, const struct watch *watch);
void check_swap(struct findings *findings, const struct watch *watch);

/* How the system is set up. */
void check_thp(struct findings *findings);
void check_aslr(struct findings *findings);
void check_sharing(struct findings *findings);
void check_numa(struct findings *findings);
void check_clock(struct findings *findings);
void check_timer(struct findings *findings);
void check_quota(struct findings *findings);
void check_hardware_counters(struct findings *findings);
void check_virtual(struct findings *findings);

/* How this jostle was built: which optional libraries it lacks, and what is lost with them. */
void check_libraries(struct findings *findings);
/* The programs that the commands in bash need, and their versions. */
void check_bash(struct findings *findings);
void check_jq(struct findings *findings);
/* What a container, or a job, leaves of the machine. */
void check_container(struct findings *findings);
void check_cpus(struct findings *findings);
void check_memory_limit(struct findings *findings);
void check_system_calls(struct findings *findings);
/* Who gives out this machine's time: JOSTLE_SCHEDULERS has lines JOB<TAB>VERSION, JOB empty outside
 * of one, or JOB<TAB>NAME<TAB>COMMAND where that command gives no version; without it none is
 * named. */
void check_scheduler(struct findings *findings);

/* The current folder. */
void check_folder(struct findings *findings);
void check_space(struct findings *findings);

#endif
