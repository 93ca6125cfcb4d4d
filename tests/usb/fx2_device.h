#ifndef FX2_DEVICE_H
#define FX2_DEVICE_H

#include "fx2model/fx2_chip.h"

/* The model of the chip with our compiled firmware, as tests want it: docs/usb.md. */

#define FX2_ANSWER_US 3000000 /* longer than anything that the firmware may take */

/* setup and teardown of cmocka: *state is a model with power and nothing else. The teardown fails
 * the test when the firmware did what the chip forbids.
 */
int fx2_device_setup(void **state);
int fx2_device_teardown(void **state);

/* The same, with the firmware loaded and configured at high speed. */
int fx2_device_setup_configured(void **state);

/* The image that the build has made. */
const uint8_t *fx2_device_image(size_t *size);

/* Write the image over FIRMWARE_LOAD, read it back, start the processor. */
void fx2_device_load(struct fx2_chip *chip, const uint8_t *image, size_t size);

/* Wait until the firmware has left the bus and come back, as a host does. */
void fx2_device_wait(struct fx2_chip *chip);

/* What every host does then: reset, address, configuration 1. */
void fx2_device_enumerate(struct fx2_chip *chip, bool high_speed);

/* A control transfer by its parts. Returns what fx2_chip_control() does. */
int fx2_device_control(struct fx2_chip *chip, uint8_t type, uint8_t request, uint16_t value,
	uint16_t index, uint8_t *data, uint16_t length);

/* Vendor requests: EAR_USB_REQUEST_... */
int fx2_device_read(
	struct fx2_chip *chip, uint8_t request, uint16_t value, uint8_t *data, uint16_t length);
int fx2_device_write(struct fx2_chip *chip, uint8_t request, uint16_t value);

/* One field of STATUS, of 1, 2 or 4 bytes; the offset decides. */
uint32_t fx2_device_status(struct fx2_chip *chip, unsigned offset);

/* The request is refused, and STATUS says why. */
void fx2_device_assert_refused(struct fx2_chip *chip, int result, uint8_t error);

#endif
