/* One finding of the doctor: formatted, counted and handed over. Its parts share nothing else. */
#include "driver/tools/finding.h"

#include <stdarg.h>
#include <stdio.h>

void ear_doctor_add(struct ear_doctor_state *doctor, const char *remedy, const char *format, ...)
{
	struct ear_finding finding = {.well = remedy == NULL};
	va_list arguments;

	snprintf(finding.subject, sizeof(finding.subject), "%s", doctor->subject);
	snprintf(finding.remedy, sizeof(finding.remedy), "%s", remedy ? remedy : "");
	va_start(arguments, format);
	vsnprintf(finding.text, sizeof(finding.text), format, arguments);
	va_end(arguments);
	doctor->ill += !finding.well;
	doctor->sink(doctor->context, &finding);
}

void ear_doctor_subject(struct ear_doctor_state *doctor, const char *subject)
{
	snprintf(doctor->subject, sizeof(doctor->subject), "%s", subject);
}
