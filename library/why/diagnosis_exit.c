/* The end of the program by itself: a store to the exit register of the virtual board and of QEMU's
 * virt machine, a store to tohost, or the exit call of a proxy kernel. Of a bad end: the branch
 * before its code was chosen.
 */
#include "library/why/diagnosis.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "library/why/chain.h"

#define EXIT_REGISTER 0x00100000u
#define EXIT_PASS     0x5555u
#define EXIT_FAIL     0x3333u
#define CALL_EXIT     93
#define CALL_EXIT_ALL 94
#define CODE_SEARCH   4096u  /* records after the choice of the code, for the call that ends */
#define DECIMAL_MAX   100000 /* numbers below are decimal */
#define PCS_AFTER     32u    /* instructions of a program that has ended: some, or a loop */

/* The code that a store ends the program with. */
static bool code_of_store(const struct ear_diagnosis *diagnosis,
	const struct ear_record_access *access, uint64_t *code)
{
	if (!access->write || !ear_access_is_known(access))
		return false;
	if (access->address == EXIT_REGISTER && access->size >= 4 &&
		((access->value & 0xFFFF) == EXIT_PASS || (access->value & 0xFFFF) == EXIT_FAIL)) {
		*code = (access->value & 0xFFFF) == EXIT_PASS ? 0 : access->value >> 16 & 0xFFFF;
		return true;
	}
	if (diagnosis->options->has_tohost && access->address == diagnosis->options->tohost &&
		access->value & 1) {
		*code = access->value >> 1;
		return true;
	}
	return false;
}

/* An ecall with the number of exit in a7 and the code in a0, as the last instruction. */
static int code_of_call(
	struct ear_diagnosis *diagnosis, const struct ear_record *record, uint64_t *code)
{
	struct ear_value_place place = {
		.kind = EAR_VALUE_REGISTER, .number = 17, .hart = diagnosis->why.hart};
	uint64_t call;

	if (record->opcode != 0x73 || record->flags & EAR_RECORD_NO_OPCODE)
		return 0;
	int result = ear_past_value(diagnosis->past, &place, diagnosis->last, &call);
	if (result != 1 || (call != CALL_EXIT && call != CALL_EXIT_ALL))
		return result < 0 ? result : 0;
	place.number = 10;
	return ear_past_value(diagnosis->past, &place, diagnosis->last, code);
}

/* The register that an access stored; without one the memory. */
static void stored_register(const struct ear_diagnosis *diagnosis, const struct ear_record *record,
	const struct ear_record_access *access, struct ear_value_place *place)
{
	struct ear_origins origins;

	*place = (struct ear_value_place){
		.kind = EAR_VALUE_MEMORY, .address = access->address, .size = access->size};
	ear_origins_of(&origins, diagnosis->instructions, record, place);
	for (size_t i = 0; i < origins.count; i++)
		if (!origins.sources[i].is_address &&
			origins.sources[i].place.kind == EAR_VALUE_REGISTER) {
			*place = origins.sources[i].place;
			return;
		}
}

/* Elsewhere than on these machines an exit register may be memory: does the program go on after the
 * store to it? */
static bool goes_on(const struct ear_diagnosis *diagnosis, uint64_t position)
{
	const struct ear_past *past = diagnosis->past;
	uint64_t pcs[PCS_AFTER];
	size_t count = 0;

	if (strncmp(diagnosis->why.end_reason, "program ended", 13) == 0)
		return false;
	for (uint64_t i = position + 1; i < past->end; i++) {
		const struct ear_record *record = ear_past_in_window(past, i);
		size_t k = 0;
		if (record->kind != EAR_RECORD_INSTRUCTION || record->hart != diagnosis->why.hart)
			continue;
		while (k < count && pcs[k] != record->pc)
			k++;
		if (k < count)
			continue;
		if (count == PCS_AFTER)
			return true;
		pcs[count++] = record->pc;
	}
	return false;
}

/* Returns 1, the position of the record that ended the program, and the code. */
static int find_exit(struct ear_diagnosis *diagnosis, uint64_t *position, uint64_t *code,
	struct ear_value_place *place)
{
	const struct ear_past *past = diagnosis->past;

	for (uint64_t i = past->end; i > past->first; i--) {
		const struct ear_record *record = ear_past_in_window(past, i - 1);
		if (record->kind != EAR_RECORD_INSTRUCTION || record->hart != diagnosis->why.hart ||
			record->flags & EAR_RECORD_TRAP)
			continue;
		for (size_t k = 0; k < record->memory_count; k++)
			if (code_of_store(diagnosis, &record->memory[k], code) &&
				!goes_on(diagnosis, i - 1)) {
				*position = i - 1;
				diagnosis->certain = true;
				stored_register(diagnosis, record, &record->memory[k], place);
				return 1;
			}
	}
	const struct ear_record *last = ear_past_in_window(past, diagnosis->last);
	if (!last)
		return 0;
	*position = diagnosis->last;
	*place = (struct ear_value_place){
		.kind = EAR_VALUE_REGISTER, .number = 10, .hart = diagnosis->why.hart};
	return code_of_call(diagnosis, last, code);
}

