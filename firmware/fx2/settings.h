#ifndef SETTINGS_H
#define SETTINGS_H

#include <stdint.h>

/* The settings in the image, which the host may change before it loads or writes the image:
 * docs/usb.md section 2. Invalid settings count as empty.
 */
extern const __code uint8_t settings[];

uint8_t settings_link(void);          /* bits USB_LINK */
uint8_t settings_serial_length(void); /* 0: none */

#endif
