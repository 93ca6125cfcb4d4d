#ifndef EAR_REPORT_H
#define EAR_REPORT_H

/* A sentence for the user: what was tried, on which device, why it failed, and what to do next.
 *
 * Every function of the driver that can fail fills one. It begins with the name of the device or
 * the file and has neither a final full stop nor a newline. The driver never prints.
 */
struct ear_report {
	char text[384]; /* "" as long as nothing was reported; cut if longer */
};

/* Write a sentence into *report, which may be NULL.
 * Returns error, so that a failing function ends in `return ear_report_set(...)`.
 */
int ear_report_set(struct ear_report *report, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
