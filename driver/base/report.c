/* Sentences for the user. vsnprintf cuts what is too long, so a long device name never costs the
 * program more than the end of a sentence.
 */
#include "driver/base/report.h"

#include <stdarg.h>
#include <stdio.h>

int ear_report_set(struct ear_report *report, int error, const char *format, ...)
{
	if (report) {
		va_list arguments;
		va_start(arguments, format);
		vsnprintf(report->text, sizeof(report->text), format, arguments);
		va_end(arguments);
	}
	return error;
}
