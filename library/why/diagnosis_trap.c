/* A trap whose handler did not return: the oldest exception on the call stack at the end. Those
 * after it came up in its handler. System calls are no faults. What the trap was about is a
 * register: the base of the access, or the target of the jump that led to an instruction that is
 * none.
 */
#include "library/why/diagnosis.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "library/api/trace_internal.h"

#define RETURNS_LOOKED 16
#define FRAMES_LOOKED  4096 /* exceptions on the stack whose causes are read */
#define ACCESS_MAX     64   /* bytes of an access */
#define WALK_MAX       64   /* instructions after a jump that went wrong */
#define STORM_MIN      16   /* times that the same trap came */
#define MTVEC          0x305
#define VECTORS_MAX    256 /* bytes of a table of vectors */

static const char *cause_text(uint64_t cause)
{
	static const char *const texts[] = {
		"instruction address misaligned",
		"instruction access fault",
		"illegal instruction",
		"breakpoint (ebreak)",
		"load address misaligned",
		"load access fault",
		"store address misaligned",
		"store access fault",
		"", /* system calls */
		"",
		"",
		"",
		"instruction page fault",
		"load page fault",
		"",
		"store page fault",
	};
	const size_t count = sizeof(texts) / sizeof(texts[0]);

	return cause < count && texts[cause][0] ? texts[cause] : "exception";
}

static bool is_fetch_cause(uint64_t cause)
{
	return cause == 0 || cause == 1 || cause == 12;
}

static bool is_access_cause(uint64_t cause)
{
	return (cause >= 4 && cause <= 7) || cause == 13 || cause == 15;
}

/* Does the handler of a trap at position begin at pc? It may be right behind the instruction.
 * Returns 1, 0 or an error. */
static int is_handler(const struct ear_diagnosis *diagnosis, const struct ear_record *record,
	uint64_t position, uint64_t pc)
{
	static const uint16_t vectors[] = {0x305, 0x105}; /* mtvec, stvec */
	struct ear_value_place place = {.kind = EAR_VALUE_REGISTER,
		.reg_class = EAR_REGISTER_CSR,
		.hart = diagnosis->why.hart};
	uint64_t value;

	if (!(record->flags & EAR_RECORD_NO_NEXT_PC))
		return record->next_pc == pc;
	for (size_t i = 0; i < 2; i++) {
		place.number = vectors[i];
		int result = ear_past_value(diagnosis->past, &place, position, &value);
		if (result < 0 || (result == 1 && (value & ~(uint64_t)3) == pc))
			return result;
	}
	return 0;
}

/* Did the hart get from the record at position to the next one in a way that no record shows?
 * Returns 1, 0 or an error. */
static int is_torn(const struct ear_diagnosis *diagnosis, const struct ear_record *record,
	uint64_t position, uint64_t pc_after)
{
	const struct ear_instruction instruction = ear_diagnosis_decode(diagnosis, record);

	if (record->kind != EAR_RECORD_INSTRUCTION || record->hart != diagnosis->why.hart)
		return 0;
	if (record->flags & EAR_RECORD_TRAP) {
		int result = is_handler(diagnosis, record, position, pc_after);
		return result < 0 ? result : !result;
	}
	return record->pc + record->opcode_size != pc_after &&
	       instruction.instruction_class != EAR_CLASS_JUMP &&
	       instruction.instruction_class != EAR_CLASS_BRANCH &&
	       instruction.instruction_class != EAR_CLASS_SYSTEM;
}

/* Some traces leave records out, such as returns from traps. Where the hart is at the instruction
 * that trapped again, or at the one after it, and no record led there, the handler did return. */
static int has_returned(
	struct ear_diagnosis *diagnosis, uint64_t pc, uint64_t size, uint64_t position)
{
	const struct ear_span spans[2] = {{pc, pc}, {pc + size, pc + size}};
	struct ear_query query = EAR_QUERY_ANY;
	const struct ear_record *record;

	query.hart = diagnosis->why.hart;
	query.pcs = spans;
	query.pc_count = 2;
	for (unsigned i = 0; i < RETURNS_LOOKED; i++) {
		int result = ear_trace_find(diagnosis->past->trace, &query, position + 1,
			EAR_FORWARD, &position, diagnosis->past->progress);
		if (result != 1)
			return result;
		result = ear_past_peek(diagnosis->past, position, &record);
		if (result != 1)
			return result;
		const uint64_t pc_after = record->pc;
		result = ear_past_peek(diagnosis->past, position - 1, &record);
		if (result == 1)
			result = is_torn(diagnosis, record, position - 1, pc_after);
		if (result != 0)
			return result;
	}
	return 0;
}

