/* The compiled firmware on the model of the chip: loading, enumeration, descriptors, the requests
 * of USB 2.0 chapter 9, suspend, watchdog. docs/usb.md sections 1, 2, 4 and 5.
 */
#include "check.h"

#include <string.h>

#include "common/protocol/ear_protocol.h"
#include "fx2_device.h"

enum {
	GET_STATUS = 0,
	CLEAR_FEATURE = 1,
	SET_FEATURE = 3,
	GET_DESCRIPTOR = 6,
	SET_DESCRIPTOR = 7,
	GET_CONFIGURATION = 8,
	SET_CONFIGURATION = 9,
	GET_INTERFACE = 10,
	SET_INTERFACE = 11,
	SYNCH_FRAME = 12,
};

/* docs/usb.md, section 2. */
static const uint8_t device_descriptor[18] = {0x12, 0x01, 0x00, 0x02, 0x00, 0x00, 0x00, 0x40, 0x09,
	0x12, 0x01, 0x00, 0x00, 0x01, 0x01, 0x02, 0x00, 0x01};
static const uint8_t qualifier[10] = {0x0A, 0x06, 0x00, 0x02, 0x00, 0x00, 0x00, 0x40, 0x01, 0x00};
static const uint8_t configuration[32] = {0x09, 0x02, 0x20, 0x00, 0x01, 0x01, 0x00, 0x80, 0xFA,
	0x09, 0x04, 0x00, 0x00, 0x02, 0xFF, 0x45, 0x01, 0x00, 0x07, 0x05, 0x02, 0x02, 0x00, 0x02,
	0x00, 0x07, 0x05, 0x86, 0x02, 0x00, 0x02, 0x00};

static int get_descriptor(struct fx2_chip *chip, uint16_t value, uint8_t *data, uint16_t length)
{
	return fx2_device_control(chip, 0x80, GET_DESCRIPTOR, value, 0x0409, data, length);
}

static void a_bare_chip_says_so_and_takes_the_firmware(void **state)
{
	struct fx2_chip *chip = *state;
	size_t size;
	const uint8_t *image = fx2_device_image(&size);
	uint8_t data[64];

	assert_int_equal(get_descriptor(chip, 0x0100, data, 64), 18);
	assert_memory_equal(data + 8, "\xB4\x04\x13\x86", 4);
	assert_int_equal(fx2_device_read(chip, EAR_USB_REQUEST_IDENTIFY, 0, data, 64), FX2_STALL);
	fx2_device_load(chip, image, size);

	/* It stays for the end of the host's last request, then leaves, then comes back. */
	fx2_chip_run(chip, 30000);
	assert_true(fx2_chip_connected(chip));
	fx2_chip_run(chip, 50000);
	assert_false(fx2_chip_connected(chip));
	fx2_chip_run(chip, 200000);
	assert_false(fx2_chip_connected(chip));
	fx2_chip_run(chip, 100000);
	assert_true(fx2_chip_connected(chip));
	assert_int_equal(fx2_chip_connections(chip), 2);

	fx2_device_enumerate(chip, true);
	assert_int_equal(fx2_device_read(chip, EAR_USB_REQUEST_IDENTIFY, 0, data, 64), 16);
}

static void identify_says_versions_and_speed(void **state)
{
	struct fx2_chip *chip = *state;
	uint8_t data[64];

	assert_int_equal(fx2_device_read(chip, EAR_USB_REQUEST_IDENTIFY, 0, data, 16), 16);
	assert_memory_equal(data, "EARU", 4);
	assert_int_equal(data[EAR_USB_IDENTIFY_MAJOR], EAR_USB_VERSION_MAJOR);
	assert_int_equal(data[EAR_USB_IDENTIFY_MINOR], EAR_USB_VERSION_MINOR);
	assert_int_equal(data[EAR_USB_IDENTIFY_PROTOCOL_MAJOR], EAR_PROTOCOL_MAJOR);
	assert_int_equal(data[EAR_USB_IDENTIFY_PROTOCOL_MINOR], EAR_PROTOCOL_MINOR);
	assert_int_equal(data[EAR_USB_IDENTIFY_SPEED], 2);
	assert_int_equal(
		data[EAR_USB_IDENTIFY_PACKET] | data[EAR_USB_IDENTIFY_PACKET + 1] << 8, 512);
	fx2_device_enumerate(chip, false);
	assert_int_equal(fx2_device_read(chip, EAR_USB_REQUEST_IDENTIFY, 0, data, 16), 16);
	assert_int_equal(data[EAR_USB_IDENTIFY_SPEED], 1);
	assert_int_equal(data[EAR_USB_IDENTIFY_PACKET], 64);
}

