/* The fast path: ordinary records of which everything is known and right.
 *
 * Nothing here decides what is a violation. A record that differs in anything from what it should
 * be, or needs something that is not known, is left to the rules.
 */
#include "library/check/check_run.h"

#include "library/check/check_image.h"
#include "library/check/check_pmp.h"
#include "library/check/check_status.h"

#define CSR_SATP 0x180u

/* What the rules would have counted. */
struct tally {
	uint64_t records, operands, results, accesses, stores, fetches;
};

#define LESS_MODES \
	(1u << EAR_PRIVILEGE_U | 1u << EAR_PRIVILEGE_S | 1u << EAR_PRIVILEGE_VU | \
		1u << EAR_PRIVILEGE_VS)

/* What holds for a whole run. */
struct fast {
	struct ear_checker *checker;
	struct check_hart *hart;
	bool placed; /* addresses say where in memory an access is */
	bool has_devices, has_image;
	enum check_pmp_use protection;
	struct tally tally;
	uint32_t written; /* x registers; recorded only */
};

/* What an instruction must do. */
struct outcome {
	uint64_t result, next_pc, address, stored;
	unsigned size; /* 0: no access */
};

static inline __attribute__((always_inline)) uint64_t to_xlen(uint64_t value, const unsigned xlen)
{
	return xlen == 32 ? (uint32_t)value : value;
}

static inline uint64_t extend(unsigned kind, uint64_t value, const unsigned xlen)
{
	switch (kind) {
	case EAR_SEM_LB: return to_xlen((uint64_t)(int64_t)(int8_t)value, xlen);
	case EAR_SEM_LH: return to_xlen((uint64_t)(int64_t)(int16_t)value, xlen);
	case EAR_SEM_LW: return to_xlen((uint64_t)(int64_t)(int32_t)value, xlen);
	case EAR_SEM_LBU: return (uint8_t)value;
	case EAR_SEM_LHU: return (uint16_t)value;
	case EAR_SEM_LWU: return (uint32_t)value;
	default: return value;
	}
}

static inline bool is_taken(unsigned kind, uint64_t a, uint64_t b, const unsigned xlen)
{
	int64_t left = xlen == 32 ? (int32_t)a : (int64_t)a;
	int64_t right = xlen == 32 ? (int32_t)b : (int64_t)b;

	switch (kind) {
	case EAR_SEM_BEQ: return a == b;
	case EAR_SEM_BNE: return a != b;
	case EAR_SEM_BLT: return left < right;
	case EAR_SEM_BGE: return left >= right;
	case EAR_SEM_BLTU: return a < b;
	default: return a >= b;
	}
}

