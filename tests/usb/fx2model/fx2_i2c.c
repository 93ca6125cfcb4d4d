/* The I2C controller (TRM chapter 13) and an EEPROM with 16-bit addresses at address 51. */
#include <stdlib.h>
#include <string.h>

#include "fx2_parts.h"

enum {
	EEPROM_ADDRESS = 0x51,
	EEPROM_PAGE = 32,
	EEPROM_WRITE_US = 5000,
	I2CS_START = 0x80,
	I2CS_STOP = 0x40,
	I2CS_LASTRD = 0x20,
	I2CS_ACK = 0x02,
	I2CS_DONE = 0x01,
};

void fx2_i2c_init(struct fx2_chip *chip)
{
	struct fx2_i2c *i2c = &chip->i2c;
	struct fx2_i2c kept = {.eeprom = i2c->eeprom, .eeprom_size = i2c->eeprom_size};

	*i2c = kept;
	chip->memory[I2CTL] = 0;
}

uint8_t *fx2_chip_set_eeprom(struct fx2_chip *chip, size_t size)
{
	free(chip->i2c.eeprom);
	chip->i2c.eeprom = NULL;
	chip->i2c.eeprom_size = 0;
	if (size == 0 || size > FX2_EEPROM_MAX)
		return NULL;
	chip->i2c.eeprom = malloc(size);
	if (!chip->i2c.eeprom)
		return NULL;
	memset(chip->i2c.eeprom, 0xFF, size);
	chip->i2c.eeprom_size = size;
	return chip->i2c.eeprom;
}

/* The chip's own boot: C2, ids, configuration, then chunks with length and address, big-endian.
 * The bit 7 of the length marks the last one.
 */
bool fx2_i2c_boot(struct fx2_chip *chip)
{
	const uint8_t *bytes = chip->i2c.eeprom;
	size_t size = chip->i2c.eeprom_size, at = 8;

	if (size < 8 || bytes[0] != 0xC2)
		return false;
	while (at + 5 <= size) {
		unsigned length = (unsigned)(bytes[at] & 3) << 8 | bytes[at + 1];
		unsigned address = (unsigned)bytes[at + 2] << 8 | bytes[at + 3];
		bool last = bytes[at] & 0x80;

		at += 4;
		if (length > size - at)
			return false;
		for (unsigned i = 0; i < length && !last; i++, address++) {
			if (address >= FX2_MEMORY_SIZE)
				return false;
			chip->memory[address] = bytes[at + i];
			chip->loaded[address / 8] |= (uint8_t)(1u << (address & 7));
		}
		at += length;
		if (last) {
			chip->memory[USBCS] = USBCS_RENUM | (bytes[7] & 0x40 ? USBCS_DISCON : 0);
			return length == 1 && address == CPUCS && bytes[at - 1] == 0;
		}
	}
	return false;
}

/* Time that the wire needs for a byte and its acknowledgement. */
static void start_byte(struct fx2_chip *chip)
{
	uint64_t bit = FX2_CLOCKS_US * (chip->memory[I2CTL] & 1 ? 5u : 20u) / 2;

	chip->i2c.byte_done = chip->now + 9 * bit;
}

static void write_address(struct fx2_chip *chip, uint8_t value)
{
	struct fx2_i2c *i2c = &chip->i2c;

	i2c->ack =
		i2c->eeprom && value >> 1 == EEPROM_ADDRESS && chip->now >= i2c->eeprom_busy_until;
	i2c->first_read = value & 1;
	if (!i2c->ack)
		i2c->state = I2C_DEAF;
	else
		i2c->state = value & 1 ? I2C_READ : I2C_ADDRESS_HIGH;
}

