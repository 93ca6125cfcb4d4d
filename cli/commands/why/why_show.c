/* What 'earshot why' prints: the cause, where it was, the calls that were active there, the values
 * that did it with their chains, and what was different before.
 */
#include "cli/commands/why/why_show.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/cli.h"
#include "cli/commands/why/chain_calls.h"
#include "cli/commands/why/chain_member.h"
#include "cli/commands/why/chain_object.h"
#include "cli/show/end_missing.h"
#include "cli/show/memory_error.h"

#define FRAMES_JSON   4096 /* the newest ones */
#define FRAMES_NEWEST 8    /* lines of a stack for people */
#define FRAMES_OLDEST 3
#define NOTES_MAX     4
#define CONDITION_MAX 64

struct why_show {
	struct chain_show *show;
	struct trace_input *input;
	const struct ear_why *why;
	struct ear_call_frame *frames;
	size_t frame_count;
};

/* ---- Records. ---- */

static void print_place(
	const struct why_show *why, const struct ear_why_place *place, const char *before)
{
	char name[CHAIN_TEXT_MAX], text[CHAIN_TEXT_MAX];

	chain_place_text(why->show, place->pc, name, sizeof(name));
	chain_instruction_text(why->show, place->opcode, place->opcode_size, place->xlen, place->pc,
		text, sizeof(text));
	printf("%s#%" PRIu64 "  0x%0*" PRIx64 "%s%s%s%s\n", before, place->number,
		(int)why->show->digits, place->pc, name[0] ? "  " : "", name, text[0] ? "  " : "",
		text);
}

static void print_json_place(const struct why_show *why, struct json *json, const char *key,
	const struct ear_why_place *place)
{
	char text[CHAIN_TEXT_MAX];

	json_line(json, 0);
	if (!place->known) {
		json_null(json, key);
		return;
	}
	json_open(json, key, '{');
	json_number(json, "record", place->number);
	json_number(json, "position", place->position);
	chain_json_pc(why->show, json, place->pc);
	chain_instruction_text(why->show, place->opcode, place->opcode_size, place->xlen, place->pc,
		text, sizeof(text));
	json_text(json, "instruction", text);
	json_hex(json, "next_pc", true, place->next_pc);
	json_close(json, '}');
}

/* ---- What would end a loop. ---- */

static const struct comparison {
	const char *mnemonic, *holds, *fails;
} comparisons[] = {
	{"beq", "==", "!="},
	{"bne", "!=", "=="},
	{"blt", "<", ">="},
	{"bge", ">=", "<"},
	{"bltu", "<", ">="},
	{"bgeu", ">=", "<"},
	{"c.beqz", "==", "!="},
	{"c.bnez", "!=", "=="},
};

/* "a3 != a4": what would have to hold for the branch to go the other way. False: it is none. */
static bool other_way_text(
	const struct why_show *why, const struct ear_why_place *branch, char *text, size_t size)
{
	struct ear_instruction instruction = {.size = sizeof(instruction)};
	char names[2][16] = {"0", "0"};
	unsigned count = 0;

	if (branch->opcode_size == 0 ||
		ear_instruction_decode(why->show->instructions, &instruction,
			(uint32_t)branch->opcode, branch->xlen) ||
		instruction.instruction_class != EAR_CLASS_BRANCH)
		return false;
	for (size_t i = 0; i < instruction.operand_count && count < 2; i++) {
		const struct ear_instruction_operand *operand = &instruction.operands[i];
		if (operand->is_immediate)
			continue;
		if (operand->number > 0)
			ear_register_name(operand->reg_class, operand->number, names[count],
				sizeof(names[count]));
		count++;
	}
	for (size_t i = 0; i < sizeof(comparisons) / sizeof(comparisons[0]); i++) {
		const struct comparison *comparison = &comparisons[i];
		if (strcmp(instruction.mnemonic, comparison->mnemonic) != 0)
			continue;
		const bool is_unsigned =
			comparison->mnemonic[strlen(comparison->mnemonic) - 1] == 'u';
		snprintf(text, size, "%s %s %s%s", names[0],
			branch->next_pc == branch->pc + branch->opcode_size ? comparison->holds
									    : comparison->fails,
			names[1], is_unsigned ? ", unsigned" : "");
		return true;
	}
	return false;
}

