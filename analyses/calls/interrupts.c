/* Traps, their ends, and the enable bits of mstatus and sstatus. Where a trace has the values of
 * these CSRs they are taken; else they follow from what CSR instructions, traps and xRETs do to
 * them. Most records change nothing: of these only x registers are kept, since a CSR instruction
 * may read them.
 */
#include "analyses/calls/interrupts_private.h"

#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#define HARTS_MAX 1024
#define SRET      0x10200073u
#define MRET      0x30200073u
#define MNRET     0x70200073u

static const unsigned places[BITS] = {[SIE] = 1, [MIE] = 3, [SPIE] = 5, [MPIE] = 7};

/* ---- Harts. ---- */

void ear_interrupts_forget(struct ear_interrupts_hart *hart)
{
	const uint16_t number = hart->number;

	*hart = (struct ear_interrupts_hart){.number = number, .x_known = 1};
	for (size_t i = 0; i < BITS; i++)
		hart->bits[i] = -1;
}

int ear_interrupts_hart_of(
	struct ear_interrupts *interrupts, uint16_t number, struct ear_interrupts_hart **found)
{
	for (size_t i = 0; i < interrupts->hart_count; i++) {
		const size_t at = (interrupts->newest + i) % interrupts->hart_count;
		if (interrupts->harts[at]->number == number) {
			interrupts->newest = at;
			*found = interrupts->harts[at];
			return 0;
		}
	}
	if (interrupts->hart_count == HARTS_MAX)
		return EAR_E_FULL;
	struct ear_interrupts_hart **harts = realloc(interrupts->harts,
		(interrupts->hart_count + 1) * sizeof(struct ear_interrupts_hart *));
	if (!harts)
		return EAR_E_NO_MEMORY;
	interrupts->harts = harts;
	struct ear_interrupts_hart *hart = calloc(1, sizeof(*hart));
	if (!hart)
		return EAR_E_NO_MEMORY;
	hart->number = number;
	ear_interrupts_forget(hart);
	interrupts->newest = interrupts->hart_count;
	harts[interrupts->hart_count++] = *found = hart;
	return 0;
}

/* ---- Sections. ---- */

static uint64_t length_of(const struct ear_interrupt_section *section)
{
	return section->has_clocks ? section->clocks : section->records;
}

