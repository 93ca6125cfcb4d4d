#ifndef EAR_LIST_USB_H
#define EAR_LIST_USB_H

#include <stddef.h>

#include "driver/tools/device_row.h"

/* The part of ear_device_list that is about devices on USB. In a build without devices
 * (EAR_DEVICES=OFF) that is one row, which says so.
 */
size_t ear_device_list_usb(struct ear_device *devices, size_t capacity);

#endif
