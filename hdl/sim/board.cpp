// One step is one clock of the model: the memory and the FIFO chip drive their pins, the clock
// rises, and what the pins then show is taken. The link's rate is a credit that grows every clock
// and is spent by bytes, so that a rate in bytes a second needs no timer and two runs are the same.
// The board ends when the program has ended and the link has been quiet for as long as the unit may
// keep a message.
#include "board.h"

#include <algorithm>
#include <unistd.h>

#include "common/protocol/ear_protocol.h"

namespace ear
{

namespace
{

constexpr unsigned RESET_CYCLES = 8;
constexpr unsigned WORD_SIZE = 4;
constexpr uint64_t CREDIT_MAX = 512 * BOARD_CLOCK_HZ; // one burst: a USB packet
constexpr unsigned EXIT_CODE_OVERTIME = 124;
constexpr uint64_t STUCK_CYCLES = 100000; // more than any instruction takes

uint32_t random_next(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

} // namespace

Board::Board(
	const BoardOptions &options, const ElfImage &image, Memory &memory, earshot::HostLink &host)
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
	return true;
}

// Bytes from the host that the chip has for the unit in this clock.
size_t Board::receivable() const
{
	size_t count = host_.received();

	return ordered_ && granted_ < count ? granted_ : count;
}

// The chip's outputs before a clock edge.
void Board::drive_link()
{
	size_t count = receivable();
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
				answer_++;
				if (options_.link_bytes_per_s)
					credit_ -= BOARD_CLOCK_HZ;
			}
		}
		traffic = true;
	}
	if (rx_offered_ && !pins_.oe_no && !pins_.rd_no) {
		host_.take(rx_count_);
		granted_ -= rx_count_ < granted_ ? rx_count_ : granted_;
		answer_ = 0;
		traffic = true;
	}
	if (pins_.ended_o && !was_ended_)
		ended_cycle_ = cycles_;
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
	rdata_error_ = !memory_.access(
		pins_.memory_address_o, pins_.memory_wmask_o, pins_.memory_wdata_o, &rdata_);
	if (options_.dump && pins_.memory_wmask_o && !rdata_error_)
		options_.dump->wrote(pins_.memory_address_o);
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

// After a clock edge, before which a wanted record was the next to retire, at pc. If it has
// retired, all that it writes is written, and nothing of what the next one writes.
void Board::write_moment(uint32_t pc)
{
	if (options_.dump->wants(model_->number() - 1))
		options_.dump->write(pc, model_->core());
}

// One clock: the world's signals settle, everyone looks at them, then the edge.
void Board::clock()
{
	drive_link();
	pins_.clk_i = 0;
	model_->eval();

	sample_link();
	sample_memory();
	if (pins_.retired_o)
		instructions_++;
	if (pins_.uart_valid_o)
		print(pins_.uart_data_o);
	if (options_.max_cycles && cycles_ >= options_.max_cycles && !pins_.ended_o) {
		overtime_ = true;
		pins_.exit_i = 1;
		pins_.exit_code_i = EXIT_CODE_OVERTIME;
	}

	bool wanted = options_.dump && options_.dump->wants(model_->number());
	uint32_t pc = wanted ? model_->pc() : 0;

	pins_.clk_i = 1;
	model_->eval();
	if (wanted)
		write_moment(pc);
	if (asked_) {
		pins_.memory_rdata_i = rdata_;
		pins_.memory_error_i = rdata_error_;
	}
	cycles_++;
}

void Board::wait_for_host(int timeout_ms)
{
	std::fflush(options_.uart);
	host_.wait(timeout_ms);
	host_.exchange();
}

// A slow host stops the clock. So what the link takes, and with it what is held and what is lost,
// depends on the options only and is the same in every run.
void Board::wait_for_room()
{
	host_.exchange();
	while (host_.open() && !host_.room())
		wait_for_host(-1);
}

// Before the core is released for the first time, no clock passes but for the control words of the
// host, one after the other: how long it thinks between them does not show in the unit's count of
// clocks, and the program begins at the same clock in every run.
void Board::wait_for_word()
{
	bool waits = true;

	if (host_.received() < EAR_CONTROL_WORD_SIZE)
		host_.exchange();
	while (waits && host_.open() && host_.received() < EAR_CONTROL_WORD_SIZE) {
		size_t before = host_.received();

		wait_for_host(before ? WORD_MS : -1);
		waits = before == 0 || host_.received() > before; // or it is no word
	}
	granted_ = std::min<size_t>(host_.received(), EAR_CONTROL_WORD_SIZE);
	// Nothing but its answer comes of a word of a program that is loaded, and there are many.
	unsigned address = granted_ < EAR_CONTROL_WORD_SIZE
				   ? 0
				   : host_.peek(WORD_ADDRESS) | host_.peek(WORD_ADDRESS + 1) << 8;
	settle_ = address >= EAR_REG_LOAD ? 0 : SETTLE_CYCLES;
}

// Look at the socket, and wait for it if the simulation could only turn idle circles: the host
// holds the core and the link is quiet.
void Board::look_at_host()
{
	host_.exchange();
	if (pins_.held_o && !overtime_ && host_.received() == 0 && host_.open() &&
		quiet_ > IDLE_CYCLES + board_unit_flush_cycles(options_.unit))
		wait_for_host(-1);
}

void Board::exchange()
{
	ordered_ = ordered_ && pins_.held_o && !overtime_ && answer_ <= ANSWER_MAX;
	if (!host_.room())
		wait_for_room();
	else if (ordered_ && granted_ == 0 &&
		 quiet_ > (answer_ >= ANSWER_SIZE ? settle_ : IDLE_CYCLES))
		wait_for_word();
	else if (!ordered_ && cycles_ % EXCHANGE_CYCLES == 0)
		look_at_host();
}

BoardEnd Board::run()
{
	reset();
	while (host_.open()) {
		clock();
		if (ordered_ || !host_.room() || cycles_ % EXCHANGE_CYCLES == 0)
			exchange();
		// A core that hangs in the middle of an instruction never ends.
		bool stuck = overtime_ && cycles_ > options_.max_cycles + STUCK_CYCLES +
							    board_unit_flush_cycles(options_.unit);
		if ((was_ended_ || (overtime_ && pins_.held_o) || stuck) && link_idle() &&
			host_.room() && host_.received() == 0)
			break;
	}
	// The capture unit has said all it had to say; now the host has to get it.
	while (host_.open() && host_.pushed()) {
		host_.wait(-1);
		host_.exchange();
	}
	std::fflush(options_.uart);
	if (!pins_.ended_o && !overtime_)
		return BoardEnd::HOST_GONE;
	return overtime_ ? BoardEnd::OVERTIME : BoardEnd::EXITED;
}

} // namespace ear
