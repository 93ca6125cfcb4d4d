/* What each byte of memory holds, from the accesses of the records (memory_state.h).
 *
 * The common access lies in one line of a block that was found before: a store sets its bytes and
 * masks, a load compares and changes nothing. Everything else takes a slow path. In doubt a byte
 * becomes unknown; where it is not even clear which byte, all of them do.
 *
 * Which instructions can be trusted to show what they did is decided by their opcode: most that
 * store only have to show a store, which a table of the major opcodes says; the others are decoded
 * (follow_effects).
 */
#include "library/memory/memory_state.h"

#include <stdlib.h>
#include <string.h>

#include "decoder/isa/csr.h"
#include "decoder/isa/inst.h"
#include "decoder/isa/opcode.h"
#include "library/memory/memory_internal.h"
#include <earshot/error.h>

int ear_memory_new(struct ear_memory **memory, const struct ear_memory_options *options)
{
	struct ear_memory *made = calloc(1, sizeof(*made));

	if (!made)
		return EAR_E_NO_MEMORY;
	made->options = *options;
	made->rules =
		(struct ear_arrival_rules){options->captured, options->key == EAR_MEMORY_VIRTUAL};
	ear_blocks_init(made);
	*memory = made;
	return 0;
}

void ear_memory_free(struct ear_memory *memory)
{
	if (!memory)
		return;
	ear_blocks_free(memory);
	free(memory->harts);
	free(memory->hart_map);
	free(memory);
}

/* ---- Bytes. ---- */

static inline uint64_t mask_of(unsigned size)
{
	return ((uint64_t)1 << size) - 1;
}

static inline int find(struct ear_memory *memory, uint64_t address, struct ear_block **block)
{
	uint64_t number = address >> EAR_BLOCK_BITS;

	*block = memory->cache[ear_block_slot(number)];
	return (*block)->number == number ? 0 : ear_block_find(memory, number, true, block);
}

/* A store goes to a block with a segment that is not writable: to the segment? */
static void note_written(
	struct ear_memory *memory, struct ear_block *block, uint64_t address, unsigned size)
{
	for (unsigned i = 0; i < EAR_MEMORY_SEGMENTS_MAX; i++) {
		const struct ear_memory_segment *segment = &memory->options.image[i];
		if (block->read_only >> i & 1 && (address - segment->address < segment->size ||
							 segment->address - address < size))
			memory->written |= (uint64_t)1 << i;
	}
	block->read_only &= ~memory->written;
}

/* Bytes of one line: known ones are stored, the others are unknown from now on. */
static inline int put(struct ear_memory *memory, uint64_t address, const uint8_t *bytes,
	unsigned known, unsigned size)
{
	struct ear_block *block;
	unsigned at = address % EAR_BLOCK_SIZE, line = at / EAR_MEMORY_LINE,
		 shift = at % EAR_MEMORY_LINE;

	int result = find(memory, address, &block);
	if (result)
		return result;
	if (block->read_only)
		note_written(memory, block, address, size);
	for (unsigned i = 0; i < size; i++)
		block->data.bytes[at + i] = known >> i & 1 ? bytes[i] : 0;
	block->data.known[line] =
		(block->data.known[line] & ~(mask_of(size) << shift)) | (uint64_t)known << shift;
	block->data.settled[line] |= mask_of(size) << shift;
	return ear_block_touch(memory, block, line);
}

/* A byte that a load saw. */
static int learn(struct ear_memory *memory, uint64_t address, uint8_t byte)
{
	struct ear_block *block;
	unsigned at = address % EAR_BLOCK_SIZE, line = at / EAR_MEMORY_LINE;
	uint64_t bit = (uint64_t)1 << at % EAR_MEMORY_LINE;

	int result = find(memory, address, &block);
	if (result)
		return result;
	bool known = block->data.known[line] & bit;
	if (known && block->data.bytes[at] == byte)
		return 0;
	bool open = !(block->data.settled[line] & bit);
	if (known ||
		(open && memory->forgotten && ear_image_differs(&memory->options, address, byte)))
		result = ear_volatile_add(&memory->found, address / EAR_MEMORY_LINE, bit);
	else if (open && ear_first_is_kept(memory))
		result = ear_first_add(memory, address, byte);
	if (result)
		return result;
	block->data.bytes[at] = byte;
	block->data.known[line] |= bit;
	block->data.settled[line] |= bit;
	return ear_block_touch(memory, block, line);
}

