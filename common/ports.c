// Knows how many instructions a cycle a kind of processor can start.
#include "ports.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core_kinds.h"
#include "common/machine.h"

#define COLUMNS 4 // of struct ports

// Execution ports of the microarchitectures, as instructions a cycle ("reciprocal throughput" of
// the tables, turned round): add = PADDB..PADDQ and ADD r,r; fma = VFMADD; multiply_add = pairs
// of MULPD and ADDPD. Pxx are Intel's execution ports, FPx AMD's floating-point pipes, Vx Arm's.
//
//   [1] uops.info, PADDD, VFMADD231PD, MULPD, ADDPD, ADD (R64, R64)
//   [2] Agner Fog, Instruction tables, and The microarchitecture of Intel, AMD and VIA CPUs
//   [3] AMD, Software Optimization Guide for the Zen 5 Microarchitecture, publication 58455
//   [4] LLVM, AArch64SchedNeoverseN1.td, V1, N2, V2 and AArch64SchedA64FX.td: the pipes of each,
// after the optimization guides of Arm

static const struct ports haswell = {
    .name = "Intel Haswell or Broadwell",
    .generation = 1,
    .source = "uops.info: FMA on P0, P1; vector add on P1, P5; ADD on P0, P1, P5, P6",
    .add = {0, 2, 2, 4},
    .fma = {0, 2, 2, 2},
    .multiply_add = 1, // ADDPD on P1 alone
};
static const struct ports skylake = {
    .name = "Intel Skylake (client)",
    .generation = 2,
    .source = "uops.info: FMA on P0, P1; vector add on P0, P1, P5; ADD on P0, P1, P5, P6",
    .add = {0, 3, 3, 4},
    .fma = {0, 2, 2, 2},
    .multiply_add = 1,
};
// CPUID does not say how many AVX-512 FMA units there are; most have two.
static const struct ports skylake_server = {
    .name = "Intel Skylake, Cascade Lake or Cooper Lake (server)",
    .generation = 3,
    .source = "uops.info: 64 bytes on P0 (with P1), P5, smaller ones as on Skylake; assumes the "
              "second AVX-512 FMA unit, which some Xeon Bronze, Silver and Gold lack",
    .add = {2, 3, 3, 4},
    .fma = {2, 2, 2, 2},
    .multiply_add = 1,
};
static const struct ports ice_lake = {
    .name = "Intel Ice Lake, Tiger Lake or Rocket Lake (client)",
    .generation = 4,
    .source = "uops.info: FMA of 64 bytes on P0 alone, add on P0, P5; smaller ones as on Skylake",
    .add = {2, 3, 3, 4},
    .fma = {1, 2, 2, 2},
    .multiply_add = 1,
};
static const struct ports ice_lake_server = {
    .name = "Intel Ice Lake (server)",
    .generation = 4,
    .source = "uops.info, Agner Fog: 64 bytes on P0 (with P1), P5; smaller ones as on Skylake",
    .add = {2, 3, 3, 4},
    .fma = {2, 2, 2, 2},
    .multiply_add = 1,
};
static const struct ports sapphire_rapids = {
    .name = "Intel Sapphire, Emerald or Granite Rapids",
    .generation = 5,
    .source = "uops.info: 64 bytes on P0 (with P1), P5; FMA on P0, P1; ADDPD on P1, P5; vector add "
              "on P0, P1, P5; ADD on P0, P1, P5, P6, P10",
    .add = {2, 3, 3, 5},
    .fma = {2, 2, 2, 2},
    .multiply_add = 1.5, // three ports for two instructions
};
static const struct ports zen1 = {
    .name = "AMD Zen or Zen+",
    .generation = 1,
    .source = "Agner Fog: pipes of 16 bytes; FMA and MULPD on FP0, FP1, ADDPD on FP2, FP3; vector "
              "add on FP0, FP1, FP3; ADD on 4 ALUs",
    .add = {0, 1.5, 3, 4},
    .fma = {0, 1, 2, 2},
    .multiply_add = 2,
};
static const struct ports zen2 = {
    .name = "AMD Zen 2",
    .generation = 2,
    .source = "Agner Fog, uops.info: FMA and MULPD on FP0, FP1, ADDPD on FP2, FP3; vector add on "
              "FP0, FP1, FP3; ADD on 4 ALUs",
    .add = {0, 3, 3, 4},
    .fma = {0, 2, 2, 2},
    .multiply_add = 2,
};
static const struct ports zen3 = {
    .name = "AMD Zen 3",
    .generation = 3,
    .source = "Agner Fog, uops.info: FMA and MULPD on FP0, FP1, ADDPD on FP2, FP3; vector add on "
              "FP0 to FP3; ADD on 4 ALUs",
    .add = {0, 4, 4, 4},
    .fma = {0, 2, 2, 2},
    .multiply_add = 2,
};
static const struct ports zen4 = {
    .name = "AMD Zen 4",
    .generation = 4,
    .source = "Agner Fog, uops.info: as Zen 3; one of 64 bytes takes a pipe of 32 bytes for two "
              "cycles",
    .add = {2, 4, 4, 4},
    .fma = {1, 2, 2, 2},
    .multiply_add = 2,
};
static const struct ports zen5 = {
    .name = "AMD Zen 5 (pipes of 64 bytes)",
    .generation = 5,
    .source = "AMD publication 58455: FMA on FP0, FP1, ADDPD on FP2, FP3, vector add on FP0 to "
              "FP3, of 64 bytes each; ADD on 6 ALUs",
    .add = {4, 4, 4, 6},
    .fma = {2, 2, 2, 2},
    .multiply_add = 2,
};

