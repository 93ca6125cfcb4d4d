/* The predictor in RTL against the one in C, entry by entry: mask, place in the dictionary,
 * difference, digest, and the marks of hard and check. The configuration comes from the build
 * (PREDICT_XLEN, ...; see predictor.cmake).
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "Vear_predict_decode.h"
#include "Vear_predictor.h"
#include "retire_source.h"

extern "C" {
#include "common/protocol/ear_protocol.h"
#include "decoder/predict/operation.h"
}

#define CHECK_INTERVAL 65536u

/* Clocks for an entry that needs no more than any. */
#define CLOCKS (PREDICT_PIPELINED ? 1u : 3u)

static const ear_geometry geometry = {
	.unified = PREDICT_UNIFIED != 0,
	.multiply = PREDICT_MULTIPLY != 0,
	.divide = PREDICT_DIVIDE != 0,
	.operands = PREDICT_OPERANDS != 0,
	.base = PREDICT_BASE != 0,
	.code = {PREDICT_CODE_WORDS_LOG2, PREDICT_CODE_WAYS_LOG2, PREDICT_CODE_LINE_LOG2},
	.data = {PREDICT_DATA_WORDS_LOG2, PREDICT_DATA_WAYS_LOG2, PREDICT_DATA_LINE_LOG2},
	.dictionary_log2 = PREDICT_DICTIONARY_LOG2,
	.csr_log2 = PREDICT_CSR_LOG2,
};

static const retire_shape shape = {
	PREDICT_XLEN, PREDICT_FLEN, PREDICT_CSR_SLOTS, PREDICT_PADDR != 0, PREDICT_OPERANDS != 0};

enum entry_kind { RECORD, LOST, EVENT, STOP };

/* What the FIFO brings, and what the predictor must say of it. */
struct step {
	entry_kind kind;
	ear_retire entry;
	uint64_t order, payload[2]; /* of a marker */
	bool clear;                 /* everything is forgotten before it */
	std::vector<uint32_t> data; /* as offered */

	bool hard, check;
	uint32_t digest, pc;
	ear_difference difference;
	bool quick; /* it takes one clock, or as many as the build needs for every entry */
};

/* Bits of an entry, ear_entry.vh. */
class bits
{
      public:
	explicit bits(uint32_t *to) : words(to)
	{
	}
	void put(unsigned width, uint64_t value)
	{
		for (unsigned i = 0; i < width; i++, at++) {
			if (value >> i & 1)
				words[at / 32] |= 1u << at % 32;
		}
	}

      private:
	uint32_t *words;
	unsigned at = 0;
};

static void put_record(bits &b, const ear_retire &e, unsigned valid)
{
	const unsigned x = PREDICT_XLEN;
	b.put(64, e.order);
	b.put(32, e.insn);
	b.put(8, unsigned(e.trap) | unsigned(e.halt) << 1 | unsigned(e.intr) << 2 |
			 unsigned(e.irq) << 3 | unsigned(e.mode) << 4 | unsigned(e.ixl) << 6);
	b.put(2, unsigned(e.debug) | unsigned(e.virt) << 1);
	b.put(5, e.rd_addr);
	for (uint64_t value :
		{e.rd_wdata, e.pc_rdata, e.pc_wdata, e.mem_addr, e.mem_rdata, e.mem_wdata, e.cause})
		b.put(x, value);
	b.put(x / 8, e.mem_rmask);
	b.put(x / 8, e.mem_wmask);
	if (PREDICT_CSR_SLOTS) {
		/* The list stands in the valid slots, in order; the others hold anything. */
		unsigned place[32] = {}, next = 0;
		for (unsigned s = 0; s < PREDICT_CSR_SLOTS; s++)
			place[s] = valid >> s & 1 ? next++ : 31;
		b.put(PREDICT_CSR_SLOTS, valid);
		for (unsigned s = 0; s < PREDICT_CSR_SLOTS; s++)
			b.put(12, place[s] < e.csr_count ? e.csrs[place[s]].number : 0x300);
		for (unsigned s = 0; s < PREDICT_CSR_SLOTS; s++)
			b.put(x, place[s] < e.csr_count ? e.csrs[place[s]].value : 0x55AA55AA);
	}
	if (PREDICT_FLEN) {
		/* A core may leave anything where it writes no f register. */
		b.put(1, e.frd_valid);
		b.put(5, e.frd_valid ? e.frd_addr : 21);
		b.put(5, e.fflags);
		b.put(PREDICT_FLEN, e.frd_valid ? e.frd_wdata : 0x5AA5);
	}
	if (PREDICT_PADDR) {
		b.put(64, e.pc_paddr);
		b.put(64, e.mem_paddr);
	}
	if (PREDICT_OPERANDS) {
		b.put(5, e.rs1_addr);
		b.put(5, e.rs2_addr);
		b.put(x, e.rs1_rdata);
		b.put(x, e.rs2_rdata);
	}
}