/* The same of the branch at the place of a hang, if that leaves the loop. */
static bool place_leaves_text(const struct why_show *why, char *text, size_t size)
{
	const struct ear_why *cause = why->why;

	for (size_t i = 0; i < cause->value_count && cause->kind == EAR_WHY_HANG; i++)
		if (cause->values[i].role == EAR_WHY_OPERAND &&
			cause->values[i].source.before == cause->place.position)
			return other_way_text(why, &cause->place, text, size);
	return false;
}

/* ---- The stack. ---- */

static const char *frame_kind(const struct ear_call_frame *frame)
{
	static const char *const kinds[] = {"base", "call", "trap", "interrupt"};

	return frame->kind < 4 ? kinds[frame->kind] : "?";
}

static uint64_t frame_pc(const struct why_show *why, size_t i)
{
	return i == 0 ? why->why->place.pc : why->frames[i - 1].call_pc;
}

static void print_stack(const struct why_show *why)
{
	char name[CHAIN_TEXT_MAX];

	if (why->frame_count == 0)
		return;
	printf("\ncalls:\n");
	for (size_t i = 0; i < why->frame_count; i++) {
		const bool few = why->frame_count <= FRAMES_NEWEST + FRAMES_OLDEST + 1;
		if (!few && i == FRAMES_NEWEST) {
			size_t next = why->frame_count - FRAMES_OLDEST;
			printf("  ... %zu more ...\n", next - i);
			i = next;
		}
		chain_place_text(why->show, frame_pc(why, i), name, sizeof(name));
		printf("  #%-3zu 0x%0*" PRIx64 "%s%s", i, (int)why->show->digits, frame_pc(why, i),
			name[0] ? "  " : "", name);
		if (why->frames[i].kind == EAR_FRAME_TRAP ||
			why->frames[i].kind == EAR_FRAME_INTERRUPT)
			printf("  <%s>", frame_kind(&why->frames[i]));
		putchar('\n');
	}
}

static void print_json_stack(const struct why_show *why, struct json *json)
{
	json_line(json, 0);
	json_open(json, "calls", '[');
	for (size_t i = 0; i < why->frame_count && i < FRAMES_JSON; i++) {
		json_open(json, NULL, '{');
		chain_json_pc(why->show, json, frame_pc(why, i));
		json_text(json, "kind", frame_kind(&why->frames[i]));
		json_close(json, '}');
	}
	json_close(json, ']');
	json_number(json, "call_count", why->frame_count);
}

/* ---- Stores through sp that are not in the stack. ---- */

/* Is it a store whose base is x2? */
static bool is_by_sp(const struct chain_show *show, const struct ear_value_node *node)
{
	struct ear_instruction instruction = {.size = sizeof(instruction)};
	const struct ear_instruction_operand *base = NULL;

	if (node->place.kind != EAR_VALUE_MEMORY || node->opcode_size == 0 ||
		ear_instruction_decode(
			show->instructions, &instruction, (uint32_t)node->opcode, node->xlen) ||
		instruction.instruction_class != EAR_CLASS_STORE)
		return false;
	for (size_t i = 0; i < instruction.operand_count; i++)
		if (!instruction.operands[i].is_immediate &&
			instruction.operands[i].access & EAR_OPERAND_IS_READ)
			base = &instruction.operands[i];
	return base && base->reg_class == EAR_REGISTER_X && base->number == 2;
}

static const struct ear_symbol *object_at(const struct why_show *why, uint64_t address)
{
	uint64_t offset;
	const struct ear_symbol *symbol =
		why->show->names ? ear_names_symbol_at(why->show->names, address, &offset) : NULL;

	return symbol && symbol->kind == EAR_NAMES_OBJECT && symbol->size > offset ? symbol : NULL;
}