/* Returns false for a kind that is not ordinary. */
static inline __attribute__((always_inline)) bool find_outcome(struct outcome *outcome,
	const struct ear_semantics *op, uint64_t pc, uint64_t a, uint64_t b, const unsigned xlen)
{
	static const uint8_t sizes[] = {[EAR_SEM_LB - EAR_SEM_LB] = 1,
		[EAR_SEM_LH - EAR_SEM_LB] = 2,
		[EAR_SEM_LW - EAR_SEM_LB] = 4,
		[EAR_SEM_LD - EAR_SEM_LB] = 8,
		[EAR_SEM_LBU - EAR_SEM_LB] = 1,
		[EAR_SEM_LHU - EAR_SEM_LB] = 2,
		[EAR_SEM_LWU - EAR_SEM_LB] = 4,
		[EAR_SEM_SB - EAR_SEM_LB] = 1,
		[EAR_SEM_SH - EAR_SEM_LB] = 2,
		[EAR_SEM_SW - EAR_SEM_LB] = 4,
		[EAR_SEM_SD - EAR_SEM_LB] = 8};
	const uint64_t imm = (uint64_t)(int64_t)op->imm;
	enum ear_semantics_kind kind = (enum ear_semantics_kind)op->kind;

	outcome->next_pc = to_xlen(pc + op->size, xlen);
	if (kind >= EAR_SEM_ADD) {
		b = to_xlen(b + imm, xlen);
		if (kind == EAR_SEM_ADD)
			outcome->result = to_xlen(a + b, xlen);
		else
			outcome->result = xlen == 32 ? ear_semantics_compute_32(kind, a, b)
						     : ear_semantics_compute_64(kind, a, b);
		return true;
	}
	if (kind >= EAR_SEM_LB && kind <= EAR_SEM_SD) {
		outcome->address = to_xlen(a + imm, xlen);
		outcome->size = sizes[kind - EAR_SEM_LB];
		outcome->stored = b;
		return true;
	}
	switch (kind) {
	case EAR_SEM_JAL:
		outcome->result = outcome->next_pc;
		outcome->next_pc = to_xlen(pc + imm, xlen);
		return true;
	case EAR_SEM_JALR:
		outcome->result = outcome->next_pc;
		outcome->next_pc = to_xlen(a + imm, xlen) & ~(uint64_t)1;
		return true;
	case EAR_SEM_AUIPC: outcome->result = to_xlen(pc + imm, xlen); return true;
	case EAR_SEM_BEQ:
	case EAR_SEM_BNE:
	case EAR_SEM_BLT:
	case EAR_SEM_BGE:
	case EAR_SEM_BLTU:
	case EAR_SEM_BGEU:
		if (is_taken(kind, a, b, xlen))
			outcome->next_pc = to_xlen(pc + imm, xlen);
		return true;
	default: return false;
	}
}

/* The access is right, and memory holds what it loaded, or takes what it stores; *result for rd. */
static inline bool pass_access(struct fast *fast, const struct ear_compact_record *compact,
	const struct ear_semantics *op, struct outcome *outcome, const unsigned xlen,
	const bool recorded)
{
	struct ear_checker *checker = fast->checker;
	bool store = op->kind >= EAR_SEM_SB, write = compact->flags & EAR_COMPACT_WRITE;
	uint64_t mask = UINT64_MAX >> (64 - 8 * outcome->size);

	if (compact->address != outcome->address || compact->size != outcome->size ||
		write != store || !fast->placed || compact->data & ~mask)
		return false;
	if (fast->has_devices && check_in_device(checker, outcome->address, outcome->size))
		return false;
	if (fast->protection == CHECK_PMP_ACTIVE &&
		!check_pmp_holds(fast->hart, store ? CHECK_PMP_WRITE : CHECK_PMP_READ,
			outcome->address, outcome->size))
		return false;
	if (store)
		return ((compact->data ^ outcome->stored) & mask) == 0;
	outcome->result = extend(op->kind, compact->data, xlen);
	if (!ear_check_memory_holds(
		    &checker->memory, outcome->address, outcome->size, compact->data))
		return false;
	if (recorded)
		ear_check_memory_mark_loaded(&checker->memory, outcome->address, outcome->size);
	return true;
}