/* size bytes, 1 .. 8, in any place. space: the addresses that there are, less 1. */
static int store(struct ear_memory *memory, uint64_t address, const uint8_t *bytes, unsigned known,
	unsigned size, uint64_t space)
{
	int result = 0;

	if (address % EAR_MEMORY_LINE + size <= EAR_MEMORY_LINE)
		return put(memory, address, bytes, known, size);
	for (unsigned i = 0; i < size && result == 0; i++)
		result = put(memory, (address + i) & space, bytes + i, known >> i & 1, 1);
	return result;
}

/* What is there is unknown from now on. */
static int lose(struct ear_memory *memory, uint64_t address, unsigned size, uint64_t space)
{
	static const uint8_t nothing[1];
	int result = 0;

	for (unsigned i = 0; i < size && result == 0; i++)
		result = put(memory, (address + i) & space, nothing, 0, 1);
	return result;
}

/* ---- Which instruction follows which. ---- */

static bool is_machine(uint8_t privilege)
{
	return privilege == EAR_PRIVILEGE_M;
}

/* An instruction comes: is anything missing before it? */
static int arrive(struct ear_memory *memory, struct ear_expected *expected, bool fresh,
	struct ear_arrival *arrival)
{
	bool deferred = fresh && memory->options.part && !memory->seeded;
	int result = 0;

	arrival->any_index = memory->next_known && arrival->index == memory->next_index;
	if (!deferred && ear_arrival_breaks(&memory->rules, fresh ? NULL : expected, arrival))
		result = ear_blocks_forget(memory);
	if (deferred) {
		expected->has_first = true;
		expected->first_of_all = !memory->started;
		expected->first_of_numbers = !memory->numbered;
		expected->first = *arrival;
	}
	switch (arrival->privilege) {
	case EAR_PRIVILEGE_S:
	case EAR_PRIVILEGE_VS:
	case EAR_PRIVILEGE_VU: memory->translated = true; break;
	default: break;
	}
	expected->privilege = arrival->privilege;
	memory->started = memory->numbered = true;
	return result;
}

/* ---- One record. ---- */

static uint64_t space_of(const struct ear_memory *memory, const struct ear_record *record)
{
	return memory->options.key != EAR_MEMORY_PHYSICAL &&
			       record->kind == EAR_RECORD_INSTRUCTION && record->xlen == 32
		       ? UINT32_MAX
		       : UINT64_MAX;
}

/* Where the access is, by the key. Returns false if that is not known. */
static bool locate(struct ear_memory *memory, const struct ear_record *record,
	const struct ear_record_access *access, unsigned size, uint64_t *address)
{
	bool bare = record->kind != EAR_RECORD_INSTRUCTION || is_machine(record->privilege);

	memory->physical_seen |= access->has_physical;
	memory->physical_missing |= !access->has_physical;
	memory->physical_differs |= access->has_physical && access->physical != access->address;
	*address = access->address & space_of(memory, record);
	/* Where addresses end, a bus cycle does not say. */
	if (record->kind != EAR_RECORD_INSTRUCTION && access->address <= UINT32_MAX &&
		access->address + size > (uint64_t)UINT32_MAX + 1)
		return false;
	if (memory->options.key != EAR_MEMORY_PHYSICAL)
		return true;
	if (!access->has_physical && !memory->options.absent_is_same)
		return false;
	if (access->has_physical)
		*address = access->physical;
	/* The second page may be anywhere. */
	return bare || access->address % 4096 + size <= 4096;
}

/* Which bytes of the value are known, a bit for each. A text may list a double of a 32-bit hart
 * whose upper half its source did not have, as the retire port of such a core: then that half is 0.
 */
static unsigned known_bytes(const struct ear_memory *memory, const struct ear_record *record,
	const struct ear_record_access *access, unsigned size)
{
	bool half = !memory->options.captured && record->kind == EAR_RECORD_INSTRUCTION &&
		    record->xlen == 32 && size == 8 && access->value >> 32 == 0;
	unsigned known = 0;

	for (unsigned i = 0; i < (half ? 4 : size); i++)
		known |= (unsigned)((access->unknown >> 8 * i & 0xFF) == 0) << i;
	return known;
}

