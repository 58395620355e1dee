// A study (predict/study.h) of the machine made of equations, as files: for tests of what reads
// one.
#ifndef SIMULATE_MACHINE_STUDY_H
#define SIMULATE_MACHINE_STUDY_H

#include <stdbool.h>

enum machine_study {
    STUDY_HONEST, // profiles and pairs, each with runs of its own
    STUDY_NOISE,  // no program slows another: the pairs are noise
    STUDY_LEAK,   // the first measurement of a pair is what its profiles say
    STUDIES
};

// Into a folder that is there. sd: of the log of a run. False after a message.
bool machine_study_write(const char *folder, enum machine_study what, double sd,
                         unsigned long seed);

#endif