class bench
{
      public:
	explicit bench(uint64_t seed) : top(new Vear_predictor)
	{
		ear_unit unit = {};
		unit.xlen = PREDICT_XLEN;
		unit.flen = PREDICT_FLEN;
		unit.csr_slots = PREDICT_CSR_SLOTS;
		unit.features = PREDICT_PADDR ? EAR_REG_FEATURES_PADDR_MASK : 0;
		if (ear_predictor_init(&predictor, &unit, &geometry) < 0)
			std::exit(1);
		random.state = seed * 2 + 1;
		top->rst_ni = 0;
		top->clear_i = top->entry_valid_i = top->out_ready_i = 0;
		clock();
		top->rst_ni = 1;
	}
	~bench()
	{
		ear_predictor_fini(&predictor);
	}
	bench(const bench &) = delete;
	bench &operator=(const bench &) = delete;

	struct random random;
	unsigned idle = 0, busy = 0; /* of 1000 clocks: no entry offered, none taken */
	unsigned markers = 0, clears = 0;
	bool timed = false; /* entries that should be quick must be */
	uint64_t clocks = 0, records = 0, differing = 0, wrongs = 0, checks = 0, cleared = 0;

	void run(retire_source &source, uint64_t count);

      private:
	void clock()
	{
		top->clk_i = 0;
		top->eval();
		top->clk_i = 1;
		top->eval();
		clocks++;
	}
	void make(retire_source &source);
	void judge(step &s);
	void pack(step &s);
	void verify(const step &s);
	bool chance(unsigned of_1000)
	{
		return of_1000 && random_next(&random) % 1000 < of_1000;
	}

	std::unique_ptr<Vear_predictor> top;
	ear_predictor predictor;
	std::deque<step> waiting, inside;
	bool hard_due = true;
	uint32_t unchecked = 0;
	uint64_t left_at = 0;
};

void bench::make(retire_source &source)
{
	step s = {};
	unsigned dice = unsigned(random_next(&random) % 1000);
	s.kind = dice < markers ? entry_kind(1 + dice % 3) : RECORD;
	s.clear = chance(clears);
	if (s.kind == RECORD) {
		source.next(&s.entry);
	} else {
		s.order = random_next(&random);
		s.payload[0] = random_next(&random);
		s.payload[1] = s.order + s.payload[0] % 1000;
	}
	judge(s);
	pack(s);
	waiting.push_back(s);
}

static bool one_line(uint64_t address, unsigned mask, unsigned line_log2)
{
	unsigned last = 0;

	for (unsigned i = 0; i < 8; i++)
		last = mask >> i & 1 ? i : last;
	return (address & ((4u << line_log2) - 1)) + last < 4u << line_log2;
}

/* What the predictor in C says, and the statistics of the encoder (decoder/codec/encoder.c). */
void bench::judge(step &s)
{
	if (s.clear)
		hard_due = true;
	switch (s.kind) {
	case LOST: predictor.order = s.payload[1] + 1; return;
	case EVENT: return;
	case STOP: s.check = unchecked != 0; break;
	case RECORD:
		s.hard = hard_due;
		s.check = hard_due ? unchecked != 0 : unchecked == CHECK_INTERVAL;
	}
	if (s.check) {
		s.digest = predictor.digest;
		s.pc = uint32_t(predictor.pc);
		predictor.digest = 0;
		unchecked = 0;
		checks++;
	}
	if (s.kind == STOP)
		return;
	if (hard_due) {
		ear_predictor_reset(&predictor, s.entry.order);
		hard_due = false;
		unchecked = 0;
	}
	ear_predictor_encode(&predictor, &s.entry, &s.difference);
	unchecked++;

	ear_operation op;
	ear_operation_decode(&op, s.entry.insn, PREDICT_XLEN, PREDICT_FLEN);
	s.quick = !s.hard && s.difference.mask == 0 && !s.entry.trap && s.entry.csr_count == 0 &&
		  op.kind != EAR_DO_CSR && op.kind != EAR_DO_MRET &&
		  !(op.kind >= EAR_DO_DIV && op.kind <= EAR_DO_REMUW) &&
		  !(PREDICT_BASE && (op.kind == EAR_DO_SLL || op.kind == EAR_DO_SRL ||
					    op.kind == EAR_DO_SRA)) &&
		  (PREDICT_MULTIPLIER || !(op.kind >= EAR_DO_MUL && op.kind <= EAR_DO_MULW)) &&
		  one_line(s.entry.pc_rdata, op.size == 4 ? 0xF : 3, geometry.code.line_log2) &&
		  one_line(s.entry.mem_addr, s.entry.mem_rmask | s.entry.mem_wmask,
			  geometry.data.line_log2) &&
		  !(PREDICT_UNIFIED && (s.entry.mem_rmask | s.entry.mem_wmask));
}