static int follow_write(struct ear_memory *memory, const struct ear_record *record,
	const struct ear_record_access *access, unsigned size)
{
	uint64_t address, space = space_of(memory, record);
	uint8_t bytes[8];

	if (size == 0 || !locate(memory, record, access, size, &address))
		return ear_blocks_forget(memory);
	if (!access->has_value || access->aborted || size > 8 ||
		access->attributes & EAR_BUS_KILLED)
		return lose(memory, address, size, space);
	for (unsigned i = 0; i < size; i++)
		bytes[i] = (uint8_t)(access->value >> 8 * i);
	return store(
		memory, address, bytes, known_bytes(memory, record, access, size), size, space);
}

static int follow_read(struct ear_memory *memory, const struct ear_record *record,
	const struct ear_record_access *access, unsigned size)
{
	uint64_t address, space = space_of(memory, record);
	int result = 0;

	if (size == 0 || size > 8 || !access->has_value || access->aborted ||
		access->attributes & (EAR_BUS_WAIT | EAR_BUS_KILLED | EAR_BUS_SPECULATIVE) ||
		!locate(memory, record, access, size, &address))
		return 0;
	unsigned known = known_bytes(memory, record, access, size);
	for (unsigned i = 0; i < size && result == 0; i++)
		if (known >> i & 1)
			result = learn(
				memory, (address + i) & space, (uint8_t)(access->value >> 8 * i));
	return result;
}

/* What the opcodes do, by bits 6:2, and of compressed ones by bits 15:13 and 1:0. */
enum {
	CLASS_PLAIN, /* no more than what the record shows */
	CLASS_STORE, /* stores what the record shows; if it shows nothing, something is missing */
	CLASS_STORE_FP, /* the same for a scalar of this size, else look closer */
	CLASS_ZCB,      /* loads and stores of Zcb */
	CLASS_LOOK,     /* decode it */
};

#define MAJOR(opcode)                [(opcode) >> 2]
#define COMPRESSED(funct3, quadrant) [32 + ((funct3) << 2 | (quadrant))]

static const uint8_t classes[64] = {
	MAJOR(EAR_OPCODE_STORE) = CLASS_STORE,
	MAJOR(EAR_OPCODE_STORE_FP) = CLASS_STORE_FP,
	MAJOR(EAR_OPCODE_MISC_MEM) = CLASS_LOOK,
	MAJOR(EAR_OPCODE_AMO) = CLASS_LOOK,
	MAJOR(EAR_OPCODE_SYSTEM) = CLASS_LOOK,
	COMPRESSED(4, 0) = CLASS_ZCB,
	COMPRESSED(5, 0) = CLASS_LOOK, /* c.fsd */
	COMPRESSED(6, 0) = CLASS_STORE,
	COMPRESSED(7, 0) = CLASS_STORE,
	COMPRESSED(3, 1) = CLASS_LOOK, /* c.sspush */
	COMPRESSED(5, 2) = CLASS_LOOK, /* c.fsdsp, cm.push */
	COMPRESSED(6, 2) = CLASS_STORE,
	COMPRESSED(7, 2) = CLASS_STORE,
};

static inline unsigned class_of(uint32_t opcode)
{
	return classes[ear_opcode_is_compressed(opcode)
			       ? 32 + ((opcode >> 13 & 7) << 2 | (opcode & 3))
			       : opcode >> 2 & 31];
}

/* Does the record show all that an instruction of this class can have done to memory? Without a
 * write, size is 0. */
static inline bool shows_all(uint32_t opcode, unsigned size, bool write)
{
	switch (class_of(opcode)) {
	case CLASS_PLAIN: return true;
	case CLASS_STORE: return write;
	case CLASS_STORE_FP: {
		unsigned width = opcode >> 12 & 7; /* 2: fsw, 3: fsd */
		return write && (width == 2 || width == 3) && size == 1u << width;
	}
	case CLASS_ZCB: return write || !(opcode >> 11 & 1);
	default: return false;
	}
}

bool ear_memory_is_plain(uint32_t opcode, unsigned size, bool write)
{
	return shows_all(opcode, size, write);
}

/* What a record shows of its accesses. */
struct shown {
	const struct ear_record_access *read, *write; /* the first of each */
	unsigned bytes_written;
};

/* csrrs and csrrc with x0 or 0 only read. */
static bool writes_csr(uint64_t opcode)
{
	return (opcode >> 12 & 3) == 1 || (opcode >> 15 & 31) != 0;
}

