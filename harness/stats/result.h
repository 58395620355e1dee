#ifndef STATS_RESULT_H
#define STATS_RESULT_H

#include "effect.h"
#include "interval.h"
#include "session.h"

#include "harness/record/objective.h"
#include "harness/record/settings.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

// result.json: all that an experiment showed.

// A new reference to the result of the session's runs: experiment.json's own
// members, and the summary with attribution, warnings and forecast.
json_t *result_build(struct session *session);

// The result of each of the folders from its experiment.json and runs.jsonl
// alone, written to its result.json. One that fails is named on stderr and passed
// over. Returns the exit code: 1 if one failed.
int result_derive(char *const *folders, int count);

// Writes FOLDER/result.json so that no reader sees half of it. False after a
// message on stderr.
bool result_write(const json_t *result, const char *folder);

// The summary: everything that is known at the end, as one JSON object.

// A new reference. Without the verdicts of a gate, which depend on all
// warnings (decide.h).
json_t *summary_build(struct session *session);

// What typically happens to a ratio, and what seldom does.

// Adds to the record of a ratio, whatever its own statistic is:
// - typical, mean: {ratio, ci: [low, high]}; of the mean a bound is null that the runs cannot tell
//   (stragglers above)
// - stragglers: of the condition and of its reference {runs, of, share: [low, high], times,
//   needed}; p: that as uneven a share is chance
// - seldom: the stragglers in words, "Besides, 1 run in 10 (1 in 30 to 1 in 4) takes 10 times as
//   long, none alone: on average 2.4 times."; null where no run straggles.
void ratio_record_add(struct session *session, struct ratio of, json_t *record);

// relation_is_time() of a metric.
bool words_is_time(const struct metric_setting *metric);

// What a comparison of variants is of, by name; load: NULL for alone.
struct words_of {
    const struct metric_setting *metric;
    const char *variant, *reference, *load;
};

struct words_of words_of(const struct settings *settings, size_t condition, size_t metric);

// Such as "new is 4 % [2, 6] faster alone", "new is 1 % [-1, 3] slower beside mem-50, by
// p99_ms", "new: throughput 3 % [1, 5] higher alone (better)", "new takes 2.3 [2.1, 2.5] times
// as long as old alone"; for `same` "new is the same as old within 2 %: ...". `ratio`: above
// 1 is worse. null where there is no ratio.
json_t *words_comparison(const struct settings *settings, size_t condition, size_t metric,
                         const struct interval *ratio);

// Such as "mem-50 changes how new compares with old: 1.05 [1.02, 1.08] times the ratio alone"; of
// an effect that is not seen "is not seen to change".
json_t *words_interaction(const struct settings *settings, struct ratio ratio_of,
                          const struct interval *ratio, enum effect effect);

// Adds to a record of a ratio how people say it: unit, better, of_reference, of_reference_ci, and
// text about the plain quotient: "throughput 0.74 [0.71, 0.78] of alone", "wall_s 1.38 [1.30, 1.45]
// times alone", null where there is no ratio. `reference`: what it is compared with, "alone" for
// the baseline.
void ratio_direction_add(const struct metric_setting *metric, const struct interval *ratio,
                         const char *reference, json_t *object);

// What the time of a condition's runs was made of, as the kernel counted it for the target itself:
// computing, and waiting, of which most is for others. The slowdown by a load has its own account
// (shares.h); this one also says what a baseline lost.

// Gives each condition of a summary the member `time`: where its mean wall time went, with words;
// null where the kernel counts no waiting, where no run was used, and of a service's client.
void waiting_add(const struct session *session, json_t *conditions);

// What settings do for a target beside its neighbours, and what they cost: conditions with
// settings, each beside the same load without them.

// `protection` of a result, a new reference; null where no condition is a load with settings that
// was measured without them, too. `slowdowns` are those of the summary.
json_t *protection_json(struct session *session, const json_t *slowdowns);

// What a client program says of its own measurement, beyond its figures: how many requests
// there were, how many failed, at which rate, and whether the first half of a run was like the
// second. Such helpers are metrics with a role (common/metric.h), in settings.metrics of
// experiment.json; those of an adapter are about the figures of the same adapter.

// Appends the warnings where a figure cannot be what it seems.
void client_warnings(struct session *session, json_t *warnings);

// Adds `client` to each of the result's conditions, in the order of the settings: what the target
// computed and waited for a CPU over the used runs; none where it is the client of no service, or
// its records are those of another program (--account).
void client_add(const struct session *session, json_t *conditions);

// Warns where the client computed all the time that its threads have, and more than the service,
// and where a load made it wait more than the service: then the figures are the client's.
void client_use_warnings(struct session *session, json_t *warnings);

// What a result says of the service whose client the target is.

// Adds `service` to each of the result's conditions, in the order of the settings: what it took
// over the used runs; null where there is none.
void service_add(const struct session *session, json_t *conditions);

// Warns where the service was started anew by no wish of the harness, and where the kernel gave it
// a share of the CPUs of its own.
void service_warnings(const struct session *session, json_t *warnings);

// What the machine itself reached before each block, by the probes in the records: its median,
// spread and drift over the experiment. No figure is ever corrected by it.

// `machine` of a jostle.result/1, a new reference: null where no record has a probe.
// `warnings` gets a note of each reporter that drifted by much.
json_t *machine_json(const struct session *session, json_t *warnings);

// What this machine usually reaches: the medians of the probes of earlier experiments, kept for
// each host and kernel in ${XDG_CACHE_HOME:-~/.cache}/jostle/machine/HOST.jsonl. It shows what no
// counter of this system does: other guests of the host, a sibling thread, a lower clock.

// Compares `machine` of the experiment with the earlier ones of the same host, kernel
// and CPUs, and adds it to them. A new reference to a list of what is surely worse than usual:
// [{"reporter", "ratio", "range": [LOW, HIGH], "since", "experiments"}]; empty where nothing is,
// fewer than USUAL_LEAST are known, or the file cannot be used.
enum { USUAL_LEAST = 5 };
json_t *usual_compare(const json_t *experiment, const json_t *machine);

// Appends a note of each of these to `warnings`.
void usual_warn(const json_t *unusual, json_t *warnings);

// The warnings that records and experiment.json give reason for: runs that the
// machine disturbed, several hosts, what loads and harness said on the way.

// Appends them to `warnings`. Of the blocks that are left out (session_left_out) no figure is made:
// what disturbed those is no matter.
void disturbances_add(const struct session *session, json_t *warnings);

// Whether other programs used the CPUs during many runs of the condition.
bool disturbed_by_others(const struct session *session, size_t condition);

// The same of any condition: the result has a problem that says so, and what only follows from it
// is a note (message.follows). Never of a gate, whose answer names what biases it.
bool disturbed_and_said(const struct session *session);

// Appends a warning to `warnings` where the target's CPUs, as experiment.json has them, are of
// several kinds of cores. Records that do not have the kinds give none.
void unlike_cores_add(const struct experiment *experiment, json_t *warnings);

// What jostle capacity found, for the result and for people.

// `capacity` of a result, a new reference; null where the experiment is no such search.
json_t *capacity_json(struct session *session);

#endif
