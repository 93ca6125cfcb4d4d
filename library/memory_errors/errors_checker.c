/* One pass over the records: each access is held against the shadow, each write of sp makes or
 * leaves frames, each call of the heap makes or frees blocks. Runs of ordinary instructions take
 * the fast path: no record is expanded, no opcode decoded, unless a register has unknown bits.
 */
#include "library/memory_errors/memory_errors_internal.h"

#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#define CSR_SATP  0x180
#define ASK_EVERY 1024u /* batches */

static struct checker_hart *hart_of(struct ear_memory_checker *checker, uint16_t number)
{
	if (number < checker->hart_count && checker->harts[number])
		return checker->harts[number];
	if (number >= checker->hart_count) {
		void *grown = realloc((void *)checker->harts,
			(number + UINT32_C(1)) * sizeof(struct checker_hart *));
		if (!grown) {
			checker->failed = true;
			return NULL;
		}
		checker->harts = grown;
		while (checker->hart_count <= number)
			checker->harts[checker->hart_count++] = NULL;
	}
	struct checker_hart *hart = calloc(1, sizeof(*hart));
	if (hart) {
		hart->stack = NONE;
		hart->number = number;
	}
	checker->failed |= !hart;
	checker->harts[number] = hart;
	return hart;
}

/* ---- Accesses. ---- */

static bool is_device(const struct ear_memory_checker *checker, uint64_t address)
{
	for (size_t i = 0; i < checker->options.device_count; i++)
		if (address >= checker->options.devices[i].first &&
			address <= checker->options.devices[i].last)
			return true;
	return false;
}

/* Of an access, the bits of its bytes. */
struct shadow_bits {
	uint64_t unwritten, mixed, barred, left;
};

static uint64_t all_of(unsigned size)
{
	return size >= 64 ? UINT64_MAX : (UINT64_C(1) << size) - 1;
}

/* An aligned read of which some bytes are of a block: so strings are read in words. */
static bool is_partial(const struct checker_step *step, uint64_t barred)
{
	return !step->write && (step->address & (step->size - 1u)) == 0 &&
	       barred != all_of(step->size);
}

static void check_bits(struct ear_memory_checker *checker, struct checker_hart *hart,
	const struct checker_step *step, const struct shadow_bits *bits)
{
	if (hart->in_heap)
		return;
	if (bits->barred && !is_partial(step, bits->barred))
		ear_heap_barred(checker, hart, step, bits->barred);
	else if (bits->left)
		ear_stacks_left(checker, hart, step);
}

static inline struct shadow_bits take_access(struct ear_memory_checker *checker,
	struct checker_hart *hart, const struct checker_step *step)
{
	const unsigned at = step->address % 64;
	struct shadow_page *page = shadow_page(&checker->shadow, step->address);
	struct shadow_bits bits = {0};

	if (at + step->size <= 64) {
		if (!page)
			return bits;
		const unsigned word = step->address % PAGE / 64;
		const uint64_t mask = all_of(step->size) << at;
		bits.unwritten = (page->bits[SHADOW_UNWRITTEN][word] & mask) >> at;
		bits.barred = (page->bits[SHADOW_BARRED][word] & mask) >> at;
		bits.left = (page->bits[SHADOW_LEFT][word] & mask) >> at;
		bits.mixed = (page->bits[SHADOW_MIXED][word] & mask) >> at;
		if (step->write) {
			page->bits[SHADOW_UNWRITTEN][word] &= ~mask;
			page->bits[SHADOW_MIXED][word] &= ~mask;
		}
	} else {
		struct shadow *shadow = &checker->shadow;
		bits.unwritten =
			ear_byte_shadow_get(shadow, SHADOW_UNWRITTEN, step->address, step->size);
		bits.barred = ear_byte_shadow_get(shadow, SHADOW_BARRED, step->address, step->size);
		bits.left = ear_byte_shadow_get(shadow, SHADOW_LEFT, step->address, step->size);
		if (step->write) {
			ear_byte_shadow_clear(shadow, SHADOW_UNWRITTEN, step->address, step->size);
			ear_byte_shadow_clear(shadow, SHADOW_MIXED, step->address, step->size);
		}
	}
	if (bits.barred | bits.left)
		check_bits(checker, hart, step, &bits);
	return bits;
}