/* The source of a node that has this value, from a record of the chain. */
static size_t source_with(
	const struct ear_value_chain *chain, const struct ear_value_node *node, uint64_t value)
{
	for (size_t i = 0; i < node->source_count; i++) {
		const struct ear_value_source *source = &chain->sources[node->first_source + i];
		if (!source->is_address && source->value_known && source->value == value &&
			source->node != EAR_VALUE_NO_NODE)
			return source->node;
	}
	return EAR_VALUE_NO_NODE;
}

/* The record at which the code came up: from the stored value back through what was made of the
 * code (the exit register and tohost hold it shifted) to the code, and on through moves. */
static bool choice_in(const struct ear_value_chain *chain, uint64_t code, uint64_t *position)
{
	uint64_t value = code;
	size_t at = 0;

	while (at < chain->node_count &&
		!(chain->nodes[at].after_known && chain->nodes[at].after == code))
		at++;
	if (at == chain->node_count) {
		/* The compiler shifted it. */
		at = chain->root_count == 1 ? chain->sources[0].node : EAR_VALUE_NO_NODE;
		if (at == EAR_VALUE_NO_NODE)
			return false;
		value = chain->value;
	}
	for (size_t next = at; next != EAR_VALUE_NO_NODE;
		next = source_with(chain, &chain->nodes[at], value))
		at = next;
	*position = chain->nodes[at].position;
	return chain->nodes[at].folded == 0;
}

static int find_choice(const struct ear_diagnosis *diagnosis, const struct ear_value *source,
	uint64_t code, uint64_t *position)
{
	const struct ear_value_chain *chain;
	struct ear_value_chain_options options;

	int result = ear_chain_options(diagnosis->past->trace, &options, NULL);
	if (result == 0)
		result = ear_chain_of(diagnosis->past, source, &options, &chain);
	if (result)
		return result;
	const bool found = choice_in(chain, code, position);
	ear_value_chain_free(chain);
	return found;
}

/* From the choice of the code on to the call of what ends the program: a compiler sets the code
 * before it branches, too. */
static uint64_t after_choice(const struct ear_diagnosis *diagnosis, uint64_t choice, uint64_t end)
{
	const struct ear_past *past = diagnosis->past;

	for (uint64_t i = choice + 1; i < end; i++) {
		const struct ear_record *record = ear_past_in_window(past, i);
		if (record->kind != EAR_RECORD_INSTRUCTION || record->hart != diagnosis->why.hart)
			continue;
		if (ear_diagnosis_decode(diagnosis, record).instruction_class == EAR_CLASS_JUMP)
			return i;
	}
	return choice;
}

/* The program ended because a function gave up: the branch before its call, up the frames. */
static int explain_call(struct ear_diagnosis *diagnosis, uint64_t position, uint64_t *branch)
{
	char name[EAR_WHY_TEXT_MAX / 3] = "", line[EAR_WHY_TEXT_MAX / 3] = "";
	const struct ear_record *record;
	const char *text;
	uint64_t call, pc;

	int result = ear_diagnosis_gave_up(diagnosis, position, &text, &call, &pc);
	if (result == 1)
		result = ear_past_at(diagnosis->past, call, &record);
	if (result != 1)
		return result;
	ear_names_text(diagnosis->options->names, pc, name, sizeof(name));
	ear_names_line_text(diagnosis->options->names, pc, line, sizeof(line));
	ear_diagnosis_say(diagnosis, "%s in %s%s%s%s: the program ended with exit code %" PRIu64,
		text, name, line[0] ? " (" : "", line, line[0] ? ")" : "", diagnosis->why.code);
	return ear_diagnosis_branch_before(diagnosis, call, branch);
}

/* The branch before the code was chosen. */
static int find_branch(
	struct ear_diagnosis *diagnosis, uint64_t position, uint64_t code, uint64_t *branch)
{
	const struct ear_record *record;
	uint64_t choice = 0, end;

	int result = find_choice(diagnosis, &diagnosis->why.values[0].source, code, &choice);
	if (result != 1)
		return result;
	end = position - choice > CODE_SEARCH ? choice + CODE_SEARCH : position;
	result = ear_past_at(diagnosis->past, end, &record);
	if (result != 1 || !ear_past_in_window(diagnosis->past, choice))
		return result < 0 ? result : 0;
	return ear_diagnosis_branch_before(diagnosis, after_choice(diagnosis, choice, end), branch);
}

static int explain(struct ear_diagnosis *diagnosis, uint64_t position, uint64_t code)
{
	struct ear_why *why = &diagnosis->why;
	uint64_t branch;

	int result = explain_call(diagnosis, position, &branch);
	if (result == 0)
		result = find_branch(diagnosis, position, code, &branch);
	if (result != 1)
		return result;
	why->branch = ear_diagnosis_place(diagnosis->past, branch);
	ear_diagnosis_operands(
		diagnosis, ear_past_in_window(diagnosis->past, branch), EAR_WHY_OPERAND, branch);
	return 0;
}

