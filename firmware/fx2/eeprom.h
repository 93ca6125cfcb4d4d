#ifndef EEPROM_H
#define EEPROM_H

#include <stdint.h>

/* The EEPROM that the chip boots from: docs/usb.md section 5.2. Both functions move 1 to 64 bytes
 * between EP0BUF and the EEPROM and return EAR_USB_ERROR_...; no wait is longer than 30 ms per
 * page.
 */
void eeprom_init(void);
uint8_t eeprom_read(uint16_t address, uint8_t size);
uint8_t eeprom_write(uint16_t address, uint8_t size);

#endif