static int compare_sections(const void *a, const void *b)
{
	const struct ear_interrupt_section *x = a, *y = b;

	if (length_of(x) != length_of(y))
		return length_of(x) > length_of(y) ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static void keep_section(
	struct ear_interrupts *interrupts, const struct ear_interrupt_section *section)
{
	struct ear_interrupt_section *list = interrupts->sections;
	size_t shortest = 0;

	ear_durations_add(&interrupts->facts.section_records, section->records);
	if (section->has_clocks)
		ear_durations_add(&interrupts->facts.section_clocks, section->clocks);
	if (interrupts->section_count < EAR_INTERRUPTS_SECTIONS) {
		list[interrupts->section_count++] = *section;
		return;
	}
	for (size_t i = 1; i < EAR_INTERRUPTS_SECTIONS; i++)
		if (compare_sections(&list[i], &list[shortest]) > 0)
			shortest = i;
	if (compare_sections(section, &list[shortest]) < 0)
		list[shortest] = *section;
}

static void end_section(struct ear_interrupts *interrupts, struct ear_interrupts_hart *hart)
{
	const struct ear_interrupts_moment *first = &hart->disabled, *last = &hart->last;
	const bool timed = first->timed && last->timed && last->ticks >= first->ticks;
	const struct ear_interrupt_section section = {.hart = hart->number,
		.by_trap = hart->off_by_trap,
		.has_clocks = timed,
		.first = first->number,
		.last = last->number,
		.first_pc = first->pc,
		.last_pc = last->pc,
		.records = last->records - first->records,
		.clocks = timed ? last->ticks - first->ticks : 0};

	keep_section(interrupts, &section);
	hart->off = false;
}

/* 1: enabled, 0: not, -1: not known. */
static int enabled_in(const struct ear_interrupts_hart *hart, uint8_t privilege)
{
	switch (privilege) {
	case EAR_PRIVILEGE_M: return hart->bits[MIE];
	case EAR_PRIVILEGE_S: return hart->bits[SIE];
	case EAR_PRIVILEGE_U: return 1;
	default: return -1;
	}
}

/* A record comes in this privilege, after the last one changed something. */
static void settle(
	struct ear_interrupts *interrupts, struct ear_interrupts_hart *hart, uint8_t privilege)
{
	if (hart->trapped && privilege == EAR_PRIVILEGE_M) {
		hart->bits[MPIE] = hart->bits[MIE];
		hart->bits[MIE] = 0;
	} else if (hart->trapped && privilege == EAR_PRIVILEGE_S) {
		hart->bits[SPIE] = hart->bits[SIE];
		hart->bits[SIE] = 0;
	}
	hart->trapped = hart->changed = false;
	hart->privilege = privilege;
	const int enabled = enabled_in(hart, privilege);
	interrupts->facts.known |= enabled >= 0;
	if (enabled == 0 && !hart->off && hart->begun) {
		hart->off = true;
		hart->off_by_trap = hart->by_trap;
		hart->disabled = hart->last;
	} else if (enabled == 1 && hart->off) {
		end_section(interrupts, hart);
	} else if (enabled < 0) {
		hart->off = false;
	}
	hart->by_trap = false;
}

/* ---- Handlers. ---- */

static uint32_t find_cause(
	struct ear_interrupts *interrupts, bool is_interrupt, bool has_code, uint64_t code)
{
	struct ear_interrupt_cause *causes = interrupts->causes;
	const size_t count = interrupts->cause_count;

	for (uint32_t i = 0; i < count; i++)
		if (causes[i].is_interrupt == is_interrupt && causes[i].has_code == has_code &&
			causes[i].code == code)
			return i;
	/* The last two places are for those without a code. */
	if (has_code && count >= EAR_INTERRUPTS_CAUSES - 2)
		return find_cause(interrupts, is_interrupt, false, 0);
	causes[count] = (struct ear_interrupt_cause){
		.is_interrupt = is_interrupt, .has_code = has_code, .code = code};
	return (uint32_t)interrupts->cause_count++;
}

static void begin_handler(struct ear_interrupts *interrupts, struct ear_interrupts_hart *hart,
	const struct ear_record *record)
{
	const bool stopped = record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT);
	const bool is_interrupt = !stopped || record->flags & EAR_RECORD_INTERRUPT;
	const bool has_code = stopped && !(record->flags & EAR_RECORD_NO_CAUSE);
	const uint64_t bit = record->xlen == 64 ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
	const uint32_t cause =
		find_cause(interrupts, is_interrupt, has_code, has_code ? record->cause & ~bit : 0);

	if (hart->depth == EAR_INTERRUPTS_NESTED) /* one that has no end */
		memmove(hart->handlers, hart->handlers + 1,
			--hart->depth * sizeof(hart->handlers[0]));
	hart->handlers[hart->depth++] = (struct ear_interrupts_handler){.cause = cause,
		.records = hart->last.records,
		.ticks = hart->last.ticks,
		.timed = hart->last.timed && stopped};
	interrupts->causes[cause].count++;
	hart->awaited = true;
}

/* The first instruction of the newest handler. */
static void enter_handler(struct ear_interrupts *interrupts, struct ear_interrupts_hart *hart,
	const struct ear_record *record)
{
	const struct ear_interrupts_handler *handler = &hart->handlers[hart->depth - 1];
	struct ear_interrupt_cause *cause = &interrupts->causes[handler->cause];

	hart->awaited = false;
	if (!(record->flags & EAR_RECORD_HAS_TIME))
		return;
	if (handler->timed && record->ticks >= handler->ticks)
		ear_durations_add(&cause->entry, record->ticks - handler->ticks);
	if (!cause->is_interrupt)
		return;
	if (interrupts->has_event && record->ticks >= interrupts->event_ticks)
		ear_durations_add(&cause->since_event, record->ticks - interrupts->event_ticks);
	interrupts->has_event = false;
}

static void end_handler(struct ear_interrupts *interrupts, struct ear_interrupts_hart *hart)
{
	if (hart->depth == 0)
		return;
	const struct ear_interrupts_handler *handler = &hart->handlers[--hart->depth];
	struct ear_interrupt_cause *cause = &interrupts->causes[handler->cause];
	ear_durations_add(&cause->records, hart->last.records - handler->records);
	if (handler->timed && hart->last.timed && hart->last.ticks >= handler->ticks)
		ear_durations_add(&cause->clocks, hart->last.ticks - handler->ticks);
}

/* ---- CSRs. ---- */

/* Bits of the value of mstatus or sstatus. */
static void set_bits(struct ear_interrupts_hart *hart, bool machine, uint64_t value)
{
	for (size_t i = 0; i < BITS; i++)
		if (machine || i == SIE || i == SPIE)
			hart->bits[i] = value >> places[i] & 1;
	hart->changed = true;
}

