#ifndef EAR_PREDICT_SUBJECT_H
#define EAR_PREDICT_SUBJECT_H

#include "check.h"

#include <string.h>

#include "decoder/predict/predictor.h"
#include "predict_stream.h"
#include "retire_random.h"

/* One predictor for tests that ask what it expects of the next entry. */

#define PC 0x80000100u

#define NOP    0x00000013u
#define ECALL  0x00000073u
#define EBREAK 0x00100073u
#define MRET   0x30200073u
#define SRET   0x10200073u
#define LW     0x0002A303u /* lw x6, 0(x5) */
#define SW     0x0062A023u /* sw x6, 0(x5) */
#define CUSTOM 0x0000000Bu /* nothing that the predictor knows */

static struct ear_predictor predictor;

static inline struct ear_unit unit_of(unsigned xlen, unsigned flen, bool paddr)
{
	return predict_unit(ear_geometry_get(EAR_GEOMETRY_LARGE), xlen, flen, paddr);
}

static inline void begin_unit(const struct ear_unit *unit)
{
	struct ear_geometry geometry;

	assert_int_equal(ear_geometry_parse(&geometry, unit->geometry), 0);
	assert_int_equal(ear_predictor_init(&predictor, unit, &geometry), 0);
	predictor.pc = PC;
}

static inline void begin(unsigned xlen, unsigned flen, bool paddr)
{
	struct ear_unit unit = unit_of(xlen, flen, paddr);

	begin_unit(&unit);
}

static inline void end(void)
{
	ear_predictor_fini(&predictor);
}

/* Let the code cache know the opcode at an address. */
static inline void place(uint64_t pc, uint32_t insn)
{
	ear_shadow_write(&predictor.code, (uint32_t)pc, (insn & 3) == 3 ? 0xF : 3, insn);
	ear_predictor_code_changed(&predictor);
}

/* What is expected if insn stands at the expected pc; the predictor takes it for true. */
static inline struct ear_retire expected(uint32_t insn)
{
	struct ear_retire entry;

	memset(&entry, 0xA5, sizeof(entry));
	place(predictor.pc, insn);
	ear_predictor_run(&predictor, &entry);
	return entry;
}

/* What differs, if this is true. */
static inline uint32_t differs(const struct ear_retire *entry)
{
	struct ear_difference difference;

	ear_predictor_encode(&predictor, entry, &difference);
	return difference.mask;
}

/* The expected entry, for a test to change something in it; nothing is trained. */
static inline struct ear_retire guess(uint32_t insn)
{
	struct ear_predictor before = predictor;
	struct ear_retire entry = expected(insn);

	/* What the entry has written into the caches stays: that is what it would have done. */
	uint32_t victims[2] = {predictor.code.victim, predictor.data.victim};
	predictor = before;
	predictor.code.victim = victims[0];
	predictor.data.victim = victims[1];
	ear_predictor_code_changed(&predictor);
	return entry;
}

#endif
