/* CSR writes by the rules of equivalence.h.
 *
 * A CSR that is in no group is matched by its number: both sides list it with one value, or a rule
 * says why one does not. For the CSRs of a group the bits count (record_view.h): those that both
 * sides show must be the same, and those that one shows must not have changed there. So a habit of
 * listing is passed over, and a value never is.
 */
#include "library/compare/compare_csr.h"

#include <stddef.h>

#include "decoder/isa/csr.h"

#define OPCODE_SYSTEM 0x73
#define OPCODE_VECTOR 0x57

static bool trapped(const struct ear_record *record)
{
	return record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT);
}

/* A format may have no traps, and list the CSRs that one wrote. */
static bool either_trapped(const struct ear_csr_pair *pair)
{
	return trapped(pair->records[0]) || trapped(pair->records[1]);
}

static bool use(struct ear_csr_pair *pair, enum ear_rule rule)
{
	pair->used |= EAR_RULE_BIT(rule);
	return true;
}

static bool brings(const struct ear_csr_pair *pair, unsigned side, enum ear_rule rule)
{
	return ear_equivalence_brings(pair->equivalence, side, rule);
}

/* value of side; other: that of the other side, NULL if it shows none, which may be no difference.
 */
static bool differ(struct ear_csr_difference *difference, const struct ear_csr_pair *pair,
	uint16_t number, unsigned side, uint64_t value, const uint64_t *other)
{
	difference->number = number;
	difference->has[side] = true;
	difference->value[side] = value;
	difference->has[1 - side] = other != NULL;
	difference->value[1 - side] = other ? *other : 0;
	return !other && pair->unknown_equal;
}

/* The CSR that a CSR instruction names; -1 for other instructions. */
static int explicit_csr(const struct ear_record *record)
{
	if (record->flags & EAR_RECORD_NO_OPCODE || (record->opcode & 0x7F) != OPCODE_SYSTEM ||
		(record->opcode >> 12 & 3) == 0 || trapped(record))
		return -1;
	return (int)(record->opcode >> 20 & 0xFFF);
}

/* Floating-point instructions with their loads and stores, compressed ones too. */
static bool is_floating(const struct ear_record *record)
{
	unsigned major = record->opcode & 0x7F;

	if ((record->opcode & 3) != 3) /* c.fld, c.fsd, c.flw, c.fsw and those of sp */
		return (record->opcode & 3) != 1 && (record->opcode >> 13 & 1);
	return major == 0x07 || major == 0x27 || (major >= 0x43 && major <= 0x53);
}

/* OP-V, and the vector loads and stores among those of floating point. */
static bool is_vector(const struct ear_record *record)
{
	unsigned major = record->opcode & 0x7F, width = record->opcode >> 12 & 7;

	return major == OPCODE_VECTOR ||
	       ((major == 0x07 || major == 0x27) && (width == 0 || width >= 5));
}

/* May the instruction write CSRs of the group by the way? Where the value before is not known, this
 * is all that distinguishes a convention from an error.
 */
static bool may_write(const struct ear_record *record, enum ear_csr_group group)
{
	bool status = group == EAR_GROUP_STATUS || group == EAR_GROUP_VSSTATUS;
	int named = explicit_csr(record);

	if (record->flags & EAR_RECORD_NO_OPCODE || trapped(record))
		return true;
	if (named >= 0) {
		return status || group == EAR_GROUP_STATUSH || group == EAR_GROUP_IE ||
		       group == EAR_GROUP_IP || named <= EAR_CSR_VCSR;
	}
	if ((record->opcode & 0x7F) == OPCODE_SYSTEM) /* xRET */
		return status || group == EAR_GROUP_STATUSH || group == EAR_GROUP_TCONTROL;
	bool units = group == EAR_GROUP_VSTART || group == EAR_GROUP_VL ||
		     group == EAR_GROUP_VTYPE || group == EAR_GROUP_VCSR;
	if (is_vector(record))
		return status || units || group == EAR_GROUP_FCSR;
	return (status || group == EAR_GROUP_FCSR) && is_floating(record);
}