/* csrrw, csrrs, csrrc and those with an immediate. */
static void write_csr(struct ear_interrupts_hart *hart, uint32_t opcode)
{
	const unsigned source = opcode >> 15 & 31, how = opcode >> 12 & 3;
	const bool immediate = opcode >> 14 & 1, machine = opcode >> 20 == CSR_MSTATUS;
	const bool known = immediate || hart->x_known >> source & 1;
	const uint64_t value = immediate ? source : hart->x[source];

	if (how == 0 || (how != 1 && source == 0))
		return;
	for (size_t i = 0; i < BITS; i++) {
		const bool set = value >> places[i] & 1;
		if (!machine && i != SIE && i != SPIE)
			continue;
		if (how == 1)
			hart->bits[i] = known ? (int8_t)set : -1;
		else if (!known && hart->bits[i] != (how == 2))
			hart->bits[i] = -1;
		else if (known && set)
			hart->bits[i] = how == 2;
	}
	hart->changed = true;
}

static void return_from_trap(
	struct ear_interrupts *interrupts, struct ear_interrupts_hart *hart, bool machine)
{
	const enum ear_interrupts_bit now = machine ? MIE : SIE, before = machine ? MPIE : SPIE;

	hart->bits[now] = hart->bits[before];
	hart->bits[before] = 1;
	hart->changed = true;
	end_handler(interrupts, hart);
}

/* ---- Records. ---- */

static void keep_registers(struct ear_interrupts_hart *hart, const struct ear_record *record)
{
	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *reg = &record->registers[i];
		if (reg->reg_class == EAR_REGISTER_X && reg->number > 0 && reg->number < 32) {
			hart->x[reg->number] = reg->value;
			hart->x_known |= 1u << reg->number;
		} else if (reg->reg_class == EAR_REGISTER_CSR &&
			   (reg->number == CSR_MSTATUS || reg->number == CSR_SSTATUS)) {
			set_bits(hart, reg->number == CSR_MSTATUS, reg->value);
			hart->trapped = false;
		}
	}
}

static void execute(struct ear_interrupts *interrupts, struct ear_interrupts_hart *hart,
	const struct ear_record *record)
{
	const uint32_t opcode = (uint32_t)record->opcode;

	if (record->isa != EAR_ISA_RISCV || record->flags & EAR_RECORD_NO_OPCODE)
		return;
	if (opcode == MRET || opcode == SRET || opcode == MNRET)
		return_from_trap(interrupts, hart, opcode != SRET);
	else if ((opcode & 0x7f) == 0x73 &&
		 (opcode >> 20 == CSR_MSTATUS || opcode >> 20 == CSR_SSTATUS))
		write_csr(hart, opcode);
}

void ear_interrupts_take(struct ear_interrupts *interrupts, struct ear_interrupts_hart *hart,
	const struct ear_record *record, uint64_t number)
{
	const bool stopped = record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT);
	const bool handler = record->flags & EAR_RECORD_HANDLER && !hart->awaited;
	const uint8_t privilege =
		record->flags & EAR_RECORD_NO_PRIVILEGE ? EAR_PRIVILEGE_M : record->privilege;

	if (handler && !stopped) { /* there is no record of the interrupt */
		begin_handler(interrupts, hart, record);
		hart->trapped = hart->changed = hart->by_trap = true;
	}
	if (hart->changed || privilege != hart->privilege)
		settle(interrupts, hart, privilege);
	if (hart->awaited)
		enter_handler(interrupts, hart, record);
	hart->begun = true;
	hart->last = (struct ear_interrupts_moment){.number = number,
		.pc = record->pc,
		.ticks = record->ticks,
		.records = hart->last.records + 1,
		.timed = record->flags & EAR_RECORD_HAS_TIME};
	if (stopped) {
		/* It was taken, so it was enabled. */
		if (record->flags & EAR_RECORD_INTERRUPT && privilege == EAR_PRIVILEGE_M)
			hart->bits[MIE] = 1;
		begin_handler(interrupts, hart, record);
		hart->trapped = hart->changed = hart->by_trap = true;
	} else {
		execute(interrupts, hart, record);
	}
	keep_registers(hart, record);
}

static void take_run(struct ear_interrupts *interrupts, struct ear_interrupts_hart *hart,
	const struct ear_batch *batch)
{
	const struct ear_compact_run *run = batch->run;
	const bool notable = run->flags != 0 || hart->privilege != run->privilege;
	uint64_t records = hart->last.records;

	for (size_t i = 0; i < batch->count; i++) {
		const struct ear_compact_record *record = &batch->compacts[i];
		if (notable || hart->changed || hart->awaited || (record->opcode & 0x7f) == 0x73) {
			hart->last.records = records;
			ear_interrupts_take(
				interrupts, hart, ear_batch_record(batch, i), batch->number + i);
			records = hart->last.records;
			continue;
		}
		hart->x[record->rd & 31] = record->rd ? record->result : 0;
		hart->x_known |= 1u << (record->rd & 31);
		records++;
	}
	const size_t last = batch->count - 1;
	hart->begun = true;
	hart->last = (struct ear_interrupts_moment){.number = batch->number + last,
		.pc = batch->compacts[last].pc,
		.ticks = run->ticks + batch->compacts[last].ticks,
		.records = records,
		.timed = last == 0 ? run->first_timed : run->all_timed};
}