int ear_diagnose_exit(struct ear_diagnosis *diagnosis)
{
	struct ear_why *why = &diagnosis->why;
	struct ear_value_place place;
	uint64_t position, code;

	int result = find_exit(diagnosis, &position, &code, &place);
	if (result != 1)
		return result;
	why->place = ear_diagnosis_place(diagnosis->past, position);
	why->has_code = true;
	why->code = code;
	if (code == 0) {
		why->kind = EAR_WHY_ENDED;
		ear_diagnosis_say(diagnosis, "nothing is wrong: the program ended with code 0");
		return 1;
	}
	why->kind = EAR_WHY_EXIT;
	ear_diagnosis_say(diagnosis, "the program ended with exit code %" PRIu64, code);
	ear_diagnosis_value(diagnosis, EAR_WHY_CODE, &place, position);
	result = explain(diagnosis, position, code);
	return result < 0 ? result : 1;
}

/* ---- What the branch found. ---- */

/* "172", "-3", "0x80000264": small numbers as people write them. */
static void number_text(uint64_t value, unsigned xlen, bool is_signed, char *text, size_t size)
{
	const int64_t number = xlen == 32 ? (int32_t)value : (int64_t)value;

	if (value < DECIMAL_MAX || (is_signed && number < 0 && number > -DECIMAL_MAX))
		snprintf(text, size, "%" PRId64, value < DECIMAL_MAX ? (int64_t)value : number);
	else
		snprintf(text, size, "0x%" PRIx64, value);
}

/* The value of an operand of the branch, by the values that are followed. */
static bool operand_value(const struct ear_why *why, unsigned number, uint64_t *value)
{
	*value = 0;
	for (size_t i = 0; number > 0 && i < why->value_count; i++) {
		const struct ear_why_value *at = &why->values[i];
		if (at->role != EAR_WHY_OPERAND || at->source.before != why->branch.position ||
			at->source.place.reg_class != EAR_REGISTER_X ||
			at->source.place.number != number || !at->chain || !at->chain->value_known)
			continue;
		*value = at->chain->value;
		return true;
	}
	return number == 0;
}

/* What held, by the way that a branch went; NULL: it is none, or the way is not known. */
static const char *relation_of(
	const struct ear_instruction *instruction, const struct ear_why_place *branch)
{
	static const struct {
		const char *mnemonic, *taken, *other;
	} relations[] = {
		{"beq", "==", "!="},
		{"bne", "!=", "=="},
		{"blt", "<", ">="},
		{"bge", ">=", "<"},
		{"bltu", "<", ">="},
		{"bgeu", ">=", "<"},
		{"c.beqz", "==", "!="},
		{"c.bnez", "!=", "=="},
	};

	for (size_t i = 0; branch->next_pc && i < sizeof(relations) / sizeof(relations[0]); i++)
		if (strcmp(instruction->mnemonic, relations[i].mnemonic) == 0)
			return branch->next_pc == branch->pc + branch->opcode_size
				       ? relations[i].other
				       : relations[i].taken;
	return NULL;
}

/* "172 != 200". */
static bool branch_text(const struct ear_diagnosis *diagnosis, char *text, size_t size)
{
	const struct ear_why_place *branch = &diagnosis->why.branch;
	struct ear_instruction instruction = {.size = sizeof(instruction)};
	char numbers[2][24] = {"0", "0"};
	unsigned count = 0;

	if (branch->opcode_size == 0 ||
		ear_instruction_decode(diagnosis->instructions, &instruction,
			(uint32_t)branch->opcode, branch->xlen))
		return false;
	const char *relation = relation_of(&instruction, branch);
	const size_t length = strlen(instruction.mnemonic);
	const bool is_order = relation && (relation[0] == '<' || relation[0] == '>');
	for (size_t i = 0; relation && i < instruction.operand_count && count < 2; i++) {
		uint64_t value;
		if (instruction.operands[i].is_immediate)
			continue;
		if (!operand_value(&diagnosis->why, instruction.operands[i].number, &value))
			return false;
		number_text(value, branch->xlen,
			is_order && instruction.mnemonic[length - 1] != 'u', numbers[count++],
			sizeof(numbers[0]));
	}
	if (!relation)
		return false;
	snprintf(text, size, "%s %s %s", numbers[0], relation, numbers[1]);
	return true;
}

void ear_diagnose_check(struct ear_diagnosis *diagnosis)
{
	const struct ear_names *names = diagnosis->options->names;
	struct ear_why *why = &diagnosis->why;
	char found[64], name[EAR_WHY_TEXT_MAX / 3] = "", line[EAR_WHY_TEXT_MAX / 3] = "";

	if (why->kind != EAR_WHY_EXIT || !why->branch.known || !names ||
		strncmp(why->text, "the program ended", 17) != 0 ||
		!branch_text(diagnosis, found, sizeof(found)))
		return;
	ear_names_text(names, why->branch.pc, name, sizeof(name));
	ear_names_line_text(names, why->branch.pc, line, sizeof(line));
	if (!name[0])
		return;
	ear_diagnosis_say(diagnosis,
		"the program ended with exit code %" PRIu64 ", after %s in %s%s%s%s", why->code,
		found, name, line[0] ? " (" : "", line, line[0] ? ")" : "");
}
