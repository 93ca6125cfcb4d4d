/* Entries are made from a difference to what the predictor expects: the encoder takes the
 * prediction for every field that is not odd. So runs are long, and what interrupts them is
 * anything.
 */
#include "odd_stream.h"

#include "predict_stream.h"
#include "sample_stream.h"

#define HARTS_MAX 2
#define WINDOW    256u /* bytes of the program */
#define STEP      4u   /* an index that jumps, at most */

struct maker {
	struct ear_unit unit;
	struct predict_encoder encoder;
	uint64_t base, order, ticks, seed;
	unsigned odd; /* one entry in so many */
};

/* Opcodes, and which of their bits may be any. */
static const struct {
	uint32_t opcode, any;
} forms[] = {
	{0x00000013, 0x000F8F80}, /* addi, 0 */
	{0x00100013, 0x00F78F80}, /* addi */
	{0xFF010113, 0},          /* addi sp, sp, -16 */
	{0x01010113, 0},          /* addi sp, sp, 16 */
	{0x00040113, 0},          /* addi sp, s0, 0 */
	{0x80001037, 0x0000F780}, /* lui */
	{0xFFFFF037, 0x00000780}, /* lui, the highest page */
	{0x00000033, 0x40F78780}, /* add, sub */
	{0x02000033, 0x00F78780}, /* mul */
	{0x00002003, 0x03F78780}, /* lw */
	{0x00000003, 0x03F7F780}, /* lb to lwu */
	{0x00003003, 0x03F78780}, /* ld */
	{0x00002023, 0x00F78F80}, /* sw */
	{0x00000023, 0x00F79F80}, /* sb, sh */
	{0x00003023, 0x00F78F80}, /* sd */
	{0x00812023, 0x00000200}, /* sw s0, 0(sp) */
	{0x008000EF, 0x02000000}, /* jal ra */
	{0x0080006F, 0x01000000}, /* j */
	{0x00008067, 0},          /* ret */
	{0x000280E7, 0},          /* jalr ra, t0 */
	{0x00000463, 0x00F7D200}, /* branches */
	{0xFE0008E3, 0x0007D000}, /* back */
	{0x00000263, 0x00F79000}, /* to the next */
	{0x0001, 0x0F80},         /* c.nop, c.addi */
	{0x4001, 0x0F8C},         /* c.li */
	{0x1141, 0},              /* c.addi sp, -16 */
	{0x6141, 0},              /* c.addi16sp 16 */
	{0x4082, 0x0F00},         /* c.lwsp */
	{0xC002, 0x0E7C},         /* c.swsp */
	{0x4000, 0x03FC},         /* c.lw */
	{0xC000, 0x03FC},         /* c.sw */
	{0x6000, 0x03FC},         /* c.ld, c.flw */
	{0xE000, 0x03FC},         /* c.sd, c.fsw */
	{0xA011, 0},              /* c.j */
	{0xC001, 0x039C},         /* c.beqz */
	{0x8082, 0},              /* c.jr ra */
	{0x8002, 0x1FFC},         /* c.mv, c.add, c.jr, c.jalr */
	{0x30029073, 0x000F8000}, /* csrw mstatus */
	{0x00251073, 0},          /* csrw frm, a0 */
	{0x30200073, 0},          /* mret */
	{0x00000073, 0},          /* ecall */
	{0x0000000F, 0},          /* fence */
	{0x0002A02F, 0x00F00780}, /* amoadd.w */
	{0x0002A007, 0x00000780}, /* flw */
	{0x00000053, 0x00F78780}, /* fadd.s */
};

#define FORMS        (sizeof(forms) / sizeof(forms[0]))
#define FORMS_COMMON 37

/* What is at this address. */
static uint32_t program_at(const struct maker *maker, uint64_t pc)
{
	struct random random = {((pc & (WINDOW - 1)) + maker->seed) * 0x9E3779B97F4A7C15u | 1};

	random_next(&random);
	size_t form = random_below(&random, random_once_in(&random, 12) ? FORMS : FORMS_COMMON);
	return forms[form].opcode | ((uint32_t)(random_next(&random) >> 20) & forms[form].any);
}

static uint64_t any_value(const struct maker *maker, struct random *random)
{
	uint64_t value = random_next(random) >> random_below(random, 64);

	if (random_once_in(random, 3))
		value = 0x80001000 + random_below(random, 256);
	return maker->unit.xlen == 32 ? (uint32_t)value : value;
}

