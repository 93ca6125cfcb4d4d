#ifndef EAR_DEVICE_ROW_H
#define EAR_DEVICE_ROW_H

#include <stdbool.h>

/* A device on this machine, as it is now. */
struct ear_device {
	char name[96];    /* how it is named for ear_transport_open, e.g. "sim:PROGRAM.elf" */
	char kind[64];    /* what it is, e.g. "virtual board" */
	char detail[512]; /* where it is, or what is missing and what to do about it */
	bool available;   /* false: known, but cannot be used; detail says why */
};

#endif
