/* The encoder's predict mode by itself: the test plays the predictor, with the reference one, and
 * holds the frames against the reference encoder.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "Vtb_encoder.h"
#include "frame_text.h"
#include "retire_source.h"

extern "C" {
#include "decoder/codec/encoder.h"
}

#define CHECK(condition) \
	do { \
		if (!(condition)) { \
			std::fprintf( \
				stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
			std::exit(1); \
		} \
	} while (0)

constexpr unsigned BODY = 111 + 7 * UNIT_XLEN + UNIT_XLEN / 4 + UNIT_CSR_SLOTS * (13 + UNIT_XLEN) +
			  (UNIT_FLEN ? 11 + UNIT_FLEN : 0) + (UNIT_PADDR ? 128 : 0) +
			  (UNIT_OPERANDS ? 10 + 2 * UNIT_XLEN : 0);

enum { ENTRY_RECORD, ENTRY_LOST, ENTRY_EVENT, ENTRY_STOP };

/* Bits of an entry of the record FIFO, lowest first (hdl/rtl/ear_entry.vh). */
class bit_writer
{
      public:
	explicit bit_writer(uint32_t *w) : words(w)
	{
	}
	void put(uint64_t value, unsigned width)
	{
		for (unsigned i = 0; i < width; i++, at++) {
			uint32_t bit = 1u << at % 32;
			words[at / 32] = (words[at / 32] & ~bit) | (value >> i & 1 ? bit : 0);
		}
	}

      private:
	uint32_t *words;
	unsigned at = 0;
};

static void put_record(bit_writer &bits, const ear_retire &e)
{
	bits.put(e.order, 64);
	bits.put(e.insn, 32);
	bits.put(e.trap | e.halt << 1 | e.intr << 2 | e.irq << 3 | e.mode << 4 | e.ixl << 6, 8);
	bits.put(e.debug | e.virt << 1, 2);
	bits.put(e.rd_addr, 5);
	for (uint64_t value :
		{e.rd_wdata, e.pc_rdata, e.pc_wdata, e.mem_addr, e.mem_rdata, e.mem_wdata, e.cause})
		bits.put(value, UNIT_XLEN);
	bits.put(e.mem_rmask, UNIT_XLEN / 8);
	bits.put(e.mem_wmask, UNIT_XLEN / 8);
	if (UNIT_CSR_SLOTS) {
		bits.put((1u << e.csr_count) - 1, UNIT_CSR_SLOTS);
		for (unsigned i = 0; i < UNIT_CSR_SLOTS; i++)
			bits.put(e.csrs[i].number, 12);
		for (unsigned i = 0; i < UNIT_CSR_SLOTS; i++)
			bits.put(e.csrs[i].value, UNIT_XLEN);
	}
	if (UNIT_FLEN) {
		bits.put(e.frd_valid, 1);
		bits.put(e.frd_addr, 5);
		bits.put(e.fflags, 5);
		bits.put(e.frd_wdata, UNIT_FLEN);
	}
	if (UNIT_PADDR) {
		bits.put(e.pc_paddr, 64);
		bits.put(e.mem_paddr, 64);
	}
	if (UNIT_OPERANDS) {
		bits.put(e.rs1_addr, 5);
		bits.put(e.rs2_addr, 5);
		bits.put(e.rs1_rdata, UNIT_XLEN);
		bits.put(e.rs2_rdata, UNIT_XLEN);
	}
}

static const ear_geometry &geometry()
{
	static ear_geometry g = *ear_geometry_get(EAR_GEOMETRY_LARGE);

	g.operands = UNIT_OPERANDS;
	return g;
}

static ear_unit description(unsigned time_mode)
{
	static const uint8_t bytes[] = {0x22, 0x33, 0x44, 0x55, 0x09, 0x09, 0x09, 0x00};
	ear_unit unit = {};

	unit.protocol_major = EAR_PROTOCOL_MAJOR;
	unit.protocol_minor = EAR_PROTOCOL_MINOR;
	unit.version = 1;
	unit.xlen = UNIT_XLEN;
	unit.nret = 1;
	unit.flen = UNIT_FLEN;
	unit.csr_slots = UNIT_CSR_SLOTS;
	unit.mode = EAR_UNIT_MODE_PREDICT;
	unit.control = uint8_t(time_mode << EAR_UNIT_CONTROL_TIME_MODE_SHIFT);
	std::memcpy(unit.geometry, bytes, sizeof(bytes)); /* as tb_encoder.v has it */
	return unit;
}

