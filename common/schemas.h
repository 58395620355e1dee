#ifndef COMMON_SCHEMAS_H
#define COMMON_SCHEMAS_H

// The names of records: the member "schema" of each, and of its JSON Schema in results/schema. A
// number grows where a reader of the one before would read something wrong.

#define SCHEMA_BENCH             "jostle.bench/1"
#define SCHEMA_BENCH_PLAN        "jostle.bench-plan/1"
#define SCHEMA_BLAME             "jostle.blame/1"
#define SCHEMA_BLAME_HISTORY     "jostle.blame-history/1"
#define SCHEMA_CACHE_EDGE        "jostle.cache-edge/1"
#define SCHEMA_CALIBRATION       "jostle.calibration/1"
#define SCHEMA_CAMPAIGN          "jostle.campaign/1"
#define SCHEMA_CAMPAIGN_STATUS   "jostle.campaign-status/1"
#define SCHEMA_CELL              "jostle.cell/1"
#define SCHEMA_COMPARISON        "jostle.comparison/1"
#define SCHEMA_DEVICE            "jostle.device/1"
#define SCHEMA_DOCTOR            "jostle.doctor/1"
#define SCHEMA_EXPERIMENT        "jostle.experiment/1"
#define SCHEMA_MACHINE           "jostle.machine/1"
#define SCHEMA_METER             "jostle.meter/1"
#define SCHEMA_NOISE             "jostle.noise/1"
#define SCHEMA_OS_NOISE          "jostle.os-noise/1"
#define SCHEMA_PACK              "jostle.pack/1"
#define SCHEMA_PACK_PLAN         "jostle.pack-plan/1"
#define SCHEMA_PAIR              "jostle.pair/1"
#define SCHEMA_PLAN              "jostle.plan/1"
#define SCHEMA_PREDICTION        "jostle.prediction/1"
#define SCHEMA_PROBE_SAMPLE      "jostle.probe-sample/1"
#define SCHEMA_PROFILE           "jostle.profile/1"
#define SCHEMA_PROFILE_NEIGHBOUR "jostle.profile/2"
#define SCHEMA_PROFILE_PLAN      "jostle.profile-plan/1"
#define SCHEMA_PROGRAM           "jostle.program/1"
#define SCHEMA_REPORT            "jostle.report/1"
#define SCHEMA_RESULT            "jostle.result/1"
#define SCHEMA_RUN               "jostle.run/1"
#define SCHEMA_STATUS            "jostle.status/1"
#define SCHEMA_TOPOLOGY          "jostle.topology/1"

#endif
