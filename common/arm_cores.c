#include "common/arm_cores.h"

#include <stdio.h>

/* From the technical reference manuals of the cores (MIDR_EL1), as far as servers and well-known
 * boards have them; Linux' arch/arm64/include/asm/cputype.h has many of them, too. */
static const struct {
    unsigned implementer, part;
    const char *name;
} cores[] = {
    {0x41, 0xd03, "Arm Cortex-A53"},
    {0x41, 0xd04, "Arm Cortex-A35"},
    {0x41, 0xd05, "Arm Cortex-A55"},
    {0x41, 0xd07, "Arm Cortex-A57"},
    {0x41, 0xd08, "Arm Cortex-A72"},
    {0x41, 0xd09, "Arm Cortex-A73"},
    {0x41, 0xd0a, "Arm Cortex-A75"},
    {0x41, 0xd0b, "Arm Cortex-A76"},
    {0x41, 0xd0c, "Arm Neoverse N1"},
    {0x41, 0xd0d, "Arm Cortex-A77"},
    {0x41, 0xd40, "Arm Neoverse V1"},
    {0x41, 0xd41, "Arm Cortex-A78"},
    {0x41, 0xd44, "Arm Cortex-X1"},
    {0x41, 0xd46, "Arm Cortex-A510"},
    {0x41, 0xd47, "Arm Cortex-A710"},
    {0x41, 0xd48, "Arm Cortex-X2"},
    {0x41, 0xd49, "Arm Neoverse N2"},
    {0x41, 0xd4a, "Arm Neoverse E1"},
    {0x41, 0xd4d, "Arm Cortex-A715"},
    {0x41, 0xd4e, "Arm Cortex-X3"},
    {0x41, 0xd4f, "Arm Neoverse V2"},
    {0x41, 0xd80, "Arm Cortex-A520"},
    {0x41, 0xd81, "Arm Cortex-A720"},
    {0x41, 0xd82, "Arm Cortex-X4"},
    {0x41, 0xd84, "Arm Neoverse V3"},
    {0x41, 0xd8e, "Arm Neoverse N3"},
    {0x42, 0x516, "Broadcom Vulcan"},
    {0x43, 0x0a1, "Cavium ThunderX"},
    {0x43, 0x0af, "Cavium ThunderX2"},
    {0x46, 0x001, "Fujitsu A64FX"},
    {0x48, 0xd01, "HiSilicon TSV110"},
    {0x4e, 0x004, "NVIDIA Carmel"},
    {0x51, 0x001, "Qualcomm Oryon"},
    {0x61, 0x022, "Apple Icestorm (M1)"},
    {0x61, 0x023, "Apple Firestorm (M1)"},
    {0x61, 0x032, "Apple Blizzard (M2)"},
    {0x61, 0x033, "Apple Avalanche (M2)"},
    {0x70, 0x662, "Phytium FTC662"},
    {0x70, 0x663, "Phytium FTC663"},
    {0xc0, 0xac3, "Ampere-1"},
    {0xc0, 0xac4, "Ampere-1a"},
};

const char *arm_core_name(unsigned implementer, unsigned part, char *text, size_t size)
{
    for (size_t i = 0; i < sizeof cores / sizeof cores[0]; i++)
        if (cores[i].implementer == implementer && cores[i].part == part) {
            snprintf(text, size, "%s", cores[i].name);
            return text;
        }
    snprintf(text, size, "CPU implementer 0x%02x part 0x%03x", implementer, part);
    return text;
}