/* The store's stack does not begin in the object that it wrote to: what it wrote to is no stack. */
static bool note_store(struct why_show *why, const struct ear_value_node *node, unsigned *notes)
{
	const struct ear_symbol *object = object_at(why, node->place.address);
	struct ear_call_frame *frames;
	uint64_t first = 0;
	size_t count, same = 0;
	char name[CHAIN_TEXT_MAX];

	if (!object || *notes == NOTES_MAX)
		return true;
	bool good = chain_read_frames(why->input, why->why->hart, node->position, &frames, &count);
	for (size_t i = 0; i < count; i++)
		if (frames[i].stack == frames[0].stack) {
			same++;
			if (frames[i].sp_known)
				first = frames[i].sp;
		}
	free(frames);
	if (!good || first == 0 || object_at(why, first - 1) == object ||
		object_at(why, first) == object)
		return good;
	if (!chain_member_text(why->show->members, node->place.address, name, sizeof(name)))
		ear_names_text(why->show->names, node->place.address, name, sizeof(name));
	printf("\nnote: #%" PRIu64 " stores through sp, into the variable %s.\n"
	       "      The stack began at 0x%0*" PRIx64 ", and was %zu calls deep.\n",
		node->number, name, (int)why->show->digits, first, same);
	++*notes;
	return true;
}

static bool print_notes(struct why_show *why)
{
	unsigned notes = 0;

	for (size_t i = 0; i < why->why->value_count; i++) {
		const struct ear_value_chain *chain = why->why->values[i].chain;
		for (size_t k = 0; k < chain->node_count; k++)
			if (is_by_sp(why->show, &chain->nodes[k]) &&
				!note_store(why, &chain->nodes[k], &notes))
				return false;
	}
	return true;
}

/* ---- Text. ---- */

static const char *role_text(unsigned role)
{
	static const char *const texts[EAR_WHY_ROLES] = {
		[EAR_WHY_ADDRESS] = "the address is made of",
		[EAR_WHY_TARGET] = "the target of the jump:",
		[EAR_WHY_INSTRUCTION] = "the instruction was written:",
		[EAR_WHY_CODE] = "the code that ended the program:",
		[EAR_WHY_OPERAND] = "the branch compares",
		[EAR_WHY_STATUS] = "interrupts are off by",
		[EAR_WHY_CHOICE] = "the branch before that compares",
		[EAR_WHY_RESUMED] = "the handler returned by",
		[EAR_WHY_ENABLED] = "what may end the sleep:",
		[EAR_WHY_INPUT] = "its operand, as written last:",
	};

	return role < EAR_WHY_ROLES ? texts[role] : "";
}

/* The position of the branch that the cause is about. */
static uint64_t first_branch(const struct ear_why *cause)
{
	return cause->kind == EAR_WHY_EXIT ? cause->branch.position : cause->place.position;
}

static void print_value(const struct why_show *why, const struct ear_why_value *value)
{
	char text[CHAIN_TEXT_MAX];

	chain_value_text(why->show, &value->source.place, text, sizeof(text));
	if (value->role == EAR_WHY_OPERAND && value->source.before != first_branch(why->why))
		printf("\nanother branch that would leave the loop compares %s", text);
	else
		printf("\n%s %s", role_text(value->role), text);
	if (value->chain->value_known)
		printf(" = 0x%" PRIx64 "\n", value->chain->value);
	else
		printf(" = ?\n");
	if (value->role == EAR_WHY_ENABLED)
		printf("  none that it enables is pending; of others the trace does not show that\n");
	chain_print(why->show, value->chain, 2);
}

static void print_ways(const struct why_show *why, const struct ear_why_difference *difference)
{
	char name[CHAIN_TEXT_MAX];

	if (!difference->branch_now.known)
		return;
	printf("  this branch went another way:\n");
	print_place(why, &difference->branch_then, "    then ");
	chain_place_text(why->show, difference->branch_then.next_pc, name, sizeof(name));
	printf("         on to 0x%0*" PRIx64 "  %s\n", (int)why->show->digits,
		difference->branch_then.next_pc, name);
	print_place(why, &difference->branch_now, "    now  ");
	chain_place_text(why->show, difference->branch_now.next_pc, name, sizeof(name));
	printf("         on to 0x%0*" PRIx64 "  %s\n", (int)why->show->digits,
		difference->branch_now.next_pc, name);
}

