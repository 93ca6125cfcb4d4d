/* The self-check: one pass over the records, with what each hart holds.
 *
 * Each rule looks at what the record shows, and at what it should be as far as that is known.
 * Afterwards the record is believed: its values become the state, so that an error is reported
 * where it happens and nowhere else.
 */
#include "library/check/checker.h"

#include <earshot/error.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/isa/csr.h"
#include "library/check/check_csr.h"
#include "library/check/check_image.h"
#include "library/check/check_instruction.h"
#include "library/check/check_pmp.h"
#include "library/check/check_run.h"
#include "library/check/check_trap.h"

int ear_checker_new(struct ear_checker **checker, const struct ear_checker_options *options)
{
	struct ear_checker *made = calloc(1, sizeof(*made));

	if (made)
		made->cache = calloc(CHECK_CACHE, sizeof(*made->cache));
	if (made)
		made->fetched = calloc(CHECK_CACHE, sizeof(*made->fetched));
	if (!made || !made->cache || !made->fetched) {
		ear_checker_free(made);
		return EAR_E_NO_MEMORY;
	}
	made->options = *options;
	made->shows_interrupts = options->shows_interrupts;
	if (made->options.rules == 0)
		made->options.rules = UINT32_MAX;
	*checker = made;
	return 0;
}

void ear_checker_free(struct ear_checker *checker)
{
	if (!checker)
		return;
	for (size_t i = 0; i < checker->hart_count; i++) {
		free(checker->harts[i]->csrs);
		free(checker->harts[i]);
	}
	free(checker->harts);
	free(checker->cache);
	free(checker->fetched);
	ear_check_memory_fini(&checker->memory);
	free(checker);
}

static struct check_hart *copy_hart(const struct check_hart *hart)
{
	struct check_hart *copy = malloc(sizeof(*copy));
	struct check_value *csrs = malloc(EAR_CSR_COUNT * sizeof(*csrs));

	if (!copy || !csrs) {
		free(copy);
		free(csrs);
		return NULL;
	}
	*copy = *hart;
	copy->csrs = memcpy(csrs, hart->csrs, EAR_CSR_COUNT * sizeof(*csrs));
	return copy;
}

int ear_checker_copy(struct ear_checker **copy, const struct ear_checker *checker)
{
	struct ear_checker *made;
	int result = ear_checker_new(&made, &checker->options);

	if (result)
		return result;
	made->harts = calloc(checker->hart_count + 1, sizeof(struct check_hart *));
	bool good = made->harts && ear_check_memory_copy(&made->memory, &checker->memory);
	for (size_t i = 0; good && i < checker->hart_count; i++) {
		made->harts[i] = copy_hart(checker->harts[i]);
		good = made->harts[i];
		made->hart_count += good;
		if (checker->last == checker->harts[i])
			made->last = made->harts[i];
	}
	if (!good) {
		ear_checker_free(made);
		return EAR_E_NO_MEMORY;
	}
	made->shows_interrupts = checker->shows_interrupts;
	made->shared = checker->shared;
	made->counts = checker->counts;
	made->image_reached = checker->image_reached;
	made->image_begun = checker->image_begun;
	memcpy(made->fetched, checker->fetched, CHECK_CACHE * sizeof(*made->fetched));
	*copy = made;
	return 0;
}

const struct ear_check_counts *ear_checker_counts(const struct ear_checker *checker)
{
	return &checker->counts;
}

/* Harts --------------------------------------------------------------------------------------- */

/* What may have changed is not known. */
static void forget_hart(struct check_hart *hart)
{
	struct check_value *csrs = hart->csrs;
	struct check_hart before = *hart;

	memset(csrs, 0, EAR_CSR_COUNT * sizeof(*csrs));
	*hart = (struct check_hart){.hart = before.hart,
		.csrs = csrs,
		.x_known = 1,
		.modes_seen = before.modes_seen,
		.less_seen = before.less_seen,
		.hypervisor = before.hypervisor,
		.assumed = true};
}

static void forget_all(struct ear_checker *checker)
{
	for (size_t i = 0; i < checker->hart_count; i++)
		forget_hart(checker->harts[i]);
	ear_check_memory_forget(&checker->memory);
}

/* An x or f register. */
static void believe_register(struct check_hart *hart, const struct ear_record_register *reg)
{
	unsigned number = reg->number & 31;

	if (reg->reg_class == EAR_REGISTER_X) {
		hart->x[number] = number ? check_word(hart, reg->value) : 0;
		hart->x_known |= 1u << number;
	} else if (reg->reg_class == EAR_REGISTER_F) {
		hart->f[number] = reg->value;
		hart->f_known |= 1u << number;
	}
}

