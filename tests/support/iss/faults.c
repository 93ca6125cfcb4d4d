#include "faults.h"

#include "iss_state.h"

/* Drawing numbers -------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545F4914F6CDD1Du;
}

static uint32_t below(uint64_t *state, uint32_t limit)
{
	return (uint32_t)((next_random(state) >> 32) * limit >> 32);
}

/* Bugs ------------------------------------------------------------------------------------- */

const char *ear_iss_bug_name(enum ear_iss_bug_kind kind)
{
	static const char *const names[EAR_ISS_BUG_KINDS] = {
		"none", "alu", "store", "upset", "stale", "sign"};

	return names[kind];
}

void ear_iss_bug_draw(struct ear_iss_bug *bug, enum ear_iss_bug_kind kind, uint64_t seed)
{
	uint64_t random = seed * 2 + 1;

	for (int k = 0; k < 8; k++) /* seeds that are close together drift apart */
		next_random(&random);
	*bug = (struct ear_iss_bug){
		.kind = kind,
		.period = 2000 + below(&random, 20000),
		.moment = 5000 + below(&random, 20000),
		.mask = 0x3ff,
		.pattern = below(&random, 0x400),
		.flip = UINT64_C(1) << below(&random, 32),
		.reg = (uint8_t)(1 + below(&random, 31)),
	};
	if (kind == EAR_ISS_BUG_UPSET)
		bug->period *= 4;
}

void ear_iss_bug_set(struct ear_iss *iss, const struct ear_iss_bug *bug)
{
	iss->bug = (struct iss_bug_state){.bug = *bug};
}

uint64_t ear_iss_bug_count(const struct ear_iss *iss)
{
	return iss->bug.count;
}

/* One more occasion: does the bug strike? */
static bool strikes(struct ear_iss *iss)
{
	if (++iss->bug.occasions < iss->bug.bug.period)
		return false;
	iss->bug.occasions = 0;
	iss->bug.count++;
	return true;
}

void iss_bug_upset(struct ear_iss *iss)
{
	const struct ear_iss_bug *bug = &iss->bug.bug;

	if (bug->kind != EAR_ISS_BUG_UPSET || iss->order <= bug->moment || !strikes(iss))
		return;
	iss->x[bug->reg] ^= bug->flip;
	if (iss->xlen == 32)
		iss->x[bug->reg] &= 0xffffffff;
}

/* Also notes what the instruction will overwrite, for the next one. */
uint64_t iss_bug_operand(struct ear_iss *iss, const struct ear_semantics *op, uint64_t a)
{
	struct iss_bug_state *state = &iss->bug;

	if (state->bug.kind != EAR_ISS_BUG_STALE)
		return a;
	if (op->rs1 && op->rs1 == state->last_rd && strikes(iss))
		a = state->last_old;
	state->last_rd = op->rd;
	state->last_old = iss->x[op->rd];
	return a;
}

bool iss_bug_loses_store(struct ear_iss *iss)
{
	return iss->bug.bug.kind == EAR_ISS_BUG_STORE && strikes(iss);
}

/* Number of bits whose sign the instruction extends; 0: none. */
static unsigned extended_bits(const struct ear_iss *iss, const struct ear_semantics *op)
{
	switch (op->kind) {
	case EAR_SEM_LB: return 8;
	case EAR_SEM_LH: return 16;
	case EAR_SEM_LW:
	case EAR_SEM_ADDW:
	case EAR_SEM_SUBW:
	case EAR_SEM_SLLW:
	case EAR_SEM_SRLW:
	case EAR_SEM_SRAW:
	case EAR_SEM_MULW: return iss->xlen == 64 ? 32 : 0;
	default: return 0;
	}
}

uint64_t iss_bug_result(
	struct ear_iss *iss, const struct ear_semantics *op, uint64_t a, uint64_t result)
{
	const struct ear_iss_bug *bug = &iss->bug.bug;
	unsigned bits;

	if (op->rd == 0)
		return result;
	if (bug->kind == EAR_ISS_BUG_ALU && op->kind >= EAR_SEM_ADD && op->rs1 &&
		(a & bug->mask) == bug->pattern) {
		iss->bug.count++;
		return result ^ bug->flip;
	}
	if (bug->kind != EAR_ISS_BUG_SIGN)
		return result;
	bits = extended_bits(iss, op);
	if (bits && (result >> (bits - 1) & 1) && strikes(iss))
		result &= (UINT64_C(1) << bits) - 1;
	return result;
}

/* Flips ------------------------------------------------------------------------------------ */

/* A field of struct ear_retire that has no room of its own on the port, so that its width in
 * bits depends: on XLEN, or on XLEN / 8. */
enum { BITS_XLEN = 100, BITS_MASK = 101 };