/* One record. Returns false, and has changed nothing, if it is not for this path. */
static inline __attribute__((always_inline)) bool pass_record(struct fast *fast,
	const struct ear_compact_record *compact, const struct ear_operands *operands,
	const unsigned xlen, const bool recorded)
{
	struct check_hart *hart = fast->hart;
	const struct ear_semantics *op =
		check_decode(fast->checker, compact->opcode, (uint8_t)xlen);
	const unsigned rs1 = op->rs1 & 31, rs2 = op->rs2 & 31;
	const uint64_t a = hart->x[rs1], b = hart->x[rs2];
	struct outcome outcome = {.size = 0};
	const struct check_fetched *fetched = NULL;

	if (!(hart->x_known >> rs1 & hart->x_known >> rs2 & 1))
		return false;
	if (fast->has_image) {
		fetched = check_image_find(fast->checker, compact->pc, compact->opcode);
		if (!fetched)
			return false;
	}
	if (operands && ((operands->rs1 ^ rs1) | (operands->rs2 ^ rs2) | (operands->a ^ a) |
				(operands->b ^ b)))
		return false;
	if (!find_outcome(&outcome, op, compact->pc, a, b, xlen) ||
		outcome.next_pc != compact->next_pc || compact->rd != op->rd)
		return false;
	if (fast->protection == CHECK_PMP_ACTIVE &&
		!check_pmp_holds(hart, CHECK_PMP_FETCH, compact->pc, op->size))
		return false;
	if (outcome.size == 0) {
		if (compact->size != EAR_COMPACT_NO_ACCESS)
			return false;
	} else if (!pass_access(fast, compact, op, &outcome, xlen, recorded)) {
		return false;
	}
	if (op->rd != 0) {
		if (compact->result != outcome.result)
			return false;
		if (recorded)
			fast->written |= 1u << (op->rd & 31);
		hart->x[op->rd & 31] = outcome.result;
		hart->x_known |= 1u << (op->rd & 31);
		fast->tally.results++;
	}
	if (recorded && fetched)
		fast->checker->recording->fetches[fetched - fast->checker->fetched]++;
	else
		fast->tally.fetches += fetched && fetched->judged;
	fast->tally.operands += (rs1 != 0 ? 1u : 0u) + (rs2 != 0 ? 1u : 0u);
	fast->tally.accesses += outcome.size != 0;
	if (outcome.size != 0 && op->kind >= EAR_SEM_SB) {
		fast->tally.stores++;
		ear_check_memory_store(
			&fast->checker->memory, outcome.address, outcome.size, compact->data);
		if (recorded)
			ear_check_memory_mark_stored(
				&fast->checker->memory, outcome.address, outcome.size);
	}
	return true;
}

static inline __attribute__((always_inline)) size_t pass_records(struct fast *fast,
	const struct ear_compact_record *compacts, const struct ear_operands *operands,
	size_t count, const unsigned xlen, const bool recorded)
{
	uint64_t pc = fast->hart->next_pc.value;
	size_t i = 0;

	for (; i < count; i++) {
		const struct ear_compact_record *compact = &compacts[i];
		if (compact->pc != pc ||
			!pass_record(fast, compact, operands ? &operands[i] : NULL, xlen, recorded))
			break;
		pc = compact->next_pc;
	}
	fast->hart->next_pc.value = pc;
	return i;
}

static void count(struct ear_checker *checker, const struct tally *tally, bool operands_shown,
	enum check_pmp_use protection)
{
	struct ear_check_counts *counts = &checker->counts;

	counts->records += tally->records;
	counts->instructions += tally->records;
	counts->rules[EAR_CHECK_ORDER].checked += tally->records;
	counts->rules[EAR_CHECK_FLOW].checked += tally->records;
	counts->rules[EAR_CHECK_NEXT_PC].checked += tally->records;
	counts->rules[EAR_CHECK_RESULT].checked += tally->results;
	counts->rules[EAR_CHECK_ACCESS].checked += tally->accesses;
	counts->rules[EAR_CHECK_STORED].checked += tally->stores;
	counts->rules[EAR_CHECK_LOADED].checked += tally->accesses - tally->stores + tally->fetches;
	if (protection == CHECK_PMP_ACTIVE)
		counts->rules[EAR_CHECK_PMP].checked += tally->records + tally->accesses;
	else if (protection == CHECK_PMP_UNKNOWN)
		counts->rules[EAR_CHECK_PMP].unchecked[EAR_CHECK_UNKNOWN] +=
			tally->records + tally->accesses;
	if (operands_shown)
		counts->rules[EAR_CHECK_OPERAND].checked += tally->operands;
	else
		counts->rules[EAR_CHECK_OPERAND].unchecked[EAR_CHECK_ABSENT] += tally->operands;
}