static const struct difference_texts {
	const char *before, *none;
} difference_texts[EAR_WHY_KINDS] = {
	[EAR_WHY_TRAP] = {"it was executed before, at",
		"no earlier execution of this instruction was found"},
	[EAR_WHY_EXIT] = {"that branch was executed before, at",
		"no earlier execution of that branch was found"},
	[EAR_WHY_HANG] = {"the branch left the loop last at",
		"the branch did not leave the loop before, as far as was looked"},
	[EAR_WHY_EVENT] = {"it was executed before, at",
		"no earlier execution of this instruction was found"},
};

/* Are all values of the cause known? Of a trace that shows none, none is the same as before. */
static bool has_values(const struct why_show *why)
{
	for (size_t i = 0; i < why->why->value_count; i++) {
		const struct ear_value_chain *chain = why->why->values[i].chain;
		if (!chain || !chain->value_known)
			return false;
	}
	return ear_trace_carries(why->input->trace, "integer register write") != 0;
}

static void print_interrupt(const struct why_show *why, const struct ear_why_difference *difference)
{
	if (!difference->interrupt.known)
		return;
	printf("  an interrupt came in this round, and in none of the %s%u rounds before:\n",
		difference->quiet_rounds == EAR_WHY_ROUNDS_MAX ? "last " : "",
		difference->quiet_rounds);
	print_place(why, &difference->interrupt, "    ");
}

/* A register that a handler changed. */
static void print_changed(const struct why_show *why)
{
	const struct ear_why_changed *changed = &why->why->changed;
	char text[CHAIN_TEXT_MAX];

	if (!changed->write.known)
		return;
	chain_value_text(why->show, &changed->place, text, sizeof(text));
	printf("\nthe handler of an interrupt changed %s from 0x%" PRIx64 " to 0x%" PRIx64
	       ", and did not restore it:\n",
		text, changed->then, changed->now);
	print_place(why, &changed->write, "  ");
	print_place(why, &changed->interrupt, "  it interrupted ");
}

static void print_lost_access(const struct why_show *why, const char *before,
	const struct ear_why_place *place, const char *did, uint64_t value)
{
	print_place(why, place, before);
	printf("    %s 0x%" PRIx64 "\n", did, value);
}

/* An update that was lost. */
static void print_lost(const struct why_show *why)
{
	const struct ear_why_lost *lost = &why->why->lost;
	char text[CHAIN_TEXT_MAX];

	if (lost->count == 0)
		return;
	chain_value_text(why->show, &lost->place, text, sizeof(text));
	printf("\nan update of %s was lost: it was stored to between a load and the store that "
	       "followed from it\n",
		text);
	print_lost_access(why, "  ", &lost->load, "loaded", lost->loaded);
	if (lost->interrupt.known)
		print_place(why, &lost->interrupt, "  an interrupt came at ");
	print_lost_access(why, "  ", &lost->other, "stored", lost->other_value);
	print_lost_access(why, "  ", &lost->store, "stored", lost->stored);
	if (lost->count > 1)
		printf("  and so it was at least %" PRIu64 " time%s before\n", lost->count - 1,
			lost->count == 2 ? "" : "s");
}

static void print_memory_errors(const struct why_show *why)
{
	const struct ear_why *cause = why->why;

	if (cause->memory_error_count == 0)
		return;
	printf("\nmemory errors up to there (earshot memory --errors):\n");
	for (size_t i = 0; i < cause->memory_error_count; i++)
		memory_error_print(why->show->names, &cause->memory_errors[i], 2);
	if (cause->memory_errors_all > cause->memory_error_count)
		printf("  ... and %" PRIu64 " more\n",
			cause->memory_errors_all - cause->memory_error_count);
}

static void print_registers(const struct why_show *why, const struct ear_why_difference *difference)
{
	char text[CHAIN_TEXT_MAX];

	for (size_t i = 0; i < difference->count; i++) {
		chain_value_text(why->show, &difference->registers[i].place, text, sizeof(text));
		printf("  %s was 0x%" PRIx64 ", and is 0x%" PRIx64 "\n", text,
			difference->registers[i].then, difference->registers[i].now);
	}
}

