/* A core with the capture unit in simulation: memory and devices of the demo system, the link, and
 * what the core's own retire port shows.
 *
 *   core_NAME_PRESET PROGRAM --out FILE --control FILE [--port FILE] [--records N] [--slow N]
 *       --port     the entries of the port, in the normal form of docs/retire-port.md (made by
 *                  tests/sim/normal_form.cpp, not by the unit), as a stream in raw mode; with
 *                  NEXT_PC of the core each with the pc of the next one
 *       --records  end the program after so many entries
 *       --slow     the link takes a word in one of N clocks (default 1), and nothing at all for 256
 *                  of 512 clocks with N above 1
 * As a device of earshot it has --fd in place of --out. Prints one line: entries, clocks, entries
 * that came while stall_o was high (the most of one time, and the times), and the bits that the
 * reference encoder takes for the port in predict mode with `small` and `large`.
 */
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "Vcore.h"
#include "Vcore__Dpi.h"
#include "hdl/sim/elf_image.h"
#include "hdl/sim/link/earshot_link.h"
#include "hdl/sim/memory.h"
#include "tests/sim/normal_form.h"

extern "C" {
#include "decoder/codec/encoder.h"
#include "tests/support/predict_stream.h"
#include "tests/support/sample_stream.h"
}

namespace
{

constexpr uint64_t MEMORY_BYTES = 16 << 20;
constexpr uint32_t EXIT = 0x00100000, MSIP = 0x02000000, MTIMECMP = 0x02004000, MTIME = 0x0200BFF8;
constexpr uint32_t UART = 0x10000000, UART_STATUS = 0x10000004, UART_READY = 0x60 << 8;
constexpr uint64_t CLOCKS_MAX = 100000000;
constexpr uint64_t TIME_CLOCKS = 5; // of one count of mtime, as on the demo system

struct System {
	ear::Memory memory{MEMORY_BYTES};
	bool exited = false;
	uint32_t exit_value = 0;
	uint32_t msip = 0;
	uint64_t clocks = 0; // in which the core was not held by the unit: time stands still then
	uint64_t mtimecmp = UINT64_MAX;

	// A core whose reset vector is elsewhere jumps to the program: lui t0, 0x80000; jr t0.
	static bool is_vector(uint32_t address)
	{
		return (address & ~4u) == 0 || (address & ~4u) == 0x7FFFFF80;
	}

	uint64_t time() const
	{
		return clocks / TIME_CLOCKS;
	}

	uint32_t device(uint32_t address, uint32_t wmask, uint32_t wdata)
	{
		const unsigned half = 8 * (address & 4);

		if (address == EXIT && wmask) {
			exited = true;
			exit_value = wdata;
		} else if (address == UART && wmask & 1) {
			std::fputc(static_cast<int>(wdata & 0xFF), stderr);
		} else if (address == MSIP && wmask) {
			msip = wdata & 1;
		} else if ((address & ~4u) == MTIMECMP && wmask) {
			mtimecmp = (mtimecmp & ~(UINT64_C(0xFFFFFFFF) << half)) | uint64_t(wdata)
											  << half;
		}
		if (address == MSIP)
			return msip;
		if ((address & ~4u) == MTIMECMP)
			return static_cast<uint32_t>(mtimecmp >> half);
		if ((address & ~4u) == MTIME)
			return static_cast<uint32_t>(time() >> half);
		if (is_vector(address))
			return address & 4 ? 0x00028067 : 0x800002B7;
		return address == UART_STATUS ? UART_READY : 0;
	}
};

System system_;

// What the port shows, held against the unit by whoever reads the files.
class Port
{
      public:
	Port(bool reads, bool causes, bool next) : reads_(reads), next_(next)
	{
		ear_geometry geometry;
		ear_unit unit = sample_unit(32, 0, 0);

		unit.csr_slots = 0;
		unit.features |= causes ? 0 : EAR_REG_FEATURES_NO_CAUSES_MASK;
		ear_encoder_init(&raw_, &unit, take_raw, this);
		ear_encoder_start(&raw_);
		for (unsigned k = 0; k < 2; k++) {
			ear_geometry_find(&geometry, k == 0 ? "small" : "large");
			predicted_[k].unit = predict_unit(&geometry, 32, 0, false);
			predicted_[k].unit.csr_slots = 0;
			predict_encoder_init_sink(&predicted_[k].encoder, &predicted_[k].unit,
				take_predicted, &predicted_[k]);
			ear_encoder_start(&predicted_[k].encoder.encoder);
		}
	}
	~Port()
	{
		for (auto &one : predicted_)
			predict_encoder_fini(&one.encoder);
		if (file_)
			std::fclose(file_);
	}
	Port(const Port &) = delete;
	Port &operator=(const Port &) = delete;