void bench::pack(step &s)
{
	s.data.assign(sizeof(top->entry_data_i) / 4, 0);
	bits b(s.data.data());
	b.put(5, s.kind);
	if (s.kind == RECORD) {
		/* Any slots can be the valid ones. */
		unsigned valid = (1u << s.entry.csr_count) - 1;
		if (chance(500))
			valid <<= PREDICT_CSR_SLOTS - s.entry.csr_count;
		put_record(b, s.entry, valid);
		if (PREDICT_TIME)
			b.put(64, random_next(&random));
	} else {
		b.put(64, s.order);
		b.put(64, s.payload[0]);
		b.put(64, s.payload[1]);
	}
}

static void stop_if_not(bool same, const char *what, const step &s, uint64_t rtl, uint64_t c)
{
	if (same)
		return;
	std::fprintf(stderr,
		"order %llu, insn %08x: %s is %llx, in C %llx (mask %05x, pc %llx, address %llx, "
		"masks %x %x)\n",
		(unsigned long long)s.entry.order, s.entry.insn, what, (unsigned long long)rtl,
		(unsigned long long)c, s.difference.mask, (unsigned long long)s.entry.pc_rdata,
		(unsigned long long)s.entry.mem_addr, s.entry.mem_rmask, s.entry.mem_wmask);
	std::exit(1);
}

/* Is the record's result not that of its opcode? An operation on integers that did not trap is
 * judged, if the entry has its operands.
 */
static bool is_wrong(const ear_retire &entry, uint32_t mask, const ear_geometry &geometry)
{
	ear_operation op;

	ear_operation_decode(&op, entry.insn, PREDICT_XLEN, PREDICT_FLEN);
	if (PREDICT_BASE)
		ear_operation_keep_base(&op);
	const bool product = op.kind >= EAR_DO_MUL && op.kind <= EAR_DO_MULW;
	const bool division = op.kind >= EAR_DO_DIV && op.kind <= EAR_DO_REMUW;
	if (!PREDICT_OPERANDS || entry.trap || entry.irq || op.kind < EAR_DO_IMMEDIATE ||
		op.kind > EAR_DO_JALR || (product && !geometry.multiply) ||
		(division && !geometry.divide))
		return false;
	return entry.rd_addr != op.rd || (op.rd != 0 && mask & EAR_DIFFER_RD);
}

#define SAME(what, rtl, c) stop_if_not((rtl) == (c), what, s, (rtl), (c))

void bench::verify(const step &s)
{
	uint64_t xmask = PREDICT_XLEN == 64 ? ~uint64_t(0) : 0xFFFFFFFF;

	SAME("kind", top->out_data_o[0] & 3, unsigned(s.kind));
	SAME("hard", bool(top->out_hard_o), s.hard);
	SAME("mask", uint32_t(top->out_mask_o), s.difference.mask);
	SAME("check", bool(top->out_check_o), s.check);
	if (s.check) {
		SAME("digest", uint32_t(top->out_check_digest_o), s.digest);
		SAME("check pc", uint32_t(top->out_check_pc_o), s.pc);
	}
	for (size_t i = 0; i < s.data.size(); i++)
		SAME("data", top->out_data_o[i], s.data[i]);
	if (s.kind != RECORD)
		return;
	if (s.difference.mask & EAR_DIFFER_INSN) {
		SAME("from_number", bool(top->out_from_number_o), s.difference.from_number);
		SAME("number", unsigned(top->out_number_o), unsigned(s.difference.number));
	}
	if (s.difference.mask & (EAR_DIFFER_RDATA | EAR_DIFFER_RD)) {
		uint64_t actual =
			s.difference.mask & EAR_DIFFER_RDATA ? s.entry.mem_rdata : s.entry.rd_wdata;
		SAME("delta", uint64_t(top->out_delta_o), (actual - s.difference.expected) & xmask);
	}
	const bool wrong = is_wrong(s.entry, s.difference.mask, geometry);
	SAME("wrong", bool(top->out_wrong_o), wrong);
	records++;
	wrongs += wrong;
	differing += s.difference.mask != 0;
}

