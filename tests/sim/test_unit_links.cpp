/* Each link port against a model of the chip that it talks to, which checks the chip's rules in
 * every clock, and the clock crossing with unrelated clocks.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <random>
#include <vector>

#include "Vtb_unit_links.h"

#define CHECK(condition) \
	do { \
		if (!(condition)) { \
			std::fprintf( \
				stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
			std::exit(1); \
		} \
	} while (0)

static const unsigned LINKS = 8;
static std::mt19937_64 rng;

static bool chance(double p)
{
	return std::uniform_real_distribution<>(0, 1)(rng) < p;
}

/* The unit's side of one link. */
struct stream {
	std::deque<uint32_t> words; /* to send; bit 32 would be last, kept beside */
	std::deque<bool> lasts;
	std::vector<uint8_t> sent;      /* every byte that was given to the link */
	std::vector<size_t> frame_ends; /* offsets in sent */
	std::vector<uint8_t> received;  /* control bytes out of the link */
	bool offering = false;
	double tx_chance = 1, rx_chance = 1;
	bool rx_blocked = false;
};

/* The chip's side. step() sees the pins as they stand before the edge and plays the edge. */
struct chip {
	std::vector<uint8_t> from_unit;
	std::deque<uint8_t> to_unit;
	std::vector<uint8_t> given; /* control bytes that the link took */
	double ready_chance = 1;

	virtual ~chip() = default;
	virtual void drive(Vtb_unit_links &top) = 0; /* the chip's outputs for this clock */
	virtual void edge(Vtb_unit_links &top) = 0;
	virtual bool flushed() const
	{
		return true;
	}
};

struct ft245_chip : chip {
	unsigned index, bytes;
	bool room = false, data = false;
	bool oe_before = false, link_drove = false;
	unsigned siwu_low = 0, siwu_pulses = 0;
	bool siwu_behind_end = true; /* nothing waits in the chip */

	ft245_chip(unsigned i) : index(i), bytes(1u << i)
	{
	}

	void drive(Vtb_unit_links &top) override
	{
		room = chance(ready_chance);
		/* RXF# falls at any time and rises only after the last datum. */
		data = !to_unit.empty() && (data || chance(0.2));
		top.txe_ni = (top.txe_ni & ~(1u << index)) | unsigned(!room) << index;
		top.rxf_ni = (top.rxf_ni & ~(1u << index)) | unsigned(!data) << index;
		uint32_t word = uint32_t(rng()), enables = unsigned(rng());
		bool driving = !(top.oe_no >> index & 1);
		if (driving && data) {
			enables = 0;
			for (unsigned i = 0; i < bytes && i < to_unit.size(); i++) {
				word = (word & ~(0xFFu << 8 * i)) | uint32_t(to_unit[i]) << 8 * i;
				enables |= 1u << i;
			}
		}
		if (bytes == 1)
			enables = 1;
		top.ft_data_i[index] = word;
		top.be_i =
			uint16_t((top.be_i & ~(0xFu << 4 * index)) | (enables & 0xF) << 4 * index);
	}

	void edge(Vtb_unit_links &top) override
	{
		bool oe = !(top.oe_no >> index & 1), rd = !(top.rd_no >> index & 1);
		bool wr = !(top.wr_no >> index & 1), drives = top.ft_drive_o >> index & 1;

		CHECK(!(oe && drives));
		CHECK(!(oe && link_drove) && !(oe_before && drives)); /* a clock between */
		CHECK(!rd || (oe && oe_before));                      /* OE# a clock earlier */
		CHECK(!wr || drives);
		if (wr && room) {
			CHECK((top.be_o >> 4 * index & 0xF) == (1u << bytes) - 1);
			for (unsigned i = 0; i < bytes; i++)
				from_unit.push_back(uint8_t(top.ft_data_o[index] >> 8 * i));
			siwu_behind_end = false;
		}
		if (rd && data) {
			for (unsigned i = 0; i < bytes && !to_unit.empty(); i++) {
				given.push_back(to_unit.front());
				to_unit.pop_front();
			}
			data = data && !to_unit.empty();
		}
		bool siwu = !(top.siwu_no >> index & 1);
		CHECK(bytes == 1 || !siwu);
		if (siwu)
			siwu_behind_end = true;
		else if (siwu_low > 0)
			CHECK(siwu_low >= 15); /* 250 ns at 60 MHz */
		siwu_low = siwu ? siwu_low + 1 : 0;
		oe_before = oe;
		link_drove = drives;
	}

	bool flushed() const override
	{
		return bytes != 1 || siwu_behind_end;
	}
};