	bool open(const std::string &path)
	{
		file_ = std::fopen(path.c_str(), "wb");
		return file_ != nullptr;
	}

	void take(const Vcore &top)
	{
		ear_retire entry = {};

		entry.order = top.rvfi_order;
		entry.insn = top.rvfi_insn;
		entry.trap = top.rvfi_trap;
		entry.halt = top.rvfi_halt;
		entry.intr = top.rvfi_intr;
		entry.mode = top.rvfi_mode;
		entry.ixl = top.rvfi_ixl;
		entry.xlen = 32;
		entry.cause = top.rvfi_ext_cause;
		entry.debug = top.rvfi_ext_debug;
		entry.rs1_addr = top.rvfi_rs1_addr;
		entry.rs2_addr = top.rvfi_rs2_addr;
		entry.rd_addr = top.rvfi_rd_addr;
		entry.rs1_rdata = top.rvfi_rs1_rdata;
		entry.rs2_rdata = top.rvfi_rs2_rdata;
		entry.rd_wdata = top.rvfi_rd_wdata;
		entry.pc_rdata = top.rvfi_pc_rdata;
		entry.pc_wdata = top.rvfi_pc_wdata;
		entry.mem_addr = top.rvfi_mem_addr;
		entry.mem_rdata = top.rvfi_mem_rdata;
		entry.mem_wdata = top.rvfi_mem_wdata;
		entry.mem_rmask = top.rvfi_mem_rmask;
		entry.mem_wmask = top.rvfi_mem_wmask;
		if (!next_)
			return push(entry);
		if (waits_)
			held_.pc_wdata = entry.pc_rdata;
		flush();
		held_ = entry;
		waits_ = true;
		/* Not after mret, sret, dret and mnret. */
		known_ = !entry.trap && entry.insn != 0x30200073 && entry.insn != 0x10200073 &&
			 entry.insn != 0x7B200073 && entry.insn != 0x70200073;
	}

	// An interrupt between two entries, as ear_rvfi_next.v makes one of it.
	void interrupt()
	{
		if (!next_ || !known_)
			return;
		flush();
		ear_retire entry = {};
		entry.irq = entry.trap = true;
		entry.mode = held_.mode;
		entry.ixl = held_.ixl;
		entry.xlen = held_.xlen;
		entry.pc_rdata = entry.pc_wdata = held_.pc_wdata;
		held_ = entry;
		waits_ = true;
		known_ = false;
	}

	// No other entry is awaited.
	void flush()
	{
		if (waits_)
			push(held_);
		waits_ = false;
	}

	bool close()
	{
		const ear_message stop = stop_message();

		ear_encoder_put(&raw_, &stop);
		for (auto &one : predicted_)
			ear_encoder_put(&one.encoder.encoder, &stop);
		bool good = !failed_ && (!file_ || std::fclose(file_) == 0);
		file_ = nullptr;
		return good;
	}

	uint64_t count() const
	{
		return count_;
	}
	double bits(unsigned k) const
	{
		return 8.0 * double(predicted_[k].bytes) / double(count_ ? count_ : 1);
	}

      private:
	void push(ear_retire entry)
	{
		if (next_)
			entry.order = count_;
		normal_form(&entry, reads_, 0);
		ear_encoder_push(&raw_, &entry, 0);
		for (auto &one : predicted_)
			ear_encoder_push(&one.encoder.encoder, &entry, 0);
		count_++;
	}

	struct Predicted {
		ear_unit unit;
		predict_encoder encoder;
		uint64_t bytes = 0;
	};

