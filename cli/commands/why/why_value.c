/* 'earshot why --value': where a value came from, back through its last writers. The library finds
 * it (earshot/value_chain.h); here it is asked for, and chain_show.c prints it.
 */
#include "cli/commands/why/why_value.h"

#include <earshot/address.h>
#include <earshot/moment.h>
#include <earshot/value_chain.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/cli.h"
#include "cli/base/progress.h"
#include "cli/commands/why/chain_member.h"
#include "cli/commands/why/chain_show.h"

/* A range of memory as the value's place. Without a size it is a word of the hart. */
static bool take_address(
	const struct ear_address *address, const char *text, unsigned xlen, struct ear_value *value)
{
	uint64_t size = address->has_size && !address->is_point
				? address->ranges[0].last - address->ranges[0].first + 1
				: xlen / 8;

	if (address->count != 1 || size == 0 || size > 8) {
		cli_error("'%s' has more than 8 bytes: which of them? A member, or ADDRESS:SIZE",
			text);
		return false;
	}
	value->place.kind = EAR_VALUE_MEMORY;
	value->place.address = address->ranges[0].first;
	value->place.size = (uint8_t)size;
	return true;
}

/* The place that the expression names. Returns false after printing why there is none. */
static bool find_place(const struct why_value *wanted, struct ear_moment *moment, unsigned xlen,
	struct ear_value *value)
{
	const char *text = wanted->expression;
	struct ear_address address = {.size = sizeof(address)};
	struct ear_moment_view view = {.size = sizeof(view)};
	char message[EAR_ADDRESS_MESSAGE_MAX];
	enum ear_register_class reg_class;
	unsigned number;

	if (strcmp(text, "pc") == 0) {
		cli_error("'pc': every instruction writes it; ask for the register that a jump "
			  "took its target from");
		return false;
	}
	value->place.hart = wanted->hart >= 0 ? (uint16_t)wanted->hart : ear_moment_hart(moment);
	if (ear_register_find(text, &reg_class, &number) == 0) {
		if (reg_class == EAR_REGISTER_V) {
			cli_error("'%s': vector registers are not followed", text);
			return false;
		}
		value->place.kind = EAR_VALUE_REGISTER;
		value->place.reg_class = (uint8_t)reg_class;
		value->place.number = (uint16_t)number;
		return true;
	}
	bool has_view = ear_moment_view(moment, value->place.hart, &view);
	int result = ear_address_parse(&address, text, strlen(text), wanted->input->names,
		has_view ? &view : NULL, message);
	cli_progress_clear();
	if (result) {
		cli_error("it is no register, and %s", message);
		return false;
	}
	return take_address(&address, text, xlen, value);
}

static void print(const struct why_value *wanted, struct chain_show *show,
	const struct ear_value *value, const struct ear_value_chain *chain, uint64_t number)
{
	char text[CHAIN_TEXT_MAX];

	if (wanted->json) {
		struct json json = json_compact();
		json_open(&json, NULL, '{');
		chain_json_inferred(wanted->input, &json);
		chain_json_place(show, &json, &value->place);
		json_number(&json, "position", value->before);
		json_number(&json, "instructions", number);
		chain_json(show, &json, chain);
		trace_input_json_verdict(wanted->input, &json);
		json_close(&json, '}');
		putchar('\n');
		return;
	}
	chain_print_inferred(wanted->input);
	chain_value_text(show, &value->place, text, sizeof(text));
	printf("%s, after %" PRIu64 " instruction%s: ", text, number, number == 1 ? "" : "s");
	if (chain->value_known)
		printf("0x%" PRIx64 "\n", chain->value);
	else
		printf("?\n");
	chain_print(show, chain, 2);
}

/* Of the record before the moment, or of the first instruction. */
static unsigned xlen_at(struct trace_input *input, const struct ear_moment *moment)
{
	struct ear_trace_facts facts = {.size = sizeof(facts)};
	const struct ear_record *record = ear_moment_record(moment);

	if (record && record->kind == EAR_RECORD_INSTRUCTION)
		return record->xlen;
	if (ear_trace_seek_number(input->trace, 0, &input->progress) == 1)
		ear_trace_next(input->trace, &record);
	ear_trace_facts(input->trace, &facts);
	return facts.xlen == 64 ? 64 : 32;
}

static int follow(const struct why_value *wanted, struct ear_moment *moment)
{
	struct trace_input *input = wanted->input;
	const unsigned xlen = xlen_at(input, moment);
	struct chain_show show = {.names = input->names, .digits = xlen / 4};
	struct ear_value value = {.before = ear_moment_position(moment)};
	const struct ear_value_chain *chain;

	if (!find_place(wanted, moment, xlen, &value))
		return EAR_EXIT_FAILED;
	int result = ear_trace_value_chain(
		input->trace, &value, wanted->chain, &chain, &input->progress);
	cli_progress_clear();
	if (result) {
		trace_input_fail(input);
		return EAR_EXIT_FAILED;
	}
	if (ear_instructions_new(&show.instructions, NULL, NULL)) {
		cli_error("out of memory");
		ear_value_chain_free(chain);
		return EAR_EXIT_FAILED;
	}
	show.members = chain_members_new(input->names);
	print(wanted, &show, &value, chain, ear_moment_number(moment));
	const int status = chain->node_count > 0 ? EAR_EXIT_DONE : EAR_EXIT_NO;
	chain_show_fini(&show);
	ear_value_chain_free(chain);
	return status;
}

int why_value_print(const struct why_value *wanted)
{
	struct ear_moment_place place;
	struct ear_moment *moment;

	if (moment_option_find(wanted->input, wanted->at, &place) != 1)
		return EAR_EXIT_FAILED;
	if (ear_moment_new(&moment, wanted->input->trace, place.after, &wanted->input->progress)) {
		trace_input_fail(wanted->input);
		return EAR_EXIT_FAILED;
	}
	const int status = follow(wanted, moment);
	ear_moment_free(moment);
	return status;
}
