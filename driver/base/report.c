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
