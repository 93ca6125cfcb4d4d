#ifndef EAR_DOCTOR_USB_H
#define EAR_DOCTOR_USB_H

#include "driver/tools/finding.h"

/* The doctor's findings on USB. In a build without devices (EAR_DEVICES=OFF) that is the one
 * finding that the build has none.
 */

/* Is there firmware for the FX2LP? */
void ear_doctor_firmware(struct ear_doctor_state *doctor);

/* The kernel's memory for USB, and the devices; opens: as that of ear_doctor. */
void ear_doctor_usb(struct ear_doctor_state *doctor, bool opens);

#endif
