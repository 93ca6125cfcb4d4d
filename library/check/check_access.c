/* Loads, stores and atomics: where, what, and whether memory still holds it. */
#include "library/check/check_access.h"

#include <inttypes.h>
#include <stdio.h>

#include "library/check/check_image.h"

#define CSR_SATP 0x180u
#define BOX      (UINT64_C(0xffffffff) << 32)
#define AMO_SWAP 1u /* funct5 */

/* What an instruction must do to memory. */
struct expected {
	uint64_t address;
	bool address_known;
	unsigned size;
	bool reads, writes;
	struct check_value stored;
};

static uint64_t low_bytes(uint64_t value, unsigned size)
{
	return size >= 8 ? value : value & ((UINT64_C(1) << 8 * size) - 1);
}

static unsigned size_of(const struct ear_semantics *op)
{
	return 1u << (ear_semantics_bits(op->wide, 12, 3) & 3);
}

/* Where memory is kept under: by physical addresses where there are any. False: the virtual one
 * says too little. */
static bool find_place(const struct ear_checker *checker, const struct check_hart *hart,
	const struct ear_record_access *access, uint64_t *address)
{
	const struct check_value *satp = &hart->csrs[CSR_SATP];

	*address = access->has_physical ? access->physical : check_word(hart, access->address);
	if (checker->may_be_virtual)
		return access->has_physical;
	return access->has_physical || checker->record->privilege == EAR_PRIVILEGE_M ||
	       !satp->known || satp->value == 0;
}

/* loaded: what the register that was loaded says of a value that the source does not show. */
static void follow_load(struct ear_checker *checker, struct check_hart *hart,
	const struct ear_record_access *shown, const struct ear_record_access *loaded)
{
	const struct ear_record_access *access =
		loaded && !ear_access_is_known(shown) ? loaded : shown;
	uint64_t address, expected;
	char name[32];

	if (!ear_access_is_known(access) || access->size == 0 || access->size > 8) {
		check_skip(checker, EAR_CHECK_LOADED, EAR_CHECK_ABSENT);
		return;
	}
	if (!find_place(checker, hart, access, &address)) {
		check_skip(checker, EAR_CHECK_LOADED, EAR_CHECK_UNKNOWN);
		return;
	}
	if (check_in_device(checker, address, access->size)) {
		check_skip(checker, EAR_CHECK_LOADED, EAR_CHECK_CHANGES);
		return;
	}
	uint64_t value = low_bytes(access->value, access->size);
	bool program = check_image_load(checker, address, access->size);
	switch (ear_check_memory_load(&checker->memory, address, access->size, value, &expected)) {
	case EAR_CHECK_LOAD_SAME: check_pass(checker, EAR_CHECK_LOADED); break;
	case EAR_CHECK_LOAD_NEW: check_skip(checker, EAR_CHECK_LOADED, EAR_CHECK_UNKNOWN); break;
	case EAR_CHECK_LOAD_CHANGES:
		check_skip(checker, EAR_CHECK_LOADED, EAR_CHECK_CHANGES);
		break;
	case EAR_CHECK_LOAD_DIFFERS:
		if (checker->shared)
			check_skip(checker, EAR_CHECK_LOADED, EAR_CHECK_CHANGES);
		else
			check_violate(checker, EAR_CHECK_LOADED, expected, value,
				"%s returns 0x%" PRIx64 " from 0x%" PRIx64 ", where %s0x%" PRIx64
				"%s",
				check_mnemonic(checker, name, sizeof(name)), value, access->address,
				program ? "the program has " : "", expected,
				program ? "" : " was stored");
		break;
	}
}