/* A write of a CSR that says how addresses are translated. */
static int follow_csr(
	struct ear_memory *memory, const struct ear_record *record, const struct ear_inst *inst)
{
	bool virtual = memory->options.key == EAR_MEMORY_VIRTUAL, zero = false;

	if (!writes_csr(record->opcode))
		return 0;
	switch (inst->csr) {
	case EAR_CSR_SATP:
	case EAR_CSR_VSATP:
	case EAR_CSR_HGATP:
		for (size_t i = 0; i < record->register_count; i++)
			zero |= record->registers[i].reg_class == EAR_REGISTER_CSR &&
				record->registers[i].number == inst->csr &&
				record->registers[i].value == 0;
		memory->translated |= !zero;
		return virtual ? ear_blocks_forget(memory) : 0;
	case EAR_CSR_MSTATUS: /* MPRV */
		return virtual && is_machine(record->privilege) ? ear_blocks_forget(memory) : 0;
	default: return 0;
	}
}

/* Bytes after those that the access shows, of an instruction that writes size bytes. */
static int lose_rest(struct ear_memory *memory, const struct ear_record *record,
	const struct ear_record_access *access, unsigned shown, unsigned size)
{
	uint64_t address;

	if (!locate(memory, record, access, size, &address))
		return ear_blocks_forget(memory);
	return lose(memory, (address + shown) & space_of(memory, record), size - shown,
		space_of(memory, record));
}

static int follow_amo(struct ear_memory *memory, const struct ear_record *record,
	const struct shown *shown, unsigned size)
{
	if (shown->write)
		return shown->bytes_written < size
			       ? lose_rest(memory, record, shown->write, shown->bytes_written, size)
			       : 0;
	/* amocas that did not swap, or a source that shows only the read. */
	return shown->read && size > 0 ? lose_rest(memory, record, shown->read, 0, size)
				       : ear_blocks_forget(memory);
}

/* Did an sc report that it failed? */
static bool has_failed(const struct ear_record *record)
{
	for (size_t i = 0; i < record->register_count; i++)
		if (record->registers[i].reg_class == EAR_REGISTER_X)
			return record->registers[i].value != 0;
	return false;
}

static bool is_many(const struct ear_inst *inst)
{
	for (size_t i = 0; i < inst->operand_count; i++)
		if (inst->operands[i].kind == EAR_OPERAND_X && inst->operands[i].count > 2)
			return true;
	return inst->id == EAR_INST_CM_PUSH;
}

static int follow_store(struct ear_memory *memory, const struct ear_record *record,
	const struct ear_inst *inst, const struct shown *shown)
{
	/* c.fsdsp writes no register: it is cm.push, which has the same encoding. */
	bool push = is_many(inst) || (inst->id == EAR_INST_C_FSDSP && record->register_count > 0);

	if (inst->extension == EAR_EXT_H && memory->options.key != EAR_MEMORY_PHYSICAL)
		return ear_blocks_forget(memory);
	if (!shown->write)
		return ear_inst_may_be(inst) ? 0 : ear_blocks_forget(memory);
	if (push)
		return memory->options.captured || shown->bytes_written < inst->access_size
			       ? ear_blocks_forget(memory)
			       : 0;
	return shown->bytes_written < inst->access_size
		       ? lose_rest(memory, record, shown->write, shown->bytes_written,
				 inst->access_size)
		       : 0;
}

/* What an instruction did to memory beyond the accesses that the record shows. */
static int follow_effects(struct ear_memory *memory, const struct ear_record *record,
	const struct ear_inst *inst, const struct shown *shown)
{
	switch (inst->kind) {
	case EAR_KIND_STORE: return follow_store(memory, record, inst, shown);
	case EAR_KIND_VSTORE:
		return memory->options.captured || !shown->write ? ear_blocks_forget(memory) : 0;
	case EAR_KIND_AMO: return follow_amo(memory, record, shown, inst->access_size);
	case EAR_KIND_SC: return shown->write || has_failed(record) ? 0 : ear_blocks_forget(memory);
	case EAR_KIND_CACHE:
		/* cbo.inval can bring back what was there before. */
		if (inst->id == EAR_INST_CBO_INVAL ||
			(inst->id == EAR_INST_CBO_ZERO &&
				(!shown->write || memory->options.captured)))
			return ear_blocks_forget(memory);
		return 0;
	case EAR_KIND_FENCE:
		if (ear_opcode_major(record->opcode) != EAR_OPCODE_SYSTEM)
			return 0;
		memory->translated = true;
		return memory->options.key == EAR_MEMORY_VIRTUAL ? ear_blocks_forget(memory) : 0;
	case EAR_KIND_CSR: return follow_csr(memory, record, inst);
	default: return 0;
	}
}