static const struct ports neoverse_n1 = {
    .name = "Arm Neoverse N1",
    .source = "LLVM's scheduling model: FMLA and vector ADD on V0, V1; ADD on 3 pipes",
    .add = {0, 0, 2, 3},
    .fma = {0, 0, 2, 2},
};
static const struct ports neoverse_v1 = {
    .name = "Arm Neoverse V1",
    .source = "LLVM's scheduling model: FMLA and vector ADD on V0 to V3 of 16 bytes, two of which "
              "make one of 32; ADD on 4 pipes",
    .add = {0, 2, 4, 4},
    .fma = {0, 2, 4, 4},
};
static const struct ports neoverse_n2 = {
    .name = "Arm Neoverse N2",
    .source = "LLVM's scheduling model: FMLA and vector ADD on V0, V1; ADD on 4 pipes",
    .add = {0, 0, 2, 4},
    .fma = {0, 0, 2, 2},
};
static const struct ports neoverse_v2 = {
    .name = "Arm Neoverse V2",
    .source = "LLVM's scheduling model: FMLA and vector ADD on V0 to V3; ADD on 6 pipes",
    .add = {0, 0, 4, 6},
    .fma = {0, 0, 4, 4},
};
static const struct ports a64fx = {
    .name = "Fujitsu A64FX",
    .source = "LLVM's scheduling model: FMLA and vector ADD on FLA, FLB, of any length; "
              "ADD on EXA, EXB, EAGA, EAGB",
    .add = {2, 2, 2, 4},
    .fma = {2, 2, 2, 2},
};

// MIDR_EL1's implementer and part, as /proc/cpuinfo has them.
static const struct {
    int implementer, part;
    const struct ports *ports;
} arm_table[] = {
    {0x41, 0xd0c, &neoverse_n1}, {0x41, 0xd40, &neoverse_v1}, {0x41, 0xd49, &neoverse_n2},
    {0x41, 0xd4f, &neoverse_v2}, {0x46, 0x001, &a64fx},
};

// CPUID families and models: Intel SDM volume 4, table 2-1; AMD's revision guides. Hybrid
// processors are left out: their cores differ.
static const struct {
    const char *vendor;
    int family, first_model, last_model;
    const struct ports *ports;
} table[] = {
    {"GenuineIntel", 6, 0x3c, 0x3d, &haswell},
    {"GenuineIntel", 6, 0x3f, 0x3f, &haswell},
    {"GenuineIntel", 6, 0x45, 0x47, &haswell},
    {"GenuineIntel", 6, 0x4f, 0x4f, &haswell},
    {"GenuineIntel", 6, 0x56, 0x56, &haswell},
    {"GenuineIntel", 6, 0x4e, 0x4e, &skylake},
    {"GenuineIntel", 6, 0x5e, 0x5e, &skylake},
    {"GenuineIntel", 6, 0x8e, 0x8e, &skylake},
    {"GenuineIntel", 6, 0x9e, 0x9e, &skylake},
    {"GenuineIntel", 6, 0xa5, 0xa6, &skylake},
    {"GenuineIntel", 6, 0x55, 0x55, &skylake_server},
    {"GenuineIntel", 6, 0x7d, 0x7e, &ice_lake},
    {"GenuineIntel", 6, 0x8c, 0x8d, &ice_lake},
    {"GenuineIntel", 6, 0xa7, 0xa7, &ice_lake},
    {"GenuineIntel", 6, 0x6a, 0x6a, &ice_lake_server},
    {"GenuineIntel", 6, 0x6c, 0x6c, &ice_lake_server},
    {"GenuineIntel", 6, 0x8f, 0x8f, &sapphire_rapids},
    {"GenuineIntel", 6, 0xad, 0xae, &sapphire_rapids},
    {"GenuineIntel", 6, 0xcf, 0xcf, &sapphire_rapids},
    {"AuthenticAMD", 0x17, 0x00, 0x2f, &zen1},
    {"AuthenticAMD", 0x17, 0x30, 0xaf, &zen2},
    {"AuthenticAMD", 0x19, 0x00, 0x0f, &zen3},
    {"AuthenticAMD", 0x19, 0x20, 0x5f, &zen3},
    {"AuthenticAMD", 0x19, 0x10, 0x1f, &zen4},
    {"AuthenticAMD", 0x19, 0x60, 0x7f, &zen4},
    {"AuthenticAMD", 0x19, 0xa0, 0xaf, &zen4},
    // 0x20 to 0x3f and 0x60 to 0x6f have pipes of 32 bytes in some cores: left out.
    {"AuthenticAMD", 0x1a, 0x00, 0x1f, &zen5},
    {"AuthenticAMD", 0x1a, 0x40, 0x4f, &zen5},
};

