#ifndef EAR_OPERANDS_H
#define EAR_OPERANDS_H

#include <earshot/record.h>
#include <stdint.h>

/* The operands of an instruction, as the port had them. */
struct ear_operands {
	uint64_t a, b;    /* values of */
	uint8_t rs1, rs2; /* numbers of x registers; 0: none */
};

/* They as what a record has read (extra->reads). All zero at first. */
struct ear_reads {
	struct ear_record_register registers[2];
	struct ear_record_extra extra; /* nothing but these */
};

/* Give record the registers that it read. x0 and no operand are the same, and a register that is
 * both operands is one read. Without any, record->extra is NULL. */
void ear_reads_attach(
	struct ear_reads *reads, struct ear_record *record, const struct ear_operands *operands);

#endif