static void follow_store(struct ear_checker *checker, const struct check_hart *hart,
	const struct ear_record_access *access)
{
	uint64_t address;

	if (!find_place(checker, hart, access, &address) || !ear_access_is_known(access) ||
		access->size == 0 || access->size > 8) {
		/* What is there now is not known, nor perhaps how much. */
		ear_check_memory_forget(&checker->memory);
		return;
	}
	if (check_in_device(checker, address, access->size)) /* perhaps not all of it */
		ear_check_memory_lose(&checker->memory, address, access->size);
	else
		ear_check_memory_store(&checker->memory, address, access->size, access->value);
}

static void follow(struct ear_checker *checker, struct check_hart *hart,
	const struct ear_record_access *loaded)
{
	const struct ear_record *record = checker->record;

	for (size_t i = 0; i < record->memory_count; i++) {
		const struct ear_record_access *access = &record->memory[i];
		if (access->masked || access->aborted)
			continue;
		if (access->write)
			follow_store(checker, hart, access);
		else
			follow_load(checker, hart, access, loaded);
	}
}

void check_no_accesses(struct ear_checker *checker, bool judge)
{
	const struct ear_record *record = checker->record;
	char name[32];

	if (record->memory_count == 0)
		return;
	if (judge)
		check_violate(checker, EAR_CHECK_ACCESS, 0, record->memory[0].address,
			"%s accesses memory at 0x%" PRIx64,
			check_mnemonic(checker, name, sizeof(name)), record->memory[0].address);
	else
		check_skip(checker, EAR_CHECK_ACCESS, EAR_CHECK_EXTENSION);
	follow(checker, checker->last, NULL);
}

/* What an instruction does ------------------------------------------------------------------------
 */

static struct expected expect(const struct check_hart *hart, const struct ear_semantics *op,
	const struct check_operands *operands)
{
	struct expected expected = {
		.address = check_word(hart, operands->a.value + (uint64_t)(int64_t)op->imm),
		.address_known = operands->a.known,
		.size = size_of(op),
		.stored = operands->b,
	};

	switch (op->kind) {
	case EAR_SEM_SB:
	case EAR_SEM_SH:
	case EAR_SEM_SW:
	case EAR_SEM_SD:
	case EAR_SEM_SC: expected.writes = true; break;
	case EAR_SEM_FSTORE: {
		unsigned number = ear_semantics_bits(op->wide, 20, 5);
		expected.writes = true;
		expected.stored =
			(struct check_value){hart->f[number], hart->f_known >> number & 1};
		break;
	}
	case EAR_SEM_AMO: expected.reads = expected.writes = true; break;
	default: expected.reads = true; break;
	}
	return expected;
}

static const struct ear_record_access *find_access(const struct ear_record *record, bool write)
{
	for (size_t i = 0; i < record->memory_count; i++)
		if (record->memory[i].write == write)
			return &record->memory[i];
	return NULL;
}

/* The record shows the access in pieces, as a port does that is narrower than it, or that cannot do
 * a misaligned one: as one access. Returns false if they do not make up one. */
static bool join_pieces(
	const struct ear_record *record, bool write, unsigned size, struct ear_record_access *whole)
{
	uint64_t first = UINT64_MAX, last = 0;
	unsigned seen = 0; /* bytes, a bit each */

	*whole = (struct ear_record_access){
		.write = write, .has_value = true, .size = (uint8_t)size};
	for (size_t i = 0; i < record->memory_count; i++) {
		const struct ear_record_access *piece = &record->memory[i];
		if (piece->write != write || piece->size == 0 || piece->size > size ||
			piece->masked || piece->aborted)
			return false;
		first = piece->address < first ? piece->address : first;
		last = piece->address + piece->size > last ? piece->address + piece->size : last;
	}
	if (last - first != size)
		return false;
	whole->address = first;
	for (size_t i = 0; i < record->memory_count; i++) {
		const struct ear_record_access *piece = &record->memory[i];
		uint64_t offset = piece->address - first;
		if (offset >= size) /* around the end of all addresses */
			return false;
		unsigned bytes = ((1u << piece->size) - 1) << offset;
		if (seen & bytes)
			return false;
		seen |= bytes;
		whole->value |= low_bytes(piece->value, piece->size) << 8 * offset;
		whole->has_value &= ear_access_is_known(piece);
	}
	return seen == (1u << size) - 1;
}