static void collect(void *context, const uint8_t *bytes, size_t size)
{
	auto *out = static_cast<std::vector<uint8_t> *>(context);

	out->insert(out->end(), bytes, bytes + size);
}

class bench
{
      public:
	bench(uint64_t seed, const retire_mix &mix, unsigned mode)
	    : random(seed),
	      source({UNIT_XLEN, UNIT_FLEN, UNIT_CSR_SLOTS, UNIT_PADDR != 0, UNIT_OPERANDS != 0},
		      mix, seed),
	      time_mode(mode)
	{
		ear_unit unit = description(time_mode);

		CHECK(ear_predictor_init(&predictor, &unit, &geometry()) == 0);
		CHECK(ear_predictor_init(&reference, &unit, &geometry()) == 0);
		ear_encoder_init(&encoder, &unit, collect, &expected);
		ear_encoder_predict(&encoder, &reference);
		top->rst_ni = 0;
		clock();
		top->rst_ni = 1;
		top->time_mode_i = uint8_t(time_mode);
	}

	~bench()
	{
		ear_predictor_fini(&predictor);
		ear_predictor_fini(&reference);
	}

	/* Everything that one capture can hold, then STOP. */
	void capture(unsigned records)
	{
		ear_encoder_start(&encoder);
		ear_encoder_flush_after(&encoder, flush_cycles);
		hard = true;
		top->begin_i = 1;
		clock();
		top->begin_i = 0;
		for (unsigned i = 0; i < records; i++) {
			if (chance(event_chance))
				event();
			if (chance(lost_chance))
				lost();
			if (chance(sync_chance)) {
				ear_encoder_sync(&encoder);
				hard = true;
			}
			record();
		}
		stop();
		for (unsigned i = 0; i < 2000 && got.size() < expected.size(); i++)
			clock();
		compare();
	}

	double event_chance = 0, lost_chance = 0, sync_chance = 0, start_chance = 0;
	double ready_chance = 1.0, valid_chance = 1.0, tick_chance = 0.5;
	uint32_t flush_cycles = 0;
	uint64_t clocks = 0, record_count = 0;
	std::vector<uint8_t> expected, got;
	static inline unsigned kinds = 0; /* bit k: a message whose first byte is k << 4 came */

	size_t frame_count() const
	{
		size_t count = 0;

		for (size_t at = 0; at < got.size(); count++) {
			ear_frame frame;
			int size = ear_frame_parse(&frame, got.data() + at, got.size() - at);
			CHECK(size > 0);
			at += size_t(size);
		}
		return count;
	}

      private:
	bool chance(double p)
	{
		return std::uniform_real_distribution<>(0, 1)(random) < p;
	}

	void clock()
	{
		top->out_ready_i = chance(ready_chance);
		top->flush_cycles_i = flush_cycles;
		top->eval();
		free_clocks += top->free_o;
		if (top->out_valid_o && top->out_ready_i)
			for (unsigned i = 0; i < 4; i++)
				got.push_back(uint8_t(top->out_data_o >> 8 * i));
		top->clk_i = 1;
		top->eval();
		top->clk_i = 0;
		top->eval();
		clocks++;
	}

	/* Offer the entry that stands at the input until it is taken. Then the reference encoder is
	 * told in which of the clocks that count the encoder began with it.
	 */
	void offer()
	{
		bool taken = false;

		while (!taken) {
			if (!top->entry_valid_i)
				top->entry_valid_i = chance(valid_chance);
			top->flush_cycles_i = flush_cycles;
			top->eval();
			taken = top->entry_valid_i && top->entry_ready_o;
			if (top->entry_valid_i && top->free_o && !top->own_o)
				begun = free_clocks;
			if (taken)
				CHECK(top->delivered_o == (kind == ENTRY_RECORD));
			clock();
		}
		top->entry_valid_i = 0;
		top->hard_i = 0;
		top->check_i = 0;
		ear_encoder_elapse(&encoder, begun);
	}

