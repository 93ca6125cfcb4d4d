/* Entry by entry, each as what it does to registers and memory. Addresses, targets and outcomes of
 * branches are as they were, so memory is a table of bytes. Floating point, divisions by zero and
 * CSRs are not modelled: what they take is fixed to what it was.
 */
#include "world.h"

#include <stdlib.h>

#include "common/hash.h"

/* A device of the simulator that takes any aligned access: 64 KiB. */
#define DEVICE      0x02000000u
#define DEVICE_BITS 16u

#define MSCRATCH 0x340u
#define MCYCLE   0xb00u
#define CYCLE    0xc00u
#define TIME     0xc01u

/* Memory -------------------------------------------------------------------------------------- */

static bool is_memory(const struct world *world, uint64_t address)
{
	return address - EAR_ISS_MEMORY_BASE < world->memory_size;
}

static bool is_read_only(const struct world *world, uint64_t address)
{
	for (size_t i = 0; i < world->image_count; i++)
		if (address - world->image[i].address < world->image[i].size)
			return !world->image[i].writable;
	return false;
}

static struct world_byte *find(struct world *world, uint64_t address)
{
	size_t mask = ((size_t)1 << world->byte_bits) - 1;
	size_t slot = ear_hash_slot(address, world->byte_bits);

	while (world->bytes[slot].used && world->bytes[slot].address != address)
		slot = (slot + 1) & mask;
	return &world->bytes[slot];
}

/* opcode: it is executed, and the trace shows what is there. */
static struct world_byte *get_byte(struct world *world, uint64_t address, bool opcode)
{
	struct world_byte *byte = find(world, address);

	if (byte->used)
		return byte;
	*byte = (struct world_byte){.address = address,
		.truth = world->memory[address - EAR_ISS_MEMORY_BASE],
		.used = true};
	for (unsigned i = 0; i < 8; i++) {
		bool set = byte->truth >> i & 1;
		byte->bits[i] = set ? CIRCUIT_TRUE : CIRCUIT_FALSE;
		if (!opcode && !is_read_only(world, address))
			byte->bits[i] = byte->before[i] = circuit_free(&world->circuit, set);
	}
	return byte;
}

static struct circuit_word load(struct world *world, uint64_t address, unsigned size)
{
	struct circuit_word word = circuit_constant(0);

	for (unsigned k = 0; k < size; k++) {
		const struct world_byte *byte = get_byte(world, address + k, false);
		for (unsigned i = 0; i < 8; i++)
			word.bits[8 * k + i] = byte->bits[i];
		word.truth |= (uint64_t)byte->truth << 8 * k;
	}
	return word;
}

/* Where an access goes: literals, of which one is true. */
struct target {
	int same;
	int victims[WORLD_VICTIMS];
};

/* select: a literal, the store goes there. */
static void store_at(struct world *world, uint64_t address, unsigned size, int select,
	const struct circuit_word *word)
{
	for (unsigned k = 0; k < size; k++) {
		struct world_byte *byte = get_byte(world, address + k, false);
		for (unsigned i = 0; i < 8; i++)
			byte->bits[i] = circuit_choose(
				&world->circuit, select, word->bits[8 * k + i], byte->bits[i]);
	}
}

static void store(struct world *world, uint64_t address, unsigned size, const struct target *target,
	const struct circuit_word *word)
{
	if (!is_memory(world, address))
		return; /* nobody sees it */
	store_at(world, address, size, target->same, word);
	for (unsigned k = 0; k < size; k++)
		get_byte(world, address + k, false)->truth = (uint8_t)(word->truth >> 8 * k);
	for (unsigned i = 0; world->moves && i < world->moves->victim_count; i++)
		if (target->victims[i] != CIRCUIT_FALSE && target->victims[i] != 0)
			store_at(world, world->moves->victims[i], size, target->victims[i], word);
}

static void fetch(struct world *world, const struct ear_retire *entry, unsigned size)
{
	for (unsigned k = 0; k < size; k++) {
		const struct world_byte *byte = get_byte(world, entry->pc_rdata + k, true);
		for (unsigned i = 0; i < 8; i++) {
			int literal =
				entry->insn >> (8 * k + i) & 1 ? byte->bits[i] : -byte->bits[i];
			if (literal != CIRCUIT_TRUE)
				circuit_clause(&world->circuit, literal, 0, 0);
		}
	}
}

/* Writes to registers ------------------------------------------------------------------------- */

static void add_write(
	struct world *world, uint32_t entry, bool is_float, const struct circuit_word *word)
{
	struct world_write *write = &world->writes[world->write_count++];

	*write = (struct world_write){.word = *word, .is_float = is_float, .entry = entry};
	if (!circuit_is_constant(word))
		write->differs = circuit_differs(&world->circuit, word);
}

