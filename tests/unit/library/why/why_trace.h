#ifndef EAR_WHY_TRACE_H
#define EAR_WHY_TRACE_H

#include <earshot/earshot.h>
#include <stdio.h>

/* Traces that tests of library/why/ write record by record: a JSON text of a hart of 32 bits. */
struct why_trace {
	char path[64];
	FILE *file;
	unsigned hart;
	uint64_t index, pc; /* of that hart, and of the next instruction */
};

void why_trace_begin(struct why_trace *trace);

/* An instruction; more: members of its JSON record, each with a comma before it. The next one
 * follows it in memory. Returns its position if there are only instructions. */
__attribute__((format(printf, 3, 4))) uint64_t why_trace_add(
	struct why_trace *trace, uint32_t opcode, const char *more, ...);

/* A line of any kind. */
void why_trace_line(struct why_trace *trace, const char *line);

/* Write it, and open it; the file is gone once it is closed. */
struct ear_trace *why_trace_open(struct why_trace *trace, const struct ear_trace_options *options);

/* Members of records. */
#define REG(number, value) \
	",\"registers\":[{\"class\":\"x\",\"number\":" #number ",\"value\":\"" #value "\"}]"
#define CSR(number, value) \
	",\"registers\":[{\"class\":\"csr\",\"number\":" #number ",\"value\":\"" #value "\"}]"
#define LOADED(address, size, value) \
	",\"memory\":[{\"write\":false,\"address\":\"" #address "\",\"size\":" #size \
	",\"value\":\"" #value "\"}]"
#define STORED(address, size, value) \
	",\"memory\":[{\"write\":true,\"address\":\"" #address "\",\"size\":" #size \
	",\"value\":\"" #value "\"}]"

#define NOTHING "%s", ""

/* Opcodes. */
#define OP_ADDI(rd, rs1, imm)   ((uint32_t)(imm) << 20 | (rs1) << 15 | (rd) << 7 | 0x13u)
#define OP_ADD(rd, rs1, rs2)    ((uint32_t)(rs2) << 20 | (rs1) << 15 | (rd) << 7 | 0x33u)
#define OP_LUI(rd, imm)         ((uint32_t)(imm) << 12 | (rd) << 7 | 0x37u)
#define OP_LW(rd, rs1)          ((uint32_t)(rs1) << 15 | 2u << 12 | (rd) << 7 | 0x03u)
#define OP_SW(rs2, rs1)         ((uint32_t)(rs2) << 20 | (rs1) << 15 | 2u << 12 | 0x23u)
#define OP_FLD(rd, rs1)         ((uint32_t)(rs1) << 15 | 3u << 12 | (rd) << 7 | 0x07u)
#define OP_FSD(rs2, rs1)        ((uint32_t)(rs2) << 20 | (rs1) << 15 | 3u << 12 | 0x27u)
#define OP_SB(rs2, rs1)         ((uint32_t)(rs2) << 20 | (rs1) << 15 | 0x23u)
#define OP_BEQ(rs1, rs2)        ((uint32_t)(rs2) << 20 | (rs1) << 15 | 0x463u) /* to +8 */
#define OP_CSRRW(rd, csr, rs1)  ((uint32_t)(csr) << 20 | (rs1) << 15 | 1u << 12 | (rd) << 7 | 0x73u)
#define OP_CSRRS(rd, csr, rs1)  ((uint32_t)(csr) << 20 | (rs1) << 15 | 2u << 12 | (rd) << 7 | 0x73u)
#define OP_AMOADD(rd, rs2, rs1) ((uint32_t)(rs2) << 20 | (rs1) << 15 | 2u << 12 | (rd) << 7 | 0x2Fu)
#define OP_JALR(rd, rs1)        ((uint32_t)(rs1) << 15 | (rd) << 7 | 0x67u)
#define OP_SELF                 0x6Fu /* j . */

#endif