void bench::run(retire_source &source, uint64_t count)
{
	uint64_t until = records + count;
	unsigned stuck = 0;

	while (records < until) {
		if (waiting.empty())
			make(source);
		step &first = waiting.front();
		top->clear_i = 0;
		if (!top->entry_valid_i) {
			/* A clear stands alone: what is offered later comes after it. */
			if (first.clear) {
				first.clear = false;
				top->clear_i = 1;
				cleared++;
			} else if (!chance(idle)) {
				top->entry_valid_i = 1;
				std::memcpy(top->entry_data_i.data(), first.data.data(),
					sizeof(top->entry_data_i));
			}
		}
		top->out_ready_i = !chance(busy);
		top->clk_i = 0;
		top->eval();
		bool in = top->entry_valid_i && top->entry_ready_o;
		bool out = top->out_valid_o && top->out_ready_i;
		if (in) {
			inside.push_back(waiting.front());
			waiting.pop_front();
		}
		if (out) {
			if (inside.empty()) {
				std::fprintf(stderr, "an entry came out that never went in\n");
				std::exit(1);
			}
			const step s = inside.front();
			inside.pop_front();
			verify(s);
			SAME("clocks too many", timed && s.quick && clocks - left_at > CLOCKS,
				false);
			left_at = clocks;
			stuck = 0;
		} else if (++stuck > 20000) {
			std::fprintf(stderr, "nothing comes out\n");
			std::exit(1);
		}
		top->clk_i = 1;
		top->eval();
		clocks++;
		if (in)
			top->entry_valid_i = 0;
	}
}

/* Opcodes -------------------------------------------------------------------------------------- */

static void compare_operation(Vear_predict_decode &top, uint32_t insn)
{
	ear_operation op;
	uint8_t known = EAR_OPERATION_IMMEDIATE | EAR_OPERATION_UNSIGNED | EAR_OPERATION_MEMORY |
			EAR_OPERATION_READS | EAR_OPERATION_WRITES | EAR_OPERATION_FLAGS;
	uint32_t expected[3] = {}, mask[3] = {0xFFFFFFFF, 0xFFFFFFFF, 0x3FFFFFF};

	ear_operation_decode(&op, insn, PREDICT_XLEN, PREDICT_FLEN);
	if (PREDICT_BASE)
		ear_operation_keep_base(&op);
	bits b(expected);
	b.put(7, op.kind);
	b.put(32, uint32_t(op.imm));
	b.put(5, op.rd);
	b.put(5, op.rs1);
	b.put(5, op.rs2);
	b.put(5, op.frd);
	b.put(5, op.frs);
	b.put(1, op.size == 4);
	b.put(4, op.access);
	b.put(6, op.flags & known);
	b.put(3, op.function);
	b.put(12, op.csr);
	top.insn_i = insn;
	top.eval();
	for (unsigned i = 0; i < 3; i++) {
		if ((top.operation_o[i] & mask[i]) == expected[i])
			continue;
		std::fprintf(stderr, "opcode %08x: word %u of the operation is %08x, in C %08x\n",
			insn, i, top.operation_o[i], expected[i]);
		std::exit(1);
	}
}

