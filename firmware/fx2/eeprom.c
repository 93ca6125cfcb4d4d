/* The boot EEPROM on the chip's I2C controller, without interrupts. Every wait is bounded, so a
 * missing or stuck EEPROM ends in an error code. A write is split at pages; the next access repeats
 * its address until the EEPROM, which does not answer while it writes, acknowledges it. At the end
 * all bytes are read back.
 */
#include "eeprom.h"

#include <stdbool.h>

#include "clock.h"
#include "common/protocol/ear_protocol.h"
#include "ep0.h"
#include "fx2lp.h"

#define DEVICE_WRITE 0xA2 /* address 51 */
#define DEVICE_READ  0xA3
#define PAGE_SIZE    32
#define WRITE_TICKS  2 /* a page is written in 5 ms */
#define BYTE_TICKS   1 /* a byte takes 23 us */

void eeprom_init(void)
{
	I2CTL = I2CTL_400K;
}

/* The byte was transferred, and the other side has acknowledged it. */
static bool byte_done(void)
{
	uint8_t start = clock_now(), state;

	do
		state = I2CS;
	while (!(state & I2CS_DONE) && !clock_passed(start, BYTE_TICKS));
	return (state & (I2CS_DONE | I2CS_ACK)) == (I2CS_DONE | I2CS_ACK);
}

static void stop(void)
{
	uint8_t start = clock_now();

	I2CS = I2CS_STOP;
	while ((I2CS & I2CS_STOP) && !clock_passed(start, BYTE_TICKS))
		;
}

static bool send(uint8_t value)
{
	I2DAT = value;
	return byte_done();
}

/* Start condition, device and address. The EEPROM does not answer while it writes, so try again. */
static bool begin(uint16_t address)
{
	uint8_t start = clock_now();

	for (;;) {
		I2CS = I2CS_START;
		if (send(DEVICE_WRITE))
			break;
		stop();
		if (clock_passed(start, WRITE_TICKS))
			return false;
	}
	return send(address >> 8) && send(address & 0xFF);
}

/* TRM 13.2: the first read of I2DAT starts the clock, and each one asks for the next byte; the last
 * one is announced before the one before it is read.
 */
static bool read_bytes(uint16_t address, volatile __xdata uint8_t *bytes, uint8_t size)
{
	uint8_t i;

	if (!begin(address))
		return false;
	I2CS = I2CS_START;
	if (!send(DEVICE_READ))
		return false;
	if (size == 1)
		I2CS = I2CS_LASTRD;
	i = I2DAT;
	for (i = 0; i < size; i++) {
		uint8_t start = clock_now();

		while (!(I2CS & I2CS_DONE))
			if (clock_passed(start, BYTE_TICKS))
				return false;
		if (i + 2 == size)
			I2CS = I2CS_LASTRD;
		if (i + 1 == size)
			I2CS = I2CS_STOP;
		bytes[i] = I2DAT;
	}
	return true;
}

uint8_t eeprom_read(uint16_t address, uint8_t size)
{
	bool good = read_bytes(address, EP0BUF, size);

	stop();
	return good ? EAR_USB_ERROR_NONE : EAR_USB_ERROR_EEPROM_ABSENT;
}

static bool write_page(uint16_t address, volatile __xdata uint8_t *bytes, uint8_t size)
{
	bool good = begin(address);
	uint8_t i;

	for (i = 0; good && i < size; i++)
		good = send(bytes[i]);
	stop();
	clock_alive();
	return good;
}

uint8_t eeprom_write(uint16_t address, uint8_t size)
{
	static __xdata uint8_t back[64];
	uint8_t done, part, i;

	for (done = 0; done < size; done += part) {
		uint16_t at = address + done;

		part = PAGE_SIZE - (uint8_t)(at & (PAGE_SIZE - 1));
		if (part > size - done)
			part = size - done;
		if (!write_page(at, EP0BUF + done, part))
			return EAR_USB_ERROR_EEPROM_ABSENT;
	}
	if (!read_bytes(address, back, size)) {
		stop();
		return EAR_USB_ERROR_EEPROM_ABSENT;
	}
	stop();
	for (i = 0; i < size; i++)
		if (back[i] != EP0BUF[i])
			return EAR_USB_ERROR_EEPROM_VERIFY;
	return EAR_USB_ERROR_NONE;
}