/* A unit of 32 bits shows the lower half of what fsd stores. */
static void write_upper_half(struct ear_memory_checker *checker, const struct checker_step *step)
{
	const bool is_double = (step->opcode & 0x707f) == 0x3027 ||
			       (step->opcode & 0xe003) == 0xa000 || /* c.fsd */
			       (step->opcode & 0xe003) == 0xa002;   /* c.fsdsp */

	if (!is_double || step->size != 4)
		return;
	ear_byte_shadow_clear(&checker->shadow, SHADOW_UNWRITTEN, step->address + 4, 4);
	ear_byte_shadow_clear(&checker->shadow, SHADOW_MIXED, step->address + 4, 4);
}

/* ---- Steps. ---- */

/* addi of sp, or of the frame pointer, into another register: the address of a variable. */
static inline bool takes_address(const struct checker_step *step)
{
	const uint32_t rs1 = step->opcode >> 15 & 31;

	if (step->rd == 2 || step->rd == 8)
		return false;
	return ((step->opcode & 0x707f) == 0x13 && (rs1 == 2 || rs1 == 8)) ||
	       ((step->opcode & 0xe003) == 0 && step->rd >= 8 && step->rd <= 15) /* c.addi4spn */
	       || (step->opcode & 0xf07f) == 0x800a;                             /* c.mv rd, sp */
}

static void take_unwritten(struct ear_memory_checker *checker, struct checker_hart *hart,
	const struct checker_step *step, const struct shadow_bits *bits)
{
	const uint64_t all = all_of(step->size);

	if (bits->unwritten == all && !is_device(checker, step->address))
		ear_unwritten_load(checker, hart, step);
	else if (bits->mixed == all)
		ear_unwritten_reload(checker, hart, step);
}

/* The register that makes the address of an ordinary load or store, but sp: 0 then. */
static inline unsigned base_of(uint32_t opcode)
{
	const bool is_access = (opcode & 0x5b) == 0x03; /* loads and stores, of x and f */

	if ((opcode & 3) == 3)
		return is_access ? opcode >> 15 & 31 : 0;
	return (opcode & 3) == 0 ? 8 + (opcode >> 7 & 7) : 0;
}

static inline void follow_pointer(struct ear_memory_checker *checker, struct checker_hart *hart,
	const struct checker_step *step)
{
	const uint64_t result = checker->xlen == 32 ? (uint32_t)step->result : step->result;

	if (result - checker->objects.low >= checker->objects.size || step->rd <= 4) {
		ear_objects_forget(hart, 1u << step->rd);
	} else {
		ear_objects_result(checker, hart, step, result);
	}
}

static inline void take_step(struct ear_memory_checker *checker, struct checker_hart *hart,
	const struct checker_step *step)
{
	struct shadow_bits bits = {0};

	if (hart->in_heap || heap_wants(&checker->heap, step->pc))
		ear_heap_step(checker, hart, step->pc);
	if (step->has_access) {
		struct scan *scan = &checker->scans[step->pc / 2 % SCANS_MAX];
		bits = take_access(checker, hart, step);
		*scan = (struct scan){step->pc, step->address, checker->number};
		const unsigned base = hart->pointers ? base_of(step->opcode) : 0;
		if (hart->pointers >> base & 1)
			ear_objects_access(checker, hart, step, base);
	}
	if (hart->tainted)
		ear_unwritten_step(checker, hart, step);
	if (step->write) {
		if (checker->xlen == 32)
			write_upper_half(checker, step);
		if (hart->tainted | hart->float_tainted)
			ear_unwritten_store(checker, hart, step);
	} else if (bits.unwritten | bits.mixed) {
		take_unwritten(checker, hart, step, &bits);
	}
	hart->last_pc = step->pc;
	hart->last_number = checker->number;
	if (step->rd == 0)
		return;
	if (step->rd == 2)
		ear_stacks_sp(checker, hart, step);
	else if (takes_address(step))
		ear_stacks_take(checker, hart, step->result);
	follow_pointer(checker, hart, step);
	hart->x[step->rd] = step->result;
	hart->known |= 1u << step->rd;
}

static void take_run(struct ear_memory_checker *checker, const struct ear_batch *batch)
{
	const struct ear_compact_run *run = batch->run;
	struct checker_hart *hart = hart_of(checker, run->hart);

	if (!hart)
		return;
	checker->xlen = run->xlen;
	for (size_t i = 0; i < batch->count; i++) {
		const struct ear_compact_record *compact = &batch->compacts[i];
		struct checker_step step = {.pc = compact->pc,
			.result = compact->result,
			.address = compact->address,
			.opcode = compact->opcode,
			.rd = compact->rd & 31};
		checker->number = batch->number + i;
		if (compact->size != EAR_COMPACT_NO_ACCESS) {
			step.size = compact->size;
			step.has_access = compact->size > 0 && compact->size <= 8;
			step.write = compact->flags & EAR_COMPACT_WRITE;
		}
		take_step(checker, hart, &step);
		if (step.write && checker->heap.call_count > 0)
			ear_heap_store(checker, step.address, compact->data);
	}
	checker->facts.records += batch->count;
}

