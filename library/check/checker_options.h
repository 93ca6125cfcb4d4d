#ifndef EAR_CHECKER_OPTIONS_H
#define EAR_CHECKER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/check.h>
#include <earshot/search.h>

#include "library/memory/memory_types.h"

struct ear_checker_options {
	bool captured;                  /* the source shows all that an instruction did */
	bool shows_interrupts;          /* it has a record for each interrupt */
	uint32_t rules;                 /* as in struct ear_check_options */
	const struct ear_span *devices; /* the caller's */
	size_t device_count;
	const struct ear_memory_segment *image; /* of the program; the caller's */
	size_t image_count;
	bool reset;                                /* as in struct ear_check_options */
	const struct ear_record_register *assumed; /* the caller's */
	size_t assumed_count;
	ear_violation_found *found; /* NULL: count only */
	void *context;
};

#endif