/* What the caller says of the beginning. */
static void assume(const struct ear_checker *checker, struct check_hart *hart)
{
	const struct ear_checker_options *options = &checker->options;

	if (options->reset)
		check_csr_reset(hart);
	for (size_t i = 0; i < options->assumed_count; i++) {
		const struct ear_record_register *reg = &options->assumed[i];
		if (reg->reg_class == EAR_REGISTER_CSR)
			check_csr_learn(hart, reg->number, reg->value);
		else
			believe_register(hart, reg);
	}
}

static int add_hart(struct ear_checker *checker, uint16_t number)
{
	if (checker->hart_count == EAR_CHECKER_HARTS_MAX)
		return EAR_E_FULL;
	struct check_hart **grown =
		realloc(checker->harts, (checker->hart_count + 1) * sizeof(struct check_hart *));
	if (!grown)
		return EAR_E_NO_MEMORY;
	checker->harts = grown;
	struct check_hart *hart = calloc(1, sizeof(*hart));
	if (hart)
		hart->csrs = calloc(EAR_CSR_COUNT, sizeof(*hart->csrs));
	if (!hart || !hart->csrs) {
		free(hart);
		return EAR_E_NO_MEMORY;
	}
	hart->hart = number;
	hart->x_known = 1;
	checker->harts[checker->hart_count++] = checker->last = hart;
	checker->shared |= checker->hart_count > 1 || number != 0;
	return 0;
}

int check_find_hart(struct ear_checker *checker, uint16_t number)
{
	if (checker->last && checker->last->hart == number)
		return 0;
	for (size_t i = 0; i < checker->hart_count; i++)
		if (checker->harts[i]->hart == number) {
			checker->last = checker->harts[i];
			return 0;
		}
	return add_hart(checker, number);
}

/* Instructions -------------------------------------------------------------------------------- */

/* Is the record the next one of the hart? */
static void check_order(struct ear_checker *checker, struct check_hart *hart)
{
	const struct ear_record *record = checker->record;

	if (!hart->seen) {
		check_skip(checker, EAR_CHECK_ORDER, EAR_CHECK_UNKNOWN);
		return;
	}
	if (record->index == hart->index) {
		check_pass(checker, EAR_CHECK_ORDER);
		return;
	}
	if (record->index < hart->index)
		check_violate(checker, EAR_CHECK_ORDER, hart->index, record->index,
			"index %" PRIu64 " comes after %" PRIu64, record->index, hart->index - 1);
	else
		check_skip(checker, EAR_CHECK_ORDER, EAR_CHECK_ABSENT); /* a filter */
	forget_all(checker);
}

/* Interrupts of texts may show only by where the program goes on. */
static enum check_handler find_hidden(
	const struct ear_checker *checker, const struct check_hart *hart, uint64_t pc)
{
	static const uint16_t vectors[8] = {
		[EAR_PRIVILEGE_M] = 0x305, [EAR_PRIVILEGE_S] = 0x105, [EAR_PRIVILEGE_VS] = 0x205};
	const struct ear_record *record = checker->record;

	if (record->flags & (EAR_RECORD_HANDLER | EAR_RECORD_INTERRUPT) ||
		record->privilege == EAR_PRIVILEGE_DEBUG)
		return CHECK_HANDLER_YES;
	if (!(record->flags & EAR_RECORD_NO_PRIVILEGE))
		return check_trap_leads_to(checker, hart, vectors[record->privilege & 7], pc);
	return check_trap_leads(checker, hart, pc);
}

/* Traps and returns alone change the privilege. */
static void check_change(struct ear_checker *checker, struct check_hart *hart)
{
	static const char names[] = "US?M";
	struct check_value mode = check_privilege(hart, checker->record);

	hart->doubtful = hart->mode.known && mode.known && mode.value != hart->mode.value;
	if (hart->doubtful)
		check_violate(checker, EAR_CHECK_FLOW, hart->mode.value, mode.value,
			"the privilege is %c, but that after the instruction before is %c",
			names[mode.value & 3], names[hart->mode.value & 3]);
}

/* Modes that the hart has. A single record may be wrong, so what is less than M counts where a
 * return led there. */