	ear_message stop_message() const
	{
		ear_message stop = {};

		stop.kind = EAR_MSG_STOP;
		stop.u.stop.reason = EAR_STOP_ENDED;
		stop.u.stop.retired = stop.u.stop.delivered = count_;
		return stop;
	}
	static void take_raw(void *context, const uint8_t *bytes, size_t size)
	{
		Port *port = static_cast<Port *>(context);

		if (port->file_ && std::fwrite(bytes, 1, size, port->file_) != size)
			port->failed_ = true;
	}
	static void take_predicted(void *context, const uint8_t *, size_t size)
	{
		static_cast<Predicted *>(context)->bytes += size;
	}

	bool reads_, next_, failed_ = false;
	ear_retire held_ = {};               // with next_: the last entry
	bool waits_ = false, known_ = false; // it is not pushed; its pc_wdata is true
	std::FILE *file_ = nullptr;
	ear_encoder raw_;
	Predicted predicted_[2];
	uint64_t count_ = 0;
};

// How many entries come while stall_o is high.
struct Slack {
	unsigned now = 0, most = 0;
	uint64_t times = 0;
	bool stalled = false;

	void clock(bool stall, bool valid)
	{
		if (stall && !stalled) {
			times++;
			now = 0;
		}
		stalled = stall;
		now += stall && valid;
		most = now > most ? now : most;
	}
};

} // namespace

int core_access(int address, int wmask, int wdata)
{
	const uint32_t word = static_cast<uint32_t>(address) & ~3u;
	uint32_t read = 0;

	if (!system_.memory.access(word, unsigned(wmask), uint32_t(wdata), &read))
		read = system_.device(word, unsigned(wmask), uint32_t(wdata));
	return static_cast<int>(read);
}

int main(int argc, char **argv)
{
	earshot::Link link(argc, argv);
	auto top = std::make_unique<Vcore>();
	const uint64_t max = std::strtoull(link.option("records", "0").c_str(), nullptr, 10);
	const uint64_t slow = std::strtoull(link.option("slow", "1").c_str(), nullptr, 10);
	const std::string port_path = link.option("port");
	ear::ElfImage image;
	Slack slack;

	std::string error = elf_load(link.program(), system_.memory, &image);
	if (!error.empty()) {
		std::fprintf(stderr, "%s: %s\n", link.program().c_str(), error.c_str());
		return 2;
	}
	top->eval();
	Port port(top->reads_o, top->causes_o, top->next_o);
	if (!port_path.empty() && !port.open(port_path)) {
		std::perror(port_path.c_str());
		return 2;
	}
	for (uint64_t clock = 0; link.open() && !link.done(top->ended_i); clock++) {
		if (clock == CLOCKS_MAX) {
			std::fprintf(stderr, "no end after %" PRIu64 " clocks\n", clock);
			return 2;
		}
		top->rst_ni = clock == 0 || clock >= 8; // an edge, for clocks that are gated
		top->ended_i = system_.exited || (max && port.count() >= max);
		top->timer_i = system_.time() >= system_.mtimecmp;
		top->software_i = system_.msip != 0;
		link.drive(*top);
		if (slow > 1 && (clock % slow != 0 || (clock & 256)))
			top->tx_ready_i = 0;
		top->clk_i = 0;
		top->eval();
		if (top->rvfi_valid && clock >= 8)
			port.take(*top);
		else if (top->rvfi_ext_irq)
			port.interrupt();
		else if (top->ended_i)
			port.flush();
		slack.clock(top->stall_o, top->rvfi_valid);
		system_.clocks += !top->stall_o;
		if (top->tx_valid_o && top->tx_ready_i)
			link.word(top->tx_data_o);
		if (top->rx_valid_i && top->rx_ready_o)
			link.take_byte();
		top->clk_i = 1;
		top->eval();
	}
	int status = link.finish();
	if (!port.close()) {
		std::perror(port_path.c_str());
		return 2;
	}
	std::printf("entries %" PRIu64 " clocks %" PRIu64 " slack %u stalls %" PRIu64
		    " small %.4f large %.4f exit 0x%" PRIx32 "\n",
		port.count(), system_.clocks, slack.most, slack.times, port.bits(0), port.bits(1),
		system_.exit_value);
	return status;
}
