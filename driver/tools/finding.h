#ifndef EAR_FINDING_H
#define EAR_FINDING_H

#include <stdbool.h>

/* One finding: a subject, what was found, and, if it is not well, what to do about it (""
 * otherwise). */
struct ear_finding {
	bool well;
	char subject[96];
	char text[320];
	char remedy[320];
};

typedef void ear_finding_sink(void *context, const struct ear_finding *finding);

/* What the parts of the doctor share. */
struct ear_doctor_state {
	ear_finding_sink *sink;
	void *context;
	unsigned ill;
	char subject[96];
	char rules[300]; /* what is to be done so that the udev rules hold for a device */
};

/* What the findings from now on are about. */
void ear_doctor_subject(struct ear_doctor_state *doctor, const char *subject);

/* A finding on the subject; remedy NULL: it is in order. */
void ear_doctor_add(struct ear_doctor_state *doctor, const char *remedy, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