static const struct ear_record_register *find_csr(const struct ear_record *record, uint16_t number)
{
	for (size_t i = 0; i < record->register_count; i++)
		if (record->registers[i].reg_class == EAR_REGISTER_CSR &&
			record->registers[i].number == number)
			return &record->registers[i];
	return NULL;
}

static unsigned csr_count(const struct ear_record *record)
{
	unsigned count = 0;

	for (size_t i = 0; i < record->register_count; i++)
		count += record->registers[i].reg_class == EAR_REGISTER_CSR;
	return count;
}

enum trap_csr { NO_TRAP_CSR, TRAP_EPC, TRAP_CAUSE, TRAP_TVAL, TRAP_OTHER };

static enum trap_csr trap_csr_of(uint16_t number)
{
	switch (number) {
	case EAR_CSR_MEPC:
	case EAR_CSR_SEPC:
	case EAR_CSR_VSEPC: return TRAP_EPC;
	case EAR_CSR_MCAUSE:
	case EAR_CSR_SCAUSE:
	case EAR_CSR_VSCAUSE: return TRAP_CAUSE;
	case EAR_CSR_MTVAL:
	case EAR_CSR_STVAL:
	case EAR_CSR_VSTVAL: return TRAP_TVAL;
	case EAR_CSR_MTVAL2:
	case EAR_CSR_MTINST:
	case EAR_CSR_VSSTATUS:
	case EAR_CSR_HSTATUS:
	case EAR_CSR_HTVAL:
	case EAR_CSR_HTINST: return TRAP_OTHER;
	default: return NO_TRAP_CSR;
	}
}

/* A CSR that a trap wrote and that the other side does not list, which shows the trap itself. */
static bool same_trap_csr(struct ear_csr_difference *difference, struct ear_csr_pair *pair,
	unsigned side, const struct ear_record_register *write)
{
	const struct ear_record *other = pair->records[1 - side];
	const struct ear_record_extra *extra = other->extra;
	uint64_t mask = other->xlen == 32 ? UINT32_MAX : UINT64_MAX, expected = write->value;

	switch (trap_csr_of(write->number)) {
	case TRAP_EPC: expected = other->pc; break;
	case TRAP_CAUSE:
		/* An interrupt of VS mode has the number of that of S mode there. */
		if (!(other->flags & EAR_RECORD_NO_CAUSE) && write->number != EAR_CSR_VSCAUSE)
			expected = other->cause;
		break;
	case TRAP_TVAL:
		/* It is listed unless it is 0. */
		if (!(other->flags & EAR_RECORD_INTERRUPT))
			expected = extra && extra->has_trap_value ? extra->trap_value : 0;
		break;
	default: break;
	}
	if ((expected ^ write->value) & mask)
		return differ(difference, pair, write->number, side, write->value, &expected);
	return use(pair, EAR_RULE_TRAP_CSRS);
}

/* Only one side lists this CSR, which is in no group. */
static bool same_single(struct ear_csr_difference *difference, struct ear_csr_pair *pair,
	unsigned side, const struct ear_record_register *write)
{
	unsigned other = 1 - side;

	if (either_trapped(pair) && trap_csr_of(write->number) != NO_TRAP_CSR &&
		brings(pair, other, EAR_RULE_TRAP_CSRS))
		return same_trap_csr(difference, pair, side, write);
	if (write->number == EAR_CSR_MVIP && pair->views[side]->listed & 1u << EAR_GROUP_IP &&
		brings(pair, side, EAR_RULE_CSR_ALIAS))
		return use(pair, EAR_RULE_CSR_ALIAS);
	if (brings(pair, other, EAR_RULE_CSR_SLOTS) &&
		csr_count(pair->records[other]) >= pair->equivalence->slots[other])
		return use(pair, EAR_RULE_CSR_SLOTS);
	return differ(difference, pair, write->number, side, write->value, NULL);
}

static bool grouped(const struct ear_csr_pair *pair, uint16_t number)
{
	return pair->equivalence->rules & EAR_RULE_BIT(EAR_RULE_CSR_PARTS) &&
	       ear_csr_group_of(number) != EAR_GROUP_COUNT;
}

