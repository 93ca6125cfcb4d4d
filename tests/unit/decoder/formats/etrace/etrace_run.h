#ifndef EAR_ETRACE_RUN_H
#define EAR_ETRACE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "random.h"

#include "decoder/flow/flow_code.h"
#include "decoder/formats/etrace/etrace_encoder.h"

/* A random program, what a hart did in it, and its trace by the encoder. Nothing is executed:
 * branches and jumps go where they like. Without a branch or a jump to a register no path of the
 * program comes back, and every return has a branch before it. */

#define RUN_TEXT_SIZE 2048u
#define RUN_ITEMS_MAX 4096u
#define RUN_BYTES_MAX 65536u
#define RUN_BASE      0x80000000u

struct etrace_run {
	struct ear_flow_code *code;
	size_t count;
	struct ear_etrace_item items[RUN_ITEMS_MAX];

	/* The trace. */
	const struct ear_etrace_unit *unit;
	size_t size, packet_count;
	uint8_t bytes[RUN_BYTES_MAX];
	size_t packets[RUN_ITEMS_MAX * 2]; /* where each begins */
	bool aligned;                      /* put a row of zeros before some packets */
};

struct etrace_run_options {
	size_t items;
	unsigned trap_every;              /* one of so many items is a trap; 0: none */
	bool double_traps;                /* handlers may trap at once */
	bool jump_traps;                  /* a trap may follow a jump that is reported */
	bool user;                        /* mret may go to U mode */
	uint64_t user_mode, machine_mode; /* as packets have them */
};

/* handlers: of unit->vectors, which are filled in: causes 0 .. 7 of exceptions, 3, 7 and 11 of
 * interrupts. */
void etrace_run_make(struct etrace_run *run, struct ear_etrace_unit *unit, struct random *random,
	const struct etrace_run_options *options);

/* Encode the first count items. */
void etrace_run_encode(struct etrace_run *run, const struct ear_etrace_unit *unit,
	uint32_t resync_max, size_t count);

void etrace_run_fini(struct etrace_run *run);

#endif