/* ---- Records that are not ordinary. ---- */

/* Addresses are translated from here on: the same one may be of several processes. */
static void look_for_pages(struct ear_memory_checker *checker, const struct ear_record *record)
{
	const unsigned shift = checker->xlen == 32 ? 31 : 60;

	for (size_t i = 0; i < record->register_count && !checker->facts.paged; i++)
		if (record->registers[i].reg_class == EAR_REGISTER_CSR &&
			record->registers[i].number == CSR_SATP &&
			record->registers[i].value >> shift)
			checker->facts.paged = checker->number ? checker->number : 1;
}

/* Accesses after the first one, and those of several registers: they write, and may not be where
 * no block is. */
static void take_more(struct ear_memory_checker *checker, struct checker_hart *hart,
	const struct ear_record *record, size_t first)
{
	for (size_t i = first; i < record->memory_count; i++) {
		const struct ear_record_access *access = &record->memory[i];
		const struct checker_step step = {.pc = record->pc,
			.address = access->address,
			.opcode = (uint32_t)record->opcode,
			.rd = 2, /* it may move sp itself */
			.size = access->size,
			.has_access = true,
			.write = true};
		if (access->write && !access->masked && !access->aborted && access->size > 0 &&
			access->size <= 8)
			take_access(checker, hart, &step);
		if (access->write && access->has_value && checker->heap.call_count > 0)
			ear_heap_store(checker, access->address, access->value);
	}
}

static void set_float(struct checker_hart *hart, unsigned number)
{
	hart->float_unknown[number] = 0;
	hart->float_tainted &= ~(1u << number);
}

static void take_instruction(struct ear_memory_checker *checker, struct checker_hart *hart,
	const struct ear_record *record)
{
	const struct ear_record_access *access = record->memory;
	struct checker_step step = {.pc = record->pc,
		.opcode = record->flags & EAR_RECORD_NO_OPCODE ? 0 : (uint32_t)record->opcode};
	const bool is_one = record->memory_count == 1 && access->size > 0 && access->size <= 8 &&
			    !access->masked && !access->aborted &&
			    (record->opcode & 0x7f) != 0x2f; /* atomic */

	checker->facts.records++;
	checker->xlen = record->xlen == 64 ? 64 : 32;
	look_for_pages(checker, record);
	if (record->isa != EAR_ISA_RISCV ||
		record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT))
		return;
	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *reg = &record->registers[i];
		if (reg->reg_class == EAR_REGISTER_F)
			set_float(hart, reg->number & 31);
		if (reg->reg_class != EAR_REGISTER_X || step.rd != 0)
			continue;
		step.rd = reg->number & 31;
		step.result = reg->value;
	}
	if (is_one) {
		step.has_access = true;
		step.address = access->address;
		step.size = access->size;
		step.write = access->write;
	}
	take_step(checker, hart, &step);
	if (is_one && access->write && access->has_value && checker->heap.call_count > 0)
		ear_heap_store(checker, access->address, access->value);
	take_more(checker, hart, record, is_one);
}

static void take_registers(struct ear_memory_checker *checker, struct checker_hart *hart,
	const struct ear_record *record)
{
	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *reg = &record->registers[i];
		const struct checker_step step = {
			.result = reg->value, .rd = reg->number & 31, .pc = hart->last_pc};
		if (reg->reg_class != EAR_REGISTER_X || step.rd == 0)
			continue;
		if (step.rd == 2)
			ear_stacks_sp(checker, hart, &step);
		hart->x[step.rd] = reg->value;
		hart->known |= 1u << step.rd;
		ear_objects_forget(hart, 1u << step.rd);
	}
}

static void forget(struct ear_memory_checker *checker)
{
	checker->facts.gaps++;
	ear_byte_shadow_forget(&checker->shadow);
	ear_heap_forget(checker);
	ear_stacks_forget(checker);
	for (uint32_t i = 0; i < checker->hart_count; i++)
		if (checker->harts[i]) {
			ear_unwritten_forget(checker->harts[i]);
			ear_objects_forget(checker->harts[i], UINT32_MAX);
		}
	memset(checker->insides, 0, sizeof(checker->insides));
}

