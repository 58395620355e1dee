#ifndef COMMON_ARM_CORES_H
#define COMMON_ARM_CORES_H

#include <stddef.h>

/* Arm's processors state numbers, not names: implementer and part of MIDR_EL1, which /proc/cpuinfo
 * has as "CPU implementer" and "CPU part". The name, or the numbers where it is not known here,
 * into text; returns text. */
const char *arm_core_name(unsigned implementer, unsigned part, char *text, size_t size);

#endif