static bool same_singles(struct ear_csr_difference *difference, struct ear_csr_pair *pair)
{
	for (unsigned side = 0; side < 2; side++) {
		const struct ear_record *record = pair->records[side];
		for (size_t i = 0; i < record->register_count; i++) {
			const struct ear_record_register *write = &record->registers[i], *other;
			if (write->reg_class != EAR_REGISTER_CSR)
				continue;
			other = find_csr(pair->records[1 - side], write->number);
			if (other && other->value != write->value)
				return differ(difference, pair, write->number, side, write->value,
					&other->value);
			/* No other CSR can show these bits. */
			if (!other && write->number == pair->views[side]->stray)
				return differ(
					difference, pair, write->number, side, write->value, NULL);
			if (!other && !grouped(pair, write->number) &&
				!same_single(difference, pair, side, write))
				return false;
		}
	}
	return true;
}

/* Bits of the mask that the record changed, as far as that is known. */
static uint64_t changed(const struct ear_csr_effect *effect, uint64_t mask)
{
	return (effect->value ^ effect->before) & effect->known & mask;
}

/* Only this side lists CSRs of the group. Why does the other not? */
static bool same_unlisted(struct ear_csr_difference *difference, struct ear_csr_pair *pair,
	unsigned side, enum ear_csr_group group)
{
	const struct ear_record *record = pair->records[side];
	const struct ear_csr_effect *effect = &pair->views[side]->effects[group];
	const struct ear_csr_effect *other = &pair->views[1 - side]->effects[group];
	uint64_t other_mask = ear_view_mask(pair->views[1 - side], group);
	int named = explicit_csr(record);

	bool status = group == EAR_GROUP_STATUS || group == EAR_GROUP_STATUSH ||
		      group == EAR_GROUP_VSSTATUS;
	if (either_trapped(pair) && status && brings(pair, 1 - side, EAR_RULE_TRAP_CSRS))
		return use(pair, EAR_RULE_TRAP_CSRS);
	if (brings(pair, 1 - side, EAR_RULE_CSR_SLOTS) &&
		csr_count(pair->records[1 - side]) >= pair->equivalence->slots[1 - side])
		return use(pair, EAR_RULE_CSR_SLOTS);
	if (other_mask & effect->mask & (other->value ^ effect->value))
		return differ(difference, pair, effect->number, side, effect->value, &other->value);
	if ((named >= 0 && ear_csr_group_of((uint16_t)named) == group) ||
		changed(effect, effect->mask & ~other_mask) ||
		(effect->mask & ~other_mask & ~effect->known && !may_write(record, group)))
		return differ(difference, pair, effect->number, side, effect->value, NULL);
	return use(pair, group == EAR_GROUP_VSTART ? EAR_RULE_VSTART
			 : other_mask              ? EAR_RULE_FLAGS_AS_CSR
						   : EAR_RULE_CSR_UNCHANGED);
}

static bool same_group(
	struct ear_csr_difference *difference, struct ear_csr_pair *pair, enum ear_csr_group group)
{
	const struct ear_csr_effect *a = &pair->views[0]->effects[group];
	const struct ear_csr_effect *b = &pair->views[1]->effects[group];

	if ((a->value ^ b->value) & a->mask & b->mask)
		return differ(difference, pair, a->number, 0, a->value, &b->value);
	if (changed(a, a->mask & ~b->mask))
		return differ(difference, pair, a->number, 0, a->value, NULL);
	if (changed(b, b->mask & ~a->mask))
		return differ(difference, pair, b->number, 1, b->value, NULL);
	return a->number == b->number || use(pair, EAR_RULE_CSR_PARTS);
}