/* Of a hang: after the last store to what it waits for. */
static void print_after_write(const struct why_show *why)
{
	const struct ear_why_difference *after = &why->why->after;

	if (!after->branch_now.known && !after->interrupt.known)
		return;
	printf("\nafter the last store to what it waits for, the run went another way than after the one "
	       "before:\n");
	print_place(why, &after->before, "  then ");
	print_place(why, &why->why->after_write, "  now  ");
	print_ways(why, after);
	print_registers(why, after);
	print_interrupt(why, after);
}

static void print_difference(const struct why_show *why)
{
	const struct ear_why_difference *difference = &why->why->difference;
	const struct difference_texts *texts = &difference_texts[why->why->kind];
	const struct ear_why *cause = why->why;
	const struct ear_why_place *now = cause->kind == EAR_WHY_EXIT ? &cause->branch
					  : cause->jump.known         ? &cause->jump
								      : &cause->place;

	if (!difference->searched)
		return;
	if (!difference->before.known) {
		printf("\n%s\n", texts->none);
		return;
	}
	printf("\n%s\n", texts->before);
	print_place(why, &difference->before, "  ");
	print_registers(why, difference);
	if (difference->before.opcode_size && now->opcode_size &&
		difference->before.opcode != now->opcode)
		printf("  its opcode was 0x%0*" PRIx64 ", and is 0x%0*" PRIx64 "\n",
			2 * difference->before.opcode_size, difference->before.opcode,
			2 * now->opcode_size, now->opcode);
	else if (difference->same && has_values(why))
		printf("  with the same values in its registers\n");
	print_ways(why, difference);
	print_interrupt(why, difference);
}

static void print_after(const struct why_show *why)
{
	const struct ear_why *cause = why->why;
	char text[CONDITION_MAX];

	if (cause->jump.known)
		print_place(why, &cause->jump, "jumped from ");
	if (cause->kind == EAR_WHY_TRAP && cause->nested > 0)
		printf("and then %" PRIu64 " more trap%s in its handler, which did not return\n",
			cause->nested, cause->nested == 1 ? "" : "s");
	if (cause->kind == EAR_WHY_TRAP && cause->has_code)
		printf("its handler ended the program with code %" PRIu64 "\n", cause->code);
	else if (cause->kind == EAR_WHY_TRAP && cause->loop.known)
		print_place(why, &cause->loop,
			cause->earlier ? "its handler ends in a loop since before "
				       : "its handler ends in a loop since ");
	if (cause->kind == EAR_WHY_EXIT && cause->branch.known)
		print_place(why, &cause->branch, "the last branch before ");
	if (cause->choice.known)
		print_place(why, &cause->choice, "what it compares was made after ");
	if (cause->kind == EAR_WHY_HANG && cause->loop.known)
		print_place(why, &cause->loop,
			cause->earlier ? "in the loop since before " : "in the loop since ");
	if (place_leaves_text(why, text, sizeof(text)))
		printf("the loop would end if %s\n", text);
	for (size_t i = 0; i < cause->exit_count; i++) {
		print_place(why, &cause->exits[i], "this would leave it, too: ");
		if (other_way_text(why, &cause->exits[i], text, sizeof(text)))
			printf("  if %s\n", text);
	}
	if (cause->skip.known)
		print_place(why, &cause->skip,
			"a handler continued 4 bytes after this trap, of 2 bytes: ");
	if (cause->overflow.known) {
		print_place(why, &cause->overflow, "the stack had grown too far at ");
		printf("  sp was 0x%0*" PRIx64 ", %" PRIu64 " calls deep\n", (int)why->show->digits,
			cause->overflow_sp, cause->overflow_calls);
	}
	if (cause->interrupts_off)
		printf("interrupts are off (mstatus.MIE is 0)\n");
}

static struct end_missing end_of(const struct ear_why *cause)
{
	return (struct end_missing){
		cause->end_missing, cause->missing_known, cause->missing, cause->end_after};
}

/* One of many traps is not the first of them. */
static const char *place_word(const struct ear_why *cause)
{
	if (cause->kind == EAR_WHY_TRAP && cause->earlier && !cause->loop.known)
		return "at and before ";
	return cause->hart ? "" : "at ";
}

