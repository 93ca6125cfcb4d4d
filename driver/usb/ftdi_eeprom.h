#ifndef EAR_FTDI_EEPROM_H
#define EAR_FTDI_EEPROM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/link/transport.h"

/* The EEPROM of an FT232H or FT2232H, as 16-bit words: what makes channel A a 245 FIFO, which
 * ftdi: needs. docs/boards.md, section 3.2.
 *
 * transport is one that ear_transport_ftdi_open gave and that has not been started.
 */

#define EAR_FTDI_EEPROM_WORDS 128 /* that the chip uses; the last one used is a checksum */

struct ear_ftdi_eeprom {
	uint16_t before[EAR_FTDI_EEPROM_WORDS], after[EAR_FTDI_EEPROM_WORDS];
	size_t words;  /* 64 or 128; 0 unknown, it is empty */
	size_t change; /* words that differ; all if it is empty */
	bool empty;    /* no EEPROM at all looks the same */
};

/* Read the EEPROM, and work out what makes channel A a 245 FIFO: the channel's type and the
 * checksum. An empty EEPROM gets libftdi's defaults, and no serial number. Nothing is written.
 *
 * Returns 0 and *eeprom; change is 0 if it says 245 FIFO already.
 * Returns EAR_E_UNSUPPORTED if its checksum is wrong, so that the chip does not use it.
 *         EAR_E_IO if the chip does not answer.
 */
int ear_ftdi_eeprom_plan(
	struct ear_ftdi_eeprom *eeprom, struct ear_transport *transport, struct ear_report *report);

/* Write what differs, and read everything back. The chip looks at its EEPROM when it gets power.
 *
 * Returns 0. Returns EAR_E_UNSUPPORTED if there is no EEPROM, or one that is too small for the
 *         chip; EAR_E_IO if the chip does not answer, or the EEPROM holds something else.
 */
int ear_ftdi_eeprom_write(
	struct ear_ftdi_eeprom *eeprom, struct ear_transport *transport, struct ear_report *report);

#endif
