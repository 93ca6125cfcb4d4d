#ifndef REQUESTS_H
#define REQUESTS_H

#include <stdbool.h>

/* Requests on endpoint 0: docs/usb.md section 5. Each function ends the request that is in setup.
 */

extern bool requests_configured; /* SET_CONFIGURATION 1 */

/* Start afresh: stream stopped, FIFOs empty, no halt, data toggles 0, no bitstream being loaded. */
void requests_configure(bool configured);

/* Any request. */
void requests_serve(void);

/* The requests of USB 2.0 chapter 9. */
void requests_standard(void);

#endif
