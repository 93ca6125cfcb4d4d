/* The iCE40 board's design at its pins: plays the USB chip and whoever listens to the program's
 * UART.
 *
 *   ice40_pins stall|drop CLOCKS DUMP
 *
 * Enables the capture with that policy and lets the core go, all by control words on the receive
 * pin. After CLOCKS, or when the program has ended, it ends the capture and waits until the
 * transmit pin has been silent for long. What came from there is written to DUMP; what the program
 * printed goes to standard output. The program is program.hex in the working directory.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "Vear_ice40_hx8k.h"

extern "C" {
#include "common/protocol/control_word.h"
#include "common/protocol/ear_protocol.h"
}

enum {
	LINK_CLOCKS = 4,        /* of a bit: 3 Mbaud at 12 MHz */
	CONSOLE_CLOCKS = 104,   /* 115200 baud */
	SILENCE_CLOCKS = 20000, /* longer than any pause within a frame */
	TEST_CLOCKS = 150000,   /* seven frames of the test source */
	LED_ENDED = 0x80,
};

/* Takes bytes off a pin: 8 data bits, a start and a stop bit. */
class receiver
{
      public:
	explicit receiver(unsigned bit_clocks) : clocks(bit_clocks)
	{
	}

	/* One clock. Returns the byte that is complete, or -1. */
	int sample(bool level)
	{
		if (left == 0) {
			if (!level) {
				left = 10;
				wait = clocks / 2;
			}
			return -1;
		}
		if (--wait > 0)
			return -1;
		wait = clocks;
		left--;
		if (left == 9 && level)
			fail("a start bit that is none");
		if (left == 0) {
			if (!level)
				fail("a stop bit is missing");
			return bits;
		}
		if (left < 9)
			bits = bits >> 1 | (level ? 0x80 : 0);
		return -1;
	}

      private:
	static void fail(const char *what)
	{
		std::fprintf(stderr, "ice40_pins: %s\n", what);
		std::exit(1);
	}

	unsigned clocks, wait = 0, left = 0;
	int bits = 0;
};

class board
{
      public:
	board()
	{
		top->rxd_i = 1;
	}

	void clock()
	{
		if (send_wait > 0)
			send_wait--;
		else if (!levels.empty()) {
			top->rxd_i = levels.front();
			levels.pop_front();
			send_wait = LINK_CLOCKS - 1;
		}
		top->clk_i = 0;
		top->eval();
		top->clk_i = 1;
		top->eval();
		clocks++;

		int byte = link.sample(top->txd_o);
		if (byte >= 0) {
			stream.push_back(uint8_t(byte));
			last_byte = clocks;
		}
		byte = console.sample(top->uart_o);
		if (byte >= 0)
			std::putchar(byte);
	}

	void send(uint16_t address, uint32_t value)
	{
		uint8_t word[EAR_CONTROL_WORD_SIZE];
		ear_control_word control = {EAR_CONTROL_WORD_WRITE, ++tag, address, value};

		ear_control_word_build(word, &control);
		for (uint8_t byte : word) {
			levels.push_back(false);
			for (unsigned bit = 0; bit < 8; bit++)
				levels.push_back(byte >> bit & 1);
			levels.push_back(true);
		}
	}

	bool ended() const
	{
		return top->led_o & LED_ENDED;
	}
	bool silent() const
	{
		return clocks - last_byte > SILENCE_CLOCKS;
	}

	std::vector<uint8_t> stream;
	uint64_t clocks = 0;

      private:
	std::unique_ptr<Vear_ice40_hx8k> top{new Vear_ice40_hx8k};
	receiver link{LINK_CLOCKS}, console{CONSOLE_CLOCKS};
	std::deque<bool> levels;
	unsigned send_wait = 0;
	uint64_t last_byte = 0;
	uint8_t tag = 0;
};

static void wait_for_silence(board &b)
{
	for (unsigned i = 0; i < SILENCE_CLOCKS || !b.silent(); i++)
		b.clock();
}

static void capture(board &b, bool drop, uint64_t clocks)
{
	b.send(EAR_REG_CONTROL,
		EAR_REG_CONTROL_ENABLE_MASK | (drop ? EAR_REG_CONTROL_DROP_MASK : 0));
	b.send(EAR_REG_CORE, 0);
	while (b.clocks < clocks && !b.ended())
		b.clock();
	if (!b.ended())
		b.send(EAR_REG_CONTROL, 0);
	wait_for_silence(b);
}

/* The first and the last word of the memory, and the one after it; then the test source. */
static void load(board &b)
{
	b.send(EAR_REG_LOAD_BASE, 0x80000000);
	b.send(EAR_REG_LOAD, 0x12345678);
	b.send(EAR_REG_LOAD + 0x7FC, 0x9ABCDEF0);
	b.send(EAR_REG_LOAD + 0x800, 1);
	wait_for_silence(b);
	b.send(EAR_REG_TEST, EAR_REG_TEST_ON_MASK);
	for (unsigned i = 0; i < TEST_CLOCKS; i++)
		b.clock();
	b.send(EAR_REG_TEST, 0);
	wait_for_silence(b);
}

int main(int argc, char **argv)
{
	if (argc != 4) {
		std::fprintf(stderr, "usage: ice40_pins stall|drop|load CLOCKS DUMP\n");
		return 2;
	}
	uint64_t clocks = std::strtoull(argv[2], nullptr, 10);
	board b;

	for (unsigned i = 0; i < 100; i++) /* the board's own reset after configuration */
		b.clock();
	if (std::strcmp(argv[1], "load") == 0)
		load(b);
	else
		capture(b, std::strcmp(argv[1], "drop") == 0, clocks);

	std::FILE *dump = std::fopen(argv[3], "wb");
	if (!dump || std::fwrite(b.stream.data(), 1, b.stream.size(), dump) != b.stream.size() ||
		std::fclose(dump) != 0) {
		std::perror(argv[3]);
		return 1;
	}
	return 0;
}