/* An instruction that trapped may have written a part of what it was to write. */
static int follow_trapped(
	struct ear_memory *memory, const struct ear_record *record, const struct ear_inst *inst)
{
	int result = 0;

	if (inst->kind == EAR_KIND_VSTORE || (inst->kind == EAR_KIND_STORE && is_many(inst)))
		return ear_blocks_forget(memory);
	for (size_t i = 0; i < record->memory_count && result == 0; i++) {
		const struct ear_record_access *access = &record->memory[i];
		if (access->write && access->size > 1 && access->address % access->size != 0)
			result = lose_rest(memory, record, access, 0, access->size);
	}
	return result;
}

/* Entries of page tables, which the hardware writes as well. */
static int follow_walks(struct ear_memory *memory, const struct ear_record *record)
{
	const struct ear_record_extra *extra = record->extra;
	uint64_t mask = record->xlen == 32 ? 0xF : 0xFF;
	int result = 0;

	if (!extra || extra->walk_count == 0)
		return 0;
	memory->translated = true;
	for (size_t i = 0; i < extra->walk_count; i++)
		for (size_t k = 0; k < extra->walks[i].step_count && result == 0; k++) {
			uint64_t address = extra->walks[i].steps[k].address & ~(uint64_t)7;
			uint64_t in =
				address + (mask == 0xF ? extra->walks[i].steps[k].address & 4 : 0);
			if (memory->options.key == EAR_MEMORY_PHYSICAL)
				result = ear_volatile_add(&memory->found, in / EAR_MEMORY_LINE,
					mask << in % EAR_MEMORY_LINE);
		}
	return result;
}

static int follow_accesses(struct ear_memory *memory, const struct ear_record *record,
	const struct ear_inst *inst, bool reads, bool writes, struct shown *shown)
{
	int result = 0;

	*shown = (struct shown){0};
	for (size_t i = 0; i < record->memory_count && result == 0; i++) {
		const struct ear_record_access *access = &record->memory[i];
		unsigned size = access->size ? access->size : inst->access_size;
		if (access->write && writes) {
			shown->write = shown->write ? shown->write : access;
			shown->bytes_written += size;
		}
		if (!access->write && !shown->read)
			shown->read = access;
		if (access->masked)
			continue;
		if (access->write && writes)
			result = follow_write(memory, record, access, size);
		else if (!access->write && reads)
			result = follow_read(memory, record, access, size);
	}
	return result;
}

/* A source that lists where a load read and not what: the register that it wrote shows it. Returns
 * false if it does not.
 */
static bool shown_by_register(const struct ear_record *record, const struct ear_inst *inst,
	struct ear_record_access *access)
{
	const struct ear_record_register *loaded = NULL;

	*access = record->memory[0];
	if (inst->kind != EAR_KIND_LOAD && inst->kind != EAR_KIND_LR)
		return false;
	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *reg = &record->registers[i];
		if (reg->reg_class != EAR_REGISTER_X && reg->reg_class != EAR_REGISTER_F)
			continue;
		if (loaded)
			return false; /* a pair, or several */
		loaded = reg;
	}
	if (!loaded || inst->access_size == 0 || inst->access_size > 8 ||
		(access->size != 0 && access->size != inst->access_size))
		return false;
	access->size = inst->access_size;
	access->value = loaded->value;
	access->has_value = true;
	return true;
}

/* The only access is a read without a value. */
static bool reads_unseen(const struct ear_record *record)
{
	return record->memory_count == 1 && !record->memory[0].write &&
	       !record->memory[0].has_value && !record->memory[0].masked &&
	       !record->memory[0].aborted;
}

static int follow_unseen(
	struct ear_memory *memory, const struct ear_record *record, struct ear_inst *inst)
{
	struct ear_record_access access;

	if (inst->kind == EAR_KIND_ILLEGAL)
		ear_inst_decode_within(inst, (uint32_t)record->opcode, record->xlen, NULL);
	return shown_by_register(record, inst, &access)
		       ? follow_read(memory, record, &access, access.size)
		       : 0;
}

