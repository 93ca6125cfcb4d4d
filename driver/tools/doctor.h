#ifndef EAR_DOCTOR_H
#define EAR_DOCTOR_H

#include <stdbool.h>

#include "driver/tools/finding.h"

/* Look at everything that a capture from a real device needs, and say what to do where something is
 * missing.
 */

/* Give all findings, in a sensible order. Opens each device that may be opened, to ask for
 * versions, unless opens is false; one that another program uses, or whose serial port one does, is
 * left alone, and a chip without firmware is not given any. Returns how many are not well.
 */
unsigned ear_doctor(ear_finding_sink *sink, void *context, bool opens);

#endif
