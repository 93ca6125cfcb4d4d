#ifndef EAR_FIELD_H
#define EAR_FIELD_H

#include <earshot/record.h>
#include <stdint.h>

/* The fields of a record that not all formats can carry. A set of them describes a format; a field
 * that a record has and its target cannot carry is reported, never dropped silently.
 */
enum ear_field {
	EAR_FIELD_HART, /* a hart other than 0 */
	EAR_FIELD_TIME,
	EAR_FIELD_PC_PHYSICAL, /* a physical pc that differs from pc */
	EAR_FIELD_OPCODE,
	EAR_FIELD_PRIVILEGE,
	EAR_FIELD_SECURITY,
	EAR_FIELD_TAKEN,     /* that a branch was taken, and where to */
	EAR_FIELD_TRAP,      /* the cause of an exception */
	EAR_FIELD_INTERRUPT, /* an interrupt taken, and its cause */
	EAR_FIELD_X_WRITE,
	EAR_FIELD_F_WRITE,
	EAR_FIELD_FFLAGS,
	EAR_FIELD_CSR_WRITE,
	EAR_FIELD_V_WRITE,
	EAR_FIELD_NAMED_WRITE, /* a register of another instruction set */
	EAR_FIELD_LOAD_ADDRESS,
	EAR_FIELD_LOAD_VALUE,
	EAR_FIELD_STORE_ADDRESS,
	EAR_FIELD_STORE_VALUE,
	EAR_FIELD_ACCESS_SIZE,   /* if it does not follow from the opcode */
	EAR_FIELD_DATA_PHYSICAL, /* a physical data address that differs from the virtual one */
	EAR_FIELD_MASKED,        /* masked elements of a vector access */
	EAR_FIELD_ABORTED,
	EAR_FIELD_BUS,           /* attributes of bus cycles, and idle cycles */
	EAR_FIELD_LONE_ACCESS,   /* accesses without an instruction */
	EAR_FIELD_LONE_REGISTER, /* register changes without an instruction */
	EAR_FIELD_FETCH_WALK,
	EAR_FIELD_DATA_WALK,
	EAR_FIELD_SKIPPED,     /* conditional instructions that were not executed */
	EAR_FIELD_OTHER_ISA,   /* instructions that are not RISC-V */
	EAR_FIELD_DISASSEMBLY, /* a text of the source that differs from the instruction table */
	EAR_FIELD_GAP,
	EAR_FIELD_EVENT,
	EAR_FIELD_READ_VALUE,    /* values of registers that were read, by the source */
	EAR_FIELD_TRAP_VALUE,    /* without a CSR write of the trap */
	EAR_FIELD_CAUSELESS,     /* a trap with an unknown cause */
	EAR_FIELD_WIDE_OPCODE,   /* the bits above 32 of a format that no instruction has */
	EAR_FIELD_TRIGGER,       /* that a debug trigger caused a trap */
	EAR_FIELD_REGISTER_NOTE, /* what the source says after the value of a register */
	EAR_FIELD_UNKNOWN_DIGIT, /* digits of an access's value that are not known */
	EAR_FIELD_ACCESS_TIME,   /* when an access happened, beside the time of its instruction */
	EAR_FIELD_INFERRED,      /* values that the source does not have: extra->inferred */
	EAR_FIELD_COUNT
};

#define EAR_FIELD_BIT(field) ((uint64_t)1 << (field))
#define EAR_FIELDS_ALL       (EAR_FIELD_BIT(EAR_FIELD_COUNT) - 1)

/* The set of fields that *record has (EAR_FIELD_BIT). */
uint64_t ear_record_fields(const struct ear_record *record);

/* A phrase for warnings, "physical pc". Static. */
const char *ear_field_text(enum ear_field field);

#endif