// What no older generation has (Intel SDM volume 2A and AMD's volume 3, CPUID), the newest first. A
// hypervisor may state an older model than the CPU is, but cannot make what it has not. NULL: kinds
// with unlike ports have it.
static const struct sign {
    const char *vendor, *flag; // as in /proc/cpuinfo
    unsigned generation;
    const struct ports *ports;
} signs[] = {
    {"GenuineIntel", "amx_tile", 5, &sapphire_rapids},
    {"GenuineIntel", "avx512_fp16", 5, &sapphire_rapids},
    {"GenuineIntel", "avx_vnni", 5, NULL},
    {"GenuineIntel", "avx512_vbmi2", 4, NULL},
    {"GenuineIntel", "avx512f", 3, NULL},
    {"GenuineIntel", "clflushopt", 2, NULL},
    {"AuthenticAMD", "avx_vnni", 5, NULL},
    {"AuthenticAMD", "avx512f", 4, &zen4},
    {"AuthenticAMD", "vaes", 3, &zen3},
    {"AuthenticAMD", "clwb", 2, &zen2},
};

// A whole number of /proc/cpuinfo; UNKNOWN: there is none.
static int cpuinfo_number(const char *name)
{
    char value[64];
    char *end;
    if (!machine_field("/proc/cpuinfo", name, "\t:", value, sizeof value))
        return UNKNOWN;
    const long number = strtol(value, &end, 0);
    return end == value || number < 0 || number > 0xffff ? UNKNOWN : (int)number;
}

// Cores of unlike kinds have no ports in common.
static const struct ports *find_arm(int implementer, int part, char *reason, size_t size)
{
    if (core_kinds_differ()) {
        snprintf(reason, size, "the cores of this machine differ");
        return NULL;
    }
    for (size_t i = 0; i < sizeof arm_table / sizeof arm_table[0]; i++)
        if (arm_table[i].implementer == implementer && arm_table[i].part == part)
            return arm_table[i].ports;
    snprintf(reason, size, "no entry for CPU implementer 0x%02x part 0x%03x in common/ports.c",
             (unsigned)implementer, (unsigned)part);
    return NULL;
}

static bool has_flag(const char *flags, const char *flag)
{
    const size_t length = strlen(flag);
    const char *at = flags;
    while ((at = strstr(at, flag)) != NULL &&
           ((at > flags && at[-1] != ' ') || (at[length] != ' ' && at[length] != '\0')))
        at += length;
    return at != NULL;
}

// The newest sign of the vendor that this CPU has; NULL: none.
static const struct sign *newest_sign(const char *vendor)
{
    char flags[4096];
    if (!machine_field("/proc/cpuinfo", "flags", "\t :", flags, sizeof flags))
        return NULL;
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (strcmp(signs[i].vendor, vendor) == 0 && has_flag(flags, signs[i].flag))
            return &signs[i];
    return NULL;
}

static const struct ports *find_model(const char *vendor, int family, int model)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(table[i].vendor, vendor) == 0 && table[i].family == family &&
            table[i].first_model <= model && model <= table[i].last_model)
            return table[i].ports;
    return NULL;
}