static void write_x(struct world *world, uint32_t entry, unsigned number, struct circuit_word word,
	const struct ear_retire *seen)
{
	if (number == 0)
		return;
	word.truth = seen->rd_wdata;
	world->x[number] = word;
	add_write(world, entry, false, &word);
}

static void write_f(struct world *world, uint32_t entry, unsigned number, struct circuit_word word,
	const struct ear_retire *seen)
{
	word.truth = seen->frd_wdata;
	world->f[number] = word;
	add_write(world, entry, true, &word);
}

/* Instructions -------------------------------------------------------------------------------- */

static bool is_store(const struct ear_semantics *op)
{
	return (op->kind >= EAR_SEM_SB && op->kind <= EAR_SEM_SD) || op->kind == EAR_SEM_FSTORE;
}

/* A literal: the address is in the device, and the access is aligned. */
static int is_in_device(struct world *world, const struct circuit_word *address, unsigned size)
{
	struct circuit *circuit = &world->circuit;
	int device = CIRCUIT_TRUE;

	for (unsigned i = 0; i < world->xlen; i++) {
		int bit = (uint64_t)DEVICE >> i & 1 ? address->bits[i] : -address->bits[i];
		if (i >= DEVICE_BITS || 1u << i < size)
			device = circuit_choose(circuit, bit, device, CIRCUIT_FALSE);
	}
	return device;
}

static struct target find_address(struct world *world, const struct ear_retire *entry,
	const struct ear_semantics *op, unsigned size)
{
	struct circuit *circuit = &world->circuit;
	const struct circuit_word imm = circuit_constant(
		world->xlen == 32 ? (uint32_t)op->imm : (uint64_t)(int64_t)op->imm);
	const struct circuit_word was = circuit_constant(entry->mem_addr);
	const bool atomic =
		op->kind == EAR_SEM_LR || op->kind == EAR_SEM_SC || op->kind == EAR_SEM_AMO;
	struct target target = {.same = CIRCUIT_TRUE};
	struct circuit_word address;
	int other;

	if (!world->moves || atomic || 8 * size > world->xlen ||
		!is_memory(world, entry->mem_addr) || circuit_is_constant(&world->x[op->rs1])) {
		circuit_fix(circuit, &world->x[op->rs1]);
		return target;
	}
	address = circuit_compute(circuit, EAR_SEM_ADD, &world->x[op->rs1], &imm, world->xlen);
	target.same = circuit_equal(circuit, &address, &was);
	other = is_in_device(world, &address, size);
	for (unsigned i = 0; is_store(op) && i < world->moves->victim_count; i++) {
		const struct circuit_word victim = circuit_constant(world->moves->victims[i]);
		if (world->moves->victims[i] ==
			(entry->mem_addr & ~(uint64_t)(world->xlen / 8 - 1)))
			continue;
		target.victims[i] = circuit_equal(circuit, &address, &victim);
		other = circuit_choose(circuit, target.victims[i], CIRCUIT_TRUE, other);
	}
	circuit_clause(circuit, target.same, other, 0);
	return target;
}

/* What the entry reads from memory or from a device. */
static struct circuit_word read(struct world *world, uint32_t i, const struct ear_retire *entry,
	unsigned size, int same, uint64_t truth)
{
	struct circuit_word word;

	if (same == CIRCUIT_TRUE && is_memory(world, entry->mem_addr))
		return load(world, entry->mem_addr, size);
	world->read[i] = circuit_unknown(&world->circuit, truth, 8 * size);
	world->reads_device[i] = true;
	if (!is_memory(world, entry->mem_addr))
		return world->read[i];
	word = load(world, entry->mem_addr, size);
	for (unsigned k = 0; k < 8 * size; k++)
		word.bits[k] =
			circuit_choose(&world->circuit, same, word.bits[k], world->read[i].bits[k]);
	return word;
}

