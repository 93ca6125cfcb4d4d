#ifndef EAR_MATCH_H
#define EAR_MATCH_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stdint.h>

/* Conditions on a record. All that are set must hold; one on an absent member does not hold. */

struct ear_match_range {
	uint64_t first, last; /* both included */
};

#define EAR_MATCH_RANGES_MAX 64

struct ear_match {
	/* pc in one of the ranges; pc_count 0: any. */
	unsigned pc_count;
	struct ear_match_range pcs[EAR_MATCH_RANGES_MAX];

	/* (opcode and mask) = value; mask 0: any. */
	uint64_t opcode_value, opcode_mask;

	/* An access that touches a byte in one of the ranges; address_count 0: any. */
	unsigned address_count;
	struct ear_match_range addresses[EAR_MATCH_RANGES_MAX];
	bool reads, writes; /* only these accesses; both false: any */
	bool has_data;      /* only accesses whose value is data under data_mask */
	uint64_t data, data_mask;

	/* A write of this register, with this value if has_value. */
	bool has_register, has_value;
	uint8_t register_class; /* enum ear_register_class */
	uint16_t register_number;
	uint64_t register_value;

	unsigned privileges; /* set of 1 << enum ear_privilege; 0: any */
	bool trap;           /* exceptions and interrupts only */
	bool interrupt;      /* interrupts only */
	bool has_cause;
	uint64_t cause; /* without the interrupt bit */
	int hart;       /* -1: any */
	bool gaps;      /* gaps only */

	/* Events only; of this source or with this name if either is set, with this value if
	 * has_event_value. */
	bool events, has_event_source, has_event_value;
	uint8_t event_source;
	struct ear_text event_name; /* text NULL: any */
	uint32_t event_value;
};

/* No condition: every record matches. */
void ear_match_init(struct ear_match *match);

bool ear_match_record(const struct ear_match *match, const struct ear_record *record);

#endif