	void head(unsigned entry_kind, unsigned start)
	{
		kind = entry_kind;
		for (unsigned i = 0; i < 64; i++)
			top->entry_data_i[i] = uint32_t(random());
		bits = bit_writer(&top->entry_data_i[0]);
		bits.put(kind, 2);
		bits.put(start, 3);
		top->mask_i = uint32_t(random()) & 0xFFFFF;
		top->check_i = top->hard_i = 0;
	}

	void tail(uint64_t payload_bits)
	{
		for (uint64_t i = payload_bits; i < BODY; i++)
			bits.put(random(), 1);
		if (UNIT_TIME)
			bits.put(ticks, 64);
		offer();
	}

	void check(void)
	{
		top->check_i = 1;
		top->check_pc_i = uint32_t(predictor.pc);
		top->check_digest_i = predictor.digest;
		predictor.digest = 0;
		unchecked = 0;
	}

	void record()
	{
		ear_retire entry;
		ear_difference difference;
		unsigned start = chance(start_chance) ? 1 + random() % 7 : 0;

		source.next(&entry);
		entry.order += skipped;
		if (chance(tick_chance))
			ticks += chance(0.9) ? random() % 70 : random() % 0x30000;
		if (!UNIT_TIME)
			ticks = 0;

		head(ENTRY_RECORD, start);
		put_record(bits, entry);
		if (hard ? unchecked != 0 : unchecked == EAR_RUN_CHECK_INTERVAL)
			check();
		if (hard)
			ear_predictor_reset(&predictor, entry.order);
		top->hard_i = hard;
		hard = false;
		ear_predictor_encode(&predictor, &entry, &difference);
		unchecked++;
		top->mask_i = difference.mask;
		top->from_number_i = difference.from_number;
		top->number_i = difference.number;
		top->delta_i =
			(difference.mask & EAR_DIFFER_RDATA ? entry.mem_rdata : entry.rd_wdata) -
			difference.expected;
		record_count++;
		tail(BODY);
		last_order = entry.order;

		ear_encoder_prepare(&encoder, entry.order, ticks);
		if (start)
			put_event(EAR_EVENT_START_TRIGGER, entry.order, start);
		ear_encoder_push(&encoder, &entry, ticks);
	}

	void put_event(uint8_t source_kind, uint64_t order, uint32_t value)
	{
		ear_message message = {};

		message.kind = EAR_MSG_EVENT;
		message.u.event = {source_kind, order, value};
		ear_encoder_put(&encoder, &message);
	}

	void event()
	{
		uint32_t value = uint32_t(random());

		head(ENTRY_EVENT, 0);
		bits.put(last_order + 1, 64);
		bits.put(value, 32);
		bits.put(EAR_EVENT_PORT, 8);
		tail(104);
		put_event(EAR_EVENT_PORT, last_order + 1, value);
	}

	void lost()
	{
		ear_message message = {};
		uint64_t count = 1 + random() % 1000;

		message.kind = EAR_MSG_LOST;
		message.u.lost = {EAR_LOST_FIFO_FULL, count, last_order + 1, last_order + count};
		predictor.order = last_order + count + 1;
		skipped += count;
		head(ENTRY_LOST, 0);
		bits.put(last_order + 1, 64);
		bits.put(count, 64);
		bits.put(last_order + count, 64);
		tail(192);
		ear_encoder_put(&encoder, &message);
	}

	void stop()
	{
		ear_message message = {};

		message.kind = EAR_MSG_STOP;
		message.u.stop.reason = EAR_STOP_HOST;
		head(ENTRY_STOP, 0);
		bits.put(0, 64);
		bits.put(EAR_STOP_HOST, 8);
		if (unchecked)
			check();
		tail(72);
		ear_encoder_put(&encoder, &message);
	}

	/* Which kinds of record message came so far, of all benches. */
	void note_kinds()
	{
		for (size_t at = noted; at < got.size();) {
			ear_frame frame;
			int size = ear_frame_parse(&frame, got.data() + at, got.size() - at);
			CHECK(size > 0);
			at += size_t(size);
			noted = at;
			for (const std::string &line : frame_messages(frame))
				kinds |= 1u << std::stoul(line.substr(0, 1), nullptr, 16);
		}
	}