/* What a device or a debugger does. */
static void take_accesses(struct ear_memory_checker *checker, const struct ear_record *record)
{
	for (size_t i = 0; i < record->memory_count; i++)
		if (record->memory[i].write && !record->memory[i].aborted)
			ear_byte_shadow_clear(&checker->shadow, SHADOW_UNWRITTEN,
				record->memory[i].address, record->memory[i].size);
}

static void take_record(struct ear_memory_checker *checker, const struct ear_record *record)
{
	struct checker_hart *hart = hart_of(checker, record->hart);

	if (!hart)
		return;
	switch (record->kind) {
	case EAR_RECORD_INSTRUCTION: take_instruction(checker, hart, record); break;
	case EAR_RECORD_REGISTERS: take_registers(checker, hart, record); break;
	case EAR_RECORD_MEMORY: take_accesses(checker, record); break;
	case EAR_RECORD_GAP:
		if (ear_gap_forgets(&record->u.gap))
			forget(checker);
		break;
	default: break;
	}
}

static void begin(struct ear_memory_checker *checker, uint64_t pc)
{
	const struct ear_names *names = checker->options.names;

	checker->started = true;
	checker->facts.late = true;
	for (size_t i = 0; names && i < ear_names_file_count(names); i++) {
		const struct ear_names_file *file = ear_names_file(names, i);
		checker->facts.late &= file->entry + file->offset != pc;
	}
}

int ear_memory_checker_batch(struct ear_memory_checker *checker, const struct ear_batch *batch)
{
	const uint32_t odd = EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT | EAR_RECORD_NO_OPCODE;

	if (checker->facts.paged)
		return 0;
	checker->number = batch->number;
	if (!checker->started && (!batch->record || batch->record->kind == EAR_RECORD_INSTRUCTION))
		begin(checker, ear_batch_record(batch, 0)->pc);
	if (!batch->record && !(batch->run->flags & odd))
		take_run(checker, batch);
	else
		for (size_t i = 0; i < batch->count; i++) {
			checker->number = batch->number + i;
			take_record(checker, ear_batch_record(batch, i));
		}
	return checker->failed || checker->shadow.failed ? EAR_E_NO_MEMORY : 0;
}

int ear_memory_checker_read(struct ear_memory_checker *checker, struct ear_trace *trace,
	uint64_t position, const struct ear_progress *progress)
{
	struct ear_batch batch = {.size = sizeof(batch)};
	unsigned asked = 0;
	int result = 1;

	while (result > 0 && ear_trace_position(trace) < position) {
		result = ear_trace_next_batch(trace, &batch);
		if (result <= 0)
			break;
		if (batch.count > position - batch.position)
			batch.count = position - batch.position;
		result = ear_memory_checker_batch(checker, &batch);
		if (result == 0)
			result = 1;
		if (progress && asked++ % ASK_EVERY == 0 &&
			progress->call(progress->context, batch.position, position, "reading"))
			result = EAR_E_CANCELLED;
	}
	return result < 0 ? result : 0;
}

void ear_memory_checker_mute(struct ear_memory_checker *checker, bool muted)
{
	checker->muted = muted;
}

/* ---- Begin and end. ---- */

int ear_memory_checker_new(struct ear_memory_checker **checker,
	const struct ear_memory_checker_options *options, size_t *wrong)
{
	struct ear_memory_checker *made;

	if (wrong)
		*wrong = SIZE_MAX;
	if (options->size == 0)
		return EAR_E_BAD_ARGUMENT;
	made = calloc(1, sizeof(*made));
	if (!made)
		return EAR_E_NO_MEMORY;
	memcpy(&made->options, options,
		options->size < sizeof(*options) ? options->size : sizeof(*options));
	for (unsigned i = 0; i < PAGE_CACHE; i++)
		made->shadow.cache[i].address = UINT64_MAX;
	int result = ear_heap_begin(made, wrong);
	if (result == 0)
		result = ear_objects_begin(made);
	if (result) {
		ear_memory_checker_free(made);
		return result;
	}
	*checker = made;
	return 0;
}

void ear_memory_checker_free(struct ear_memory_checker *checker)
{
	if (!checker)
		return;
	for (uint32_t i = 0; i < checker->hart_count; i++)
		free(checker->harts[i]);
	free((void *)checker->harts);
	ear_byte_shadow_fini(&checker->shadow);
	ear_heap_fini(&checker->heap);
	free(checker->objects.items);
	free(checker->stacks);
	free(checker->errors);
	free(checker->reads);
	free(checker);
}
