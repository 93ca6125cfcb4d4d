/* The EEPROM of an FTDI chip, word by word. libftdi builds a whole image only, and forgets of an
 * image that is there what it does not know; a board's maker may have put his own into it. So only
 * two words are changed, the channel's type and the checksum. libftdi's image is for an EEPROM that
 * is empty.
 */
#include "driver/usb/ftdi_eeprom.h"

#include <earshot/error.h>
#include <libftdi1/ftdi.h>
#include <libusb-1.0/libusb.h>
#include <string.h>

#include "driver/usb/transport_ftdi.h"

#define EMPTY       0xFFFF
#define SMALL_WORDS 64   /* a 93C46; in a larger one the chip uses EAR_FTDI_EEPROM_WORDS */
#define WRITING     0x77 /* latency that FTDI's own program sets before it writes */

static int report_eeprom(
	struct ear_transport *transport, const char *what, struct ear_report *report)
{
	return ear_report_set(report, EAR_E_IO, "%s: %s: %s", transport->name, what,
		ftdi_get_error_string(ear_transport_ftdi_context(transport)));
}

static int read_words(uint16_t *words, struct ear_transport *transport, struct ear_report *report)
{
	for (int i = 0; i < EAR_FTDI_EEPROM_WORDS; i++)
		if (ftdi_read_eeprom_location(ear_transport_ftdi_context(transport), i, &words[i]) <
			0)
			return report_eeprom(transport, "cannot read the EEPROM", report);
	return 0;
}

/* libftdi's own function for this refuses the words that the chip uses. */
static int write_word(
	struct ear_transport *transport, size_t at, uint16_t word, struct ear_report *report)
{
	struct ftdi_context *context = ear_transport_ftdi_context(transport);
	int error = libusb_control_transfer(context->usb_dev, FTDI_DEVICE_OUT_REQTYPE,
		SIO_WRITE_EEPROM_REQUEST, word, (uint16_t)at, NULL, 0,
		(unsigned)context->usb_write_timeout);

	return error < 0 ? ear_report_set(report, EAR_E_IO,
				   "%s: cannot write word %zu of the EEPROM: %s", transport->name,
				   at, libusb_strerror(error))
			 : 0;
}

static uint16_t checksum(const uint16_t *words, size_t count)
{
	unsigned sum = 0xAAAA;

	for (size_t i = 0; i + 1 < count; i++) {
		sum ^= words[i];
		sum = (sum << 1 | sum >> 15) & 0xFFFF;
	}
	return (uint16_t)sum;
}

/* A small EEPROM is read twice: its address has no more bits. 0: neither checksum is right. */
static size_t find_size(const uint16_t *words)
{
	bool repeats = memcmp(words, words + SMALL_WORDS, SMALL_WORDS * sizeof(*words)) == 0;
	size_t size = repeats ? SMALL_WORDS : EAR_FTDI_EEPROM_WORDS;

	return words[size - 1] == checksum(words, size) ? size : 0;
}

static bool is_empty(const uint16_t *words)
{
	for (size_t i = 0; i < EAR_FTDI_EEPROM_WORDS; i++)
		if (words[i] != EMPTY)
			return false;
	return true;
}

/* The channel's type in word 0. Bit 3 is the driver of an FT2232H, and a type of an FT232H. */
static unsigned type_mask(struct ear_transport *transport)
{
	return ear_transport_ftdi_context(transport)->type == TYPE_232H ? 0x0F : 0x07;
}

int ear_ftdi_eeprom_plan(
	struct ear_ftdi_eeprom *eeprom, struct ear_transport *transport, struct ear_report *report)
{
	memset(eeprom, 0, sizeof(*eeprom));
	int error = read_words(eeprom->before, transport, report);
	if (error)
		return error;
	eeprom->empty = is_empty(eeprom->before);
	if (eeprom->empty) {
		eeprom->change = EAR_FTDI_EEPROM_WORDS;
		return 0;
	}
	eeprom->words = find_size(eeprom->before);
	if (eeprom->words == 0)
		return ear_report_set(report, EAR_E_UNSUPPORTED,
			"%s: the checksum of its EEPROM is wrong, so the chip does not use it; "
			"erase it with ftdi_eeprom --erase-eeprom, or write it with FT_PROG",
			transport->name);
	memcpy(eeprom->after, eeprom->before, sizeof(eeprom->after));
	eeprom->after[0] = (uint16_t)((eeprom->after[0] & ~type_mask(transport)) | CHANNEL_IS_FIFO);
	eeprom->after[eeprom->words - 1] = checksum(eeprom->after, eeprom->words);
	for (size_t i = 0; i < eeprom->words; i++)
		eeprom->change += eeprom->after[i] != eeprom->before[i];
	return 0;
}

