// Instructions for some of a core's execution ports.
#ifndef LOADGEN_CORE_PORT_KERNELS_H
#define LOADGEN_CORE_PORT_KERNELS_H

#include <stdbool.h>

// All on registers alone, after the Rulers of
// Y. Zhang et al., "SMiTe: precise QoS prediction on real-system SMT processors" (MICRO 2014):
// FP_MUL, FP_ADD, FP_SHF, INT_ADD. Additions of whole numbers, and FMA, are loadgen ops's. All
// without vectors (the shuffle has 16 bytes): a port is taken by any width, and wide ones
// lower the clock of some CPUs, which would be another load.

enum port_kind {
    PORT_INT,     // additions of whole numbers: every integer port
    PORT_INT_MUL, // multiplications of whole numbers: one port in most cores
    PORT_FP,      // FMA of doubles: the ports of multiplication
    PORT_FP_ADD,
    PORT_FP_MUL,
    PORT_SHUFFLE, // permutations of a vector: one or two ports
    PORT_ALL,     // 4 additions of whole numbers to 1 addition and 1 multiplication of doubles
    PORT_KINDS
};

extern const char *const port_kind_names[]; // by enum port_kind, ended by NULL

struct port_kernel {
    // So many blocks. False: a result was wrong.
    bool (*run)(unsigned blocks, unsigned spoil);
    double instructions; // of one block
    unsigned blocks;     // of one operation of the load: 20 to 100 us
    double per_cycle;    // that the core can start; NAN: not known
};

struct port_kernel port_kernel_of(enum port_kind kind);

#endif
