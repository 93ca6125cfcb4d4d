/* 'earshot trace-value': where a value came from, back through its last writers. The library finds
 * it (earshot/value_chain.h); here it is asked for, and chain_show.c prints it.
 */
#include <earshot/address.h>
#include <earshot/moment.h>
#include <earshot/value_chain.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/cli.h"
#include "cli/base/progress.h"
#include "cli/commands/cmd.h"
#include "cli/commands/why/chain_member.h"
#include "cli/commands/why/chain_option.h"
#include "cli/commands/why/chain_show.h"
#include "cli/input/trace_command.h"
#include "cli/options/options.h"

struct arguments {
	struct trace_input input;
	struct moment_option at;
	struct ear_value_chain_options options;
	const char *expression;
	int hart; /* -1: that of the moment */
	bool json;
};

static const struct command_option table[] = {
	{"at", 0, "MOMENT", MOMENT_VALUES, .text = "The moment (default `end`).",
		OPTION_TAKEN(moment_option_take, struct arguments, at)},
	OPTION_GROUP(chain_options, struct arguments, options),
	{"hart", 0, "N",
		.text = "Registers of hart N (default: that of the last record before the moment).",
		OPTION_VALUE(struct arguments, hart), .max = UINT16_MAX},
	{"json", 0, .text = "Print one JSON object.", OPTION_VALUE(struct arguments, json)},
	OPTION_GROUP(symbol_file_options, struct arguments, input.symbols),
	TRACE_INPUT_DEVICE(struct arguments, input),
	OPTION_GROUP(trace_infer_options, struct arguments, input),
	OPTION_GROUP(trace_index_options, struct arguments, input),
	OPTION_GROUP(trace_input_options, struct arguments, input),
	{0},
};

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
static bool find_place(struct arguments *arguments, struct ear_moment *moment, unsigned xlen,
	struct ear_value *value)
{
	const char *text = arguments->expression;
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
	value->place.hart =
		arguments->hart >= 0 ? (uint16_t)arguments->hart : ear_moment_hart(moment);
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
	int result = ear_address_parse(&address, text, strlen(text), arguments->input.names,
		has_view ? &view : NULL, message);
	cli_progress_clear();
	if (result) {
		cli_error("it is no register, and %s", message);
		return false;
	}
	return take_address(&address, text, xlen, value);
}

static void print(struct arguments *arguments, struct chain_show *show,
	const struct ear_value *value, const struct ear_value_chain *chain, uint64_t number)
{
	char text[CHAIN_TEXT_MAX];

	if (arguments->json) {
		struct json json = json_compact();
		json_open(&json, NULL, '{');
		chain_json_inferred(&arguments->input, &json);
		chain_json_place(show, &json, &value->place);
		json_number(&json, "position", value->before);
		json_number(&json, "instructions", number);
		chain_json(show, &json, chain);
		trace_input_json_verdict(&arguments->input, &json);
		json_close(&json, '}');
		putchar('\n');
		return;
	}
	chain_print_inferred(&arguments->input);
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

static int follow(struct arguments *arguments, struct ear_moment *moment)
{
	struct trace_input *input = &arguments->input;
	const unsigned xlen = xlen_at(input, moment);
	struct chain_show show = {.names = input->names, .digits = xlen / 4};
	struct ear_value value = {.before = ear_moment_position(moment)};
	const struct ear_value_chain *chain;

	if (!find_place(arguments, moment, xlen, &value))
		return EAR_EXIT_FAILED;
	int result = ear_trace_value_chain(
		input->trace, &value, &arguments->options, &chain, &input->progress);
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
	print(arguments, &show, &value, chain, ear_moment_number(moment));
	const int status = chain->node_count > 0 ? EAR_EXIT_DONE : EAR_EXIT_NO;
	chain_show_fini(&show);
	ear_value_chain_free(chain);
	return status;
}

static const char *check_words(void *request, int count, char **words)
{
	struct arguments *arguments = request;

	arguments->expression = words[0];
	return count == 0   ? "which value?"
	       : count == 1 ? "of which trace?"
	       : count > 2  ? "one value of one trace, please"
			    : NULL;
}

static int work(void *request)
{
	struct arguments *arguments = request;
	struct ear_moment_place place;
	struct ear_moment *moment;

	if (moment_option_find(&arguments->input, arguments->at.text, &place) != 1)
		return EAR_EXIT_FAILED;
	if (ear_moment_new(
		    &moment, arguments->input.trace, place.after, &arguments->input.progress)) {
		trace_input_fail(&arguments->input);
		return EAR_EXIT_FAILED;
	}
	const int status = follow(arguments, moment);
	ear_moment_free(moment);
	return status;
}

static int run(int argc, char **argv)
{
	struct arguments arguments = {.input = TRACE_INPUT_DEFAULTS,
		.at.text = "@end",
		.options = EAR_VALUE_CHAIN_DEFAULTS,
		.hart = -1};
	const struct trace_command reading = {
		&cmd_trace_value, &arguments, &arguments.input, check_words, .work = work};

	return trace_command_run(&reading, argc, argv);
}

const struct command cmd_trace_value = {
	.name = "trace-value",
	.arguments = "[OPTION]... EXPRESSION [--at MOMENT] FILE",
	.summary = "follow a value back to where it came from",
	.about =
		"Print the record that wrote a value last, what it was computed from, who wrote that, "
		"and so on through loads, stores, moves and arithmetic. EXPRESSION is a register "
		"(`a0`, `x10`, `f2`, `mstatus`), an address (`0x80001000:4`) or a variable or a member "
		"of one (`box.handler`), at a moment of the run that FILE has recorded. Where the chain "
		"is not known any more it ends, and says why; nothing is guessed.",
	.options = table,
	.notes =
		"A MOMENT is one of `earshot state`: a number, `@TICKS`, `end`, `trap#2`, an event, a "
		"function, `FILE:LINE` ({MOMENTS}).",
	.exit_status = "0 a record wrote the value, 1 none is known, 2 it could not be done.",
	.run = run,
};
