#ifndef EAR_TRACE_CONTROL_H
#define EAR_TRACE_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/openocd/tcl_port.h"

/* The trace of a chip by RISC-V's Trace Control Interface 1.0: encoders, funnels, one RAM sink.
 *
 *     ear_trace_control_find     which components there are
 *     ear_trace_control_start    they are set up, and trace
 *     ear_trace_control_stop     what is under way goes to the sink's memory
 *     ear_trace_control_fetch    and comes from there, the oldest byte first
 *
 * All registers are read back: what the hardware did not take is an error, or is in the members.
 * Results: those of tcl_port.h; EAR_E_UNSUPPORTED, the hardware is not as it has to be;
 * EAR_E_TIMEOUT, also if a component does not do what it was asked for.
 */

#define EAR_TRACE_COMPONENTS_MAX 32u

/* What the user wants. */
struct ear_trace_wishes {
	uint64_t bases[EAR_TRACE_COMPONENTS_MAX]; /* of components */
	unsigned base_count;
	uint64_t buffer;      /* system memory that the sink may use */
	uint64_t buffer_size; /* a multiple of 4; 0: none */
	bool stall;           /* the core waits when the encoder is full; else trace is lost */
	bool time;            /* messages have time stamps: of N-Trace only */
	bool first;           /* the sink stops when it is full; else it keeps the newest bytes */
	unsigned wait_ms;     /* for a bit of a control register; 0: two seconds */
};

struct ear_trace_component {
	uint64_t base;
	uint32_t impl;
};

struct ear_trace_control {
	struct ear_tcl_port *port;
	struct ear_trace_wishes wishes;

	/* From find on. */
	struct ear_trace_component components[EAR_TRACE_COMPONENTS_MAX];
	unsigned component_count, encoder_count;
	const struct ear_trace_component *sink;

	/* From start on. */
	bool etrace;              /* else N-Trace */
	bool history;             /* N-Trace: history messages, else branch messages */
	bool context;             /* contexts and privileges are sent */
	bool periodic;            /* synchronisations come again and again */
	bool aligned;             /* the sink writes alignment packets */
	bool system;              /* the sink's memory is system memory */
	unsigned src_bits;        /* of the source in each packet */
	uint64_t start, capacity; /* of the sink's memory, in bytes */

	/* From stop on. */
	bool lost;      /* an encoder has lost trace, or has held its core */
	bool unflushed; /* a component did not say that all of it has left it */
	bool wrapped;   /* older bytes were overwritten */
	bool full;      /* by the wish `first`: what came later is missing */
	uint64_t head;  /* bytes before the write pointer */
	uint64_t size;  /* bytes of the trace */
};

/* port and what wishes holds are checked already. Where no base is that of a RAM sink, one is
 * looked for in the pages after the first base. */
int ear_trace_control_find(struct ear_trace_control *control, struct ear_tcl_port *port,
	const struct ear_trace_wishes *wishes, struct ear_report *report);
int ear_trace_control_start(struct ear_trace_control *control, struct ear_report *report);
int ear_trace_control_stop(struct ear_trace_control *control, struct ear_report *report);

/* While it traces: has the sink stopped since it is full? Never without the wish `first`. */
int ear_trace_control_is_full(
	struct ear_trace_control *control, bool *full, struct ear_report *report);

/* Gives bytes to take, which returns 0 to continue, or what this function is to return. */
int ear_trace_control_fetch(struct ear_trace_control *control,
	int (*take)(void *context, const uint8_t *bytes, size_t size), void *context,
	struct ear_report *report);

/* Members of the JSON object that a reader of the trace needs (docs/branch-trace.md), without the
 * braces, into text[0 .. size-1], which holds EAR_TRACE_UNIT_SIZE. */
#define EAR_TRACE_UNIT_SIZE 160u
void ear_trace_control_describe(const struct ear_trace_control *control, char *text, size_t size);

#endif