/* The oldest exception of the stack that is no system call. Returns 1 and its position. */
static int find_trap(struct ear_diagnosis *diagnosis, const struct ear_call_frame *frames,
	size_t count, uint64_t *position)
{
	const struct ear_record *record;
	size_t looked = 0;

	for (size_t i = count; i > 0 && looked < FRAMES_LOOKED; i--) {
		if (frames[i - 1].kind != EAR_FRAME_TRAP)
			continue;
		looked++;
		int result = ear_past_peek(diagnosis->past, frames[i - 1].position, &record);
		if (result < 0)
			return result;
		if (result == 0 || record->hart != diagnosis->why.hart ||
			!ear_diagnosis_is_fault(record))
			continue;
		const uint64_t pc = record->pc, size = record->opcode_size;
		result = has_returned(diagnosis, pc, size, frames[i - 1].position);
		if (result < 0)
			return result;
		if (result == 1)
			continue;
		*position = frames[i - 1].position;
		for (size_t k = 0; k + 1 < i; k++)
			diagnosis->why.nested += frames[k].kind == EAR_FRAME_TRAP;
		return 1;
	}
	return 0;
}

static bool is_return(const struct ear_diagnosis *diagnosis, const struct ear_record *record)
{
	const struct ear_instruction instruction = ear_diagnosis_decode(diagnosis, record);

	return instruction.mnemonic && (strcmp(instruction.mnemonic, "mret") == 0 ||
					       strcmp(instruction.mnemonic, "sret") == 0);
}

/* The register that a jump or a return from a trap took its target from. */
static bool target_of(const struct ear_diagnosis *diagnosis, const struct ear_record *record,
	struct ear_value_place *place)
{
	struct ear_instruction instruction = ear_diagnosis_decode(diagnosis, record);
	struct ear_value_source base;

	if (ear_origins_base(&base, diagnosis->instructions, record) &&
		instruction.instruction_class == EAR_CLASS_JUMP) {
		*place = base.place;
		return true;
	}
	if (instruction.instruction_class != EAR_CLASS_SYSTEM || !instruction.mnemonic ||
		(strcmp(instruction.mnemonic, "mret") != 0 &&
			strcmp(instruction.mnemonic, "sret") != 0))
		return false;
	*place = (struct ear_value_place){.kind = EAR_VALUE_REGISTER,
		.reg_class = EAR_REGISTER_CSR,
		.number = instruction.mnemonic[0] == 'm' ? 0x341 : 0x141,
		.hart = record->hart};
	return true;
}

/* The jump that led to the record at position: the one before it, or, with walk, one from which the
 * hart went straight on. */
static bool find_jump(struct ear_diagnosis *diagnosis, uint64_t position, bool walk,
	struct ear_value_place *place)
{
	const struct ear_past *past = diagnosis->past;
	uint64_t previous;

	for (unsigned i = 0; i < (walk ? WALK_MAX : 1u); i++, position = previous) {
		const struct ear_record *at = ear_past_in_window(past, position);
		if (at->flags & EAR_RECORD_HANDLER ||
			!ear_diagnosis_previous(past, diagnosis->why.hart, position, &previous))
			return false;
		const struct ear_record *record = ear_past_in_window(past, previous);
		if (record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT))
			return false;
		if (!(record->flags & EAR_RECORD_NO_NEXT_PC) && record->next_pc != at->pc)
			return false;
		if (target_of(diagnosis, record, place)) {
			diagnosis->why.jump = ear_diagnosis_place(past, previous);
			return true;
		}
		if (record->pc + record->opcode_size != at->pc)
			return false;
	}
	return false;
}

/* Did a trap or an interrupt lead there? Then mtvec is a value that matters. */
static bool find_vector(
	struct ear_diagnosis *diagnosis, const struct ear_record *record, uint64_t position)
{
	const struct ear_value_place vector = {.kind = EAR_VALUE_REGISTER,
		.reg_class = EAR_REGISTER_CSR,
		.number = MTVEC,
		.hart = diagnosis->why.hart};
	uint64_t value;

	if (!(record->flags & EAR_RECORD_HANDLER) || record->privilege != EAR_PRIVILEGE_M ||
		ear_past_value(diagnosis->past, &vector, position, &value) != 1 ||
		record->pc - (value & ~UINT64_C(3)) > VECTORS_MAX)
		return false;
	ear_diagnosis_value(diagnosis, EAR_WHY_TARGET, &vector, position);
	return true;
}

static void explain_fetch(
	struct ear_diagnosis *diagnosis, const struct ear_record *record, uint64_t position)
{
	struct ear_value_place place;
	const int digits = record->xlen == 32 ? 8 : 16;

