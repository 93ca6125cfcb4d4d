#ifndef EAR_ANALYSES_ISA_OPCODE_H
#define EAR_ANALYSES_ISA_OPCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/instruction.h>
#include <earshot/record.h>

/* What is counted of an opcode word, and of all of them: isa_coverage.h. */
#define EAR_ISA_DISTANCES 3 /* of hazards */
#define EAR_ISA_SLOTS     3 /* rd, rs1 and rs2, whose values are counted */

/* Classes of the value of an operand: of integers 7, of floating point 10. */
enum ear_isa_value {
	EAR_ISA_ZERO,
	EAR_ISA_ONE,
	EAR_ISA_MINUS_ONE,
	EAR_ISA_MIN, /* signed */
	EAR_ISA_MAX,
	EAR_ISA_POSITIVE, /* others */
	EAR_ISA_NEGATIVE,
	EAR_ISA_VALUE_COUNT,

	/* The order is that of fclass. */
	EAR_ISA_FLOAT_NEGATIVE_INFINITY = 0,
	EAR_ISA_FLOAT_NEGATIVE,
	EAR_ISA_FLOAT_NEGATIVE_SUBNORMAL,
	EAR_ISA_FLOAT_NEGATIVE_ZERO,
	EAR_ISA_FLOAT_ZERO,
	EAR_ISA_FLOAT_SUBNORMAL,
	EAR_ISA_FLOAT_POSITIVE,
	EAR_ISA_FLOAT_INFINITY,
	EAR_ISA_FLOAT_SIGNALING_NAN,
	EAR_ISA_FLOAT_QUIET_NAN,
	EAR_ISA_FLOAT_COUNT,
};

enum ear_isa_bin {
	EAR_ISA_TAKEN, /* of a conditional branch */
	EAR_ISA_NOT_TAKEN,
	EAR_ISA_ALIGNED, /* of an access of 2 bytes or more, to its size */
	EAR_ISA_MISALIGNED,
	EAR_ISA_CROSSES, /* the end of 4 KB */
	EAR_ISA_TRAPPED,
	EAR_ISA_AT_4, /* its address is a multiple of 4 */
	EAR_ISA_AT_2, /* or of 2 only */
	EAR_ISA_SC_STORED,
	EAR_ISA_SC_FAILED,
	EAR_ISA_RAW,                              /* reads what the instruction before it wrote, */
	EAR_ISA_LOAD_USE = EAR_ISA_RAW + 3,       /* or the one two or three before it; */
	EAR_ISA_WAW = EAR_ISA_LOAD_USE + 3,       /* the same of a load; writes what it wrote, */
	EAR_ISA_WAR = EAR_ISA_WAW + 3,            /* or what it read; */
	EAR_ISA_CSR_RAW = EAR_ISA_WAR + 3,        /* accesses the CSR that it wrote; */
	EAR_ISA_STORE_LOAD = EAR_ISA_CSR_RAW + 3, /* loads bytes that it stored */
	EAR_ISA_SIGNS = EAR_ISA_STORE_LOAD + 3,   /* of rs1 and rs2: ++, +-, -+, -- */
	EAR_ISA_OVERFLOWS = EAR_ISA_SIGNS + 4,    /* rs1 is min, and rs2 -1 */
	EAR_ISA_ROUNDS,                           /* with frm 0 to 4, by its dynamic mode */
	EAR_ISA_RAISES = EAR_ISA_ROUNDS + 5,      /* a flag: NX, UF, OF, DZ, NV */
	EAR_ISA_SEW = EAR_ISA_RAISES + 5,         /* of 8, 16, 32, 64 bits */
	EAR_ISA_LMUL = EAR_ISA_SEW + 4,           /* by vlmul: 1, 2, 4, 8, none, 1/8, 1/4, 1/2 */
	EAR_ISA_VALUES = EAR_ISA_LMUL + 8,        /* of rd, rs1 and rs2: enum ear_isa_value each */
	EAR_ISA_BINS = EAR_ISA_VALUES + EAR_ISA_SLOTS * EAR_ISA_FLOAT_COUNT,
};

#define EAR_ISA_NO_REGISTER 255

/* Registers of an instruction: x0 .. x31 are 0 .. 31, f0 .. f31 are 32 .. 63, v0 .. v31 are
 * 64 .. 95. */
#define EAR_ISA_REGISTERS 96
#define EAR_ISA_VALUED    64 /* those whose values are counted: x and f */

struct ear_isa_operands {
	uint8_t rd, rs1, rs2, rs3; /* EAR_ISA_NO_REGISTER: it has none */
};

/* How the value of an operand is read. */
enum ear_isa_format {
	EAR_ISA_NO_VALUE,
	EAR_ISA_INTEGER,
	EAR_ISA_HALF,
	EAR_ISA_SINGLE,
	EAR_ISA_DOUBLE,
};

#define EAR_ISA_NO_CSR UINT16_MAX

/* An instruction that retired, as far as the next three depend on it. */
struct isa_step {
	uint64_t address; /* of its access, if size > 0 */
	uint32_t number;  /* of its opcode, from 1; 0: there is no such instruction */
	uint16_t csr;     /* EAR_ISA_NO_CSR: it accesses none */
	struct ear_isa_operands operands;
	uint8_t size; /* bytes of its access */
	bool is_load, is_store, writes_csr;
};

struct ear_isa_opcode {
	uint32_t opcode;
	uint8_t xlen;
	struct ear_instruction instruction;
	struct ear_isa_operands operands;
	uint8_t formats[EAR_ISA_SLOTS]; /* of rd, rs1 and rs2: enum ear_isa_format */
	bool has_pair;                  /* both sources are integers */
	uint64_t sources;               /* registers whose values are counted: rs1 and rs2 */
	struct isa_step step;           /* of it, without number and access */
	uint64_t executed;              /* retired; and ecall and ebreak, which trap */
	uint64_t bins[EAR_ISA_BINS];
};

#define EAR_ISA_OPCODES_MAX (1u << 17) /* different words; there is room for no more */
#define EAR_ISA_PRIVILEGES  8          /* enum ear_privilege; 7: it is not known */
#define EAR_ISA_CAUSES      64

enum ear_isa_csr { EAR_ISA_CSR_READ, EAR_ISA_CSR_WRITTEN, EAR_ISA_CSR_SET, EAR_ISA_CSR_CLEARED };
#define EAR_ISA_CSR_WAYS 4

struct ear_isa_sums {
	uint64_t records;  /* instruction records of RISC-V with an opcode */
	uint64_t without;  /* and those without */
	uint64_t left_out; /* for which there was no room */
	uint64_t gaps;
	/* Some record shows it; of traps and interrupts, some trace can. */
	bool has_values, has_accesses, has_privilege, has_directions, has_flags, has_rounding,
		has_vtype, has_traps, has_interrupts;
	/* By the privilege that they were taken in. */
	uint64_t exceptions[EAR_ISA_PRIVILEGES][EAR_ISA_CAUSES];
	uint64_t interrupts[EAR_ISA_PRIVILEGES][EAR_ISA_CAUSES];
	uint64_t privileges[EAR_ISA_PRIVILEGES]; /* records */
	uint64_t transitions[EAR_ISA_PRIVILEGES][EAR_ISA_PRIVILEGES];
	uint64_t csrs[EAR_ISA_CSR_WAYS][4096];
};

struct ear_isa_operands ear_isa_operands_of(const struct ear_instruction *instruction);

/* One that never ran. */
void ear_isa_opcode_init(struct ear_isa_opcode *own, const struct ear_instructions *instructions,
	uint32_t opcode, uint8_t xlen);

#endif
