#ifndef EAR_DEVICE_LIST_H
#define EAR_DEVICE_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* A device on this machine, as it is now. */
struct ear_device {
	char name[96];    /* how it is named for ear_transport_open, e.g. "sim:PROGRAM.elf" */
	char kind[64];    /* what it is, e.g. "virtual board" */
	char detail[512]; /* where it is, or what is missing and what to do about it */
	bool available;   /* false: known, but cannot be used; detail says why */
};

#define EAR_DEVICE_COUNT_MAX 64 /* more than any host has */

/* Fill devices[0 .. capacity-1]: the virtual board, devices on USB, serial ports of the chips that
 * Earshot knows. Opens none of them; takes milliseconds. Returns how many were filled in,
 * 0 .. capacity.
 */
size_t ear_device_list(struct ear_device *devices, size_t capacity);

#endif