	/* A misaligned target: the jump itself traps. */
	if (target_of(diagnosis, record, &place)) {
		diagnosis->why.jump = ear_diagnosis_place(diagnosis->past, position);
		ear_diagnosis_value(diagnosis, EAR_WHY_TARGET, &place, position);
		ear_diagnosis_say(
			diagnosis, "wild jump: %s at its target", cause_text(record->cause));
		return;
	}
	if (find_jump(diagnosis, position, false, &place)) {
		ear_diagnosis_value(
			diagnosis, EAR_WHY_TARGET, &place, diagnosis->why.jump.position);
		ear_diagnosis_say(diagnosis, "wild jump to 0x%0*" PRIx64 ": %s", digits, record->pc,
			cause_text(record->cause));
		return;
	}
	ear_diagnosis_say(diagnosis, "%s%s at 0x%0*" PRIx64,
		find_vector(diagnosis, record, position) ? "the trap vector leads nowhere: " : "",
		cause_text(record->cause), digits, record->pc);
}

/* Did the hart go on well from where a jump led, some instructions before the one at pc? Returns
 * from traps do, and code that was executed before does. Returns 1, 0 or an error. */
static int is_usual(struct ear_diagnosis *diagnosis, uint64_t pc)
{
	const struct ear_why_place *jump = &diagnosis->why.jump;
	struct ear_past *past = diagnosis->past;
	struct ear_query query = EAR_QUERY_ANY;
	uint64_t position = jump->position, found;

	do {
		if (++position == past->end)
			return 0;
	} while (ear_past_in_window(past, position)->kind != EAR_RECORD_INSTRUCTION ||
		 ear_past_in_window(past, position)->hart != diagnosis->why.hart);
	const uint64_t target = ear_past_in_window(past, position)->pc;
	const struct ear_span span = {target, target};
	if (target == pc)
		return 0;
	if (is_return(diagnosis, ear_past_in_window(past, jump->position)))
		return 1;
	query.hart = diagnosis->why.hart;
	query.pcs = &span;
	query.pc_count = 1;
	return ear_trace_find(
		past->trace, &query, jump->position, EAR_BACKWARD, &found, past->progress);
}

/* Does the program's file have another instruction there? */
static bool is_overwritten(const struct ear_diagnosis *diagnosis, const struct ear_record *record,
	const struct ear_value_place *memory)
{
	uint64_t value;

	return record->opcode_size > 0 && !(record->flags & EAR_RECORD_NO_OPCODE) &&
	       ear_past_image(diagnosis->past, memory, &value) == 1 && value != record->opcode;
}