static int follow_instruction(struct ear_memory *memory, const struct ear_record *record)
{
	struct ear_inst inst = {0};
	struct shown shown;
	bool decoded = record->isa == EAR_ISA_RISCV && !(record->flags & EAR_RECORD_NO_OPCODE) &&
		       (record->xlen == 32 || record->xlen == 64);
	bool one = record->memory_count == 1 && record->memory[0].size > 0;
	bool write = one && record->memory[0].write;

	int result = follow_walks(memory, record);
	if (result || record->flags & (EAR_RECORD_INTERRUPT | EAR_RECORD_SKIPPED))
		return result;
	bool trapped = record->flags & EAR_RECORD_TRAP;
	if (decoded && (trapped || !shows_all((uint32_t)record->opcode,
					   one ? record->memory[0].size : 0, write)))
		ear_inst_decode_within(&inst, (uint32_t)record->opcode, record->xlen, NULL);
	if (trapped)
		return follow_trapped(memory, record, &inst);
	/* hlv: guest addresses. */
	bool guest = inst.extension == EAR_EXT_H && memory->options.key != EAR_MEMORY_PHYSICAL;
	bool failed = inst.kind == EAR_KIND_SC && has_failed(record);
	result = follow_accesses(memory, record, &inst, !guest, !guest && !failed, &shown);
	if (result == 0 && decoded && !guest && reads_unseen(record))
		result = follow_unseen(memory, record, &inst);
	if (result == 0 && decoded && inst.kind != EAR_KIND_ILLEGAL)
		result = follow_effects(memory, record, &inst, &shown);
	return result;
}

/* ---- Simple accesses. ---- */

/* The bits of a value of so many bytes; 0: no access that is simple. */
static const uint64_t value_masks[9] = {
	[1] = UINT8_MAX, [2] = UINT16_MAX, [4] = UINT32_MAX, [8] = UINT64_MAX};

/* Of an access that lies in one line of a block of the cache, and changes nothing else. Returns
 * false if it is another one. */
static inline bool push_access(
	struct ear_memory *memory, uint64_t address, uint64_t data, unsigned size, unsigned flags)
{
	uint64_t number = address >> EAR_BLOCK_BITS;
	unsigned at = address % EAR_BLOCK_SIZE, line = at / EAR_MEMORY_LINE;
	struct ear_block *block = memory->cache[ear_block_slot(number)];
	uint64_t value = size <= 8 ? value_masks[size] : 0, held;

	if (block->number != number || at % EAR_MEMORY_LINE + size > EAR_MEMORY_LINE || value == 0)
		return false;
	/* Always 8 bytes: those of other lines, or of the masks behind the last one, stay. */
	uint8_t *bytes = (uint8_t *)&block->data + at;
	memcpy(&held, bytes, sizeof(held));
	uint64_t mask = mask_of(size) << at % EAR_MEMORY_LINE;
	uint64_t differ = (held ^ data) & value;
	if (!(flags & EAR_COMPACT_WRITE))
		return (block->data.known[line] & mask) == mask && differ == 0;
	/* A line that has changes already: others are noted first. */
	if (block->read_only || !(block->dirty & EAR_BLOCK_CHANGED))
		return false;
	held ^= differ;
	memcpy(bytes, &held, sizeof(held));
	block->data.known[line] |= mask;
	block->data.settled[line] |= mask;
	block->dirty |= UINT32_C(0x00010001) << line;
	return true;
}

/* Flags of a run whose records can be more than their accesses. */
#define UNUSUAL \
	(EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT | EAR_RECORD_SKIPPED | EAR_RECORD_NO_OPCODE | \
		EAR_RECORD_HANDLER)

/* Most instructions do no more than one access, which changes nothing but its bytes. Returns false,
 * and has done nothing, if this one may do more.
 */
