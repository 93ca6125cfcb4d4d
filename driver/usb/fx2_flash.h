#ifndef EAR_FX2_FLASH_H
#define EAR_FX2_FLASH_H

#include <stddef.h>
#include <stdint.h>

#include "driver/link/transport.h"
#include "driver/usb/fx2_loader.h"

/* Writing through an FX2LP with Earshot's firmware: the bitstream into its FPGA, and
 * firmware into its own EEPROM. docs/usb.md, sections 5.1 and 5.2.
 *
 * transport is one that ear_transport_usb_open gave and that has not been started.
 */

/* Called now and then: done of total bytes are written. */
typedef void ear_fx2_flash_progress(void *context, size_t done, size_t total);

/* Load the bitstream bytes[0 .. size-1] into the FPGA, where it stays until the power is off. flags
 * are EAR_USB_FPGA_*. The bytes are not changed. progress may be NULL.
 *
 * Returns 0 when the FPGA has started. Returns EAR_E_REFUSED with the device's reason,
 *         EAR_E_NO_DEVICE, EAR_E_TIMEOUT or EAR_E_IO.
 */
int ear_fx2_flash_fpga(struct ear_transport *transport, uint8_t *bytes, size_t size, unsigned flags,
	ear_fx2_flash_progress *progress, void *context, struct ear_report *report);

/* The longest image in the chip's boot format, docs/usb.md, section 5.2. */
#define EAR_FX2_BOOT_MAX (8u + EAR_USB_IMAGE_MAX + 4u * (EAR_USB_IMAGE_MAX / 1023u + 1u) + 5u)

/* Write the boot format of *image to bytes[0 .. EAR_FX2_BOOT_MAX-1]. Returns its size. */
size_t ear_fx2_boot_build(uint8_t *bytes, const struct ear_fx2_image *image);

/* Write *image into the EEPROM and read it back; the chip boots from it at its next power-up. The
 * mark that makes the chip look at the EEPROM is written last: after a failure before that, the
 * chip comes up bare.
 *
 * Results as ear_fx2_flash_fpga; EAR_E_IO also if the EEPROM holds something else.
 */
int ear_fx2_flash_eeprom(struct ear_transport *transport, const struct ear_fx2_image *image,
	ear_fx2_flash_progress *progress, void *context, struct ear_report *report);

#endif
