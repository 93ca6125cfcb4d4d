/* Which fields a record has, as a set of bits, and their names.
 *
 * A conversion compares this set with that of its target, for every record, so each condition
 * becomes a bit without a list or an allocation.
 */
#include "decoder/record/field.h"

static uint64_t bit_if(bool condition, enum ear_field field)
{
	return condition ? EAR_FIELD_BIT(field) : 0;
}

static uint64_t register_fields(const struct ear_record *record)
{
	static const uint8_t fields[] = {
		[EAR_REGISTER_X] = EAR_FIELD_X_WRITE,
		[EAR_REGISTER_F] = EAR_FIELD_F_WRITE,
		[EAR_REGISTER_CSR] = EAR_FIELD_CSR_WRITE,
		[EAR_REGISTER_V] = EAR_FIELD_V_WRITE,
		[EAR_REGISTER_NAMED] = EAR_FIELD_NAMED_WRITE,
	};
	uint64_t set = 0;

	for (size_t i = 0; i < record->register_count; i++)
		set |= EAR_FIELD_BIT(fields[record->registers[i].reg_class]);
	if (!(set & EAR_FIELD_BIT(EAR_FIELD_NAMED_WRITE)))
		return set;
	for (size_t i = 0; i < record->register_count; i++)
		set |= bit_if(
			ear_register_note(&record->registers[i]).text, EAR_FIELD_REGISTER_NOTE);
	return set;
}

static uint64_t access_fields(const struct ear_record_access *access)
{
	uint64_t set =
		EAR_FIELD_BIT(access->write ? EAR_FIELD_STORE_ADDRESS : EAR_FIELD_LOAD_ADDRESS);

	if (access->has_value)
		set |= EAR_FIELD_BIT(access->write ? EAR_FIELD_STORE_VALUE : EAR_FIELD_LOAD_VALUE);
	set |= bit_if(access->has_physical && access->physical != access->address,
		EAR_FIELD_DATA_PHYSICAL);
	set |= bit_if(access->masked, EAR_FIELD_MASKED);
	set |= bit_if(access->aborted, EAR_FIELD_ABORTED);
	set |= bit_if(access->attributes != 0, EAR_FIELD_BUS);
	set |= bit_if(access->unknown != 0, EAR_FIELD_UNKNOWN_DIGIT);
	return set;
}

/* The opcode of a RISC-V instruction gives the size of its access. */
static bool opcode_gives_size(const struct ear_record *record)
{
	return record->kind == EAR_RECORD_INSTRUCTION && record->isa == EAR_ISA_RISCV &&
	       !(record->flags & EAR_RECORD_NO_OPCODE);
}

static uint64_t extra_fields(const struct ear_record_extra *extra)
{
	uint64_t set = bit_if(extra->disassembly.size > 0, EAR_FIELD_DISASSEMBLY) |
		       bit_if(extra->read_count > 0, EAR_FIELD_READ_VALUE) |
		       bit_if(extra->has_trap_value, EAR_FIELD_TRAP_VALUE) |
		       bit_if(extra->wide_opcode != 0, EAR_FIELD_WIDE_OPCODE) |
		       bit_if(extra->has_trigger, EAR_FIELD_TRIGGER) |
		       bit_if(extra->access_times, EAR_FIELD_ACCESS_TIME) |
		       bit_if(extra->inferred, EAR_FIELD_INFERRED);

	for (size_t i = 0; i < extra->walk_count; i++)
		set |= EAR_FIELD_BIT(
			extra->walks[i].data ? EAR_FIELD_DATA_WALK : EAR_FIELD_FETCH_WALK);
	return set;
}

/* The fields that flags alone show, of the lower 7 flags and of the upper 7: tables, because every
 * record of a conversion is looked at.
 */
#define LOWER_BITS 7

#define BIT_OF(flag, field) ((flag) ? EAR_FIELD_BIT(field) : 0)
#define LOWER(flags) \
	(BIT_OF((flags)&EAR_RECORD_TAKEN, EAR_FIELD_TAKEN) | \
		BIT_OF((flags)&EAR_RECORD_TRAP, EAR_FIELD_TRAP) | \
		BIT_OF((flags)&EAR_RECORD_INTERRUPT, EAR_FIELD_INTERRUPT))
#define UPPER(flags) \
	(BIT_OF(!((flags) << LOWER_BITS & EAR_RECORD_NO_OPCODE), EAR_FIELD_OPCODE) | \
		BIT_OF(!((flags) << LOWER_BITS & EAR_RECORD_NO_PRIVILEGE), EAR_FIELD_PRIVILEGE) | \
		BIT_OF((flags) << LOWER_BITS & EAR_RECORD_HAS_SECURITY, EAR_FIELD_SECURITY) | \
		BIT_OF((flags) << LOWER_BITS & EAR_RECORD_NO_CAUSE, EAR_FIELD_CAUSELESS) | \
		BIT_OF((flags) << LOWER_BITS & EAR_RECORD_SKIPPED, EAR_FIELD_SKIPPED))

#define ALL_2(of, flags) of(flags), of((flags) + 1)
#define ALL_8(of, flags) \
	ALL_2(of, flags), ALL_2(of, (flags) + 2), ALL_2(of, (flags) + 4), ALL_2(of, (flags) + 6)
#define ALL_32(of, flags) \
	ALL_8(of, flags), ALL_8(of, (flags) + 8), ALL_8(of, (flags) + 16), ALL_8(of, (flags) + 24)
#define ALL_128(of) ALL_32(of, 0), ALL_32(of, 32), ALL_32(of, 64), ALL_32(of, 96)