/* A port of 32 bits may show half of a double only. */
static bool is_half(const struct check_hart *hart, const struct expected *expected,
	const struct ear_record_access *access)
{
	return hart->xlen == 32 && expected->size == 8 && access && access->size == 4;
}

/* A text may list a double of a 32-bit hart whose upper half its source did not have: then that
 * half is 0, as in the text log of Whisper. What was stored is as if a port had shown half of it.
 */
static const struct ear_record_access *listed_half(const struct ear_checker *checker,
	const struct check_hart *hart, const struct expected *expected,
	const struct ear_record_access *write, struct ear_record_access *half)
{
	if (!write || checker->options.captured || hart->xlen != 32 || expected->size != 8 ||
		write->size != 8 || write->value >> 32 != 0)
		return write;
	*half = *write;
	half->size = 4;
	return half;
}

/* The other half, as the f register says it: it is loaded or stored, too. */
static void follow_other_half(struct ear_checker *checker, struct check_hart *hart,
	const struct ear_record_access *access, const struct check_value *value)
{
	struct ear_record_access half = *access;

	half.address = check_word(hart, access->address + access->size);
	half.physical = access->physical + access->size;
	half.value = value->value >> 8 * access->size;
	half.has_value = value->known;
	half.unknown = 0;
	if (half.has_physical && half.physical % 4096 == 0) { /* on another page, somewhere */
		if (half.write)
			ear_check_memory_forget(&checker->memory);
		return;
	}
	if (half.write)
		follow_store(checker, hart, &half);
	else if (value->known)
		follow_load(checker, hart, &half, NULL);
}

/* Did SC fail? With x0 as its register, only what it stored says so. */
static bool has_failed(const struct ear_record *record)
{
	const struct ear_record_register *rd = check_written(record, EAR_REGISTER_X, -1);
	const struct ear_record_access *write = find_access(record, true);

	if (rd && rd->number != 0)
		return rd->value != 0;
	return !write || !ear_access_is_known(write);
}

/* One access as the record shows it, NULL if it does not. */
static void check_one(struct ear_checker *checker, const struct check_hart *hart,
	const struct expected *expected, const struct ear_record_access *access, bool write)
{
	char name[32];

	if (!access) {
		if (checker->options.captured)
			check_violate(checker, EAR_CHECK_ACCESS, expected->address, 0,
				"%s does not %s memory",
				check_mnemonic(checker, name, sizeof(name)),
				write ? "write" : "read");
		else
			check_skip(checker, EAR_CHECK_ACCESS, EAR_CHECK_ABSENT);
		return;
	}
	bool sized = access->size == 0 || access->size == expected->size ||
		     is_half(hart, expected, access);
	uint64_t address = check_word(hart, access->address);
	if (!expected->address_known)
		check_skip(checker, EAR_CHECK_ACCESS, EAR_CHECK_UNKNOWN);
	else if (address == expected->address && sized)
		check_pass(checker, EAR_CHECK_ACCESS);
	else
		check_violate(checker, EAR_CHECK_ACCESS, expected->address, address,
			"%s %s %u bytes at 0x%" PRIx64 ", not %u at 0x%" PRIx64,
			check_mnemonic(checker, name, sizeof(name)), write ? "writes" : "reads",
			access->size, address, expected->size, expected->address);
}

