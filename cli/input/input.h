#ifndef EAR_INPUT_H
#define EAR_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "library/shot/window.h"

/* A capture file or raw dump by name, with messages for people. */
struct input {
	const char *name; /* for messages; "standard input" for "-" */
	int fd;
	uint64_t size;    /* of the file, 0 if unknown (a pipe) */
	bool ftdi_status; /* given: ear_shot_reader_strip_ftdi */
	struct ear_window window;
};

/* The same for a trace in any format: it may be a folder, whose *size is 0. */
int input_open_trace(const char *path, uint64_t *size);

/* Open path; ftdi_status is set. Returns false after printing why not. */
bool input_open(struct input *input, const char *path);

/* ear_window_fill; returns false after printing an error. */
bool input_fill(struct input *input);

/* How much of a file with a known size was read, 0 .. 100, or -1 if that is unknown. */
int input_percent(int fd, uint64_t size);

void input_close(struct input *input);

/* Decode it to its end, with progress. at_state, if not NULL, is called where the file has a state
 * of the decoder. Returns false after printing what stopped it, also for an interrupt.
 */
struct ear_decoder;
bool input_decode(struct input *input, struct ear_decoder *decoder,
	void (*at_state)(void *context, const struct ear_decoder *decoder), void *context);

#endif