static inline bool push_simple(struct ear_memory *memory, const struct ear_record *record)
{
	const struct ear_record_access *access = record->memory;

	if (record->flags & UNUSUAL || record->isa != EAR_ISA_RISCV ||
		(record->xlen != 32 && record->xlen != 64) || record->memory_count > 1 ||
		(record->extra && record->extra->walk_count > 0))
		return false;
	if (record->memory_count == 0)
		return shows_all((uint32_t)record->opcode, 0, false);
	/* known_bytes() */
	bool half = !memory->options.captured && record->xlen == 32 && access->size == 8;
	if (memory->options.key == EAR_MEMORY_PHYSICAL || access->has_physical || half ||
		!ear_access_is_known(access) || access->masked || access->aborted ||
		access->attributes != 0 ||
		!shows_all((uint32_t)record->opcode, access->size, access->write))
		return false;
	memory->physical_missing = true;
	return push_access(memory, access->address & space_of(memory, record), access->value,
		access->size, access->write ? EAR_COMPACT_WRITE : 0);
}

/* ---- In order. ---- */

static void expect(struct ear_memory *memory, struct ear_expected *expected, uint64_t index,
	uint64_t pc, bool pc_known)
{
	expected->index = memory->next_index = index;
	expected->index_known = memory->next_known = true;
	expected->pc = pc;
	expected->pc_known = pc_known;
}

/* Does the record come after the one before it, in machine mode as that one? Then nothing is
 * missing (arrive). What is expected of a hart that is new is not known.
 */
static inline bool is_expected(const struct ear_memory *memory, const struct ear_expected *expected,
	const struct ear_record *record)
{
	return expected->index_known && expected->index == record->index && expected->pc_known &&
	       expected->pc == record->pc && memory->numbered && is_machine(expected->privilege) &&
	       is_machine(record->privilege) && !(record->flags & EAR_RECORD_NO_PRIVILEGE);
}

static int push_instruction(struct ear_memory *memory, const struct ear_record *record)
{
	bool fresh;

	struct ear_expected *expected = ear_expected_find(memory, record->hart, &fresh);
	if (!expected)
		return EAR_E_NO_MEMORY;
	if (!is_expected(memory, expected, record)) {
		struct ear_arrival arrival = ear_arrival_of(record);
		int result = arrive(memory, expected, fresh, &arrival);
		if (result)
			return result;
	}
	expect(memory, expected, record->index + 1, record->next_pc,
		ear_arrival_knows_next(record));
	return push_simple(memory, record) ? 0 : follow_instruction(memory, record);
}

static int push_gap(struct ear_memory *memory, const struct ear_record *record)
{
	bool fresh;

	if (!ear_gap_forgets(&record->u.gap))
		return 0;
	struct ear_expected *expected = ear_expected_find(memory, record->hart, &fresh);
	if (!expected)
		return EAR_E_NO_MEMORY;
	expected->index_known = expected->pc_known = false;
	expected->privilege = EAR_ARRIVAL_UNSAID;
	memory->next_known = false;
	memory->started = memory->numbered = true;
	return ear_blocks_forget(memory);
}

int ear_memory_push(struct ear_memory *memory, const struct ear_record *record)
{
	struct shown shown;

	switch (record->kind) {
	case EAR_RECORD_INSTRUCTION: return push_instruction(memory, record);
	case EAR_RECORD_GAP: return push_gap(memory, record);
	case EAR_RECORD_MEMORY: {
		const struct ear_inst none = {0};
		memory->started = true;
		return follow_accesses(memory, record, &none, true, true, &shown);
	}
	default: return 0;
	}
}

/* ---- Compact runs. ---- */

/* The accesses of a run whose records are no more than these. */
static int push_ordinary(struct ear_memory *memory, const struct ear_compact_run *run,
	const struct ear_compact_record *compacts, uint64_t space)
{
	struct ear_expanded_record expanded;
	bool prepared = false;
	int result = 0;

	for (size_t i = 0; i < run->count && result == 0; i++) {
		const struct ear_compact_record *compact = &compacts[i];
		if (compact->size == EAR_COMPACT_NO_ACCESS)
			continue;
		memory->physical_missing = true;
		if (push_access(memory, compact->address & space, compact->data, compact->size,
			    compact->flags))
			continue;
		if (!prepared)
			ear_compact_run_begin(&expanded, run);
		prepared = true;
		result =
			follow_instruction(memory, ear_compact_run_get(&expanded, run, compact, i));
	}
	return result;
}

/* An access that is more than it seems, or not in the cache: as any other instruction. */
static int push_access_slowly(struct ear_memory *memory, struct ear_expanded_record *expanded,
	bool *prepared, const struct ear_run_summary *summary, const struct ear_run_access *access)
{
	const struct ear_compact_record compact = ear_run_access_compact(access);

	if (!*prepared)
		ear_compact_run_begin(expanded, &summary->run);
	*prepared = true;
	return follow_instruction(
		memory, ear_compact_run_get(expanded, &summary->run, &compact, 0));
}