struct fx2_chip : chip {
	static const unsigned BUFFERS = 4;
	unsigned index, bytes, packet_size;
	std::vector<uint8_t> packet;           /* being filled */
	std::deque<std::vector<uint8_t>> full; /* committed, waiting for the host */
	std::vector<size_t> packet_sizes;
	bool owes_end = false; /* the host's transfer continues after a full packet */
	unsigned adr_clocks = 0, adr = 2, sloe_clocks = 0;
	bool full_flag = false, empty_flag = true; /* as the pins show them: one clock late */
	bool link_drove = false, sloe_before = false;

	fx2_chip(unsigned i) : index(i), bytes(i == 1 ? 2 : 1), packet_size(i == 2 ? 64 : 512)
	{
	}

	void drive(Vtb_unit_links &top) override
	{
		if (!full.empty() && chance(ready_chance * 0.05)) { /* the host reads a packet */
			from_unit.insert(from_unit.end(), full.front().begin(), full.front().end());
			full.pop_front();
		}
		top.full_ni = (top.full_ni & ~(1u << index)) | unsigned(!full_flag) << index;
		top.empty_ni = (top.empty_ni & ~(1u << index)) | unsigned(!empty_flag) << index;
		uint32_t word = uint32_t(rng());
		if (!(top.sloe_no >> index & 1) && adr == 0)
			for (unsigned i = 0; i < bytes && i < to_unit.size(); i++)
				word = (word & ~(0xFFu << 8 * i)) | uint32_t(to_unit[i]) << 8 * i;
		uint64_t pins = 0;
		pins |= uint64_t(word & 0xFFFF) << 16 * index;
		top.fx_data_i = (top.fx_data_i & ~(0xFFFFull << 16 * index)) | pins;
	}

	void commit()
	{
		CHECK(!packet.empty() || owes_end); /* no empty packet without need */
		owes_end = packet.size() == packet_size;
		packet_sizes.push_back(packet.size());
		full.push_back(packet);
		packet.clear();
		CHECK(full.size() <= BUFFERS);
	}

	void edge(Vtb_unit_links &top) override
	{
		unsigned now = top.fifoadr_o >> 2 * index & 3;
		bool sloe = !(top.sloe_no >> index & 1), slrd = !(top.slrd_no >> index & 1);
		bool slwr = !(top.slwr_no >> index & 1), pktend = !(top.pktend_no >> index & 1);
		bool drives = top.fx_drive_o >> index & 1;

		adr_clocks = now == adr ? adr_clocks + 1 : 0;
		adr = now;
		sloe_clocks = sloe ? sloe_clocks + 1 : 0;
		CHECK(!(sloe && drives));
		CHECK(!(sloe && link_drove) && !(sloe_before && drives));
		if (slwr || pktend || slrd)
			CHECK(adr_clocks >= 2); /* 25 ns at 48 MHz */
		if (slwr) {
			CHECK(now == 2 && drives);
			CHECK(full.size() < BUFFERS); /* a write to a full FIFO is lost */
			owes_end = false;
			for (unsigned i = 0; i < bytes; i++)
				packet.push_back(
					uint8_t(uint64_t(top.fx_data_o) >> (16 * index + 8 * i)));
			if (packet.size() == packet_size)
				commit();
		}
		if (pktend) {
			CHECK(now == 2);
			CHECK(full.size() < BUFFERS); /* there is no buffer to end */
			commit();
		}
		if (slrd) {
			CHECK(now == 0 && sloe_clocks >= 2);
			CHECK(!to_unit.empty()); /* reading an empty FIFO */
			for (unsigned i = 0; i < bytes && !to_unit.empty(); i++) {
				given.push_back(to_unit.front());
				to_unit.pop_front();
			}
		}
		full_flag = full.size() == BUFFERS;
		empty_flag = to_unit.empty();
		link_drove = drives;
		sloe_before = sloe;
	}

	bool flushed() const override
	{
		return packet.empty() && full.empty() && !owes_end;
	}
};

struct uart_chip : chip {
	unsigned index, divisor;
	int tx_clock = -1;
	unsigned tx_bit = 0, tx_byte = 0;
	double rx_phase = 0; /* of the byte that goes to the unit, in its clocks */
	bool rx_busy = false;
	bool broken = false; /* the stop bit of that byte is low: it must not arrive */
	unsigned quiet = 0;  /* clocks until the line may be used again */
	double drift;        /* of our bit clock against the unit's */

	uart_chip(unsigned i) : index(i), divisor(i == 0 ? 4 : 13), drift(i == 0 ? 1.0 : 1.02)
	{
	}