static void descriptors_are_those_of_the_document(void **state)
{
	struct fx2_chip *chip = *state;
	uint8_t data[64], full[32], other[32];

	assert_int_equal(get_descriptor(chip, 0x0100, data, 18), 18);
	assert_memory_equal(data, device_descriptor, 18);
	assert_int_equal(get_descriptor(chip, 0x0600, data, 64), 10);
	assert_memory_equal(data, qualifier, 10);
	assert_int_equal(get_descriptor(chip, 0x0200, data, 64), 32);
	assert_memory_equal(data, configuration, 32);

	/* The other speed has the other packet size; and at the other speed it is reversed. */
	memcpy(full, configuration, 32);
	full[22] = full[29] = 0x40;
	full[23] = full[30] = 0x00;
	memcpy(other, full, 32);
	other[1] = 7;
	assert_int_equal(get_descriptor(chip, 0x0700, data, 64), 32);
	assert_memory_equal(data, other, 32);
	fx2_device_enumerate(chip, false);
	assert_int_equal(get_descriptor(chip, 0x0200, data, 64), 32);
	assert_memory_equal(data, full, 32);
	memcpy(other, configuration, 32);
	other[1] = 7;
	assert_int_equal(get_descriptor(chip, 0x0700, data, 64), 32);
	assert_memory_equal(data, other, 32);
	assert_int_equal(get_descriptor(chip, 0x0100, data, 64), 18);
	assert_memory_equal(data, device_descriptor, 18);
}

/* Every length that a host may ask for, among them those that end on a packet's end. */
static void a_descriptor_is_cut_to_the_length_that_was_asked_for(void **state)
{
	struct fx2_chip *chip = *state;
	uint8_t data[300];

	for (uint16_t length = 1; length < 300; length++) {
		int expected = length < 32 ? length : 32;

		memset(data, 0x5A, sizeof(data));
		assert_int_equal(get_descriptor(chip, 0x0200, data, length), expected);
		assert_memory_equal(data, configuration, (size_t)expected);
		assert_int_equal(data[expected], 0x5A);
	}
	assert_int_equal(get_descriptor(chip, 0x0200, data, 0), 0);
}

static void assert_string(struct fx2_chip *chip, uint8_t index, const char *text)
{
	uint8_t data[255];
	int size = get_descriptor(chip, (uint16_t)(0x0300 | index), data, sizeof(data));

	assert_int_equal(size, 2 + 2 * strlen(text));
	assert_int_equal(data[0], size);
	assert_int_equal(data[1], 3);
	for (size_t i = 0; i < strlen(text); i++) {
		assert_int_equal(data[2 + 2 * i], text[i]);
		assert_int_equal(data[3 + 2 * i], 0);
	}
}

static void strings_are_there_and_no_more(void **state)
{
	struct fx2_chip *chip = *state;
	uint8_t data[64];

	assert_int_equal(get_descriptor(chip, 0x0300, data, 64), 4);
	assert_memory_equal(data, "\x04\x03\x09\x04", 4);
	assert_string(chip, 1, "Earshot");
	assert_string(chip, 2, "Earshot FX2LP");
	for (uint16_t index = 3; index < 256; index++) /* as built there is no serial number */
		assert_int_equal(get_descriptor(chip, 0x0300 | index, data, 64), FX2_STALL);
}

/* Settings in the image: what the host may change before it loads it. */
static void the_serial_number_is_what_the_host_put_into_the_image(void **state)
{
	struct fx2_chip *chip = *state;
	static const struct {
		const char *serial;
		uint8_t length, version, first;
		bool good;
	} rows[] = {
		{"A1", 2, 1, 'E', true},
		{"0123456789ABCDEFGHIJKLMN", 24, 1, 'E', true},
		{"0123456789ABCDEFGHIJKLMN", 25, 1, 'E', false},
		{"A1", 255, 1, 'E', false},
		{"A 1", 3, 1, 'E', false},
		{"A1", 2, 2, 'E', false},
		{"A1", 2, 1, 'e', false},
		{"", 0, 1, 'E', false},
	};
	uint8_t image[0x4000], data[64];
	size_t size;

	memcpy(image, fx2_device_image(&size), sizeof(image));
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		uint8_t *settings = image + EAR_USB_SETTINGS;

		settings[EAR_USB_SETTINGS_MAGIC] = rows[i].first;
		settings[EAR_USB_SETTINGS_VERSION] = rows[i].version;
		settings[EAR_USB_SETTINGS_SERIAL_LENGTH] = rows[i].length;
		memset(settings + EAR_USB_SETTINGS_SERIAL, 0, EAR_USB_SETTINGS_SERIAL_MAX);
		memcpy(settings + EAR_USB_SETTINGS_SERIAL, rows[i].serial, strlen(rows[i].serial));
		fx2_device_load(chip, image, size);
		fx2_device_wait(chip);
		fx2_device_enumerate(chip, true);
		assert_int_equal(get_descriptor(chip, 0x0100, data, 18), 18);
		assert_int_equal(data[16], rows[i].good ? 3 : 0);
		if (rows[i].good)
			assert_string(chip, 3, rows[i].serial);
		else
			assert_int_equal(get_descriptor(chip, 0x0303, data, 64), FX2_STALL);
	}
}

