#ifndef COMMON_SHA256_H
#define COMMON_SHA256_H

#include <stdbool.h>
#include <stddef.h>

enum { SHA256_DIGITS = 64 };

// The SHA-256 of size bytes (FIPS 180-4), as 64 hexadecimal digits and a 0.
void sha256_hex(const void *data, size_t size, char digits[SHA256_DIGITS + 1]);

// Computes it of what is left to read of a file. False, with errno: it cannot be read.
bool sha256_file(int fd, char digits[SHA256_DIGITS + 1]);

#endif