/* "switch" is the kind of "switch 100". */
static bool is_event(const struct ear_query *query, const struct ear_event *event)
{
	const struct ear_text wanted = query->event_name;

	if (query->has_event_source && event->source == query->event_source)
		return true;
	return wanted.text && event->name.text && event->name.size >= wanted.size &&
	       memcmp(event->name.text, wanted.text, wanted.size) == 0 &&
	       (event->name.size == wanted.size || event->name.text[wanted.size] == ' ');
}

bool ear_interrupts_is_event(
	const struct ear_interrupts *interrupts, const struct ear_record *record)
{
	return record->kind == EAR_RECORD_EVENT && interrupts->has_query &&
	       record->flags & EAR_RECORD_HAS_TIME &&
	       is_event(&interrupts->query, &record->u.event);
}

void ear_interrupts_take_other(struct ear_interrupts *interrupts, const struct ear_record *record)
{
	if (record->kind == EAR_RECORD_GAP) {
		interrupts->facts.gaps++;
		interrupts->has_event = false;
		for (size_t i = 0; i < interrupts->hart_count; i++)
			ear_interrupts_forget(interrupts->harts[i]);
	} else if (ear_interrupts_is_event(interrupts, record)) {
		interrupts->has_event = true;
		interrupts->event_ticks = record->ticks;
	}
}

int ear_interrupts_batch(struct ear_interrupts *interrupts, const struct ear_batch *batch)
{
	struct ear_interrupts_hart *hart;

	if (interrupts->take_batch)
		return interrupts->take_batch(interrupts, batch);
	if (batch->record && batch->record->kind != EAR_RECORD_INSTRUCTION) {
		ear_interrupts_take_other(interrupts, batch->record);
		return 0;
	}
	const int result = ear_interrupts_hart_of(
		interrupts, batch->run ? batch->run->hart : batch->record->hart, &hart);
	if (result)
		return result;
	interrupts->facts.records += batch->count;
	if (batch->run)
		take_run(interrupts, hart, batch);
	else
		ear_interrupts_take(interrupts, hart, batch->record, batch->number);
	return 0;
}

/* ---- Answers. ---- */

int ear_interrupts_new(struct ear_interrupts **interrupts_out, const char *event)
{
	struct ear_interrupts *interrupts = calloc(1, sizeof(*interrupts));

	if (!interrupts)
		return EAR_E_NO_MEMORY;
	interrupts->query = (struct ear_query)EAR_QUERY_ANY;
	interrupts->has_query = event;
	interrupts->event = event;
	if (event && ear_query_event(&interrupts->query, event) != 0) {
		free(interrupts);
		return EAR_E_BAD_ARGUMENT;
	}
	*interrupts_out = interrupts;
	return 0;
}

void ear_interrupts_free(struct ear_interrupts *interrupts)
{
	if (!interrupts)
		return;
	for (size_t i = 0; i < interrupts->hart_count; i++)
		free(interrupts->harts[i]);
	free(interrupts->harts);
	ear_rows_fini(&interrupts->rows);
	free(interrupts);
}

static int compare_causes(const void *a, const void *b)
{
	const struct ear_interrupt_cause *x = a, *y = b;

	if (x->is_interrupt != y->is_interrupt)
		return x->is_interrupt ? -1 : 1;
	if (x->has_code != y->has_code)
		return x->has_code ? -1 : 1;
	return x->code < y->code ? -1 : x->code > y->code;
}

void ear_interrupts_finish(struct ear_interrupts *interrupts)
{
	qsort(interrupts->causes, interrupts->cause_count, sizeof(interrupts->causes[0]),
		compare_causes);
	qsort(interrupts->sections, interrupts->section_count, sizeof(interrupts->sections[0]),
		compare_sections);
}

size_t ear_interrupts_cause_count(const struct ear_interrupts *interrupts)
{
	return interrupts->cause_count;
}

const struct ear_interrupt_cause *ear_interrupts_cause(
	const struct ear_interrupts *interrupts, size_t cause)
{
	return &interrupts->causes[cause];
}

size_t ear_interrupts_section_count(const struct ear_interrupts *interrupts)
{
	return interrupts->section_count;
}

const struct ear_interrupt_section *ear_interrupts_section(
	const struct ear_interrupts *interrupts, size_t section)
{
	return &interrupts->sections[section];
}

const struct ear_interrupts_facts *ear_interrupts_facts(const struct ear_interrupts *interrupts)
{
	return &interrupts->facts;
}