static void check_stored(struct ear_checker *checker, const struct check_hart *hart,
	const struct expected *expected, const struct check_value *value,
	const struct ear_record_access *access)
{
	if (!access || !ear_access_is_known(access) || access->size == 0 ||
		(access->size != expected->size && !is_half(hart, expected, access)))
		check_skip(checker, EAR_CHECK_STORED, EAR_CHECK_ABSENT);
	else if (!value->known)
		check_skip(checker, EAR_CHECK_STORED, EAR_CHECK_UNKNOWN);
	else
		check_equal(checker, EAR_CHECK_STORED, low_bytes(value->value, access->size),
			low_bytes(access->value, access->size), "the value stored");
}

/* What rd becomes by a value loaded. */
static uint64_t extend(
	const struct check_hart *hart, const struct ear_semantics *op, uint64_t value)
{
	switch (op->kind) {
	case EAR_SEM_LB: return check_word(hart, (uint64_t)(int64_t)(int8_t)value);
	case EAR_SEM_LH: return check_word(hart, (uint64_t)(int64_t)(int16_t)value);
	case EAR_SEM_LBU: return (uint8_t)value;
	case EAR_SEM_LHU: return (uint16_t)value;
	case EAR_SEM_LWU: return (uint32_t)value;
	case EAR_SEM_LD: return value;
	default: /* LW, LR, AMO */
		return size_of(op) == 4 ? check_word(hart, (uint64_t)(int64_t)(int32_t)value)
					: value;
	}
}

/* flw and fld: the register that they write. Of a half of a double its half. */
static void check_float_load(struct ear_checker *checker, struct check_hart *hart,
	const struct ear_semantics *op, const struct expected *wanted,
	const struct ear_record_access *access)
{
	unsigned rd = ear_semantics_bits(op->wide, 7, 5);
	const struct ear_record_register *shown =
		check_written(checker->record, EAR_REGISTER_F, (int)rd);
	bool half = is_half(hart, wanted, access);

	if (!shown || !access || !ear_access_is_known(access) ||
		(access->size != wanted->size && !half)) {
		check_skip(checker, EAR_CHECK_RESULT, EAR_CHECK_ABSENT);
		if (!shown)
			hart->f_known &= ~(1u << rd);
		return;
	}
	uint64_t expected = low_bytes(access->value, access->size);
	if (wanted->size == 4) {
		if (hart->flen == 0)
			hart->flen = (shown->value & BOX) == BOX ? 64 : 32;
		expected |= hart->flen == 64 ? BOX : 0;
	}
	if (half) {
		const struct check_value value = {shown->value, true};
		expected |= shown->value & BOX;
		follow_other_half(checker, hart, access, &value);
	}
	check_equal(checker, EAR_CHECK_RESULT, expected, shown->value, "the register");
}

static struct check_value check_sc(
	struct ear_checker *checker, struct check_hart *hart, const struct expected *expected)
{
	const struct ear_record *record = checker->record;
	bool failed = has_failed(record);
	const struct ear_record_register *rd = check_written(record, EAR_REGISTER_X, -1);
	const struct ear_record_access *access = find_access(record, true);
	char name[32];

	if (failed && access && ear_access_is_known(access))
		check_violate(checker, EAR_CHECK_ACCESS, 0, access->address,
			"%s fails, and writes memory", check_mnemonic(checker, name, sizeof(name)));
	if (!failed) {
		check_one(checker, hart, expected, access, true);
		check_stored(checker, hart, expected, &expected->stored, access);
		if (hart->reserved.known && !hart->reserved.value)
			check_violate(checker, EAR_CHECK_RESULT, 1, 0,
				"%s succeeds without a reservation",
				check_mnemonic(checker, name, sizeof(name)));
	}
	hart->reserved = (struct check_value){0, true};
	return (struct check_value){rd ? rd->value : 0, rd != NULL};
}

/* A load whose source shows where it read and not what: the register says it. */
static bool find_loaded(const struct ear_checker *checker, const struct check_hart *hart,
	const struct ear_semantics *op, const struct ear_record_access *read,
	struct ear_record_access *loaded)
{
	const struct ear_record_register *rd =
		check_written(checker->record, EAR_REGISTER_X, op->rd);

