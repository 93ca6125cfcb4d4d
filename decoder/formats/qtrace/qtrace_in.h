#ifndef EAR_QTRACE_IN_H
#define EAR_QTRACE_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/formats/qtrace/qtrace_varint.h"

/* Numbers and bytes from one file of a qtrace, through a buffer of 64 KiB.
 *
 * The first error stays: from then on every number is 0, and error and cause say why. A caller asks
 * once for each record, not after each number.
 */
struct ear_qtrace_in {
	int fd; /* -1: there is no such file; it is like an end at once */
	uint8_t *buffer;
	size_t at, end;    /* of the buffer: what is not taken yet */
	uint64_t base;     /* offset of buffer[0] in the file */
	uint64_t begin;    /* where the record begins that is being read */
	int error;         /* 0, EAR_E_BAD_FILE, EAR_E_IO */
	int error_number;  /* errno of EAR_E_IO */
	const char *cause; /* of EAR_E_BAD_FILE; static */
};

/* Read from fd, which then belongs to the input; -1 for none. Returns 0 or EAR_E_NO_MEMORY. */
int ear_qtrace_in_init(struct ear_qtrace_in *in, int fd);
void ear_qtrace_in_fini(struct ear_qtrace_in *in);

/* A record begins here. */
static inline void ear_qtrace_in_begin(struct ear_qtrace_in *in)
{
	in->begin = in->base + in->at;
}

/* The record is not as it should be. Returns EAR_E_BAD_FILE; an error before is kept. */
int ear_qtrace_in_fail(struct ear_qtrace_in *in, const char *cause);

/* Is nothing left? False after an error. */
bool ear_qtrace_in_ended(struct ear_qtrace_in *in);

/* The next number when the buffer may end inside of it. */
uint64_t ear_qtrace_in_slow(struct ear_qtrace_in *in, bool is_signed);

static inline uint64_t ear_qtrace_in_number(struct ear_qtrace_in *in)
{
	if (in->end - in->at < EAR_QTRACE_VARINT_MAX || in->error)
		return ear_qtrace_in_slow(in, false);
	const uint8_t *at = in->buffer + in->at;
	unsigned size = ear_qtrace_size(*at);
	if (size == 0)
		return ear_qtrace_in_slow(in, false);
	in->at += size;
	return size == 1 ? *at : ear_qtrace_get(at, size);
}

static inline int64_t ear_qtrace_in_signed(struct ear_qtrace_in *in)
{
	if (in->end - in->at < EAR_QTRACE_VARINT_MAX || in->error)
		return (int64_t)ear_qtrace_in_slow(in, true);
	const uint8_t *at = in->buffer + in->at;
	unsigned size = ear_qtrace_size(*at);
	if (size == 0)
		return (int64_t)ear_qtrace_in_slow(in, true);
	in->at += size;
	return ear_qtrace_get_signed(at, size);
}

/* The next size bytes to to. Returns 0 or the error. */
int ear_qtrace_in_bytes(struct ear_qtrace_in *in, uint8_t *to, size_t size);

#endif
