// The virtual board: runs the Verilated system and capture unit against a host on a socket.
#ifndef EAR_SIM_BOARD_H
#define EAR_SIM_BOARD_H

#include <cstdint>
#include <cstdio>
#include <memory>

#include "hdl/sim/board_model.h"
#include "hdl/sim/dump.h"
#include "hdl/sim/elf_image.h"
#include "hdl/sim/fault.h"
#include "hdl/sim/link/earshot_link.h"
#include "hdl/sim/memory.h"

namespace ear
{

constexpr uint64_t BOARD_CLOCK_HZ = 50000000;

struct BoardOptions {
	BoardUnit unit = BoardUnit::LARGE;
	uint64_t link_bytes_per_s = 0; // what the link carries in a simulated second; 0: no limit
	unsigned stall_permille = 0;   // clocks in which the link is not ready, at random
	uint32_t seed = 1;             // of that
	uint64_t max_cycles = 0;       // end the program after so many clocks; 0: never
	Fault fault = {};
	std::FILE *uart = stderr;
	Dump *dump = nullptr; // sees every write and every record; null: there is none
};

// How a run ended.
enum class BoardEnd {
	EXITED,   // the program exited, and the host has all bytes
	OVERTIME, // the same, but it was max_cycles that ended the program
	HOST_GONE // the host closed the link before that
};

class Board
{
      public:
	// memory holds the program already. All arguments must outlive the board.
	Board(const BoardOptions &options, const ElfImage &image, Memory &memory,
		earshot::HostLink &host);

	BoardEnd run();

	// Clocks since the reset of the unit, until the program ended.
	uint64_t cycles() const
	{
		return pins_.ended_o ? ended_cycle_ : cycles_;
	}
	uint64_t instructions() const
	{
		return instructions_;
	}
	unsigned exit_code() const;

      private:
	void reset();
	void clock();
	void drive_link();
	void sample_link();
	void sample_memory();
	void write_moment(uint32_t pc);
	void print(uint8_t byte);
	bool link_ready();
	bool link_idle() const
	{
		return quiet_ > IDLE_CYCLES;
	}
	size_t receivable() const;
	void wait_for_host(int timeout_ms);
	void wait_for_room();
	void wait_for_word();
	void look_at_host();
	void exchange();

	// The link is idle when nothing has moved on it in so many clocks in which it was ready:
	// longer than any message takes through the capture unit. What waits in the unit for its
	// frame to be flushed comes only after board_unit_flush_cycles() more.
	static constexpr uint64_t IDLE_CYCLES = 4096;
	// So long the link is quiet after the answer to a control word before the next one comes.
	static constexpr uint64_t SETTLE_CYCLES = 64;
	// Bytes of the frame with the answer to a control word, and where the word has its address.
	static constexpr uint64_t ANSWER_SIZE = 24;
	static constexpr size_t WORD_ADDRESS = 3;
	// Bytes that are more than any answer: the unit sends of its own, such as a test pattern.
	static constexpr uint64_t ANSWER_MAX = 4096;
	// For how long the rest of a control word may be missing.
	static constexpr int WORD_MS = 20;
	// How often the socket is looked at.
	static constexpr uint64_t EXCHANGE_CYCLES = 512;

	const BoardOptions &options_;
	const ElfImage &image_;
	Memory &memory_;
	earshot::HostLink &host_;
	std::unique_ptr<BoardModel> model_;
	BoardPins pins_;

	bool uart_is_terminal_;
	bool uart_return_ = false; // a carriage return, whose meaning depends on the next byte
	uint64_t cycles_ = 0;
	uint64_t ended_cycle_ = 0;
	uint64_t instructions_ = 0;
	uint64_t quiet_ = 0;     // clocks with a ready link since the last byte, either way
	bool was_ended_ = false; // ended_o in the clock before
	uint64_t credit_ = 0;    // what the limited link may send, in bytes * BOARD_CLOCK_HZ
	uint32_t random_;
	bool ordered_ = true; // the core has not been released yet: one word after the other
	size_t granted_ = 0;  // then: bytes that the host may send now
	uint64_t settle_ = SETTLE_CYCLES; // after the answer to the word that was granted
	uint64_t answer_ = ANSWER_SIZE;   // bytes sent since the last one from the host
	bool rx_offered_ = false;         // the chip offers a word to the board in this clock
	unsigned rx_count_ = 0;           // bytes in it
	bool asked_ = false;              // the memory was asked in this clock
	uint32_t rdata_ = 0;              // and answers this
	bool rdata_error_ = false;
	bool overtime_ = false;
	bool replaced_ = false; // the host has loaded something over the program
};

} // namespace ear

#endif