	/* The frames that came, against those of the reference encoder. */
	void compare()
	{
		if (expected == got) {
			note_kinds();
			return;
		}
		std::fprintf(stderr, "record %llu\n", (unsigned long long)record_count);
		show_difference(got, expected);
		std::exit(1);
	}

	std::mt19937_64 random;
	retire_source source;
	unsigned time_mode;
	std::unique_ptr<VerilatedContext> context{new VerilatedContext};
	std::unique_ptr<Vtb_encoder> top{new Vtb_encoder{context.get()}};
	bit_writer bits{nullptr};
	unsigned kind = ENTRY_RECORD;
	ear_predictor predictor, reference;
	ear_encoder encoder;
	bool hard = true;
	uint32_t unchecked = 0;
	uint64_t ticks = 0, skipped = 0, last_order = 0;
	size_t noted = 0;
	uint64_t free_clocks = 0; /* in which the encoder was not busy with a message */
	uint64_t begun = 0;       /* free_clocks when it began with the last entry */
};

static retire_mix imagined(unsigned differs)
{
	retire_mix mix;

	mix.imagined = 1000;
	mix.differs = differs;
	mix.geometry = &geometry();
	return mix;
}

static void every_message_is_the_reference_encoders(void)
{
	static const uint32_t flushes[] = {0, 1, 7, 60, 500};

	for (unsigned i = 0; i < 24; i++) {
		retire_mix mix = imagined(i % 4 == 0 ? 20 : i % 4 == 1 ? 200 : 600);
		mix.noise = i % 4 == 3 ? 300 : i % 4;
		bench b(i + 1, mix, UNIT_TIME ? i % 3 : 0);
		b.event_chance = i % 5 == 0 ? 0.02 : 0.001;
		b.lost_chance = i % 5 == 1 ? 0.02 : 0.001;
		b.sync_chance = i % 5 == 2 ? 0.02 : 0.0005;
		b.start_chance = i % 5 == 3 ? 0.02 : 0.001;
		b.tick_chance = i % 2 ? 0.05 : 0.9;
		b.ready_chance = i % 6 == 0 ? 0.4 : 1.0;
		b.valid_chance = i % 7 == 0 ? 0.5 : 1.0;
		for (unsigned n = 0; n < 3; n++) {
			b.flush_cycles = flushes[(i + n) % 5];
			b.capture(1500);
		}
	}
	/* 8 is not a record message, and FVALUE needs FP registers. */
	CHECK(bench::kinds == (UNIT_FLEN ? 0xFFFFu : 0xBFFFu));
}

/* Long runs: every length of the run's code, the longest run, and the check between. */
static void long_runs_are_told_in_pieces(void)
{
	retire_mix mix = imagined(0);
	bench b(99, mix, 0);
	b.event_chance = 0.0002;
	b.capture(40000);
	b.event_chance = 0;
	b.capture(200000);
	size_t frames = b.frame_count();
	CHECK(frames < 5);
	std::fprintf(stderr, "  %.4f clocks a record in long runs\n",
		double(b.clocks) / double(b.record_count));
	CHECK(b.clocks < b.record_count * 51 / 50);
}

/* An endless run, which fills no frame, is sent every FLUSH_CYCLES clocks; its own messages, RUN
 * and CHECK, put that off no longer.
 */
static void an_endless_run_is_sent_every_flush_cycles(void)
{
	for (uint32_t flush_cycles : {1000u, 70000u}) {
		const unsigned records = 150000;
		bench b(98, imagined(0), 0);
		b.flush_cycles = flush_cycles;
		b.capture(records);
		size_t frames = b.frame_count();
		std::fprintf(stderr, "  %zu frames, FLUSH_CYCLES %u\n", frames, flush_cycles);
		CHECK(frames >= records / (flush_cycles + 20));
		CHECK(frames <= records / flush_cycles + 3);
	}
}

int main(void)
{
	every_message_is_the_reference_encoders();
	long_runs_are_told_in_pieces();
	an_endless_run_is_sent_every_flush_cycles();
	return 0;
}