	void drive(Vtb_unit_links &top) override
	{
		bool level = true;
		if (quiet > 0) {
			quiet--;
		} else if (!rx_busy && chance(0.02)) { /* a spike, which is no start bit */
			level = false;
			quiet = divisor;
		} else if (!rx_busy && !to_unit.empty() && chance(0.1)) {
			rx_busy = true;
			broken = chance(0.1);
			rx_phase = 0;
		}
		if (rx_busy) {
			double phase = rx_phase / (divisor * drift);
			unsigned bit = unsigned(phase);
			level = bit == 0   ? false
				: bit <= 8 ? (to_unit.front() >> (bit - 1) & 1)
					   : !broken || phase > 9.8;
			rx_phase += 1;
			if (bit >= 10) {
				if (!broken) {
					given.push_back(to_unit.front());
					to_unit.pop_front();
				}
				rx_busy = false;
				quiet = broken ? divisor : 0;
				level = true;
			}
		}
		top.rxd_i = uint8_t((top.rxd_i & ~(1u << index)) | unsigned(level) << index);
	}

	void edge(Vtb_unit_links &top) override
	{
		bool level = top.txd_o >> index & 1;
		if (tx_clock < 0) {
			if (!level) {
				tx_clock = 0;
				tx_bit = 0;
				tx_byte = 0;
			}
			return;
		}
		tx_clock++;
		if (unsigned(tx_clock) != divisor / 2 + divisor * tx_bit)
			return;
		if (tx_bit == 0)
			CHECK(!level);
		else if (tx_bit <= 8)
			tx_byte |= unsigned(level) << (tx_bit - 1);
		else {
			CHECK(level);
			from_unit.push_back(uint8_t(tx_byte));
			tx_clock = -1;
		}
		tx_bit++;
	}
};

/* All links at once, each with its chip. */
struct links {
	std::unique_ptr<VerilatedContext> context{new VerilatedContext};
	Vtb_unit_links top{context.get()};
	stream streams[LINKS];
	std::vector<std::unique_ptr<chip>> chips;

	links()
	{
		for (unsigned i = 0; i < 3; i++)
			chips.emplace_back(new ft245_chip(i));
		for (unsigned i = 0; i < 3; i++)
			chips.emplace_back(new fx2_chip(i));
		for (unsigned i = 0; i < 2; i++)
			chips.emplace_back(new uart_chip(i));
		top.rst_ni = 0;
		top.rxd_i = 3;
		top.rxf_ni = top.txe_ni = 7;
		for (int i = 0; i < 3; i++)
			clock();
		top.rst_ni = 1;
	}

	void add_frame(unsigned link, unsigned words)
	{
		for (unsigned i = 0; i < words; i++) {
			uint32_t word = uint32_t(rng());
			streams[link].words.push_back(word);
			streams[link].lasts.push_back(i + 1 == words);
			for (unsigned k = 0; k < 4; k++)
				streams[link].sent.push_back(uint8_t(word >> 8 * k));
		}
		streams[link].frame_ends.push_back(streams[link].sent.size());
	}

	void clock()
	{
		for (auto &c : chips)
			c->drive(top);
		for (unsigned i = 0; i < LINKS; i++) {
			stream &s = streams[i];
			/* An offer stays until it is taken. */
			s.offering = !s.words.empty() && (s.offering || chance(s.tx_chance));
			top.tx_valid_i =
				uint8_t((top.tx_valid_i & ~(1u << i)) | unsigned(s.offering) << i);
			top.tx_data_i[i] = s.offering ? s.words.front() : uint32_t(rng());
			bool last = s.offering ? bool(s.lasts.front()) : chance(0.5);
			top.tx_last_i = uint8_t((top.tx_last_i & ~(1u << i)) | unsigned(last) << i);
			bool ready = !s.rx_blocked && chance(s.rx_chance);
			top.rx_ready_i =
				uint8_t((top.rx_ready_i & ~(1u << i)) | unsigned(ready) << i);
		}
		top.eval();
		if (top.rst_ni) {
			for (unsigned i = 0; i < LINKS; i++) {
				stream &s = streams[i];
				if (s.offering && (top.tx_ready_o >> i & 1)) {
					s.words.pop_front();
					s.lasts.pop_front();
					s.offering = false;
				}
				if ((top.rx_valid_o & top.rx_ready_i) >> i & 1)
					s.received.push_back(
						uint8_t(uint64_t(top.rx_data_o) >> 8 * i));
			}
			for (auto &c : chips)
				c->edge(top);
		}
		top.clk_i = 1;
		top.eval();
		top.clk_i = 0;
		top.eval();
	}

