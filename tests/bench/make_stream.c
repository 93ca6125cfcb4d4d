/* Write the wire bytes of a synthetic program to stdout, for measurements of decoding.
 *
 * usage: make_stream RECORDS
 *
 * A loop of ordinary RV32 instructions (loads, stores, ALU, branches; compressed and not, in
 * about the mix of compiled code) runs over changing registers and addresses, encoded by the
 * reference encoder. The mix decides how long a record and its text line are: about 29 bytes
 * and 62 characters here, and the same in traces of the demo program.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "decoder/codec/encoder.h"

struct step {
	uint32_t insn;
	unsigned size, rs1, rs2, rd; /* register numbers, 0 none */
	char access;                 /* 'l', 's' or 0 */
	int offset;                  /* to the next instruction if not size */
};

static const struct step program[] = {
	{0x00052783, 4, 10, 0, 15, 'l', 0},     /* lw a5, 0(a0) */
	{0x00452703, 4, 10, 0, 14, 'l', 0},     /* lw a4, 4(a0) */
	{0x97ba, 2, 15, 14, 15, 0, 0},          /* c.add a5, a4 */
	{0x0511, 2, 10, 0, 10, 0, 0},           /* c.addi a0, 4 */
	{0x00f5a023, 4, 11, 15, 0, 's', 0},     /* sw a5, 0(a1) */
	{0x0591, 2, 11, 0, 11, 0, 0},           /* c.addi a1, 4 */
	{0x00f77463, 4, 14, 15, 0, 0, 8},       /* bgeu a4, a5, . + 8 */
	{0x40e787b3, 4, 15, 14, 15, 0, 0},      /* sub a5, a5, a4 */
	{0x8fb9, 2, 15, 14, 15, 0, 0},          /* c.xor a5, a4 */
	{0x00279793, 4, 15, 0, 15, 0, 0},       /* slli a5, a5, 2 */
	{0x4398, 2, 15, 0, 14, 'l', 0},         /* c.lw a4, 0(a5) */
	{0xfec51ae3, 4, 10, 12, 0, 0, -36 + 4}, /* bne a0, a2, loop */
};

static void write_frame(void *context, const uint8_t *bytes, size_t size)
{
	(void)context;
	if (fwrite(bytes, 1, size, stdout) != size)
		exit(2);
}

static void fill_entry(struct ear_retire *entry, const struct step *step, uint64_t *random)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	uint32_t value = (uint32_t)(*random >> 33);

	*entry = (struct ear_retire){.xlen = 32, .mode = 3, .ixl = 1, .insn = step->insn};
	entry->rs1_addr = (uint8_t)step->rs1;
	entry->rs1_rdata = step->rs1 ? 0x80010000 + (value & 0xFFFC) : 0;
	entry->rs2_addr = (uint8_t)step->rs2;
	entry->rs2_rdata = step->rs2 ? value >> (value & 15) : 0;
	entry->rd_addr = (uint8_t)step->rd;
	entry->rd_wdata = step->rd ? value >> (value & 15) : 0;
	if (step->access) {
		entry->mem_addr = entry->rs1_rdata;
		entry->mem_rmask = step->access == 'l' ? 0xF : 0;
		entry->mem_wmask = step->access == 's' ? 0xF : 0;
		entry->mem_rdata = step->access == 'l' ? entry->rd_wdata : 0;
		entry->mem_wdata = step->access == 's' ? entry->rs2_rdata : 0;
	}
}

int main(int argc, char **argv)
{
	static struct ear_encoder encoder;
	const struct ear_unit unit = {.protocol_major = EAR_PROTOCOL_MAJOR,
		.protocol_minor = EAR_PROTOCOL_MINOR,
		.xlen = 32,
		.nret = 1,
		.csr_slots = 5};
	const size_t count = sizeof(program) / sizeof(program[0]);
	uint64_t random = 1, records = argc == 2 ? strtoull(argv[1], NULL, 10) : 0;
	uint64_t pc = 0x80000100;

	if (records == 0) {
		fprintf(stderr, "usage: make_stream RECORDS\n");
		return 2;
	}
	ear_encoder_init(&encoder, &unit, write_frame, NULL);
	for (uint64_t i = 0; i < records; i++) {
		const struct step *step = &program[i % count];
		struct ear_retire entry;
		fill_entry(&entry, step, &random);
		entry.order = i;
		entry.pc_rdata = pc;
		pc += (uint64_t)(int64_t)(step->offset && (i % 3) ? step->offset : (int)step->size);
		if (i % count == count - 1)
			pc = 0x80000100;
		entry.pc_wdata = pc;
		ear_encoder_push(&encoder, &entry, i);
	}
	ear_encoder_put(&encoder, &(struct ear_message){.kind = EAR_MSG_STOP,
					  .u.stop = {.reason = EAR_STOP_ENDED,
						  .retired = records,
						  .delivered = records}});
	return fflush(stdout) ? 2 : 0;
}
