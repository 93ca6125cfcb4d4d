#ifndef DESCRIPTORS_H
#define DESCRIPTORS_H

#include <stdint.h>

/* Put a descriptor into EP0BUF: docs/usb.md section 2. type and index are the two bytes of wValue.
 * Returns its size, 0 when there is no such descriptor.
 */
uint8_t descriptors_put(uint8_t type, uint8_t index);

#endif