static const uint64_t lower_fields[] = {ALL_128(LOWER)}, upper_fields[] = {ALL_128(UPPER)};

_Static_assert(EAR_RECORD_INTERRUPT < 1 << LOWER_BITS && EAR_RECORD_SKIPPED >= 1 << LOWER_BITS &&
		       EAR_RECORD_NO_CAUSE < 1 << 2 * LOWER_BITS,
	"two tables have all flags");

static uint64_t instruction_fields(const struct ear_record *record)
{
	const uint32_t flags = record->flags, mask = (1u << LOWER_BITS) - 1;
	uint64_t set = lower_fields[flags & mask] | upper_fields[flags >> LOWER_BITS & mask];

	set |= bit_if(flags & EAR_RECORD_PC_PHYSICAL && record->pc_physical != record->pc,
		EAR_FIELD_PC_PHYSICAL);
	set |= bit_if(record->fflags != 0, EAR_FIELD_FFLAGS);
	set |= bit_if(record->isa != EAR_ISA_RISCV, EAR_FIELD_OTHER_ISA);
	return set;
}

uint64_t ear_record_fields(const struct ear_record *record)
{
	uint64_t set = bit_if(record->hart != 0, EAR_FIELD_HART) |
		       bit_if(record->flags & EAR_RECORD_HAS_TIME, EAR_FIELD_TIME);

	if (record->extra)
		set |= extra_fields(record->extra);
	set |= register_fields(record);
	for (size_t i = 0; i < record->memory_count; i++) {
		set |= access_fields(&record->memory[i]);
		set |= bit_if(record->memory[i].size != 0 && !opcode_gives_size(record),
			EAR_FIELD_ACCESS_SIZE);
	}
	switch (record->kind) {
	case EAR_RECORD_INSTRUCTION: set |= instruction_fields(record); break;
	case EAR_RECORD_GAP: set |= EAR_FIELD_BIT(EAR_FIELD_GAP); break;
	case EAR_RECORD_EVENT: set |= EAR_FIELD_BIT(EAR_FIELD_EVENT); break;
	case EAR_RECORD_MEMORY: set |= EAR_FIELD_BIT(EAR_FIELD_LONE_ACCESS); break;
	case EAR_RECORD_IDLE: set |= EAR_FIELD_BIT(EAR_FIELD_BUS); break;
	case EAR_RECORD_REGISTERS: set |= EAR_FIELD_BIT(EAR_FIELD_LONE_REGISTER); break;
	default: break;
	}
	return set;
}

const char *ear_field_text(enum ear_field field)
{
	static const char *const texts[] = {
		[EAR_FIELD_HART] = "hart",
		[EAR_FIELD_TIME] = "time",
		[EAR_FIELD_PC_PHYSICAL] = "physical pc",
		[EAR_FIELD_OPCODE] = "opcode",
		[EAR_FIELD_PRIVILEGE] = "privilege",
		[EAR_FIELD_SECURITY] = "security state",
		[EAR_FIELD_TAKEN] = "branch taken",
		[EAR_FIELD_TRAP] = "trap cause",
		[EAR_FIELD_INTERRUPT] = "interrupt",
		[EAR_FIELD_X_WRITE] = "integer register write",
		[EAR_FIELD_F_WRITE] = "floating-point register write",
		[EAR_FIELD_FFLAGS] = "floating-point flags",
		[EAR_FIELD_CSR_WRITE] = "CSR write",
		[EAR_FIELD_V_WRITE] = "vector register write",
		[EAR_FIELD_NAMED_WRITE] = "register of another instruction set",
		[EAR_FIELD_LOAD_ADDRESS] = "load address",
		[EAR_FIELD_LOAD_VALUE] = "load value",
		[EAR_FIELD_STORE_ADDRESS] = "store address",
		[EAR_FIELD_STORE_VALUE] = "store value",
		[EAR_FIELD_ACCESS_SIZE] = "access size",
		[EAR_FIELD_DATA_PHYSICAL] = "physical data address",
		[EAR_FIELD_MASKED] = "masked vector element",
		[EAR_FIELD_ABORTED] = "aborted access",
		[EAR_FIELD_BUS] = "bus cycle attributes",
		[EAR_FIELD_LONE_ACCESS] = "access without an instruction",
		[EAR_FIELD_LONE_REGISTER] = "register change without an instruction",
		[EAR_FIELD_FETCH_WALK] = "page walk of a fetch",
		[EAR_FIELD_DATA_WALK] = "page walk of an access",
		[EAR_FIELD_SKIPPED] = "instruction not executed",
		[EAR_FIELD_OTHER_ISA] = "instruction set other than RISC-V",
		[EAR_FIELD_DISASSEMBLY] = "disassembly of the source",
		[EAR_FIELD_GAP] = "gap",
		[EAR_FIELD_EVENT] = "event",
		[EAR_FIELD_READ_VALUE] = "value of a register that was read",
		[EAR_FIELD_TRAP_VALUE] = "trap value",
		[EAR_FIELD_CAUSELESS] = "trap without a cause",
		[EAR_FIELD_WIDE_OPCODE] = "opcode of more than 32 bits",
		[EAR_FIELD_TRIGGER] = "debug trigger of a trap",
		[EAR_FIELD_REGISTER_NOTE] = "text after a register value",
		[EAR_FIELD_UNKNOWN_DIGIT] = "unknown digit of an access",
		[EAR_FIELD_ACCESS_TIME] = "time of an access",
		[EAR_FIELD_INFERRED] = "inferred value",
	};

	return (unsigned)field < EAR_FIELD_COUNT ? texts[field] : "unknown field";
}