static void a_board_starts_from_its_eeprom_at_once(void **state)
{
	struct fx2_chip *chip = *state;
	uint8_t *eeprom = fx2_chip_set_eeprom(chip, 8192);
	size_t size, at = 8;
	const uint8_t *image = fx2_device_image(&size);
	uint8_t data[18];

	memcpy(eeprom, "\xC2\x09\x12\x01\x00\x00\x01\x41", 8);
	for (size_t done = 0; done < size;) {
		size_t part = size - done < 1023 ? size - done : 1023;
		uint8_t head[4] = {
			(uint8_t)(part >> 8), (uint8_t)part, (uint8_t)(done >> 8), (uint8_t)done};

		memcpy(eeprom + at, head, 4);
		memcpy(eeprom + at + 4, image + done, part);
		done += part;
		at += part + 4;
	}
	memcpy(eeprom + at, "\x80\x01\xE6\x00\x00", 5);
	assert_at_most(at + 5, 8192);
	fx2_chip_power_on(chip);
	assert_false(fx2_chip_connected(chip));
	fx2_chip_run(chip, 20000);
	assert_true(fx2_chip_connected(chip));
	assert_true(fx2_chip_asleep(chip)); /* nobody talks to it yet */
	assert_int_equal(fx2_chip_connections(chip), 1);
	fx2_device_enumerate(chip, true);
	assert_int_equal(get_descriptor(chip, 0x0100, data, 18), 18);
	assert_memory_equal(data, device_descriptor, 18);
}

static void the_firmware_may_be_loaded_again_at_any_time(void **state)
{
	struct fx2_chip *chip = *state;
	size_t size;
	const uint8_t *image = fx2_device_image(&size);
	uint8_t data[16];

	assert_int_equal(fx2_device_write(chip, EAR_USB_REQUEST_START, 0), 0);
	fx2_device_load(chip, image, size);
	fx2_device_wait(chip);
	fx2_device_enumerate(chip, true);
	assert_int_equal(fx2_device_read(chip, EAR_USB_REQUEST_IDENTIFY, 0, data, 16), 16);
	assert_int_equal(fx2_device_status(chip, EAR_USB_STATUS_STARTS), 0);
}

static int standard(struct fx2_chip *chip, uint8_t type, uint8_t request, uint16_t value,
	uint16_t index, uint16_t length)
{
	uint8_t data[64] = {0};

	return fx2_device_control(chip, type, request, value, index, data, length);
}

static void standard_requests_are_answered(void **state)
{
	struct fx2_chip *chip = *state;
	uint8_t data[2] = {9, 9};

	assert_int_equal(fx2_device_control(chip, 0x80, GET_CONFIGURATION, 0, 0, data, 1), 1);
	assert_int_equal(data[0], 1);
	assert_int_equal(fx2_device_control(chip, 0x81, GET_INTERFACE, 0, 0, data, 1), 1);
	assert_int_equal(data[0], 0);
	assert_int_equal(fx2_device_control(chip, 0x80, GET_STATUS, 0, 0, data, 2), 2);
	assert_memory_equal(data, "\0\0", 2);
	assert_int_equal(fx2_device_control(chip, 0x81, GET_STATUS, 0, 0, data, 2), 2);
	assert_int_equal(fx2_device_control(chip, 0x82, GET_STATUS, 0, 0x86, data, 2), 2);
	assert_memory_equal(data, "\0\0", 2);
	assert_int_equal(standard(chip, 0x01, SET_INTERFACE, 0, 0, 0), 0);

	assert_int_equal(standard(chip, 0x00, SET_CONFIGURATION, 0, 0, 0), 0);
	assert_int_equal(fx2_device_control(chip, 0x80, GET_CONFIGURATION, 0, 0, data, 1), 1);
	assert_int_equal(data[0], 0);
	assert_int_equal(standard(chip, 0x81, GET_INTERFACE, 0, 0, 1), FX2_STALL);
	assert_int_equal(standard(chip, 0x82, GET_STATUS, 0, 0x86, 2), FX2_STALL);
	assert_int_equal(standard(chip, 0x82, GET_STATUS, 0, 0x80, 2), 2);
}

