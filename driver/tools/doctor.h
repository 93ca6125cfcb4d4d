#ifndef EAR_DOCTOR_H
#define EAR_DOCTOR_H

#include <stdbool.h>

/* Look at everything that a capture from a real device needs, and say what to do where something is
 * missing.
 */

/* One finding: a subject, what was found, and, if it is not well, what to do about it (""
 * otherwise). */
struct ear_finding {
	bool well;
	char subject[96];
	char text[320];
	char remedy[320];
};

typedef void ear_finding_sink(void *context, const struct ear_finding *finding);

/* Give all findings, in a sensible order. Opens each device that may be opened, to ask for
 * versions, unless opens is false; one that another program uses, or whose serial port one does, is
 * left alone, and a chip without firmware is not given any. Returns how many are not well.
 */
unsigned ear_doctor(ear_finding_sink *sink, void *context, bool opens);

#endif