static void learn_mode(struct check_hart *hart, const struct ear_record *record, bool returned)
{
	const uint8_t less = 1u << EAR_PRIVILEGE_U | 1u << EAR_PRIVILEGE_S |
			     1u << EAR_PRIVILEGE_VU | 1u << EAR_PRIVILEGE_VS;
	uint8_t mode = (uint8_t)(1u << (record->privilege & 7));

	if (record->flags & EAR_RECORD_NO_PRIVILEGE)
		return;
	hart->modes_seen |= mode;
	hart->less_seen |= returned && !hart->doubtful && mode & less;
}

/* Is there a hypervisor, by the record? */
static bool shows_hypervisor(const struct ear_record *record)
{
	bool may_be =
		record->flags & EAR_RECORD_TRAP &&
		(record->flags & EAR_RECORD_NO_PRIVILEGE || record->privilege == EAR_PRIVILEGE_S);

	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *reg = &record->registers[i];
		unsigned page = reg->number >> 8; /* vs... and h... */
		if (reg->reg_class == EAR_REGISTER_CSR && (page == 2 || page == 6))
			return true;
	}
	return may_be && (record->cause == 10 || (record->cause >= 20 && record->cause <= 23));
}

/* From here on the modes S and U may be those of a virtual machine, and so may those of before. */
static void learn_hypervisor(struct check_hart *hart, const struct ear_record *record)
{
	if (hart->hypervisor || !shows_hypervisor(record))
		return;
	hart->hypervisor = true;
	for (unsigned number = 0x100; number < 0x200; number++)
		check_csr_forget(hart, number);
	check_trap_forget(hart);
}

/* The record is not where the one before went, and the text shows no trap. Where each interrupt is
 * a record, even a handler is reached by none.
 */
static void check_jump(struct ear_checker *checker, struct check_hart *hart)
{
	const struct ear_record *record = checker->record;
	enum check_handler handler = checker->options.captured
					     ? CHECK_HANDLER_NO
					     : find_hidden(checker, hart, record->pc);
	const bool lost = handler == CHECK_HANDLER_YES && checker->shows_interrupts &&
			  !(record->flags & EAR_RECORD_INTERRUPT) &&
			  record->privilege != EAR_PRIVILEGE_DEBUG;
	if (lost)
		handler = CHECK_HANDLER_NO;

	if (check_trap_comes_back(hart, record->pc) && hart->left_found) {
		check_skip(checker, EAR_CHECK_FLOW,
			EAR_CHECK_UNKNOWN); /* the record before was wrong */
		return;
	}
	hart->left_found = handler == CHECK_HANDLER_NO || check_trap_comes_back(hart, record->pc);
	if (hart->left_found) {
		check_violate(checker, EAR_CHECK_FLOW, hart->next_pc.value, record->pc,
			"pc is 0x%" PRIx64 ", but the instruction before goes to 0x%" PRIx64,
			record->pc, hart->next_pc.value);
		if (lost)
			check_trap_forget(hart);
	} else {
		check_skip(checker, EAR_CHECK_FLOW,
			handler == CHECK_HANDLER_YES ? EAR_CHECK_ABSENT : EAR_CHECK_UNKNOWN);
		check_trap_forget(hart);
	}
}

static void check_flow(struct ear_checker *checker, struct check_hart *hart)
{
	const struct ear_record *record = checker->record;
	bool hidden = record->flags & EAR_RECORD_HANDLER && !hart->trapped &&
		      (checker->options.captured || !checker->shows_interrupts);
	bool jumps = hart->next_pc.known && record->pc != hart->next_pc.value;
	const struct check_value expected = {
		hart->hides ? hart->hidden : hart->next_pc.value, jumps || hart->hides};

	checker->shows_interrupts |= (record->flags & EAR_RECORD_INTERRUPT) != 0;
	if (hart->trapped)
		hart->handler = (struct check_value){record->pc, true};
	if (hidden || hart->hides) /* the port has no entry for interrupts, or the text */
		check_trap_forget(hart);
	hart->hides = false;
	if (!hart->next_pc.known)
		check_skip(checker, EAR_CHECK_FLOW, EAR_CHECK_UNKNOWN);
	else if (!jumps)
		check_pass(checker, EAR_CHECK_FLOW);
	else if (hidden)
		check_skip(checker, EAR_CHECK_FLOW, EAR_CHECK_ABSENT);
	else
		check_jump(checker, hart);
	hart->left = expected;
	hart->left_next = check_word(hart, expected.value + record->opcode_size);
	check_change(checker, hart);
}

