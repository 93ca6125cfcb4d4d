#ifndef EAR_INPUT_H
#define EAR_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/shot.h"

/* A capture file or raw dump, as a window onto its stream: look at the bytes, use some, get
 * more behind the rest.
 */
struct input {
	const char *name; /* for messages; "standard input" for "-" */
	int fd;
	struct ear_shot_reader *reader;
	uint8_t *buffer;
	size_t begin, end; /* buffer[begin .. end-1] is unused */
	uint64_t size;     /* of the file, 0 if unknown (a pipe) */
	bool final;        /* nothing comes behind the window */
	bool at_loss;      /* bytes are missing behind the window */
	uint64_t loss_size;
};

/* Open path ("-": stdin). Returns false after printing why not. */
bool input_open(struct input *input, const char *path);

/* Put more bytes behind the unused ones, until the window is full, the stream ends (final) or
 * has a hole (at_loss, loss_size; cleared by the next call). Returns false after printing an
 * input error.
 */
bool input_fill(struct input *input);

static inline const uint8_t *input_bytes(const struct input *input)
{
	return input->buffer + input->begin;
}

static inline size_t input_size(const struct input *input)
{
	return input->end - input->begin;
}

/* The first size bytes of the window are used. */
static inline void input_consume(struct input *input, size_t size)
{
	input->begin += size;
}

/* How much of the file was read, 0 .. 100, or -1 if that is unknown. */
int input_percent(const struct input *input);

void input_close(struct input *input);

#endif
