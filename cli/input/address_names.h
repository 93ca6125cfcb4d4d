#ifndef EAR_ADDRESS_NAMES_H
#define EAR_ADDRESS_NAMES_H

#include <stdint.h>

/* The names of addresses in an ELF file, for a Spike log with labels: as Spike chooses them. */
struct address_names;

/* Read path. Returns NULL after printing why not. */
struct address_names *address_names_open(const char *path);
void address_names_close(struct address_names *names);

/* The name of the symbol whose value is the address, or NULL. names: struct address_names. */
const char *address_names_find(const void *names, uint64_t address);

#endif
