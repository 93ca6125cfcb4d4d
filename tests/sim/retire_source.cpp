/* Each entry is made by one kind of core, then fitted to the shape of the port (widths, groups that
 * are not built). The imagined core runs the reference predictor and takes what it expects, except
 * for fields chosen at random: pure noise would never reach the cases in which almost all is as
 * expected.
 */
#include "retire_source.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
#include "common/protocol/ear_protocol.h"
#include "retire_random.h"
}

static void stop_if(bool trouble, const char *what)
{
	if (!trouble)
		return;
	std::fprintf(stderr, "retire_source: %s\n", what);
	std::exit(1);
}

retire_source::retire_source(const retire_shape &s, const retire_mix &m, uint64_t seed)
    : shape(s), mix(m)
{
	ear_unit unit = {};

	random.state = seed * 2 + 1;
	ear_faults_init(&faults, seed, mix.flips, shape.flen);
	unit.xlen = uint8_t(shape.xlen);
	unit.flen = uint8_t(shape.flen);
	unit.csr_slots = uint8_t(shape.csr_slots);
	unit.features = shape.paddr ? EAR_REG_FEATURES_PADDR_MASK : 0;
	if (mix.geometry) {
		stop_if(ear_predictor_init(&predictor, &unit, mix.geometry) < 0, "no memory");
		has_predictor = true;
	}
	if (!mix.program.empty())
		begin_program();
}

retire_source::~retire_source()
{
	ear_iss_free(iss);
	if (has_predictor)
		ear_predictor_fini(&predictor);
}

void retire_source::begin_program()
{
	ear_iss_options options;

	ear_iss_options_init(&options);
	options.xlen = shape.xlen;
	options.seed = random_next(&random);
	options.misaligned_traps = true;
	options.time_random = true;
	if (shape.flen < 64)
		options.extensions &= ~EAR_ISS_D;
	if (shape.flen < 32)
		options.extensions &= ~EAR_ISS_F;
	ear_iss_free(iss);
	iss = nullptr;
	stop_if(ear_iss_new(&iss, &options, mix.program.c_str()) < 0, mix.program.c_str());
}

void retire_source::from_program(ear_retire *entry)
{
	if (ear_faults_run(&faults, iss, entry, 1) == 1)
		return;
	begin_program();
	stop_if(ear_faults_run(&faults, iss, entry, 1) != 1, "the program does nothing");
}

/* Mostly an instruction of one of the kinds that a predictor knows. */
uint32_t retire_source::some_insn()
{
	static const uint8_t opcodes[] = {0x03, 0x07, 0x0F, 0x13, 0x17, 0x1B, 0x23, 0x27, 0x2F,
		0x33, 0x37, 0x3B, 0x43, 0x53, 0x63, 0x67, 0x6F, 0x73};
	static const uint32_t whole[] = {
		0x00000073, 0x00100073, 0x30200073, 0x10200073, 0x10500073, 0x0000100F};
	uint32_t insn = uint32_t(random_next(&random));

	switch (random_below(&random, 8)) {
	case 0: return insn;
	case 1: return whole[random_below(&random, sizeof(whole) / sizeof(*whole))];
	case 2:
	case 3: return (insn & 0xFFFF) % 3 == 0 ? insn & 0xFFFC : (insn & 0xFFFD) | 1;
	case 4: /* M */
		return (insn & 0x01FFFF80) | 0x02000000 |
		       (shape.xlen == 64 && insn & 0x80000000 ? 0x3B : 0x33);
	default:
		insn = (insn & ~0x7Fu) | opcodes[random_below(&random, sizeof(opcodes))];
		if ((insn & 0x7F) == 0x33 && insn & 0x40000000) /* add, sub and the like */
			insn &= 0x41FFFFFF;
		if ((insn & 0x7F) == 0x73) /* few CSRs, those that traps write among them */
			insn = (insn & 0x000FFFFF) | (0x300u + uint32_t(random_below(&random, 72)))
							     << 20;
		return insn;
	}
}