static bool show_text(struct why_show *why)
{
	const struct ear_why *cause = why->why;

	const struct end_missing end = end_of(cause);

	end_missing_print(&end);
	chain_print_inferred(why->input);
	if (cause->core.known) {
		printf("the core did not do what the ISA says: %s\n", cause->core_text);
		print_place(why, &cause->core, "at ");
		printf("and then, which may follow from it:\n");
	}
	printf("%s\n", cause->text);
	if (cause->place.known)
		print_place(why, &cause->place, place_word(cause));
	if (cause->hart)
		printf("hart %u\n", cause->hart);
	print_after(why);
	chain_print_blocks(why->show, cause->place.position, 0);
	print_stack(why);
	for (size_t i = 0; i < cause->value_count; i++)
		print_value(why, &cause->values[i]);
	print_changed(why);
	print_lost(why);
	print_memory_errors(why);
	bool good = print_notes(why);
	print_after_write(why);
	print_difference(why);
	return good;
}

/* ---- JSON. ---- */

static void print_json_difference(const struct why_show *why, struct json *json, const char *key,
	const struct ear_why_difference *difference)
{
	json_line(json, 0);
	if (!difference->before.known) {
		json_null(json, key);
		return;
	}
	json_open(json, key, '{');
	json_open(json, "registers", '[');
	for (size_t i = 0; i < difference->count; i++) {
		json_open(json, NULL, '{');
		chain_json_place(why->show, json, &difference->registers[i].place);
		json_hex(json, "then", true, difference->registers[i].then);
		json_hex(json, "now", true, difference->registers[i].now);
		json_close(json, '}');
	}
	json_close(json, ']');
	print_json_place(why, json, "before", &difference->before);
	print_json_place(why, json, "branch_then", &difference->branch_then);
	print_json_place(why, json, "branch_now", &difference->branch_now);
	print_json_place(why, json, "interrupt", &difference->interrupt);
	json_number(json, "quiet_rounds", difference->quiet_rounds);
	json_close(json, '}');
}