static void access(struct world *world, uint32_t i, const struct ear_retire *entry,
	const struct ear_semantics *op)
{
	const unsigned function = ear_semantics_bits(op->wide, 12, 3);
	const unsigned size = 1u << (function & 3);
	const struct target target = find_address(world, entry, op, size);
	const int same = target.same;
	struct circuit_word word, new;

	switch (op->kind) {
	case EAR_SEM_SB:
	case EAR_SEM_SH:
	case EAR_SEM_SW:
	case EAR_SEM_SD: store(world, entry->mem_addr, size, &target, &world->x[op->rs2]); break;
	case EAR_SEM_FSTORE:
		store(world, entry->mem_addr, size, &target,
			&world->f[ear_semantics_bits(op->wide, 20, 5)]);
		break;
	case EAR_SEM_FLOAD:
		word = read(world, i, entry, size, same, entry->frd_wdata);
		for (unsigned k = 32; size == 4 && k < 64; k++)
			word.bits[k] = entry->frd_wdata >> k & 1 ? CIRCUIT_TRUE : CIRCUIT_FALSE;
		write_f(world, i, entry->frd_addr, word, entry);
		break;
	case EAR_SEM_SC:
		if (entry->mem_wmask)
			store(world, entry->mem_addr, size, &target, &world->x[op->rs2]);
		write_x(world, i, entry->rd_addr, circuit_constant(entry->rd_wdata), entry);
		break;
	case EAR_SEM_AMO:
		word = read(world, i, entry, size, same, entry->mem_rdata);
		word = circuit_extend(&word, 8 * size, true);
		new = circuit_extend(&world->x[op->rs2], 8 * size, true);
		if (size == 4) {
			word.truth = (uint64_t)(int32_t)word.truth;
			new.truth = (uint64_t)(int32_t) new.truth;
		}
		new = circuit_amo(&world->circuit, op->wide >> 27, size, &word, &new);
		store(world, entry->mem_addr, size, &target, &new);
		word = circuit_extend(&word, world->xlen, false);
		write_x(world, i, entry->rd_addr, word, entry);
		break;
	default:
		word = read(world, i, entry, size, same, entry->mem_rdata);
		word = circuit_extend(&word, 8 * size, function < 4);
		word = circuit_extend(&word, world->xlen, false);
		write_x(world, i, entry->rd_addr, word, entry);
		break;
	}
}

static void compute_float(struct world *world, uint32_t i, const struct ear_retire *entry,
	const struct ear_semantics *op)
{
	const unsigned code = op->wide >> 27, base = op->wide & 0x7f;
	const unsigned a = ear_semantics_bits(op->wide, 15, 5);
	const bool from_x = base == 0x53 && (code == 0x1a || code == 0x1e);
	const bool two = base != 0x53 || code <= 5 || code == 0x14;

	circuit_fix(&world->circuit, from_x ? &world->x[a] : &world->f[a]);
	if (two)
		circuit_fix(&world->circuit, &world->f[ear_semantics_bits(op->wide, 20, 5)]);
	if (base != 0x53)
		circuit_fix(&world->circuit, &world->f[ear_semantics_bits(op->wide, 27, 5)]);
	if (entry->frd_valid)
		write_f(world, i, entry->frd_addr, circuit_constant(entry->frd_wdata), entry);
	else
		write_x(world, i, entry->rd_addr, circuit_constant(entry->rd_wdata), entry);
}

/* mscratch is followed; counters may have been anything; the rest is as it was. */
static void access_csr(struct world *world, uint32_t i, const struct ear_retire *entry,
	const struct ear_semantics *op)
{
	const unsigned number = op->wide >> 20, function = ear_semantics_bits(op->wide, 12, 3);
	struct circuit_word old = circuit_constant(entry->rd_wdata);

	if (number == MSCRATCH && function == 1) {
		struct circuit_word new = world->x[op->rs1];
		write_x(world, i, entry->rd_addr, world->scratch, entry);
		world->scratch = new;
		return;
	}
	if (number == MSCRATCH)
		circuit_fix(&world->circuit, &world->scratch);
	else if (number == MCYCLE || number == CYCLE || number == TIME)
		old = world->read[i] =
			circuit_unknown(&world->circuit, entry->rd_wdata, world->xlen);
	circuit_fix(&world->circuit, &world->x[op->rs1]);
	write_x(world, i, entry->rd_addr, old, entry);
}

static void branch(
	struct world *world, const struct ear_retire *entry, const struct ear_semantics *op)
{
	uint64_t target = entry->pc_rdata + (uint64_t)(int64_t)op->imm;
	uint64_t after = entry->pc_rdata + op->size;
	int taken;

	if (target == after)
		return;
	taken = circuit_branch(&world->circuit, (enum ear_semantics_kind)op->kind,
		&world->x[op->rs1], &world->x[op->rs2], world->xlen);
	if (entry->pc_wdata == after)
		taken = -taken;
	if (taken != CIRCUIT_TRUE)
		circuit_clause(&world->circuit, taken, 0, 0);
}

/* The target has all bits but the lowest one. */
static void jump(
	struct world *world, const struct ear_retire *entry, const struct ear_semantics *op)
{
	struct circuit_word imm = circuit_constant((uint64_t)(int64_t)op->imm);
	struct circuit_word sum;

	if (op->kind == EAR_SEM_JALR) {
		sum = circuit_compute(
			&world->circuit, EAR_SEM_ADD, &world->x[op->rs1], &imm, world->xlen);
		sum.bits[0] = CIRCUIT_FALSE;
		sum.truth = entry->pc_wdata;
		circuit_fix(&world->circuit, &sum);
	}
}

