# The work file of loads on the disk, where levels of loads are compared: for a reference, a
# profile and what measures them it is the same. Sourced, never run.

# The load on the disk writes a file before it begins: 8 GiB of it, as loadgen has it, are not
# needed to write for half a second.
export WORKFILE_SIZE=${WORKFILE_SIZE:-256M}