static void every_opcode_is_decoded_as_in_c()
{
	Vear_predict_decode top;
	struct random random = {.state = 1};

	for (uint32_t half = 0; half < 0x10000; half++) {
		if ((half & 3) != 3)
			compare_operation(top, half | uint32_t(random_next(&random)) << 16);
	}
	/* Each opcode and function, with the other bits at random, and often all of them few. */
	for (uint32_t i = 0; i < 2000000; i++) {
		uint64_t dice = random_next(&random);
		uint32_t insn = uint32_t(dice) | 3;
		if (dice >> 32 & 1)
			insn &= ~0xFE000000u | uint32_t(dice >> 40 & 0x7F) << 25;
		if (dice >> 33 & 1)
			insn &= ~0x01E00000u;
		if (dice >> 34 & 1)
			insn = (insn & ~0x01F00000u) | (insn & 0xF8000) << 5;
		compare_operation(top, insn);
	}
	for (uint32_t insn : {0x00000073u, 0x00100073u, 0x30200073u, 0x10200073u, 0x10500073u})
		compare_operation(top, insn);
	/* OP-IMM and OP-IMM-32: all 12 bits of the immediate. */
	for (uint32_t i = 0; i < 0x1000 * 16; i++)
		compare_operation(top, (i >> 4) << 20 | (i & 7) << 12 | 0x5 << 7 | 0x6 << 15 |
					       (i & 8 ? 0x1B : 0x13));
	/* OP, OP-32, AMO and OP-FP: all of funct7, rs2 and funct3. */
	for (uint32_t i = 0; i < 0x1000 * 32; i++) {
		static const uint32_t opcodes[] = {0x33, 0x3B, 0x2F, 0x53};
		compare_operation(top, (i >> 5) << 20 | (i >> 2 & 7) << 12 | 0x5 << 7 | 0x3 << 15 |
					       opcodes[i & 3]);
	}
}

/* Streams -------------------------------------------------------------------------------------- */

static void random_entries_agree(
	unsigned imagined_differ, unsigned noise, bool disturbed, uint64_t count, uint64_t seed)
{
	retire_mix mix;
	mix.imagined = 1000;
	mix.noise = noise;
	mix.differs = imagined_differ;
	mix.geometry = &geometry;
	retire_source source(shape, mix, seed);
	bench b(seed);
	if (disturbed) {
		b.idle = 300;
		b.busy = 400;
		b.markers = 10;
		b.clears = 1;
	}
	b.timed = !disturbed;
	b.run(source, count);
	if (PREDICT_OPERANDS && imagined_differ >= 100 && b.wrongs == 0) {
		std::fprintf(stderr, "no record has a wrong result\n");
		std::exit(1);
	}
	std::printf("imagined %u, noise %u, %s: %llu records, %llu differ, %llu checks, %llu "
		    "clears, %llu clocks\n",
		imagined_differ, noise, disturbed ? "disturbed" : "quiet",
		(unsigned long long)b.records, (unsigned long long)b.differing,
		(unsigned long long)b.checks, (unsigned long long)b.cleared,
		(unsigned long long)b.clocks);
}

static void a_program_agrees(const char *path, uint32_t flips, bool disturbed, uint64_t count)
{
	retire_mix mix;
	mix.program = path;
	mix.flips = flips;
	retire_source source(shape, mix, 7);
	bench b(7);
	if (disturbed) {
		b.idle = 200;
		b.busy = 200;
		b.markers = 1;
	}
	b.timed = !disturbed;
	b.run(source, count);
	std::printf(
		"%s, %u flips, %s: %llu records, %llu differ, %llu checks, %.3f clocks a record\n",
		path, flips, disturbed ? "disturbed" : "quiet", (unsigned long long)b.records,
		(unsigned long long)b.differing, (unsigned long long)b.checks,
		double(b.clocks) / double(b.records));
}

/* Arguments: ELF files to trace as well, and how many records of each. */
int main(int argc, char **argv)
{
	const char *scale_text = std::getenv("EAR_PREDICTOR_SCALE");
	uint64_t scale = scale_text ? std::strtoull(scale_text, nullptr, 10) : 1;

	every_opcode_is_decoded_as_in_c();
	for (uint64_t seed = 1; seed <= scale; seed++) {
		random_entries_agree(0, 0, false, 5000, seed);
		random_entries_agree(100, 2, false, 100000, seed + 100);
		random_entries_agree(100, 20, true, 40000, seed + 200);
		random_entries_agree(500, 0, true, 20000, seed + 300);
		random_entries_agree(500, 1000, true, 20000, seed + 400);
	}
	for (int i = 1; i < argc; i++) {
		a_program_agrees(argv[i], 0, false, 100000 * scale);
		a_program_agrees(argv[i], 10000, true, 40000 * scale);
	}
	return 0;
}