	if (!read || ear_access_is_known(read) || op->rd == 0 || !rd || op->kind == EAR_SEM_AMO ||
		op->kind == EAR_SEM_FLOAD || op->kind > EAR_SEM_LR)
		return false;
	*loaded = *read;
	loaded->size = (uint8_t)size_of(op);
	loaded->value = low_bytes(check_word(hart, rd->value), loaded->size);
	loaded->unknown = 0;
	loaded->has_value = true;
	return true;
}

/* What an atomic operation stores, *stored being its operand. A text may show what it read only in
 * the register; a swap stores its operand whatever that was.
 */
static void apply_amo(struct check_value *stored, const struct ear_semantics *op,
	const struct expected *expected, const struct check_value *read,
	const struct ear_record *record)
{
	const struct ear_record_register *rd = check_written(record, EAR_REGISTER_X, op->rd);
	struct check_value old = *read;

	if (!old.known && op->rd != 0 && rd)
		old = (struct check_value){rd->value, true};
	stored->known &= old.known || op->wide >> 27 == AMO_SWAP;
	stored->value = ear_semantics_amo(op->wide >> 27, expected->size, old.value, stored->value);
}

struct check_value check_accesses(struct ear_checker *checker, struct check_hart *hart,
	const struct ear_semantics *op, const struct check_operands *operands)
{
	const struct ear_record *record = checker->record;
	const struct expected expected = expect(hart, op, operands);
	const struct ear_record_access *read = find_access(record, false);
	const struct ear_record_access *write = find_access(record, true);
	struct check_value result = {0, false};
	struct ear_record_access loaded, whole, half;

	/* The text may be of one hart of several: an atomic access says that others use memory. */
	checker->shared |=
		!checker->options.captured &&
		(op->kind == EAR_SEM_LR || op->kind == EAR_SEM_SC || op->kind == EAR_SEM_AMO);
	bool pieces = record->memory_count > (expected.reads && expected.writes ? 2u : 1u);
	if (op->kind == EAR_SEM_SC) {
		result = check_sc(checker, hart, &expected);
		/* One that failed stores nothing, wherever it would have. */
		if (!has_failed(record) || (write && ear_access_is_known(write)))
			follow(checker, hart, NULL);
		return result;
	}
	if (pieces && expected.reads != expected.writes &&
		join_pieces(record, expected.writes, expected.size, &whole)) {
		read = expected.reads ? &whole : NULL;
		write = expected.writes ? &whole : NULL;
	} else if (pieces) {
		check_skip(checker, EAR_CHECK_ACCESS, EAR_CHECK_ABSENT);
		follow(checker, hart, NULL);
		return result;
	}
	write = listed_half(checker, hart, &expected, write, &half);
	if (expected.reads) {
		check_one(checker, hart, &expected, read, false);
		if (read && ear_access_is_known(read) && read->size == expected.size)
			result = (struct check_value){extend(hart, op, read->value), true};
	}
	if (expected.writes) {
		struct check_value stored = expected.stored;
		if (op->kind == EAR_SEM_AMO)
			apply_amo(&stored, op, &expected, &result, record);
		check_one(checker, hart, &expected, write, true);
		check_stored(checker, hart, &expected, &stored, write);
	}
	bool has_loaded = find_loaded(checker, hart, op, read, &loaded);
	if (has_loaded && !result.known)
		result = (struct check_value){extend(hart, op, loaded.value), true};
	follow(checker, hart, has_loaded ? &loaded : NULL);
	if (op->kind == EAR_SEM_FSTORE && is_half(hart, &expected, write))
		follow_other_half(checker, hart, write, &expected.stored);
	if (op->kind == EAR_SEM_FLOAD)
		check_float_load(checker, hart, op, &expected, read);
	if (op->kind == EAR_SEM_LR)
		hart->reserved = (struct check_value){1, true};
	return result;
}