static void standard_requests_that_make_no_sense_are_refused(void **state)
{
	struct fx2_chip *chip = *state;
	static const struct {
		uint8_t type, request;
		uint16_t value, index, length;
	} rows[] = {
		{0x00, SET_CONFIGURATION, 2, 0, 0}, {0x00, SET_CONFIGURATION, 0x0101, 0, 0},
		{0x01, SET_INTERFACE, 1, 0, 0}, {0x01, SET_INTERFACE, 0, 1, 0},
		{0x81, GET_INTERFACE, 0, 1, 1}, {0x80, GET_STATUS, 1, 0, 2},
		{0x82, GET_STATUS, 0, 0x03, 2}, {0x82, GET_STATUS, 0, 0x82, 2},
		{0x82, GET_STATUS, 0, 0x0186, 2}, {0x00, SET_FEATURE, 1, 0, 0}, /* remote wake-up */
		{0x00, SET_FEATURE, 2, 0x0100, 0},                              /* test mode */
		{0x02, SET_FEATURE, 1, 0x86, 0}, {0x02, SET_FEATURE, 0, 0x06, 0},
		{0x02, CLEAR_FEATURE, 0, 0x81, 0}, {0x00, SET_DESCRIPTOR, 0x0100, 0, 18},
		{0x82, SYNCH_FRAME, 0, 0x86, 2}, {0x80, GET_DESCRIPTOR, 0x0000, 0, 18},
		{0x80, GET_DESCRIPTOR, 0x0101, 0, 18}, {0x80, GET_DESCRIPTOR, 0x0201, 0, 18},
		{0x80, GET_DESCRIPTOR, 0x0400, 0, 18}, {0x80, GET_DESCRIPTOR, 0x2100, 0, 18},
		{0x00, GET_DESCRIPTOR, 0x0100, 0, 18}, {0x80, SET_CONFIGURATION, 1, 0, 1},
		{0x21, 0x22, 3, 0, 0}, /* of a class */
		{0x60, 0xB0, 0, 0, 0}, /* of the reserved kind */
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		uint32_t before = fx2_device_status(chip, EAR_USB_STATUS_REFUSED);
		int result = standard(chip, rows[i].type, rows[i].request, rows[i].value,
			rows[i].index, rows[i].length);

		if (result != FX2_STALL)
			fail_msg("row %zu: %d", i, result);
		assert_int_equal(fx2_device_status(chip, EAR_USB_STATUS_REFUSED), before + 1);
	}
	assert_int_equal(fx2_device_status(chip, EAR_USB_STATUS_STATE) & EAR_USB_STATE_CONFIGURED,
		EAR_USB_STATE_CONFIGURED);
}

static void a_suspended_chip_sleeps_and_wakes(void **state)
{
	struct fx2_chip *chip = *state;
	uint8_t data[16];
	uint32_t before = fx2_device_status(chip, EAR_USB_STATUS_SUSPENDS);

	fx2_chip_suspend(chip);
	fx2_chip_run(chip, 5000);
	assert_true(fx2_chip_asleep(chip));
	assert_int_equal(
		fx2_device_read(chip, EAR_USB_REQUEST_IDENTIFY, 0, data, 16), FX2_NO_DEVICE);
	fx2_chip_run(chip, 10000000); /* the watchdog sleeps, too */
	assert_true(fx2_chip_asleep(chip));
	fx2_chip_resume(chip);
	fx2_chip_run(chip, 100);
	assert_false(fx2_chip_asleep(chip));
	assert_int_equal(fx2_device_read(chip, EAR_USB_REQUEST_IDENTIFY, 0, data, 16), 16);
	assert_int_equal(fx2_device_status(chip, EAR_USB_STATUS_SUSPENDS), before + 1);
	assert_int_equal(fx2_device_status(chip, EAR_USB_STATUS_WATCHDOG), 0);

	/* A resume that comes before the firmware has gone to sleep is not missed. */
	fx2_chip_suspend(chip);
	fx2_chip_resume(chip);
	fx2_chip_run(chip, 5000);
	assert_false(fx2_chip_asleep(chip));
	assert_int_equal(fx2_device_read(chip, EAR_USB_REQUEST_IDENTIFY, 0, data, 16), 16);
}

