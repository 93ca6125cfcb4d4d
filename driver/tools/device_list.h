#ifndef EAR_DEVICE_LIST_H
#define EAR_DEVICE_LIST_H

#include <stddef.h>

#include "driver/tools/device_row.h"

#define EAR_DEVICE_COUNT_MAX 64 /* more than any host has */

/* Fill devices[0 .. capacity-1]: the virtual board, devices on USB, serial ports of the chips that
 * Earshot knows. Opens none of them; takes milliseconds. Returns how many were filled in,
 * 0 .. capacity.
 */
size_t ear_device_list(struct ear_device *devices, size_t capacity);

#endif