static int push_accesses(struct ear_memory *memory, const struct ear_run_summary *summary)
{
	struct ear_expanded_record expanded;
	bool wide = summary->run.xlen != 32, prepared = false;
	bool simple = memory->options.key != EAR_MEMORY_PHYSICAL;
	/* known_bytes() */
	bool halves = !memory->options.captured && !wide;
	uint64_t space = wide ? UINT64_MAX : UINT32_MAX;
	int result = 0;

	memory->physical_missing |= summary->access_count > 0;
	for (uint32_t i = 0; i < summary->access_count && result == 0; i++) {
		const struct ear_run_access *access = &summary->accesses[i];
		if (!simple || (halves && access->size == 8) ||
			!push_access(memory, access->address & space, access->data, access->size,
				access->flags))
			result = push_access_slowly(memory, &expanded, &prepared, summary, access);
	}
	return result;
}

int ear_memory_push_summary(struct ear_memory *memory, const struct ear_run_summary *summary)
{
	const struct ear_compact_run *run = &summary->run;
	bool fresh;

	struct ear_expected *expected = ear_expected_find(memory, run->hart, &fresh);
	if (!expected)
		return EAR_E_NO_MEMORY;
	struct ear_arrival arrival = ear_arrival_of_run(run, summary->pc);
	int result = arrive(memory, expected, fresh, &arrival);
	if (result == 0)
		result = push_accesses(memory, summary);
	expect(memory, expected, run->first_index + run->count, summary->next_pc, true);
	return result;
}

int ear_memory_push_run(struct ear_memory *memory, const struct ear_compact_run *run,
	const struct ear_compact_record *compacts)
{
	struct ear_expanded_record expanded;
	bool fresh, prepared = false;
	bool follows_pc = !memory->options.captured && !(run->flags & EAR_RECORD_NO_NEXT_PC);
	/* In PHYSICAL an access without a physical address is not simple. */
	bool simple = !(run->flags & UNUSUAL) && memory->options.key != EAR_MEMORY_PHYSICAL;
	uint64_t space = run->xlen == 32 ? UINT32_MAX : UINT64_MAX;
	/* known_bytes() */
	bool halves = !memory->options.captured && run->xlen == 32;
	int result = 0;

	if (run->count == 0)
		return 0;
	if (run->flags & UNUSUAL) {
		ear_compact_run_begin(&expanded, run);
		for (size_t i = 0; i < run->count && result == 0; i++)
			result = ear_memory_push(
				memory, ear_compact_run_get(&expanded, run, &compacts[i], i));
		return result;
	}
	struct ear_expected *expected = ear_expected_find(memory, run->hart, &fresh);
	if (!expected)
		return EAR_E_NO_MEMORY;
	struct ear_arrival arrival = ear_arrival_of_run(run, compacts[0].pc);
	result = arrive(memory, expected, fresh, &arrival);
	bool ordinary = run->ordinary && simple && !halves;
	if (ordinary && result == 0)
		result = push_ordinary(memory, run, compacts, space);
	for (size_t i = 0; i < run->count && result == 0 && !ordinary; i++) {
		const struct ear_compact_record *compact = &compacts[i];
		bool access = compact->size != EAR_COMPACT_NO_ACCESS;
		bool write = access && compact->flags & EAR_COMPACT_WRITE;

		if (follows_pc && i > 0 && compact->pc != compacts[i - 1].next_pc)
			result = ear_blocks_forget(memory);
		if (simple && !(halves && compact->size == 8) &&
			shows_all(compact->opcode, compact->size, write)) {
			if (!access)
				continue;
			memory->physical_missing = true;
			if (push_access(memory, compact->address & space, compact->data,
				    compact->size, compact->flags))
				continue;
		}
		if (!prepared)
			ear_compact_run_begin(&expanded, run);
		prepared = true;
		if (result == 0)
			result = follow_instruction(
				memory, ear_compact_run_get(&expanded, run, compact, i));
	}
	expect(memory, expected, run->first_index + run->count, compacts[run->count - 1].next_pc,
		!(run->flags & EAR_RECORD_NO_NEXT_PC));
	return result;
}