/* Which fields differ from what the core's own predictor expects. */
static uint32_t some_mask(struct random *random)
{
	switch (random_below(random, 8)) {
	case 0:
	case 1:
	case 2: return EAR_DIFFER_INSN;
	case 3: return EAR_DIFFER_RDATA | (random_once_in(random, 3) ? EAR_DIFFER_INSN : 0u);
	case 4: return EAR_DIFFER_RD | (random_once_in(random, 3) ? EAR_DIFFER_INSN : 0u);
	case 5:
		return random_once_in(random, 3)   ? EAR_DIFFER_IRQ
		       : random_once_in(random, 2) ? EAR_DIFFER_FVALUE
						   : EAR_DIFFER_PC;
	case 6: return EAR_DIFFER_NEXT_PC;
	default:
		return uint32_t(random_next(random) & random_next(random)) & 0xFFFFF &
		       ~EAR_DIFFER_ORDER;
	}
}

void retire_source::imagine(ear_retire *entry)
{
	ear_difference difference = {};

	retire_random(entry, &random, shape.xlen);
	fit(entry);
	if (random_below(&random, 1000) < mix.differs)
		difference.mask = some_mask(&random);
	if (difference.mask & EAR_DIFFER_INSN)
		entry->insn = some_insn();
	/* Values near to those predicted, too, so that messages of every length come. */
	difference.relative = random_once_in(&random, 2);
	if (difference.relative && random_once_in(&random, 2)) {
		unsigned shift = unsigned(random_below(&random, 64));
		uint64_t value = uint64_t(int64_t(random_next(&random)) >> shift);
		entry->mem_rdata = value;
		entry->rd_wdata = value;
	}
	/* The program counter stays in a small region, so that code comes again. */
	const uint64_t region = 0x3FE;
	entry->pc_rdata &= region;
	entry->pc_wdata &= region;
	if (mix.differs && predictor.pc & ~region && random_once_in(&random, 4))
		difference.mask |= EAR_DIFFER_PC;
	if (mix.differs && random_once_in(&random, 16))
		difference.mask |= EAR_DIFFER_NEXT_PC;
	if (!shape.flen)
		difference.mask &= ~uint32_t(EAR_DIFFER_FRD | EAR_DIFFER_FVALUE);
	if (!shape.paddr)
		difference.mask &= ~uint32_t(EAR_DIFFER_PADDR);
	entry->irq = difference.mask & EAR_DIFFER_IRQ;
	ear_predictor_decode(&predictor, entry, &difference);
}

/* Cut what a port of this shape has no room for. */
void retire_source::fit(ear_retire *entry) const
{
	entry->xlen = uint8_t(shape.xlen);
	if (shape.xlen == 32) {
		entry->mem_rdata = uint32_t(entry->mem_rdata);
		entry->rd_wdata = uint32_t(entry->rd_wdata);
	}
	if (entry->csr_count > shape.csr_slots)
		entry->csr_count = uint8_t(shape.csr_slots);
	if (shape.flen == 0) {
		entry->frd_valid = false;
		entry->fflags = 0;
	} else if (shape.flen == 32) {
		entry->frd_wdata = uint32_t(entry->frd_wdata);
	}
	if (!entry->frd_valid) {
		entry->frd_addr = 0;
		entry->frd_wdata = 0;
	}
	if (!shape.paddr)
		entry->pc_paddr = entry->mem_paddr = 0;
	if (!shape.operands) {
		entry->rs1_addr = entry->rs2_addr = 0;
		entry->rs1_rdata = entry->rs2_rdata = 0;
	}
}

void retire_source::next(ear_retire *entry)
{
	if (stretch == 0) {
		stretch = 1 + unsigned(random_below(&random, 400));
		imagining = has_predictor && (!iss || random_below(&random, 1000) < mix.imagined);
	}
	stretch--;
	if (random_below(&random, 1000) < mix.noise || (!iss && !imagining))
		retire_random(entry, &random, shape.xlen);
	else if (imagining)
		imagine(entry);
	else
		from_program(entry);
	fit(entry);
	entry->order = order++;
}