static void set_head(struct ear_retire *entry, struct random *random)
{
	static const uint8_t modes[] = {0, 1, 3, 3};

	entry->mode = modes[random_below(random, sizeof(modes))];
	entry->halt = random_once_in(random, 4);
	entry->intr = random_once_in(random, 4);
	entry->debug = random_once_in(random, 6);
	entry->virt = entry->mode != 3 && random_once_in(random, 3);
	entry->ixl = random_once_in(random, 4) ? 1 : 2;
}

static void set_masks(const struct maker *maker, struct ear_retire *entry, struct random *random)
{
	static const uint8_t masks[] = {0, 1, 3, 15, 255, 6, 12};
	uint8_t all = maker->unit.xlen == 32 ? 0xF : 0xFF;

	entry->mem_rmask = masks[random_below(random, sizeof(masks))] & all;
	entry->mem_wmask =
		random_once_in(random, 2) ? 0 : masks[random_below(random, sizeof(masks))] & all;
}

static void set_float(struct ear_retire *entry, struct random *random)
{
	entry->frd_valid = random_once_in(random, 2);
	entry->frd_addr = entry->frd_valid ? (uint8_t)random_below(random, 32) : 0;
	entry->fflags = (uint8_t)random_below(random, 32);
}

/* Another value of one field, which is known then. Returns EAR_DIFFER_*. */
static uint32_t spoil(const struct maker *maker, struct ear_retire *entry, struct random *random)
{
	uint32_t field = (uint32_t)1 << random_below(random, 20);

	switch (field) {
	case EAR_DIFFER_PC: entry->pc_rdata = any_value(maker, random) & ~(uint64_t)1; break;
	case EAR_DIFFER_HEAD: set_head(entry, random); break;
	case EAR_DIFFER_IRQ: entry->irq = random_once_in(random, 2); break;
	case EAR_DIFFER_INSN: entry->insn = (uint32_t)random_next(random); break;
	case EAR_DIFFER_NUMBERS:
		entry->rs1_addr = (uint8_t)random_below(random, 32);
		entry->rs2_addr = (uint8_t)random_below(random, 32);
		break;
	case EAR_DIFFER_RS1: entry->rs1_rdata = any_value(maker, random); break;
	case EAR_DIFFER_RS2: entry->rs2_rdata = any_value(maker, random); break;
	case EAR_DIFFER_TRAP:
		entry->trap = random_once_in(random, 2);
		entry->cause = random_below(random, 4);
		break;
	case EAR_DIFFER_ADDRESS: entry->mem_addr = any_value(maker, random); break;
	case EAR_DIFFER_MASKS: set_masks(maker, entry, random); break;
	case EAR_DIFFER_RDATA: entry->mem_rdata = any_value(maker, random); break;
	case EAR_DIFFER_WDATA: entry->mem_wdata = any_value(maker, random); break;
	case EAR_DIFFER_RD_ADDR: entry->rd_addr = (uint8_t)random_below(random, 32); break;
	case EAR_DIFFER_RD: entry->rd_wdata = any_value(maker, random); break;
	case EAR_DIFFER_FRD:
		if (maker->unit.flen == 0)
			return 0;
		set_float(entry, random);
		break;
	case EAR_DIFFER_FVALUE:
		if (maker->unit.flen == 0)
			return 0;
		entry->frd_wdata = random_next(random) >> 32;
		break;
	case EAR_DIFFER_NEXT_PC: entry->pc_wdata = any_value(maker, random) & ~(uint64_t)1; break;
	case EAR_DIFFER_PADDR:
		if (!(maker->unit.features & EAR_REG_FEATURES_PADDR_MASK))
			return 0;
		entry->pc_paddr = random_once_in(random, 2) ? 0 : any_value(maker, random);
		entry->mem_paddr = random_once_in(random, 2) ? 0 : any_value(maker, random);
		break;
	default: return 0; /* the index, and CSRs, which are never unknown */
	}
	return field;
}

static void push_entry(struct maker *maker, struct random *random)
{
	uint32_t known = EAR_DIFFER_ORDER | EAR_DIFFER_PC | EAR_DIFFER_INSN;
	struct ear_retire entry = {.order = maker->order++, .xlen = maker->unit.xlen};
	struct ear_encoder *encoder = &maker->encoder.encoder;

	maker->ticks += random_once_in(random, 8);
	ear_encoder_prepare(encoder, entry.order, maker->ticks);
	entry.pc_rdata = maker->encoder.predictor.pc;
	if ((entry.pc_rdata ^ maker->base) >= WINDOW)
		entry.pc_rdata = maker->base;
	entry.insn = program_at(maker, entry.pc_rdata);
	/* What devices, and memory never seen, give to a load. */
	if (random_once_in(random, 12)) {
		entry.mem_rdata = any_value(maker, random);
		known |= EAR_DIFFER_RDATA;
	}
	if (random_once_in(random, maker->odd))
		for (unsigned i = 1 + (unsigned)random_below(random, 2); i > 0; i--)
			known |= spoil(maker, &entry, random);
	ear_encoder_push_known(encoder, &entry, maker->ticks, ~known);
}