	void run_until_done(unsigned limit)
	{
		for (unsigned clocks = 0; !done(); clocks++) {
			CHECK(clocks < limit);
			clock();
		}
	}

	bool done()
	{
		for (unsigned i = 0; i < LINKS; i++)
			if (chips[i]->from_unit.size() < streams[i].sent.size() ||
				!chips[i]->flushed() || !chips[i]->to_unit.empty())
				return false;
		return true;
	}
};

static void every_byte_arrives_both_ways_under_random_pauses(void)
{
	for (unsigned round = 0; round < 6; round++) {
		links l;
		for (unsigned i = 0; i < LINKS; i++) {
			unsigned frames = i >= 6 ? 2 : 12;
			for (unsigned f = 0; f < frames; f++)
				l.add_frame(i, f % 4 == 0 ? 128 : 4 + unsigned(rng() % 124));
			unsigned count = i >= 6 ? 30 : 200;
			for (unsigned n = 0; n < count; n++)
				l.chips[i]->to_unit.push_back(uint8_t(rng()));
			l.chips[i]->ready_chance = round % 2 ? 1.0 : 0.5;
			l.streams[i].tx_chance = round % 3 ? 1.0 : 0.3;
			l.streams[i].rx_chance = i >= 6 || round % 2 ? 1.0 : 0.4;
		}
		l.run_until_done(200000);
		for (unsigned n = 0; n < 400; n++)
			l.clock();
		for (unsigned i = 0; i < LINKS; i++) {
			CHECK(l.chips[i]->from_unit == l.streams[i].sent);
			CHECK(l.streams[i].received == l.chips[i]->given);
			CHECK(l.streams[i].words.empty());
		}
	}
}

/* A host that sends without reading: the unit takes no more control bytes because its replies are
 * not taken, and must still get its frames out once the host reads. */
static void a_blocked_receiver_does_not_block_the_sender(void)
{
	links l;
	for (unsigned i = 0; i < 6; i++) {
		for (unsigned f = 0; f < 8; f++)
			l.add_frame(i, 100);
		for (unsigned n = 0; n < 40; n++)
			l.chips[i]->to_unit.push_back(uint8_t(n));
		l.streams[i].rx_blocked = true;
	}
	for (unsigned n = 0; n < 60000; n++)
		l.clock();
	for (unsigned i = 0; i < 6; i++) {
		CHECK(l.chips[i]->from_unit == l.streams[i].sent);
		CHECK(!l.chips[i]->to_unit.empty());
	}
}

static void a_full_chip_can_still_be_read(void)
{
	links l;
	for (unsigned i = 0; i < 6; i++) {
		for (unsigned f = 0; f < 40; f++)
			l.add_frame(i, 128);
		l.chips[i]->ready_chance = 0;
		for (unsigned n = 0; n < 10; n++)
			l.chips[i]->to_unit.push_back(uint8_t(n));
	}
	for (unsigned n = 0; n < 20000; n++)
		l.clock();
	for (unsigned i = 0; i < 6; i++)
		CHECK(l.streams[i].received.size() >= 10);
}

/* A transfer of the host ends at a short packet: there must be none while frames follow. */
static void frames_share_fx2_packets_while_others_follow(void)
{
	links l;
	for (unsigned f = 0; f < 40; f++)
		for (unsigned i = 3; i < 6; i++)
			l.add_frame(i, f % 3 == 0 ? 128 : 4 + unsigned(rng() % 124));
	l.run_until_done(100000);
	for (unsigned i = 3; i < 6; i++) {
		auto *fx2 = static_cast<fx2_chip *>(l.chips[i].get());
		size_t total = l.streams[i].sent.size(), size = fx2->packet_size;
		CHECK(fx2->packet_sizes.size() == total / size + 1); /* the last one may be empty */
		for (size_t n = 0; n + 1 < fx2->packet_sizes.size(); n++)
			CHECK(fx2->packet_sizes[n] == size);
	}
}

/* Behind the last frame the packet ends, soon, and control words are read meanwhile. */
static void the_last_frame_is_not_held_back(void)
{
	links l;
	for (unsigned round = 0; round < 10; round++) {
		unsigned clocks = 0;
		for (unsigned i = 3; i < 6; i++) {
			l.add_frame(i, 4);
			l.chips[i]->to_unit.push_back(uint8_t(round));
			l.chips[i]->to_unit.push_back(uint8_t(round));
		}
		for (bool ended = false; !ended; clocks++) {
			CHECK(clocks < 200);
			l.clock();
			ended = true;
			for (unsigned i = 3; i < 6; i++) {
				auto *fx2 = static_cast<fx2_chip *>(l.chips[i].get());
				ended &= fx2->packet_sizes.size() == round + 1 &&
					 fx2->packet_sizes.back() == 16 && fx2->to_unit.empty();
			}
		}
	}
}

