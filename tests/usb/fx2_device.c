/* What tests of the firmware do again and again, in terms of control transfers on the model of the
 * chip: load the image, enumerate, send a vendor request, and read a field of STATUS.
 */
#include "check.h"

#include "fx2_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/protocol/ear_protocol.h"

#define IMAGE_SIZE_MAX 0x4000
#define LOAD_SIZE      4096

int fx2_device_setup(void **state)
{
	struct fx2_chip *chip = fx2_chip_new();

	assert_non_null(chip);
	fx2_chip_power_on(chip);
	*state = chip;
	return 0;
}

int fx2_device_teardown(void **state)
{
	struct fx2_chip *chip = *state;
	char fault[200] = "";

	if (fx2_chip_fault(chip))
		snprintf(fault, sizeof(fault), "%s", fx2_chip_fault(chip));
	fx2_chip_free(chip);
	if (fault[0])
		fail_msg("%s", fault);
	return 0;
}

int fx2_device_setup_configured(void **state)
{
	size_t size;
	const uint8_t *image = fx2_device_image(&size);

	fx2_device_setup(state);
	fx2_device_load(*state, image, size);
	fx2_device_wait(*state);
	fx2_device_enumerate(*state, true);
	return 0;
}

const uint8_t *fx2_device_image(size_t *size)
{
	static uint8_t image[IMAGE_SIZE_MAX];
	FILE *file = fopen(EAR_FX2_IMAGE, "rb");

	assert_non_null(file);
	*size = fread(image, 1, sizeof(image), file);
	fclose(file);
	assert_in_range(*size, EAR_USB_SETTINGS + EAR_USB_SETTINGS_SIZE, EAR_USB_IMAGE_MAX);
	return image;
}

int fx2_device_control(struct fx2_chip *chip, uint8_t type, uint8_t request, uint16_t value,
	uint16_t index, uint8_t *data, uint16_t length)
{
	uint8_t setup[8] = {type, request, (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)index,
		(uint8_t)(index >> 8), (uint8_t)length, (uint8_t)(length >> 8)};

	return fx2_chip_control(chip, setup, data, FX2_ANSWER_US);
}

int fx2_device_read(
	struct fx2_chip *chip, uint8_t request, uint16_t value, uint8_t *data, uint16_t length)
{
	return fx2_device_control(chip, 0xC0, request, value, 0, data, length);
}

int fx2_device_write(struct fx2_chip *chip, uint8_t request, uint16_t value)
{
	return fx2_device_control(chip, 0x40, request, value, 0, NULL, 0);
}

static void load_piece(struct fx2_chip *chip, uint16_t address, const uint8_t *bytes, uint16_t size)
{
	uint8_t copy[LOAD_SIZE];

	memcpy(copy, bytes, size);
	assert_int_equal(fx2_device_control(
				 chip, 0x40, EAR_USB_REQUEST_FIRMWARE_LOAD, address, 0, copy, size),
		size);
}

void fx2_device_load(struct fx2_chip *chip, const uint8_t *image, size_t size)
{
	static const uint8_t stop = 1, start = 0;
	uint8_t back[LOAD_SIZE];

	load_piece(chip, EAR_USB_CPUCS, &stop, 1);
	for (size_t at = 0; at < size; at += LOAD_SIZE) {
		size_t part = size - at < LOAD_SIZE ? size - at : LOAD_SIZE;

		load_piece(chip, (uint16_t)at, image + at, (uint16_t)part);
		assert_int_equal(fx2_device_control(chip, 0xC0, EAR_USB_REQUEST_FIRMWARE_LOAD,
					 (uint16_t)at, 0, back, (uint16_t)part),
			part);
		assert_memory_equal(back, image + at, part);
	}
	load_piece(chip, EAR_USB_CPUCS, &start, 1);
}

void fx2_device_wait(struct fx2_chip *chip)
{
	unsigned before = fx2_chip_connections(chip);

	for (int ms = 0; ms < 5000 && fx2_chip_connections(chip) == before; ms++)
		fx2_chip_run(chip, 1000);
	assert_int_equal(fx2_chip_connections(chip), before + 1);
	fx2_chip_run(chip, 100000); /* the host waits for contacts that bounce */
}

void fx2_device_enumerate(struct fx2_chip *chip, bool high_speed)
{
	fx2_chip_bus_reset(chip, high_speed);
	fx2_chip_run(chip, 10000);
	assert_int_equal(fx2_device_control(chip, 0x00, 5, 17, 0, NULL, 0), 0);
	assert_int_equal(fx2_device_control(chip, 0x00, 9, 1, 0, NULL, 0), 0);
}

uint32_t fx2_device_status(struct fx2_chip *chip, unsigned offset)
{
	uint8_t answer[EAR_USB_STATUS_SIZE];
	unsigned size = offset < EAR_USB_STATUS_IN_BYTES     ? 1
			: offset < EAR_USB_STATUS_FPGA_BYTES ? 2
							     : 4;
	uint32_t value = 0;

	assert_int_equal(fx2_device_read(chip, EAR_USB_REQUEST_STATUS, 0, answer, sizeof(answer)),
		sizeof(answer));
	while (size-- > 0)
		value = value << 8 | answer[offset + size];
	return value;
}

void fx2_device_assert_refused(struct fx2_chip *chip, int result, uint8_t error)
{
	assert_int_equal(result, FX2_STALL);
	assert_int_equal(fx2_device_status(chip, EAR_USB_STATUS_ERROR), error);
}