static void put_lost(struct maker *maker, struct random *random)
{
	struct ear_message message = {.kind = EAR_MSG_LOST};
	uint64_t count = 1 + random_below(random, 20);
	unsigned reason = EAR_LOST_FIFO_FULL;

	if (random_once_in(random, 2))
		reason = EAR_LOST_ON_THE_WAY + EAR_GAP_HOST_RING +
			 (unsigned)random_below(random, EAR_GAP_REPEATED - EAR_GAP_HOST_RING);
	if (reason != EAR_LOST_FIFO_FULL && random_once_in(random, 2)) {
		reason |= EAR_LOST_UNCOUNTED;
		count = 0;
	}
	if (reason != EAR_LOST_FIFO_FULL && random_once_in(random, 2))
		reason |= EAR_LOST_UNTIMED;
	message.u.lost.reason = (uint8_t)reason;
	message.u.lost.count = count;
	message.u.lost.first = maker->order;
	message.u.lost.last = maker->order + count - 1;
	ear_encoder_put(&maker->encoder.encoder, &message);
	maker->order += count;
}

static void put_between(struct maker *maker, struct random *random)
{
	struct ear_encoder *encoder = &maker->encoder.encoder;

	if (random_once_in(random, 70))
		ear_encoder_flush(encoder);
	if (random_once_in(random, 150))
		maker->order += random_below(random, STEP);
	if (random_once_in(random, 2000))
		maker->order -= random_below(random, STEP);
	if (random_once_in(random, 150) && encoder->record_count > 0)
		put_lost(maker, random);
	if (random_once_in(random, 300))
		ear_encoder_sync(encoder);
	if (random_once_in(random, 200))
		ear_encoder_check(encoder);
	if (random_once_in(random, 300))
		ear_encoder_put(encoder,
			&(struct ear_message){.kind = EAR_MSG_EVENT,
				.u.event = {.source = EAR_EVENT_PORT, .order = maker->order}});
}

static void begin(struct maker *maker, struct random *random)
{
	static const uint8_t flens[] = {0, 32, 64};
	static const uint64_t bases[] = {0x80000000, 0x1000, 0xFFFFFF00};
	struct ear_geometry geometry;
	unsigned xlen = random_once_in(random, 2) ? 32 : 64;

	random_geometry(&geometry, random);
	*maker = (struct maker){.seed = random_next(random),
		.base = bases[random_below(random, sizeof(bases) / sizeof(bases[0]))],
		.order = random_once_in(random, 2) ? 0 : random_next(random) >> 20,
		.odd = random_once_in(random, 3) ? 400 : 25};
	maker->unit = predict_unit(&geometry, xlen, flens[random_below(random, sizeof(flens))],
		random_once_in(random, 8));
	maker->unit.csr_slots = EAR_RETIRE_CSRS_MAX;
	maker->unit.control =
		(uint8_t)(random_below(random, 3) << EAR_UNIT_CONTROL_TIME_MODE_SHIFT |
			  (random_once_in(random, 3) ? EAR_UNIT_CONTROL_FILTER : 0));
}

void odd_stream_make(struct byte_buffer *bytes, struct random *random, size_t count)
{
	static struct maker makers[HARTS_MAX];
	unsigned hart_count = 1 + (unsigned)random_below(random, HARTS_MAX);

	for (unsigned i = 0; i < hart_count; i++) {
		begin(&makers[i], random);
		makers[i].unit.hart = (uint16_t)i;
		predict_encoder_init(&makers[i].encoder, &makers[i].unit, bytes);
	}
	for (; count > 0; count--) {
		struct maker *maker = &makers[random_below(random, hart_count)];
		push_entry(maker, random);
		put_between(maker, random);
	}
	for (unsigned i = 0; i < hart_count; i++) {
		ear_encoder_put(
			&makers[i].encoder.encoder, &(struct ear_message){.kind = EAR_MSG_STOP});
		predict_encoder_fini(&makers[i].encoder);
	}
}