/* A full packet does not end the host's transfer, which would keep the frame until another one
 * comes: after the last STOP of all, for ever. An empty packet ends it. */
static void a_last_frame_that_fills_its_packet_is_not_held_back(void)
{
	links l;
	for (unsigned round = 0; round < 10; round++) {
		for (unsigned i = 3; i < 6; i++) {
			l.add_frame(i, 120);
			l.add_frame(i, 8);
			if (round % 2) { /* control words cross it */
				l.chips[i]->to_unit.push_back(uint8_t(round));
				l.chips[i]->to_unit.push_back(uint8_t(round));
			}
			if (round % 3 == 2)
				l.chips[i]->ready_chance = 0; /* the chip is full for a while */
		}
		for (unsigned n = 0; n < 1000; n++)
			l.clock();
		for (unsigned i = 3; i < 6; i++)
			l.chips[i]->ready_chance = 1;
		l.run_until_done(20000);
		for (unsigned i = 3; i < 6; i++) {
			auto *fx2 = static_cast<fx2_chip *>(l.chips[i].get());
			std::vector<size_t> expected(512 / fx2->packet_size, fx2->packet_size);
			expected.push_back(0);
			CHECK(fx2->packet_sizes == expected);
			fx2->packet_sizes.clear();
		}
	}
}

/* How many clocks a link needs for a datum when nobody waits. */
static void links_keep_their_pace(void)
{
	links l;
	for (unsigned i = 0; i < 5; i++)
		for (unsigned f = 0; f < 16; f++)
			l.add_frame(i, 128);
	unsigned clocks = 0;
	while (l.chips[0]->from_unit.size() < 16 * 512) {
		l.clock();
		CHECK(++clocks < 100000);
	}
	std::printf("FT245, 8 bits: %u bytes in %u clocks\n", 16 * 512, clocks);
	CHECK(clocks < 16 * 512 * 102 / 100);
}

static void the_clock_crossing_keeps_order_at_any_ratio(void)
{
	static const unsigned periods[][2] = {
		{10, 10}, {10, 11}, {7, 31}, {31, 7}, {10, 3}, {3, 100}};

	for (const auto &p : periods) {
		VerilatedContext context;
		Vtb_unit_links top{&context};
		top.rst_ni = 0;
		top.eval();
		top.rst_ni = 1;
		std::deque<uint8_t> inside;
		uint64_t wr_next = 1 + rng() % 10, rd_next = 1 + rng() % 10;
		unsigned moved = 0;
		bool offering = false;
		uint8_t value = 0;
		double wr_chance = 0.8, rd_chance = 0.8;
		while (moved < 3000) {
			if (moved % 500 == 499) { /* sometimes full, sometimes empty */
				wr_chance = chance(0.5) ? 1.0 : 0.1;
				rd_chance = chance(0.5) ? 1.0 : 0.1;
			}
			if (wr_next <= rd_next) {
				wr_next += p[0];
				if (!offering && chance(wr_chance)) {
					offering = true;
					value = uint8_t(rng());
				}
				top.wr_valid_i = offering;
				top.wr_data_i = value;
				top.eval();
				if (offering && top.wr_ready_o) {
					inside.push_back(value);
					offering = false;
					CHECK(inside.size() <=
						9); /* eight, and the one at the output */
				}
				top.wr_clk_i = 1;
				top.eval();
				top.wr_clk_i = 0;
			} else {
				rd_next += p[1];
				top.rd_ready_i = chance(rd_chance);
				top.eval();
				if (top.rd_valid_o && top.rd_ready_i) {
					CHECK(!inside.empty() && top.rd_data_o == inside.front());
					inside.pop_front();
					moved++;
				}
				top.rd_clk_i = 1;
				top.eval();
				top.rd_clk_i = 0;
			}
			top.eval();
		}
	}
}

int main()
{
	rng.seed(1);
	every_byte_arrives_both_ways_under_random_pauses();
	a_blocked_receiver_does_not_block_the_sender();
	a_full_chip_can_still_be_read();
	frames_share_fx2_packets_while_others_follow();
	the_last_frame_is_not_held_back();
	a_last_frame_that_fills_its_packet_is_not_held_back();
	links_keep_their_pace();
	the_clock_crossing_keeps_order_at_any_ratio();
	return 0;
}
