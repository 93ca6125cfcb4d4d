#ifndef EAR_REPORT_H
#define EAR_REPORT_H

/* A sentence for a human: what was tried, on which device, and why it did not work.
 *
 * Every function of the driver that can fail fills one. It begins with the device's or the
 * file's name and has no final full stop and no newline. The driver never prints.
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
