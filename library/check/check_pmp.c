/* Which memory a mode may use, by pmpcfg and pmpaddr as far as the trace has shown them.
 *
 * The entry with the lowest number that matches decides, so an answer needs all entries up to that
 * one. The range around an access that has the same answer is kept: most accesses that follow are
 * in it.
 */
#include "library/check/check_pmp.h"

#include <inttypes.h>

#include "library/check/check_status.h"

#define ENTRIES 64u
#define PMPCFG  0x3a0u
#define PMPADDR 0x3b0u
#define MSECCFG 0x747u
#define SATP    0x180u
#define READ    1u
#define WRITE   2u
#define EXECUTE 4u
#define LOCKED  0x80u
#define GRANULE 12u /* of a core whose granularity nobody knows: up to 4 KiB */

enum mode { OFF, TOR, NA4, NAPOT };

enum answer { ALLOWED, DENIED, UNKNOWN };

struct area {
	uint64_t first, last; /* first > last: empty */
};

/* The byte of pmpcfg for an entry. */
static struct check_value get_config(const struct check_hart *hart, unsigned entry)
{
	unsigned number = hart->xlen == 32 ? entry / 4 : entry / 8 * 2;
	unsigned byte = entry % (hart->xlen == 32 ? 4 : 8);
	const struct check_value *csr = &hart->csrs[PMPCFG + number];

	return (struct check_value){csr->value >> 8 * byte & 0xff, csr->known};
}

static unsigned mode_of(uint64_t config)
{
	return config >> 3 & 3;
}

/* The memory of an entry that is not off; false: its address is not known. coarse: as a core with
 * the largest granules has it. */
static bool find_area(const struct check_hart *hart, unsigned entry, unsigned mode, bool coarse,
	struct area *area)
{
	const struct check_value *address = &hart->csrs[PMPADDR + entry];
	const uint64_t granule = coarse ? (UINT64_C(1) << GRANULE) - 1 : 0;

	if (!address->known)
		return false;
	if (mode == TOR) {
		struct check_value below = {0, true};
		if (entry > 0)
			below = address[-1];
		area->first = (below.value << 2) & ~granule;
		area->last = ((address->value << 2) & ~granule) - 1;
		if (area->last == UINT64_MAX) { /* up to address 0 */
			area->first = 1;
			area->last = 0;
		}
		return below.known;
	}
	/* The lowest bits, up to the first 0, say the size. */
	uint64_t bits = address->value & (hart->xlen == 32 ? UINT32_MAX : (UINT64_C(1) << 54) - 1);
	uint64_t inside = mode == NA4 ? 3 : ((bits ^ (bits + 1)) << 2 | 3);
	inside |= granule;
	area->first = bits << 2 & ~inside;
	area->last = area->first | inside;
	return true;
}

/* Lower entries are not in what an entry decides of the range. */
static void cut(struct area *range, const struct area *other, uint64_t address)
{
	if (other->last < address && other->last >= range->first)
		range->first = other->last + 1;
	if (other->first > address && other->first <= range->last)
		range->last = other->first - 1;
}

/* range: around the access, where the answer is the same. */
static enum answer ask(const struct check_hart *hart, unsigned privilege, unsigned wanted,
	uint64_t address, unsigned size, bool coarse, struct area *range)
{
	const uint64_t end = address + size - 1;

	*range = (struct area){0, UINT64_MAX};
	for (unsigned entry = 0; entry < ENTRIES; entry++) {
		struct check_value config = get_config(hart, entry);
		struct area area;
		if (!config.known)
			return UNKNOWN;
		unsigned mode = mode_of(config.value);
		if (mode == OFF)
			continue;
		if (!find_area(hart, entry, mode, coarse, &area))
			return UNKNOWN;
		if (area.first > area.last)
			continue;
		if (area.first > end || area.last < address) {
			cut(range, &area, address);
			continue;
		}
		range->first = range->first > area.first ? range->first : area.first;
		range->last = range->last < area.last ? range->last : area.last;
		/* A part of it: a core may do it in pieces. Writing without reading is reserved. */
		if (area.first > address || area.last < end ||
			(config.value & (READ | WRITE)) == WRITE)
			return UNKNOWN;
		if (privilege == EAR_PRIVILEGE_M && !(config.value & LOCKED))
			return ALLOWED;
		return config.value & wanted ? ALLOWED : DENIED;
	}
	return privilege == EAR_PRIVILEGE_M ? ALLOWED : DENIED;
}

/* How the hart uses its entries; kept until one of them changes. */
static void renew(struct check_hart *hart)
{
	struct check_pmp *pmp = &hart->pmp;

	check_pmp_close(hart);
	pmp->valid = true;
	pmp->used = pmp->locked = false;
	for (unsigned entry = 0; entry < ENTRIES; entry++) {
		struct check_value config = get_config(hart, entry);
		bool used = config.known && mode_of(config.value) != OFF;
		pmp->used |= used;
		pmp->locked |= used && config.value & LOCKED;
	}
}