/* How large is an empty EEPROM? A word is written that the small one has at address 0. */
static int measure(
	struct ear_ftdi_eeprom *eeprom, struct ear_transport *transport, struct ear_report *report)
{
	uint16_t words[EAR_FTDI_EEPROM_WORDS];
	int error = write_word(transport, SMALL_WORDS, 0, report);

	if (!error)
		error = read_words(words, transport, report);
	if (error)
		return error;
	if (words[SMALL_WORDS] != 0)
		return ear_report_set(report, EAR_E_UNSUPPORTED,
			"%s: there is no EEPROM, or it cannot be written", transport->name);
	eeprom->words = words[0] == 0 ? SMALL_WORDS : EAR_FTDI_EEPROM_WORDS;
	return 0;
}

/* The image of an empty EEPROM: libftdi's defaults, and the FIFO. */
static int build(
	struct ear_ftdi_eeprom *eeprom, struct ear_transport *transport, struct ear_report *report)
{
	struct ftdi_context *context = ear_transport_ftdi_context(transport);
	uint8_t bytes[2 * EAR_FTDI_EEPROM_WORDS] = {0};
	int chip = eeprom->words == SMALL_WORDS ? 0x46 : 0x56;

	if (eeprom->words == SMALL_WORDS && context->type == TYPE_232H) {
		int error = write_word(transport, 0, EMPTY, report);
		return error ? error
			     : ear_report_set(report, EAR_E_UNSUPPORTED,
				       "%s: the EEPROM is a 93C46, too small for an FT232H",
				       transport->name);
	}
	if (ftdi_eeprom_initdefaults(context, NULL, NULL, NULL) < 0 ||
		ftdi_set_eeprom_value(context, CHIP_TYPE, chip) < 0 ||
		ftdi_set_eeprom_value(context, CHANNEL_A_TYPE, CHANNEL_IS_FIFO) < 0 ||
		ftdi_eeprom_build(context) < 0 ||
		ftdi_get_eeprom_buf(context, bytes, (int)(2 * eeprom->words)) < 0)
		return report_eeprom(transport, "cannot build the EEPROM's image", report);
	for (size_t i = 0; i < eeprom->words; i++)
		eeprom->after[i] = (uint16_t)(bytes[2 * i] | bytes[2 * i + 1] << 8);
	/* What measure() wrote is written over. */
	eeprom->before[0] = (uint16_t)~eeprom->after[0];
	eeprom->before[SMALL_WORDS % eeprom->words] =
		(uint16_t)~eeprom->after[SMALL_WORDS % eeprom->words];
	return 0;
}

static int verify(const struct ear_ftdi_eeprom *eeprom, struct ear_transport *transport,
	struct ear_report *report)
{
	uint16_t words[EAR_FTDI_EEPROM_WORDS];
	int error = read_words(words, transport, report);

	for (size_t i = 0; !error && i < eeprom->words; i++)
		if (words[i] != eeprom->after[i])
			error = ear_report_set(report, EAR_E_IO,
				"%s: word %zu of the EEPROM is 0x%04X after 0x%04X was written",
				transport->name, i, words[i], eeprom->after[i]);
	return error;
}

int ear_ftdi_eeprom_write(
	struct ear_ftdi_eeprom *eeprom, struct ear_transport *transport, struct ear_report *report)
{
	struct ftdi_context *context = ear_transport_ftdi_context(transport);
	unsigned short status;
	int error = 0;

	/* What FTDI's own program does first, as libftdi says. */
	if (ftdi_usb_reset(context) < 0 || ftdi_poll_modem_status(context, &status) < 0 ||
		ftdi_set_latency_timer(context, WRITING) < 0)
		return report_eeprom(transport, "cannot prepare the chip", report);
	if (eeprom->empty)
		error = measure(eeprom, transport, report);
	if (!error && eeprom->empty)
		error = build(eeprom, transport, report);
	for (size_t i = 0; !error && i < eeprom->words; i++)
		if (eeprom->after[i] != eeprom->before[i])
			error = write_word(transport, i, eeprom->after[i], report);
	return error ? error : verify(eeprom, transport, report);
}
