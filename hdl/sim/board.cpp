#include "board.h"

#include <unistd.h>

namespace ear
{

namespace
{

constexpr unsigned RESET_CYCLES = 8;
constexpr unsigned WORD_SIZE = 4;
constexpr uint64_t CREDIT_MAX = 512 * BOARD_CLOCK_HZ; // one burst: a USB packet
constexpr unsigned EXIT_CODE_OVERTIME = 124;

uint32_t random_next(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

} // namespace

Board::Board(const BoardOptions &options, const ElfImage &image, Memory &memory, HostLink &host)
    : options_(options), image_(image), memory_(memory), host_(host),
      model_(BoardModel::make(options.unit)), pins_(model_->pins()),
      uart_is_terminal_(isatty(fileno(options.uart)) == 1), random_(options.seed ? options.seed : 1)
{
}

unsigned Board::exit_code() const
{
	return pins_.exit_code_o;
}

void Board::reset()
{
	pins_.boot_address_i = image_.entry;
	pins_.rxf_ni = 1;
	pins_.txe_ni = 1;
	fault_apply(options_.fault, pins_);
	pins_.rst_ni = 0;
	for (unsigned k = 0; k < RESET_CYCLES; k++) {
		pins_.clk_i = 0;
		model_->eval();
		pins_.clk_i = 1;
		model_->eval();
	}
	pins_.rst_ni = 1;
}

// Would the FIFO chip take a word in this clock?
bool Board::link_ready()
{
	if (options_.link_bytes_per_s) {
		credit_ += options_.link_bytes_per_s;
		if (credit_ > CREDIT_MAX)
			credit_ = CREDIT_MAX;
		if (credit_ < WORD_SIZE * BOARD_CLOCK_HZ)
			return false;
	}
	if (options_.stall_permille && random_next(&random_) % 1000 < options_.stall_permille)
		return false;
	return host_.room();
}

// The chip's outputs before a clock edge.
void Board::drive_link()
{
	size_t count = host_.received();
	uint32_t word = 0;

	pins_.txe_ni = !link_ready();

	rx_offered_ = count > 0;
	if (rx_offered_) {
		rx_count_ = count < WORD_SIZE ? static_cast<unsigned>(count) : WORD_SIZE;
		for (unsigned k = 0; k < rx_count_; k++)
			word |= static_cast<uint32_t>(host_.peek(k)) << (8 * k);
		pins_.data_i = word;
		pins_.be_i = static_cast<uint8_t>((1u << rx_count_) - 1);
	}
	pins_.rxf_ni = !rx_offered_;
}

// What the chip sees at a clock edge.
void Board::sample_link()
{
	bool traffic = false;

	if (!pins_.wr_no && !pins_.txe_ni) {
		for (unsigned k = 0; k < WORD_SIZE; k++) {
			if (pins_.be_o >> k & 1) {
				host_.push(static_cast<uint8_t>(pins_.data_o >> (8 * k)));
				if (options_.link_bytes_per_s)
					credit_ -= BOARD_CLOCK_HZ;
			}
		}
		traffic = true;
	}
	if (rx_offered_ && !pins_.oe_no && !pins_.rd_no) {
		host_.take(rx_count_);
		traffic = true;
	}
	// A program whose end comes after a long quiet run still has its last messages to send.
	if (traffic || (pins_.ended_o && !was_ended_))
		quiet_ = 0;
	else if (!pins_.txe_ni)
		quiet_++;
	was_ended_ = pins_.ended_o;
}

// What the program prints. It need not be trusted: a terminal gets no sequence that would move it,
// nor a carriage return that overwrites a line. A file gets every byte.
void Board::print(uint8_t byte)
{
	bool plain = (byte >= ' ' && byte <= '~') || byte == '\n' || byte == '\t';

	if (!uart_is_terminal_) {
		std::fputc(byte, options_.uart);
		return;
	}
	if (uart_return_)
		std::fputs(byte == '\n' ? "\r" : "\\x0d", options_.uart);
	uart_return_ = byte == '\r';
	if (plain)
		std::fputc(byte, options_.uart);
	else if (!uart_return_)
		std::fprintf(options_.uart, "\\x%02x", byte);
}

void Board::sample_memory()
{
	pins_.exit_i = 0;
	asked_ = pins_.memory_valid_o;
	if (!asked_)
		return;
	answer_error_ = !memory_.access(
		pins_.memory_address_o, pins_.memory_wmask_o, pins_.memory_wdata_o, &answer_);
	// What the host writes is another program, of which nobody knows a symbol.
	if (pins_.held_o && pins_.memory_wmask_o)
		replaced_ = true;
	// The convention of the RISC-V test suites: bit 0 says "ended", the rest is the exit code.
	if (image_.has_tohost && !replaced_ && pins_.memory_wmask_o == 0xf &&
		pins_.memory_address_o == image_.tohost && (pins_.memory_wdata_o & 1)) {
		pins_.exit_i = 1;
		pins_.exit_code_i = static_cast<uint16_t>(pins_.memory_wdata_o >> 1);
	}
}

// One clock: the world's signals settle, everyone looks at them, then the edge.
void Board::clock()
{
	drive_link();
	pins_.clk_i = 0;
	model_->eval();

	sample_link();
	sample_memory();
	if (pins_.retired_o) {
		instructions_++;
		last_retired_ = cycles_;
	}
	if (pins_.uart_valid_o)
		print(pins_.uart_data_o);
	if (options_.max_cycles && cycles_ >= options_.max_cycles && !pins_.ended_o) {
		overtime_ = true;
		pins_.exit_i = 1;
		pins_.exit_code_i = EXIT_CODE_OVERTIME;
	}

	pins_.clk_i = 1;
	model_->eval();
	if (asked_) {
		pins_.memory_rdata_i = answer_;
		pins_.memory_error_i = answer_error_;
	}
	cycles_++;
}

// Look at the socket, and wait for it if the simulation could only turn idle circles: the host
// holds the core and the link is quiet, or the host does not read and the core has stopped for it.
void Board::housekeeping()
{
	bool stuck;

	host_.exchange();
	if (host_.received() > 0)
		return;
	stuck = (pins_.held_o && quiet_ > IDLE_CYCLES + board_unit_flush_cycles(options_.unit)) ||
		(!host_.room() && cycles_ - last_retired_ > IDLE_CYCLES);
	if (stuck && host_.open() && !(overtime_ && pins_.held_o)) {
		std::fflush(options_.uart);
		host_.wait();
		host_.exchange();
	}
}

BoardEnd Board::run()
{
	reset();
	while (host_.open()) {
		clock();
		if (cycles_ % EXCHANGE_CYCLES == 0)
			housekeeping();
		if ((was_ended_ || (overtime_ && pins_.held_o)) && link_idle() && host_.room() &&
			host_.received() == 0)
			break;
	}
	// The capture unit has said all it had to say; now the host has to get it.
	while (host_.open() && host_.pushed()) {
		host_.wait();
		host_.exchange();
	}
	std::fflush(options_.uart);
	if (!pins_.ended_o && !overtime_)
		return BoardEnd::HOST_GONE;
	return overtime_ ? BoardEnd::OVERTIME : BoardEnd::EXITED;
}

} // namespace ear