bool ear_csr_compare(struct ear_csr_difference *difference, struct ear_csr_pair *pair)
{
	if (!pair->views[0]->csrs && !pair->views[1]->csrs)
		return true;
	if (!same_singles(difference, pair))
		return false;
	if (!(pair->equivalence->rules & EAR_RULE_BIT(EAR_RULE_CSR_PARTS)))
		return true;
	unsigned listed_a = pair->views[0]->listed, listed_b = pair->views[1]->listed;
	for (unsigned left = listed_a | listed_b; left; left &= left - 1) {
		enum ear_csr_group group = (enum ear_csr_group)__builtin_ctz(left);
		unsigned bit = 1u << group;
		bool same = (listed_a & listed_b & bit) ? same_group(difference, pair, group)
							: same_unlisted(difference, pair,
								  listed_a & bit ? 0 : 1, group);
		if (!same)
			return false;
	}
	return true;
}

static bool writes_f(const struct ear_record *record)
{
	for (size_t i = 0; i < record->register_count; i++)
		if (record->registers[i].reg_class == EAR_REGISTER_F)
			return true;
	return false;
}

#define SUMS (EAR_RULE_BIT(EAR_RULE_FLAGS_AS_CSR) | EAR_RULE_BIT(EAR_RULE_FLAGS_CHANGED))

/* The side shows the flags that the instruction raised, or that it raised none. If it shows none
 * and lists their CSR, the record comes from where only that is known.
 */
static bool shows_flags(const struct ear_csr_pair *pair, unsigned side)
{
	const struct ear_record *record = pair->records[side];

	if (record->fflags == 0 && pair->views[side]->listed & 1u << EAR_GROUP_FCSR)
		return false;
	return pair->equivalence->carried[side] & EAR_FIELD_BIT(EAR_FIELD_FFLAGS) &&
	       !(pair->equivalence->brings[side] & SUMS) &&
	       (record->fflags || !brings(pair, side, EAR_RULE_FLAGS_WITH_F) || writes_f(record));
}

/* side shows what the instruction raised, the other side what that adds up to. */
static bool same_sum(
	struct ear_csr_difference *difference, struct ear_csr_pair *pair, unsigned side)
{
	const struct ear_record_view *view = pair->views[1 - side];
	const struct ear_csr_effect *sum = &view->effects[EAR_GROUP_FCSR];
	bool listed = view->listed & 1u << EAR_GROUP_FCSR;
	bool each = brings(pair, 1 - side, EAR_RULE_FLAGS_AS_CSR);
	uint64_t raised = pair->records[side]->fflags;
	uint64_t after = listed ? sum->value : view->fflags_before;
	uint64_t known = listed ? sum->mask : view->fflags_known;
	uint64_t fresh = listed ? changed(sum, sum->mask & EAR_FCSR_FFLAGS) : 0;

	if ((raised & known & ~after) || (fresh & ~raised) || (each && listed != (raised != 0))) {
		after &= EAR_FCSR_FFLAGS;
		return differ(difference, pair, EAR_CSR_FFLAGS, side, raised,
			each && !listed ? NULL : &after);
	}
	return raised == 0 || use(pair, each ? EAR_RULE_FLAGS_AS_CSR : EAR_RULE_FLAGS_CHANGED);
}

bool ear_flags_compare(struct ear_csr_difference *difference, struct ear_csr_pair *pair)
{
	unsigned listed = pair->views[0]->listed | pair->views[1]->listed;

	if (!(pair->records[0]->fflags | pair->records[1]->fflags) &&
		!(listed & 1u << EAR_GROUP_FCSR))
		return true;
	bool shown[2] = {shows_flags(pair, 0), shows_flags(pair, 1)};

	if (shown[0] && shown[1]) {
		uint64_t other = pair->records[1]->fflags;
		return pair->records[0]->fflags == other ||
		       differ(difference, pair, EAR_CSR_FFLAGS, 0, pair->records[0]->fflags,
			       &other);
	}
	for (unsigned side = 0; side < 2; side++) {
		if (!shown[side])
			continue;
		if (pair->equivalence->brings[1 - side] & SUMS)
			return explicit_csr(pair->records[side]) >= 0 ||
			       trapped(pair->records[side]) || same_sum(difference, pair, side);
		if (pair->records[side]->fflags)
			return use(pair, EAR_RULE_FLAGS_WITH_F);
	}
	return true;
}