static void print_json_values(const struct why_show *why, struct json *json)
{
	const struct ear_why *cause = why->why;

	json_line(json, 0);
	json_open(json, "values", '[');
	for (size_t i = 0; i < cause->value_count; i++) {
		if (i > 0)
			json_line(json, 0);
		json_open(json, NULL, '{');
		json_text(json, "role", ear_why_role_name(cause->values[i].role));
		chain_json_place(why->show, json, &cause->values[i].source.place);
		json_number(json, "before", cause->values[i].source.before);
		chain_json(why->show, json, cause->values[i].chain);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void print_json_cause(const struct ear_why *cause, struct json *json)
{
	const struct end_missing end = end_of(cause);

	end_missing_json(&end, json);
	json_text(json, "kind", ear_why_kind_name(cause->kind));
	json_text(json, "text", cause->text);
	json_number(json, "hart", cause->hart);
	json_text(json, "end_reason", cause->end_reason);
	if (cause->cause_known)
		json_number(json, "cause", cause->cause);
	if (cause->trap_value_known)
		json_hex(json, "trap_value", true, cause->trap_value);
	if (cause->kind == EAR_WHY_TRAP)
		json_number(json, "nested", cause->nested);
	if (cause->has_code)
		json_number(json, "code", cause->code);
	if (cause->period) {
		json_number(json, "rounds", cause->rounds);
		json_number(json, "period", cause->period);
	}
	if (cause->overflow.known) {
		json_hex(json, "overflow_sp", true, cause->overflow_sp);
		json_number(json, "overflow_calls", cause->overflow_calls);
	}
	if (cause->core.known)
		json_text(json, "core_text", cause->core_text);
	json_bool(json, "earlier", cause->earlier);
	json_bool(json, "interrupts_off", cause->interrupts_off);
}

static void print_json_exits(const struct why_show *why, struct json *json)
{
	char text[CONDITION_MAX];

	json_line(json, 0);
	json_text(json, "leaves_if", place_leaves_text(why, text, sizeof(text)) ? text : NULL);
	json_open(json, "exits", '[');
	for (size_t i = 0; i < why->why->exit_count; i++)
		print_json_place(why, json, NULL, &why->why->exits[i]);
	json_close(json, ']');
	json_open(json, "exits_if", '[');
	for (size_t i = 0; i < why->why->exit_count; i++)
		json_text(json, NULL,
			other_way_text(why, &why->why->exits[i], text, sizeof(text)) ? text : NULL);
	json_close(json, ']');
}

static void print_json_memory(const struct why_show *why, struct json *json)
{
	const struct ear_why *cause = why->why;

	json_line(json, 0);
	json_open(json, "blocks", '[');
	for (size_t i = 0; i < cause->block_count; i++) {
		json_open(json, NULL, '{');
		json_number(json, "position", cause->blocks[i].position);
		json_hex(json, "address", true, cause->blocks[i].address);
		memory_block_json(why->show->names, json, &cause->blocks[i].block);
		json_text(json, "accessed_as", why->show->objects[i]);
		json_close(json, '}');
	}
	json_close(json, ']');
	json_line(json, 0);
	json_open(json, "memory_errors", '[');
	for (size_t i = 0; i < cause->memory_error_count; i++)
		memory_error_json(why->show->names, json, &cause->memory_errors[i]);
	json_close(json, ']');
	json_number(json, "memory_error_count", cause->memory_errors_all);
	json_number(json, "memory_from", cause->memory_from);
}

static void print_json_changed(const struct why_show *why, struct json *json)
{
	const struct ear_why_changed *changed = &why->why->changed;

	json_line(json, 0);
	if (!changed->write.known) {
		json_null(json, "changed");
		return;
	}
	json_open(json, "changed", '{');
	chain_json_place(why->show, json, &changed->place);
	json_hex(json, "then", true, changed->then);
	json_hex(json, "now", true, changed->now);
	print_json_place(why, json, "write", &changed->write);
	print_json_place(why, json, "interrupt", &changed->interrupt);
	json_close(json, '}');
}

static void print_json_lost(const struct why_show *why, struct json *json)
{
	const struct ear_why_lost *lost = &why->why->lost;

	json_line(json, 0);
	if (lost->count == 0) {
		json_null(json, "lost");
		return;
	}
	json_open(json, "lost", '{');
	chain_json_place(why->show, json, &lost->place);
	json_hex(json, "loaded", true, lost->loaded);
	json_hex(json, "other_value", true, lost->other_value);
	json_hex(json, "stored", true, lost->stored);
	json_number(json, "count", lost->count);
	print_json_place(why, json, "load", &lost->load);
	print_json_place(why, json, "interrupt", &lost->interrupt);
	print_json_place(why, json, "other", &lost->other);
	print_json_place(why, json, "store", &lost->store);
	json_close(json, '}');
}

static void show_json(const struct why_show *why)
{
	const struct ear_why *cause = why->why;
	struct json json = json_compact();

	json_open(&json, NULL, '{');
	chain_json_inferred(why->input, &json);
	print_json_cause(cause, &json);
	print_json_place(why, &json, "core", &cause->core);
	print_json_place(why, &json, "place", &cause->place);
	print_json_place(why, &json, "jump", &cause->jump);
	print_json_place(why, &json, "branch", &cause->branch);
	print_json_place(why, &json, "choice", &cause->choice);
	print_json_place(why, &json, "loop", &cause->loop);
	print_json_place(why, &json, "skip", &cause->skip);
	print_json_place(why, &json, "overflow", &cause->overflow);
	print_json_exits(why, &json);
	print_json_changed(why, &json);
	print_json_lost(why, &json);
	print_json_memory(why, &json);
	print_json_stack(why, &json);
	print_json_values(why, &json);
	print_json_difference(why, &json, "difference", &cause->difference);
	print_json_place(why, &json, "after_write", &cause->after_write);
	print_json_difference(why, &json, "after", &cause->after);
	trace_input_json_verdict(why->input, &json);
	json_close(&json, '}');
	putchar('\n');
}

bool why_show(
	struct chain_show *show, struct trace_input *input, const struct ear_why *cause, bool json)
{
	struct why_show why = {.show = show, .input = input, .why = cause};

	show->cause = cause;
	chain_objects_find(show, input);
	bool good =
		!cause->place.known || chain_read_frames(input, cause->hart, cause->place.position,
					       &why.frames, &why.frame_count);

	if (good && json)
		show_json(&why);
	else if (good) {
		chain_calls_begin(show, input, why.frames, why.frame_count);
		good = show_text(&why);
	}
	free(why.frames);
	return good;
}
