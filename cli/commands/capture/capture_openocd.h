#ifndef EAR_CAPTURE_OPENOCD_H
#define EAR_CAPTURE_OPENOCD_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/options/options.h"
#include "driver/openocd/trace_control.h"

/* 'earshot capture -d openocd:HOST:PORT': a branch trace of a chip, from the memory of its RAM sink
 * (docs/branch-trace.md, section 5). */
struct capture_openocd {
	const char *device;
	const char *path, *format; /* of the file: "ntrace" or "etrace" */
	struct ear_trace_wishes wishes;
	const char *unit; /* JSON: what the hardware does not say; NULL: nothing */
	double seconds;   /* 0: no limit */
	bool has_stop;    /* the core halts before the instruction at stop */
	uint64_t stop;
	bool keep_running; /* no reset */
	bool quiet;
};

/* Is the device OpenOCD's? */
bool capture_openocd_is(const char *device);

/* --trace-base and --trace-buffer: value is a struct ear_trace_wishes. */
command_take capture_openocd_take_base, capture_openocd_take_buffer;

/* The capture, to the exit status. */
int capture_openocd_run(const struct capture_openocd *capture);

#endif
