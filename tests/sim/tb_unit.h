/* A bench around the capture unit: it retires random entries like a core, plays the host on the
 * link side, and holds what came out against the reference encoder.
 *
 * The configuration comes from the build (UNIT_XLEN, UNIT_NRET, ...; see unit.cmake).
 */
#ifndef EAR_TB_UNIT_H
#define EAR_TB_UNIT_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "Vtb_unit.h"

extern "C" {
#include "common/protocol/control_word.h"
#include "common/protocol/difference.h"
#include "common/protocol/ear_protocol.h"
#include "common/protocol/event_port.h"
#include "common/protocol/frame.h"
#include "common/protocol/message.h"
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

#define CHECK_EQUAL(a, b) check_equal(__FILE__, __LINE__, #a, uint64_t(a), #b, uint64_t(b))

inline void check_equal(
	const char *file, int line, const char *a_text, uint64_t a, const char *b_text, uint64_t b)
{
	if (a == b)
		return;
	std::fprintf(stderr, "%s:%d: %s = 0x%llx, but %s = 0x%llx\n", file, line, a_text,
		(unsigned long long)a, b_text, (unsigned long long)b);
	std::exit(1);
}

/* One entry as it was offered at the port. */
struct offered {
	ear_retire entry;
	uint64_t ticks; /* core clocks since reset, but held ones */
	uint64_t sent;  /* bytes that the link had taken by then */
};

/* A store to the event port that the bus saw taken, as its event. */
struct port_event {
	uint8_t source;
	uint32_t value;
	uint64_t order;  /* one more than that of the last entry */
	uint64_t before; /* how many entries had retired */
};

/* A message out of the unit, and whether a frame ended after it. A record message of predict mode
 * has only its first byte in message.kind. */
struct heard {
	ear_message message;
	bool frame_end;
	uint64_t records; /* how many records it tells */
};

/* The unit counts held clocks, and they are no time. */
const bool COUNTS_HELD = UNIT_HELD && UNIT_STALL;

struct bench {
	/* The core's behaviour. */
	double retire_chance = 0.5; /* per channel and clock */
	double gap_chance = 0.01;   /* that order jumps */
	double dense_chance = 0.3;  /* that an entry has nearly all fields */
	unsigned pc_bits = 64;      /* small: few different addresses, so that triggers hit */
	std::function<void(ear_retire *)> source; /* of entries; none: random ones. order is ours */
	/* What the port shows of an entry, when the unit should make the entry of it again. */
	std::function<void(ear_retire *)> shows;
	bool retiring = false;
	uint64_t retire_limit = UINT64_MAX; /* stop after as many entries in offers */
	bool honour_stall = true;
	double port_chance =
		0; /* that a store to the event port begins; no access in the first entries */
	unsigned late_entries = 0; /* that still retire under stall_o, beside STALL_SLACK */
	double stall_break = 1.0;  /* chance to use an entry of the slack in a clock */

	/* The link's behaviour. */
	double ready_chance = 1.0;
	unsigned core_period = 10, link_period = 10;

	/* The system's memory behind the load port: words at 0x80000000 .. 0x800FFFFC. */
	std::map<uint32_t, uint32_t> memory;

	/* What was seen. */
	std::vector<offered> offers;
	std::vector<port_event> port_events; /* since enable() */
	uint64_t port_unknown = 0;           /* stores to registers that are not there */
	bool port_asks = false;              /* an access is at the bus */
	std::deque<heard> messages;
	std::vector<uint8_t> bytes; /* everything since enable() */
	std::deque<uint8_t> rx;
	uint64_t clocks = 0; /* of the core, since reset */
	uint64_t ticks = 0;  /* the same without held ones */
	uint64_t held = 0;   /* held ones since enable() */
	uint64_t stalled_clocks = 0;
	uint64_t next_order = 0;
	uint64_t own_order = 0; /* entries since reset */
	uint16_t sequence = 0;  /* of the next frame */
	std::mt19937_64 random;
	std::unique_ptr<VerilatedContext> context{new VerilatedContext};
	std::unique_ptr<Vtb_unit> top{new Vtb_unit{context.get()}};

	explicit bench(uint64_t seed);

	void step(); /* to the next clock edge of either clock */
	void run(unsigned core_clocks);
	bool run_until(const std::function<bool()> &condition, uint64_t core_clocks);

	uint64_t bits(unsigned count)
	{
		return count == 64 ? random() : random() & ((1ull << count) - 1);
	}
	bool chance(double p)
	{
		return std::uniform_real_distribution<>(0, 1)(random) < p;
	}

	/* Control words; the reply must be the next REPLY. Other messages stay in the queue. */
	void send(uint8_t operation, uint8_t tag, uint16_t address, uint32_t value);
	ear_message request(uint8_t operation, uint16_t address, uint32_t value);
	uint32_t read(uint16_t address);
	void write(uint16_t address, uint32_t value);
	void write64(uint16_t address, uint64_t value);
	void enable(bool drop, unsigned time_mode); /* FLUSH_CYCLES is 0 after it */

	/* Run until STOP came. Returns it; it is the last of messages. */
	ear_message wait_stop(uint64_t core_clocks);
	void discard_replies()
	{
		replies.clear();
	} /* to words that were only sent */

      private:
	void core_edge();
	void drive_memory();
	void drive_port();
	void after_port();
	void link_edge();
	void link_before_edge();
	void link_after_edge();
	void take_word(uint32_t word, bool last);
	void random_entry(ear_retire *entry);
	void odd_memory(ear_retire *entry);

	uint64_t next_core = 5, next_link = 7;
	uint64_t slack_used = 0;
	unsigned port_asked = 0;      /* clocks for which the access has been there */
	uint64_t port_next = 0;       /* no other access before this clock, */
	uint64_t port_next_offer = 1; /* nor before so many entries */
	uint32_t port_value = 0;
	int port_number = -1; /* of the register; -1: not there */
	bool tx_moves = false, rx_moves = false, tx_last = false;
	uint32_t tx_word = 0;
	uint8_t tag = 0;
	std::vector<uint8_t> frame;

	std::deque<ear_message> replies;
};

/* Records that were reported by the messages that are in the queue. */
uint64_t count_records(const bench &b);

/* The unit's description of itself, as its parameters say. */
ear_unit unit_description(bool drop, unsigned time_mode, bool filter_on);

#endif