/* The privilege of the next instruction. */
static void believe_mode(struct check_hart *hart, const struct ear_record *record)
{
	if (record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT) || hart->returned)
		hart->mode = hart->goes_mode;
	else
		hart->mode = check_privilege(hart, record);
	if (hart->mode.known && hart->mode.value > EAR_PRIVILEGE_M)
		hart->mode.known = false;
}

/* The record is believed. */
static void believe(struct check_hart *hart, const struct ear_record *record)
{
	for (size_t i = 0; i < record->register_count; i++)
		believe_register(hart, &record->registers[i]);
	check_csr_believe(hart, record);
	believe_mode(hart, record);
	hart->fflags.value |= record->fflags;
	hart->index = record->index + 1;
	hart->seen = true;
	hart->trapped = record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT);
	hart->next_pc = record->flags & EAR_RECORD_NO_NEXT_PC
				? hart->goes
				: (struct check_value){check_word(hart, record->next_pc), true};
}

/* All instructions count for every rule: what does not apply is not counted at all. */
static void push_instruction(struct ear_checker *checker, struct check_hart *hart)
{
	const struct ear_record *record = checker->record;

	checker->counts.instructions++;
	if (record->isa != EAR_ISA_RISCV || (record->xlen != 32 && record->xlen != 64)) {
		check_skip(checker, EAR_CHECK_RESULT, EAR_CHECK_EXTENSION);
		return;
	}
	if (hart->xlen && hart->xlen != record->xlen)
		forget_hart(hart); /* a text was read with the wrong one */
	bool first = hart->xlen == 0 && !hart->assumed;
	hart->xlen = record->xlen;
	if (first)
		assume(checker, hart);
	hart->assumed = true;
	bool returned = hart->returned;
	hart->goes.known = hart->goes_mode.known = hart->returned = hart->doubtful = false;
	learn_hypervisor(hart, record);
	checker->may_be_virtual = check_may_be_virtual(hart, record->privilege);
	struct ear_record virtual = *record;
	if (checker->may_be_virtual) {
		virtual.privilege += EAR_PRIVILEGE_VU - EAR_PRIVILEGE_U;
		checker->record = record = &virtual;
	}
	check_image_begin(checker);
	check_order(checker, hart);
	check_flow(checker, hart);
	learn_mode(hart, checker->source, returned);
	if (record->flags & EAR_RECORD_INTERRUPT)
		check_interrupt(checker, hart);
	else if (record->flags & EAR_RECORD_TRAP)
		check_trap(checker, hart);
	else if (!check_hidden_trap(checker, hart)) {
		check_pmp(checker, hart);
		check_image_fetch(checker, hart);
		check_instruction(checker, hart);
	}
	believe(hart, record);
}

int ear_checker_push(struct ear_checker *checker, const struct ear_record *record,
	uint64_t position, uint64_t number)
{
	checker->record = checker->source = record;
	checker->position = position;
	checker->number = number;
	checker->counts.records++;
	if (record->kind == EAR_RECORD_GAP) {
		forget_all(checker);
		return 0;
	}
	if (record->kind != EAR_RECORD_INSTRUCTION && record->kind != EAR_RECORD_REGISTERS)
		return 0;
	int result = check_find_hart(checker, record->hart);
	if (result)
		return result;
	if (record->kind == EAR_RECORD_REGISTERS)
		forget_hart(checker->last); /* written from outside */
	else
		push_instruction(checker, checker->last);
	return checker->memory.failed ? EAR_E_NO_MEMORY : checker->result;
}

int ear_checker_push_run(struct ear_checker *checker, const struct ear_compact_run *run,
	const struct ear_compact_record *compacts, const struct ear_operands *operands,
	uint64_t position, uint64_t number)
{
	struct ear_expanded_record expanded;
	struct ear_reads reads = {.extra = {0}};
	int result = check_find_hart(checker, run->hart);

	if (result)
		return result;
	ear_compact_run_begin(&expanded, run);
	for (size_t i = 0;; i++) {
		i += check_run(checker, checker->last, run, compacts, operands, i);
		if (i == run->count)
			break;
		const struct ear_record *record =
			ear_compact_run_get(&expanded, run, &compacts[i], i);
		if (operands)
			ear_reads_attach(&reads, &expanded.record, &operands[i]);
		result = ear_checker_push(checker, record, position + i, number + i);
		if (result)
			return result;
	}
	return checker->memory.failed ? EAR_E_NO_MEMORY : 0;
}