static void write_byte(struct fx2_chip *chip, uint8_t value)
{
	struct fx2_i2c *i2c = &chip->i2c;
	uint16_t page = i2c->address & (uint16_t) ~(EEPROM_PAGE - 1);

	i2c->ack = true;
	switch (i2c->state) {
	case I2C_ADDRESS_HIGH:
		i2c->address = (uint16_t)(value << 8);
		i2c->state = I2C_ADDRESS_LOW;
		break;
	case I2C_ADDRESS_LOW:
		i2c->address |= value;
		i2c->state = I2C_WRITE;
		break;
	case I2C_WRITE: /* beyond the page's end it continues at its beginning */
		i2c->eeprom[i2c->address % i2c->eeprom_size] = value;
		i2c->address = (uint16_t)(page | ((i2c->address + 1) & (EEPROM_PAGE - 1)));
		i2c->written = true;
		break;
	default: i2c->ack = false; break;
	}
}

static void write_data(struct fx2_chip *chip, uint8_t value)
{
	struct fx2_i2c *i2c = &chip->i2c;

	if (chip->now < i2c->byte_done)
		fx2_fault(chip, "I2DAT is written before DONE");
	if (i2c->start)
		write_address(chip, value);
	else
		write_byte(chip, value);
	i2c->start = false;
	start_byte(chip);
}

/* A read returns the byte that came last, and asks for the next one. */
static uint8_t read_data(struct fx2_chip *chip)
{
	struct fx2_i2c *i2c = &chip->i2c;
	uint8_t value = i2c->data;

	if (chip->now < i2c->byte_done)
		fx2_fault(chip, "I2DAT is read before DONE");
	if (i2c->state == I2C_LAST && !i2c->stop)
		fx2_fault(chip, "the last byte is read from I2DAT without STOP");
	if (i2c->state != I2C_READ || i2c->stop)
		return value;
	i2c->data = i2c->eeprom[i2c->address % i2c->eeprom_size];
	i2c->address++;
	i2c->first_read = false;
	if (i2c->last_read) {
		i2c->last_read = false;
		i2c->state = I2C_LAST;
	}
	start_byte(chip);
	return value;
}

static void write_control(struct fx2_chip *chip, uint8_t value)
{
	struct fx2_i2c *i2c = &chip->i2c;

	i2c->start |= (value & I2CS_START) != 0;
	if (value & I2CS_LASTRD)
		i2c->last_read = true;
	if (!(value & I2CS_STOP))
		return;
	i2c->stop = true;
	i2c->stop_done = chip->now + 10 * FX2_CLOCKS_US;
	if (i2c->written)
		i2c->eeprom_busy_until = chip->now + (uint64_t)EEPROM_WRITE_US * FX2_CLOCKS_US;
	i2c->written = i2c->start = i2c->last_read = false;
	i2c->state = I2C_IDLE;
}

static uint8_t read_control(struct fx2_chip *chip)
{
	struct fx2_i2c *i2c = &chip->i2c;
	uint8_t value = i2c->eeprom ? 0x10 : 0;

	if (i2c->stop && chip->now >= i2c->stop_done)
		i2c->stop = false;
	if (i2c->stop)
		value |= I2CS_STOP;
	if (chip->now >= i2c->byte_done)
		value |= I2CS_DONE;
	if (i2c->ack)
		value |= I2CS_ACK;
	return value;
}

bool fx2_i2c_register_read(struct fx2_chip *chip, uint16_t address, uint8_t *value)
{
	if (address != I2CS && address != I2DAT && address != I2CTL)
		return false;
	if (address == I2CS)
		*value = read_control(chip);
	else if (address == I2DAT)
		*value = read_data(chip);
	else
		*value = chip->memory[I2CTL];
	return true;
}

bool fx2_i2c_register_write(struct fx2_chip *chip, uint16_t address, uint8_t value)
{
	if (address != I2CS && address != I2DAT && address != I2CTL)
		return false;
	if (address == I2CS)
		write_control(chip, value);
	else if (address == I2DAT)
		write_data(chip, value);
	else
		chip->memory[I2CTL] = value & 1;
	return true;
}