static void the_watchdog_restarts_a_firmware_that_hangs(void **state)
{
	struct fx2_chip *chip = *state;
	uint8_t data[16];

	for (uint32_t round = 1; round <= 2; round++) {
		fx2_chip_run_away(chip);
		assert_int_equal(fx2_device_read(chip, EAR_USB_REQUEST_IDENTIFY, 0, data, 16),
			FX2_NO_DEVICE);
		fx2_device_wait(chip);
		fx2_device_enumerate(chip, true);
		assert_int_equal(fx2_device_read(chip, EAR_USB_REQUEST_IDENTIFY, 0, data, 16), 16);
		assert_int_equal(fx2_device_status(chip, EAR_USB_STATUS_WATCHDOG), round);
	}
	/* And leaves one alone that has nothing to do. */
	fx2_chip_run(chip, 3000000);
	assert_int_equal(fx2_device_status(chip, EAR_USB_STATUS_WATCHDOG), 2);
	assert_in_range(fx2_device_status(chip, EAR_USB_STATUS_UPTIME), 320, 400);
}

static void reboot_starts_the_firmware_anew(void **state)
{
	struct fx2_chip *chip = *state;

	fx2_device_assert_refused(
		chip, fx2_device_write(chip, EAR_USB_REQUEST_REBOOT, 0), EAR_USB_ERROR_VALUE);
	assert_int_equal(fx2_device_control(chip, 0x40, EAR_USB_REQUEST_REBOOT, 0,
				 EAR_USB_KEY_REBOOT, NULL, 0),
		0);
	fx2_device_wait(chip);
	fx2_device_enumerate(chip, true);
	assert_int_equal(fx2_device_status(chip, EAR_USB_STATUS_REFUSED), 0);
	assert_int_equal(fx2_device_status(chip, EAR_USB_STATUS_WATCHDOG), 0);
}

static void a_reset_of_the_bus_forgets_the_configuration(void **state)
{
	struct fx2_chip *chip = *state;

	assert_int_equal(fx2_device_write(chip, EAR_USB_REQUEST_START, 0), 0);
	fx2_chip_bus_reset(chip, true);
	fx2_chip_run(chip, 1000);
	assert_int_equal(fx2_device_status(chip, EAR_USB_STATUS_STATE) &
				 (EAR_USB_STATE_CONFIGURED | EAR_USB_STATE_RUNNING),
		0);
	assert_int_equal(fx2_device_status(chip, EAR_USB_STATUS_BUS_RESETS), 2);
	fx2_device_assert_refused(
		chip, fx2_device_write(chip, EAR_USB_REQUEST_START, 0), EAR_USB_ERROR_STATE);
	fx2_device_assert_refused(
		chip, fx2_device_write(chip, EAR_USB_REQUEST_RESET_FIFOS, 0), EAR_USB_ERROR_STATE);
}

#define BARE(test) cmocka_unit_test_setup_teardown(test, fx2_device_setup, fx2_device_teardown)
#define CONFIGURED(test) \
	cmocka_unit_test_setup_teardown(test, fx2_device_setup_configured, fx2_device_teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		BARE(a_bare_chip_says_so_and_takes_the_firmware),
		CONFIGURED(identify_says_versions_and_speed),
		CONFIGURED(descriptors_are_those_of_the_document),
		CONFIGURED(a_descriptor_is_cut_to_the_length_that_was_asked_for),
		CONFIGURED(strings_are_there_and_no_more),
		BARE(the_serial_number_is_what_the_host_put_into_the_image),
		BARE(a_board_starts_from_its_eeprom_at_once),
		CONFIGURED(the_firmware_may_be_loaded_again_at_any_time),
		CONFIGURED(standard_requests_are_answered),
		CONFIGURED(standard_requests_that_make_no_sense_are_refused),
		CONFIGURED(a_suspended_chip_sleeps_and_wakes),
		CONFIGURED(the_watchdog_restarts_a_firmware_that_hangs),
		CONFIGURED(reboot_starts_the_firmware_anew),
		CONFIGURED(a_reset_of_the_bus_forgets_the_configuration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
