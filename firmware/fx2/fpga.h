#ifndef FPGA_H
#define FPGA_H

#include <stdbool.h>
#include <stdint.h>

/* The FPGA's bitstream by slave serial: docs/usb.md section 5.1. Each function that can fail
 * returns EAR_USB_ERROR_...; then the pins have been released and nothing is being loaded.
 */

extern bool fpga_loading;           /* between begin and end */
extern __xdata uint32_t fpga_bytes; /* since begin */

void fpga_init(void);
bool fpga_done(void);

/* Give up a bitstream that is being loaded. */
void fpga_release(void);

uint8_t fpga_begin(uint8_t flags);
uint8_t fpga_write(uint8_t size); /* 1 to 64 bytes in EP0BUF */
uint8_t fpga_end(void);

#endif
