#ifndef CLI_STATE_SHOWN_H
#define CLI_STATE_SHOWN_H

#include <earshot/moment.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/input/trace_input.h"
#include "cli/show/json.h"

/* What 'earshot state' is asked for, and what its parts share while they print it. */
#define STATE_ITEMS_MAX 64

enum state_item_kind {
	STATE_OVERVIEW,  /* registers, as far as they are known */
	STATE_REGISTERS, /* text: their names */
	STATE_MEMORY,    /* text: a range */
	STATE_VARIABLE,  /* text: an expression */
	STATE_STACK,
};

struct state_request {
	struct state_item {
		enum state_item_kind kind;
		const char *text;
	} items[STATE_ITEMS_MAX];
	unsigned count;
	bool json;
	bool no_inline; /* stacks without inlined functions */
	bool at_end;    /* the moment is the end of the trace */
	int hart;       /* -1: that of the last record before the moment */
};

#define STATE_TEXT_MAX 512

struct state_shown {
	const struct state_request *request;
	struct trace_input *input;
	struct ear_moment *moment;
	uint16_t hart;
	unsigned digits; /* hexadecimal, of an address */
	struct json json;

	/* Where values are inferred (--infer): the names of the registers shown that are. */
	char inferred[4096];
	size_t inferred_size;
	uint8_t noted[3][4096 / 8];  /* a bit for each register */
	struct ear_moment_view view; /* of the moment; used_inferred: something inferred was read */
	bool used_inferred;
};

/* "main+0x4  fw.c:12", or "". */
void state_place_text(const struct state_shown *show, uint64_t address, char *text, size_t size);

/* The same as members of JSON. */
void state_address_members(struct state_shown *show, uint64_t address);

#endif