static const struct {
	uint16_t offset;
	uint8_t size; /* bytes in the structure */
	uint8_t bits;
} fields[] = {
#define FIELD(name, bits) \
	{ \
		offsetof(struct ear_retire, name), sizeof(((struct ear_retire *)0)->name), bits \
	}
	FIELD(pc_rdata, BITS_XLEN),
	FIELD(pc_wdata, BITS_XLEN),
	FIELD(insn, 32),
	FIELD(rs1_addr, 5),
	FIELD(rs2_addr, 5),
	FIELD(rd_addr, 5),
	FIELD(rs1_rdata, BITS_XLEN),
	FIELD(rs2_rdata, BITS_XLEN),
	FIELD(rd_wdata, BITS_XLEN),
	FIELD(mem_addr, BITS_XLEN),
	FIELD(mem_rmask, BITS_MASK),
	FIELD(mem_wmask, BITS_MASK),
	FIELD(mem_rdata, BITS_XLEN),
	FIELD(mem_wdata, BITS_XLEN),
	FIELD(trap, 1),
	FIELD(halt, 1),
	FIELD(intr, 1),
	FIELD(irq, 1),
	FIELD(mode, 2),
	FIELD(ixl, 2),
	FIELD(cause, BITS_XLEN),
	FIELD(debug, 1),
	FIELD(virt, 1),
#undef FIELD
};
#define FIELD_COUNT (sizeof(fields) / sizeof(fields[0]))

static uint64_t get(const struct ear_retire *entry, size_t offset, size_t size)
{
	const uint8_t *at = (const uint8_t *)entry + offset;
	uint64_t value = 0;

	for (size_t k = 0; k < size; k++)
		value |= (uint64_t)at[k] << 8 * k;
	return value;
}

static void set(struct ear_retire *entry, size_t offset, size_t size, uint64_t value)
{
	uint8_t *at = (uint8_t *)entry + offset;

	for (size_t k = 0; k < size; k++)
		at[k] = (uint8_t)(value >> 8 * k);
}

/* Another value of that many bits: one bit off, a few bits off, small, or anything. */
static uint64_t other_value(uint64_t *random, uint64_t value, unsigned bits)
{
	uint64_t mask = bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
	uint64_t other;

	switch (below(random, 4)) {
	case 0: other = value ^ UINT64_C(1) << below(random, bits); break;
	case 1: other = value ^ (next_random(random) & next_random(random)); break;
	case 2: other = value + below(random, 9) - 4; break;
	default: other = next_random(random); break;
	}
	other &= mask;
	return other == value ? value ^ 1 : other;
}

static void flip_csrs(uint64_t *random, struct ear_retire *entry)
{
	uint64_t mask = entry->xlen == 32 ? 0xffffffff : ~UINT64_C(0);
	struct ear_retire_csr *csr;

	if (entry->csr_count == 0) {
		entry->csr_count = 1;
		entry->csrs[0].number = (uint16_t)below(random, 4096);
		entry->csrs[0].value = next_random(random) & mask;
		return;
	}
	csr = &entry->csrs[below(random, entry->csr_count)];
	switch (below(random, 3)) {
	case 0: csr->number = (uint16_t)other_value(random, csr->number, 12); break;
	case 1: csr->value = other_value(random, csr->value, entry->xlen); break;
	default: entry->csr_count--; break;
	}
}

static void flip_float(const struct ear_faults *faults, uint64_t *random, struct ear_retire *entry)
{
	uint64_t mask = faults->flen == 32 ? 0xffffffff : ~UINT64_C(0);

	switch (below(random, 4)) {
	case 0: entry->fflags = (uint8_t)other_value(random, entry->fflags, 5); break;
	case 1: entry->frd_addr = (uint8_t)other_value(random, entry->frd_addr, 5); break;
	case 2: entry->frd_wdata = other_value(random, entry->frd_wdata, faults->flen); break;
	default: entry->frd_valid = !entry->frd_valid; break;
	}
	/* A register that is not written has no number and no value. */
	if (!entry->frd_valid) {
		entry->frd_addr = 0;
		entry->frd_wdata = 0;
	}
	entry->frd_wdata &= mask;
}

static void flip_field(struct ear_faults *faults, struct ear_retire *entry)
{
	uint64_t *random = &faults->random;
	uint32_t groups = (uint32_t)FIELD_COUNT + 1 + (faults->flen ? 1 : 0);
	uint32_t k = below(random, groups);
	unsigned bits;
	uint64_t value;

	if (k == FIELD_COUNT) {
		flip_csrs(random, entry);
	} else if (k > FIELD_COUNT) {
		flip_float(faults, random, entry);
	} else {
		bits = fields[k].bits == BITS_XLEN   ? entry->xlen
		       : fields[k].bits == BITS_MASK ? entry->xlen / 8u
						     : fields[k].bits;
		value = get(entry, fields[k].offset, fields[k].size);
		set(entry, fields[k].offset, fields[k].size, other_value(random, value, bits));
	}
}

void ear_faults_init(struct ear_faults *faults, uint64_t seed, uint32_t per_million, unsigned flen)
{
	*faults = (struct ear_faults){
		.random = seed * 2 + 1, .per_million = per_million, .flen = flen};
}

bool ear_faults_flip(struct ear_faults *faults, struct ear_retire *entry)
{
	uint32_t count;

	if (below(&faults->random, 1000000) >= faults->per_million)
		return false;
	count = 1 + below(&faults->random, 3);
	while (count-- > 0)
		flip_field(faults, entry);
	faults->count++;
	return true;
}

size_t ear_faults_run(
	struct ear_faults *faults, struct ear_iss *iss, struct ear_retire *entries, size_t count)
{
	count = ear_iss_run(iss, entries, count);
	for (size_t k = 0; faults->per_million && k < count; k++)
		ear_faults_flip(faults, &entries[k]);
	return count;
}
