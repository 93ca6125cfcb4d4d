#ifndef CLI_CHAIN_SHOW_H
#define CLI_CHAIN_SHOW_H

#include <earshot/instruction.h>
#include <earshot/names.h>
#include <earshot/value_chain.h>
#include <earshot/why.h>
#include <stdbool.h>

#include "cli/input/trace_input.h"
#include "cli/show/json.h"

/* Chains of values, for people and as JSON: what 'earshot why' prints with and without --value. */
struct chain_show {
	const struct ear_names *names; /* NULL: there are none */
	struct chain_members *members; /* of their variables; NULL: none; freed */
	struct ear_instructions *instructions;
	unsigned digits; /* hexadecimal, of an address */

	/* Writes that were printed, in this chain or another one; freed by chain_show_fini. */
	struct chain_seen {
		uint64_t position;
		struct ear_value_place place;
	} * seen;
	size_t seen_count, seen_capacity;

	/* Of a cause: blocks of the heap, each printed once. */
	const struct ear_why *cause; /* NULL: none */
	uint64_t blocks_printed;     /* a set */
	/* Their bytes as the variables of the program have them; NULL: not known; freed. */
	char *objects[EAR_WHY_BLOCKS_MAX];
	uint64_t objects_printed; /* a set */

	/* What is printed after the line of a node; NULL: nothing. calls is its own; freed. */
	void (*after)(struct chain_show *show, const struct ear_value_node *node, int indent);
	struct chain_calls *calls;
};

void chain_show_fini(struct chain_show *show);

#define CHAIN_TEXT_MAX 512

/* "main+0x4 (fw.c:12)", or "". */
void chain_place_text(const struct chain_show *show, uint64_t pc, char *text, size_t size);

/* "a0", "table+0x4:4", "0x80001000:4": as an EXPRESSION of --value. */
void chain_value_text(const struct chain_show *show, const struct ear_value_place *place,
	char *text, size_t size);

/* The text of an opcode, with blanks where the disassembler has them; "" without one. */
void chain_instruction_text(const struct chain_show *show, uint64_t opcode, unsigned opcode_size,
	unsigned xlen, uint64_t pc, char *text, size_t size);

/* The blocks of the heap that a record at position has to do with, unless they were printed. */
void chain_print_blocks(struct chain_show *show, uint64_t position, int indent);

/* The chain, each line after indent blanks; what was printed before is named by its number only. */
void chain_print(struct chain_show *show, const struct ear_value_chain *chain, int indent);

/* The members of a JSON object. */
void chain_json(
	const struct chain_show *show, struct json *json, const struct ear_value_chain *chain);

/* Where values are inferred: that it is so, a line, or a member of the object. */
void chain_print_inferred(const struct trace_input *input);
void chain_json_inferred(const struct trace_input *input, struct json *json);

/* "pc", and the names of that address. */
void chain_json_pc(const struct chain_show *show, struct json *json, uint64_t pc);

/* "register": "a0", or "address" and "size". */
void chain_json_place(
	const struct chain_show *show, struct json *json, const struct ear_value_place *place);

#endif
