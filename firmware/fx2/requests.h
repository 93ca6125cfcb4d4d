#ifndef REQUESTS_H
#define REQUESTS_H

#include <stdbool.h>

/* What the device is asked for on endpoint 0: docs/usb.md section 5. Each function ends the request
 * that stands in setup.
 */

extern bool requests_configured; /* SET_CONFIGURATION 1 */

/* A new beginning: stream stopped, FIFOs empty, no halt, data toggles 0, no bitstream on its way.
 */
void requests_configure(bool configured);

/* Any request. */
void requests_serve(void);

/* USB 2.0 chapter 9, and ours. */
void requests_standard(void);
void requests_vendor(void);

#endif