/* A jump led to a variable, and the hart ran through its bytes to the trap: said first. */
static void say_data(struct ear_diagnosis *diagnosis)
{
	const struct ear_names *names = diagnosis->options->names;
	char text[EAR_WHY_TEXT_MAX / 2], name[EAR_WHY_TEXT_MAX / 4];
	const uint64_t target = diagnosis->why.jump.next_pc;
	uint64_t offset;

	const struct ear_symbol *symbol =
		names ? ear_names_symbol_at(names, target, &offset) : NULL;
	if (!symbol || symbol->kind != EAR_NAMES_OBJECT || offset >= symbol->size)
		return;
	memcpy(text, diagnosis->why.text, sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	ear_names_text(names, target, name, sizeof(name));
	ear_diagnosis_say(diagnosis, "wild jump to the variable %s, which ran to: %s", name, text);
}

/* Something wrote the instruction, or a jump went to where none is. */
static int explain_illegal(
	struct ear_diagnosis *diagnosis, const struct ear_record *record, uint64_t position)
{
	const struct ear_value_place memory = {.kind = EAR_VALUE_MEMORY,
		.size = record->opcode_size ? record->opcode_size : 2,
		.address = record->pc};
	const int digits = record->opcode_size == 2 ? 4 : 8;
	struct ear_value_place place;
	struct ear_past_found found;
	uint64_t value = 0;

	bool jumped = find_jump(diagnosis, position, true, &place);
	int result = jumped ? is_usual(diagnosis, record->pc) : 0;
	if (result < 0)
		return result;
	if (result == 1) {
		diagnosis->why.jump = (struct ear_why_place){.known = false};
		jumped = false;
	}
	result = ear_past_at(diagnosis->past, position, &record);
	if (result != 1)
		return result;
	ear_diagnosis_say(diagnosis, "%sillegal instruction 0x%0*" PRIx64,
		is_overwritten(diagnosis, record, &memory) ? "overwritten code: " : "", digits,
		ear_diagnosis_trap_value(record, &value) && value != 0 && value <= UINT32_MAX
			? value
			: record->opcode);
	result = ear_past_last_write(diagnosis->past, &memory, position, true, &found);
	if (result)
		return result;
	if (found.result == EAR_PAST_FOUND)
		ear_diagnosis_value(diagnosis, EAR_WHY_INSTRUCTION, &memory, position);
	if (jumped) {
		ear_diagnosis_value(
			diagnosis, EAR_WHY_TARGET, &place, diagnosis->why.jump.position);
		say_data(diagnosis);
	}
	return 0;
}

/* Does the base, with the offset of the instruction, lead to the address? Where records are left
 * out what is known of the base may be old. An access may trap at a byte after its first. */
static int leads_to(struct ear_diagnosis *diagnosis, const struct ear_record *record,
	const struct ear_value_place *base, uint64_t position, uint64_t address)
{
	const struct ear_instruction instruction = ear_diagnosis_decode(diagnosis, record);
	const uint64_t mask = record->xlen == 32 ? UINT32_MAX : UINT64_MAX;
	uint64_t value, offset = 0;

	int result = ear_past_value(diagnosis->past, base, position, &value);
	if (result != 1)
		return result < 0 ? result : 1; /* not known: nothing speaks against it */
	for (size_t i = 0; i < instruction.operand_count; i++)
		if (instruction.operands[i].is_immediate)
			offset = (uint64_t)instruction.operands[i].immediate;
	return ((address - value - offset) & mask) < ACCESS_MAX;
}

static int explain_access(
	struct ear_diagnosis *diagnosis, const struct ear_record *record, uint64_t position)
{
	struct ear_why *why = &diagnosis->why;
	struct ear_value_source base;
	const int digits = record->xlen == 32 ? 8 : 16;

	if (!why->trap_value_known && record->memory_count > 0) {
		why->trap_value_known = true;
		why->trap_value = record->memory[record->memory_count - 1].address;
	}
	bool leads = ear_origins_base(&base, diagnosis->instructions, record);
	if (leads && why->trap_value_known) {
		int result = leads_to(diagnosis, record, &base.place, position, why->trap_value);
		if (result < 0)
			return result;
		leads = result == 1;
	}
	if (leads)
		ear_diagnosis_value(diagnosis, EAR_WHY_ADDRESS, &base.place, position);
	if (why->trap_value_known)
		ear_diagnosis_say(diagnosis, "%s at address 0x%0*" PRIx64,
			cause_text(record->cause), digits, why->trap_value);
	else
		ear_diagnosis_say(diagnosis, "%s", cause_text(record->cause));
	return 0;
}

int ear_diagnose_trap_at(struct ear_diagnosis *diagnosis, uint64_t position)
{
	struct ear_why *why = &diagnosis->why;
	const struct ear_record *record;

	int result = ear_past_at(diagnosis->past, position, &record);
	if (result != 1)
		return result;
	why->kind = EAR_WHY_TRAP;
	why->place = ear_diagnosis_place(diagnosis->past, position);
	why->cause_known = !(record->flags & EAR_RECORD_NO_CAUSE);
	why->cause = why->cause_known ? record->cause : 0;
	why->trap_value_known = ear_diagnosis_trap_value(record, &why->trap_value);
	if (!why->cause_known) {
		ear_diagnosis_say(diagnosis, "a trap, whose cause the trace does not have");
		return 1;
	}
	if (is_fetch_cause(why->cause))
		explain_fetch(diagnosis, record, position);
	else if (is_access_cause(why->cause))
		result = explain_access(diagnosis, record, position);
	else if (why->cause == 2)
		result = explain_illegal(diagnosis, record, position);
	else
		ear_diagnosis_say(
			diagnosis, "%s, cause 0x%" PRIx64, cause_text(why->cause), why->cause);
	return result < 0 ? result : 1;
}

int ear_diagnose_storm(struct ear_diagnosis *diagnosis)
{
	struct ear_why *why = &diagnosis->why;
	char text[EAR_WHY_TEXT_MAX - 96];
	uint64_t first, count;
	bool earlier;

	int result = ear_diagnose_again(diagnosis, &first, &count, &earlier);
	if (result < 0 || count < STORM_MIN)
		return result;
	result = ear_diagnose_trap_at(diagnosis, first);
	why->earlier = earlier;
	memcpy(text, why->text, sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	ear_diagnosis_say(diagnosis,
		"%s, %" PRIu64 " times or more: its handler returns to the instruction that traps",
		text, count);
	return result;
}

/* The last record trapped: no handler is there to be on a stack. */
static int find_last(struct ear_diagnosis *diagnosis, uint64_t *position)
{
	const struct ear_record *record;

	int result = ear_past_peek(diagnosis->past, diagnosis->last, &record);
	if (result != 1)
		return result;
	*position = diagnosis->last;
	return ear_diagnosis_is_fault(record);
}

int ear_diagnose_trap(struct ear_diagnosis *diagnosis)
{
	struct ear_call_frame *frames;
	uint64_t position;
	size_t count;

	int result = ear_diagnosis_frames(diagnosis, diagnosis->last + 1, &frames, &count);
	if (result)
		return result;
	result = find_trap(diagnosis, frames, count, &position);
	free(frames);
	if (result == 0)
		result = find_last(diagnosis, &position);
	return result == 1 ? ear_diagnose_trap_at(diagnosis, position) : result;
}