const struct ports *ports_find(char *reason, size_t size)
{
    char vendor[64];
    const int implementer = cpuinfo_number("CPU implementer"), part = cpuinfo_number("CPU part");
    reason[0] = '\0';
    if (implementer != UNKNOWN && part != UNKNOWN)
        return find_arm(implementer, part, reason, size);
    const int family = cpuinfo_number("cpu family"), model = cpuinfo_number("model");
    if (!machine_field("/proc/cpuinfo", "vendor_id", "\t :", vendor, sizeof vendor) ||
        family == UNKNOWN || model == UNKNOWN) {
        snprintf(reason, size, "/proc/cpuinfo does not name vendor, family and model");
        return NULL;
    }
    const struct ports *named = find_model(vendor, family, model);
    const struct sign *sign = newest_sign(vendor);
    if (!named)
        snprintf(reason, size, "no entry for %.60s family %d model %d in common/ports.c", vendor,
                 family, model);
    if (!named || !sign || sign->generation <= named->generation)
        return named;
    snprintf(reason, size, "it has %s, which no CPU of its stated model %d (%s) has", sign->flag,
             model, named->name);
    return sign->ports;
}

// COLUMNS: no width that the tables have.
static size_t column_of(enum simd simd)
{
    static const unsigned widths[COLUMNS] = {64, 32, 16, 0};
    size_t column = 0;
    while (column < COLUMNS && widths[column] != processor_vector_bytes(simd))
        column++;
    return column;
}

double ports_steps(const struct ports *ports, enum simd simd, enum step step)
{
    const size_t column = column_of(simd);
    if (simd == SIMD_PORTABLE || column == COLUMNS)
        return 0;
    switch (step) {
    case STEP_ADD:
        return ports->add[column];
    case STEP_FMA:
        return ports->fma[column];
    default:
        return column >= 2 ? ports->multiply_add : 0;
    }
}

enum step ports_step(enum simd simd, bool floating)
{
    if (!floating)
        return STEP_ADD;
    switch (simd) {
    case SIMD_SSE2:
    case SIMD_PORTABLE:
        return STEP_MULTIPLY_ADD;
    case SIMD_SCALAR:
        return processor_has_fma() ? STEP_FMA : STEP_MULTIPLY_ADD;
    default:
        return STEP_FMA;
    }
}

// The first CPU of the core that the CPU is of: siblings have the same. Itself where the
// kernel does not say.
static int core_of(int cpu)
{
    const int64_t first =
        machine_number("/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    return first == UNKNOWN ? cpu : (int)first;
}

static unsigned cores_used(const struct cpu_list *cpus, unsigned threads)
{
    bool used[CPUS_MOST] = {false};
    unsigned cores = 0;
    for (unsigned i = 0; i < cpus->count && i < threads; i++) {
        const int core = core_of(cpus->cpu[i]);
        if (core >= 0 && core < CPUS_MOST && !used[core]) {
            used[core] = true;
            cores++;
        }
    }
    return cores;
}

static unsigned lanes_of(enum simd simd, unsigned value_bytes)
{
    return simd == SIMD_SCALAR ? 1 : processor_vector_bytes(simd) / value_bytes;
}

void peak_find(struct peak *peak, const struct arithmetic *what, const struct cpu_list *cpus,
               unsigned threads, double quota_cpus)
{
    static const char *const words[] = {[STEP_ADD] = "1 operation (addition)",
                                        [STEP_FMA] = "2 operations (FMA)",
                                        [STEP_MULTIPLY_ADD] =
                                            "2 operations (multiplication, addition)"};
    char reason[256];
    const struct ports *ports = ports_find(reason, sizeof reason);
    const enum step step = ports_step(what->simd, what->floating);
    const double steps = !ports ? 0 : ports_steps(ports, what->simd, step);
    const unsigned lanes = lanes_of(what->simd, what->value_bytes),
                   cores = cores_used(cpus, threads);
    const double whole = fmin(cores, quota_cpus);
    peak->per_cycle = peak->of_a_core = NAN;
    if (!ports)
        snprintf(peak->source, sizeof peak->source, "not known here: %s", reason);
    else if (what->simd == SIMD_PORTABLE)
        snprintf(peak->source, sizeof peak->source,
                 "not known here: portable code is the compiler's choice");
    else if (!(steps > 0))
        snprintf(peak->source, sizeof peak->source, "not known here: no %s of %s in common/ports.c",
                 simd_names[what->simd], ports->name);
    else {
        peak->of_a_core = steps * lanes * (step == STEP_ADD ? 1 : 2);
        peak->per_cycle = peak->of_a_core * whole;
        snprintf(peak->source, sizeof peak->source,
                 "clock (of the same runs, by a chain of additions, 1 cycle each) x %g a cycle "
                 "(%s%s%s; %s) x %u lane%s (%s) x %s x %g core%s (%s)",
                 steps, ports->name, *reason == '\0' ? "" : ", as ", reason, ports->source, lanes,
                 lanes == 1 ? "" : "s", simd_names[what->simd], words[step], whole,
                 whole > 1 ? "s" : "",
                 whole < cores ? "the cgroup's quota" : "as the kernel reports the topology");
    }
}