bool check_pmp_is_bare(const struct check_hart *hart, unsigned privilege)
{
	const struct check_value *satp = &hart->csrs[SATP];

	return privilege == EAR_PRIVILEGE_M || (satp->known && satp->value == 0) ||
	       (!satp->known && !(hart->modes_seen & 1u << EAR_PRIVILEGE_S));
}

enum check_pmp_use check_pmp_use(struct check_hart *hart, struct check_value mode)
{
	struct check_value mprv = check_status_bit(hart, CHECK_STATUS_MPRV);

	if (!hart->pmp.valid)
		renew(hart);
	if (!hart->pmp.used || !mode.known || hart->csrs[MSECCFG].value /* other rules */)
		return mode.known && mode.value == EAR_PRIVILEGE_M && !hart->pmp.locked
			       ? CHECK_PMP_NONE
			       : CHECK_PMP_UNKNOWN;
	if (hart->pmp.mode != mode.value) {
		check_pmp_close(hart);
		hart->pmp.mode = (uint8_t)mode.value;
	}
	if (mode.value == EAR_PRIVILEGE_M && !hart->pmp.locked && !mprv.value)
		return CHECK_PMP_NONE;
	return CHECK_PMP_ACTIVE;
}

static const char *name_kind(enum check_pmp_kind kind)
{
	static const char *const names[] = {"executed", "read", "written"};

	return names[kind];
}

static void judge(struct ear_checker *checker, struct check_hart *hart, unsigned privilege,
	enum check_pmp_kind kind, uint64_t address, unsigned size)
{
	static const uint8_t wanted[] = {EXECUTE, READ, WRITE};
	static const char names[] = "US?M";
	struct area range, other;

	enum answer answer = ask(hart, privilege, wanted[kind], address, size, false, &range);
	if (answer == DENIED &&
		ask(hart, privilege, wanted[kind], address, size, true, &other) != DENIED)
		answer = UNKNOWN;
	switch (answer) {
	case ALLOWED:
		hart->pmp.allowed[kind] = (struct check_pmp_range){range.first, range.last};
		check_pass(checker, EAR_CHECK_PMP);
		break;
	case UNKNOWN: check_skip(checker, EAR_CHECK_PMP, EAR_CHECK_UNKNOWN); break;
	case DENIED:
		check_violate(checker, EAR_CHECK_PMP, 0, address,
			"0x%" PRIx64 " is %s in mode %c, and PMP does not allow it", address,
			name_kind(kind), names[privilege & 3]);
		break;
	}
}

/* The privilege by which loads and stores are judged. */
static struct check_value data_mode(const struct check_hart *hart, struct check_value mode)
{
	struct check_value mprv = check_status_bit(hart, CHECK_STATUS_MPRV);

	if (mode.value != EAR_PRIVILEGE_M || (mprv.known && !mprv.value))
		return mode;
	return mprv.known ? check_status_mpp(hart) : (struct check_value){0, false};
}

void check_pmp(struct ear_checker *checker, struct check_hart *hart)
{
	const struct ear_record *record = checker->record;
	struct check_value mode = check_privilege(hart, record);

	switch (check_pmp_use(hart, mode)) {
	case CHECK_PMP_NONE: return;
	case CHECK_PMP_UNKNOWN:
		checker->counts.rules[EAR_CHECK_PMP].unchecked[EAR_CHECK_UNKNOWN] +=
			1 + record->memory_count;
		return;
	case CHECK_PMP_ACTIVE: break;
	}
	bool physical = record->flags & EAR_RECORD_PC_PHYSICAL;
	unsigned privilege = (unsigned)mode.value;
	if (physical || check_pmp_is_bare(hart, privilege))
		judge(checker, hart, privilege, CHECK_PMP_FETCH,
			physical ? record->pc_physical : check_word(hart, record->pc),
			record->opcode_size == 2 ? 2 : 4);
	else
		check_skip(checker, EAR_CHECK_PMP, EAR_CHECK_UNKNOWN);
	struct check_value data = data_mode(hart, mode);
	for (size_t i = 0; i < record->memory_count; i++) {
		const struct ear_record_access *access = &record->memory[i];
		if (access->masked || access->aborted)
			continue;
		if (data.known && access->size > 0 && access->size <= 8 && access->has_value &&
			(access->has_physical || check_pmp_is_bare(hart, (unsigned)data.value)))
			judge(checker, hart, (unsigned)data.value,
				access->write ? CHECK_PMP_WRITE : CHECK_PMP_READ,
				access->has_physical ? access->physical
						     : check_word(hart, access->address),
				access->size);
		else
			check_skip(checker, EAR_CHECK_PMP, EAR_CHECK_UNKNOWN);
	}
}