/* Is the hart where records of this path can come next? Fills in what holds for them. */
static bool begin(struct fast *fast, struct ear_checker *checker, struct check_hart *hart,
	const struct ear_compact_run *run, uint64_t index)
{
	const struct check_value *satp = &hart->csrs[CSR_SATP];

	*fast = (struct fast){
		.checker = checker,
		.hart = hart,
		.placed = run->privilege == EAR_PRIVILEGE_M || !satp->known || satp->value == 0,
		.has_devices = checker->options.device_count > 0,
		.has_image = checker->options.image_count > 0,
	};
	if (!run->ordinary || !hart->seen || hart->hides ||
		(hart->mode.known && hart->mode.value != run->privilege) || !hart->next_pc.known ||
		hart->xlen != run->xlen || check_may_be_virtual(hart, run->privilege) ||
		hart->index != index)
		return false;
	fast->protection = check_pmp_use(hart, check_mode(hart, run->privilege));
	if (fast->protection == CHECK_PMP_ACTIVE) {
		if (check_status_bit(hart, CHECK_STATUS_MPRV).value)
			return false;
		if (!check_pmp_is_bare(hart, run->privilege))
			fast->protection = CHECK_PMP_UNKNOWN;
	}
	return true;
}

/* So many records passed. */
static void end(struct fast *fast, uint8_t privilege, bool operands_shown)
{
	struct check_hart *hart = fast->hart;

	count(fast->checker, &fast->tally, operands_shown, fast->protection);
	hart->index += fast->tally.records;
	hart->modes_seen |= (uint8_t)(1u << (privilege & 7));
	hart->less_seen |= hart->returned && 1u << (privilege & 7) & LESS_MODES;
	hart->returned = false;
	hart->trapped = hart->left.known = false;
	hart->mode = check_mode(hart, privilege);
}

size_t check_run(struct ear_checker *checker, struct check_hart *hart,
	const struct ear_compact_run *run, const struct ear_compact_record *compacts,
	const struct ear_operands *operands, size_t from)
{
	struct fast fast;
	size_t left = run->count - from, passed;

	if (!begin(&fast, checker, hart, run, run->first_index + from))
		return 0;
	compacts += from;
	operands = operands ? operands + from : NULL;
	if (checker->recording)
		passed = hart->xlen == 32 ? pass_records(&fast, compacts, operands, left, 32, true)
					  : pass_records(&fast, compacts, operands, left, 64, true);
	else
		passed = hart->xlen == 32
				 ? pass_records(&fast, compacts, operands, left, 32, false)
				 : pass_records(&fast, compacts, operands, left, 64, false);
	if (passed == 0)
		return 0;
	fast.tally.records = passed;
	end(&fast, run->privilege, operands != NULL);
	if (checker->recording) {
		struct check_segment *segment = &checker->recording->segment;
		segment->records += passed;
		segment->operands += fast.tally.operands;
		segment->results += fast.tally.results;
		segment->accesses += fast.tally.accesses;
		segment->stores += fast.tally.stores;
		segment->written |= fast.written;
	}
	return passed;
}

bool check_run_replay(
	struct ear_checker *checker, struct check_hart *hart, const struct check_segment *segment)
{
	const struct ear_compact_run run = {
		.ordinary = true, .privilege = segment->privilege, .xlen = segment->xlen};
	struct fast fast;

	if (!begin(&fast, checker, hart, &run, segment->index) ||
		hart->next_pc.value != segment->pc || fast.protection == CHECK_PMP_ACTIVE ||
		(segment->accesses > 0 && !fast.placed) ||
		(hart->x_known & segment->known) != segment->known ||
		check_run_digest(hart, segment->known) != segment->digest)
		return false;
	fast.tally = (struct tally){segment->records, segment->operands, segment->results,
		segment->accesses, segment->stores, 0};
	for (unsigned i = 1, next = 0; i < 32; i++)
		if (segment->written >> i & 1)
			hart->x[i] = segment->values[next++];
	hart->x_known |= segment->written;
	hart->next_pc.value = segment->next_pc;
	end(&fast, segment->privilege, segment->operands_shown);
	return true;
}

uint64_t check_run_digest(const struct check_hart *hart, uint32_t registers)
{
	uint64_t digest = registers;

	for (unsigned i = 1; i < 32; i++)
		if (registers >> i & 1) {
			digest = (digest ^ hart->x[i]) * UINT64_C(0x9e3779b97f4a7c15);
			digest ^= digest >> 29;
		}
	return digest;
}