static void add_entry(struct world *world, uint32_t i, const struct ear_retire *entry)
{
	struct ear_semantics op;

	if (entry->irq)
		return;
	ear_semantics_decode(&op, entry->insn, world->xlen, EAR_SEMANTICS_ALL);
	fetch(world, entry, op.size);
	if (entry->trap) {
		if (op.kind >= EAR_SEM_LB && op.kind <= EAR_SEM_FLOAT)
			circuit_fix(&world->circuit, &world->x[op.rs1]);
		return;
	}
	switch (op.kind) {
	case EAR_SEM_ILLEGAL:
	case EAR_SEM_FENCE:
	case EAR_SEM_ECALL:
	case EAR_SEM_EBREAK:
	case EAR_SEM_MRET:
	case EAR_SEM_WFI: break;
	case EAR_SEM_AUIPC:
		write_x(world, i, entry->rd_addr, circuit_constant(entry->rd_wdata), entry);
		break;
	case EAR_SEM_JAL:
	case EAR_SEM_JALR:
		jump(world, entry, &op);
		write_x(world, i, entry->rd_addr, circuit_constant(entry->rd_wdata), entry);
		break;
	case EAR_SEM_BEQ:
	case EAR_SEM_BNE:
	case EAR_SEM_BLT:
	case EAR_SEM_BGE:
	case EAR_SEM_BLTU:
	case EAR_SEM_BGEU: branch(world, entry, &op); break;
	case EAR_SEM_CSR: access_csr(world, i, entry, &op); break;
	case EAR_SEM_FLOAT: compute_float(world, i, entry, &op); break;
	default:
		if (op.kind < EAR_SEM_ADD) {
			access(world, i, entry, &op);
			break;
		}
		struct circuit_word imm = circuit_constant(
			world->xlen == 32 ? (uint32_t)op.imm : (uint64_t)(int64_t)op.imm);
		write_x(world, i, entry->rd_addr,
			circuit_compute(&world->circuit, (enum ear_semantics_kind)op.kind,
				&world->x[op.rs1], op.rs2 ? &world->x[op.rs2] : &imm, world->xlen),
			entry);
		break;
	}
}

void world_init(struct world *world, struct ear_iss *iss, const struct ear_retire *entries,
	size_t count, const struct ear_memory_segment *image, size_t image_count,
	uint64_t memory_size, const struct world_moves *moves)
{
	struct ear_unit unit;
	uint64_t scratch = 0;

	ear_iss_unit(iss, &unit);
	ear_iss_csr(iss, MSCRATCH, &scratch);
	*world = (struct world){.xlen = ear_iss_xlen(iss),
		.memory = ear_iss_memory(iss, EAR_ISS_MEMORY_BASE, memory_size),
		.memory_size = memory_size,
		.image = image,
		.image_count = image_count,
		.byte_bits = 20,
		.moves = moves};
	circuit_init(&world->circuit);
	world->bytes = calloc((size_t)1 << world->byte_bits, sizeof(*world->bytes));
	world->writes = calloc(2 * count, sizeof(*world->writes));
	world->read = calloc(count, sizeof(*world->read));
	world->reads_device = calloc(count, sizeof(*world->reads_device));
	if (!world->bytes || !world->writes || !world->read || !world->reads_device)
		abort();
	for (unsigned i = 0; i < 32; i++) {
		world->x[i] =
			i == 0 ? circuit_constant(0)
			       : circuit_unknown(&world->circuit, ear_iss_x(iss)[i], world->xlen);
		world->x_before[i] = world->x[i];
		world->f[i] = circuit_unknown(&world->circuit, ear_iss_f(iss)[i], unit.flen);
		world->f_before[i] = world->f[i];
	}
	world->scratch = circuit_constant(scratch);
	for (size_t i = 0; i < count; i++)
		add_entry(world, (uint32_t)i, &entries[i]);
	for (unsigned i = 1; i < 32; i++)
		circuit_fix(&world->circuit, &world->x[i]);
	for (size_t i = 0; i < (size_t)1 << world->byte_bits; i++) {
		const struct world_byte *byte = &world->bytes[i];
		for (unsigned k = 0; byte->used && k < 8; k++) {
			int literal = byte->truth >> k & 1 ? byte->bits[k] : -byte->bits[k];
			if (literal != CIRCUIT_TRUE)
				circuit_clause(&world->circuit, literal, 0, 0);
		}
	}
}

void world_fini(struct world *world)
{
	circuit_fini(&world->circuit);
	free(world->bytes);
	free(world->writes);
	free(world->read);
	free(world->reads_device);
}
