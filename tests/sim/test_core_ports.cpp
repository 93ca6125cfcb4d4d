/* The adapters of cores that are not simulated here: what CVA6, CV32E40X, Rocket, BOOM and Ibex
 * with Zcmp show of a program of the instruction set simulator, by their sources, goes through
 * adapter and unit. The records must be those of the program, in each member that the port has;
 * what it does not have the capture must not claim (ear_trace_carries).
 *
 * The expected records are those of the reference encoder, so both come from the same reader.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <unistd.h>
#include <vector>

#include "Vtb_core_ports.h"
#include "normal_form.h"
#include "retire_source.h"

#include <earshot/check.h>
#include <earshot/trace.h>

extern "C" {
#include "common/protocol/control_word.h"
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

enum core { CVA6, CV32E40X, ROCKET, BOOM, IBEX };
enum { ENTRIES = 4000, ACCESSES = 13 };

static const char *const names[] = {"CVA6", "CV32E40X", "Rocket", "BOOM", "Ibex"};
static std::mt19937_64 source(1);

static uint64_t bits(unsigned count)
{
	return source() >> (64 - count);
}

/* What a port shows in one clock. Two channels, or the accesses of one entry. */
struct shown {
	unsigned valid = 0, exception = 0, interrupt = 0, debug = 0;
	bool intr = false, trigger = false;
	unsigned mpp = 0;
	ear_retire channel[2] = {};
	unsigned accesses = 0; /* CV32E40X: of channel[0] */
	ear_retire access[ACCESSES] = {};
};

/* ---- The bench. ---- */

struct bench {
	Vtb_core_ports top;
	std::vector<uint8_t> bytes;
	std::vector<uint8_t> control;
	unsigned slack = 0, held = 0; /* entries that came while stall_o was high: now, at most */

	explicit bench(core which)
	{
		top.core_i = which;
		top.rst_ni = 0;
		top.ended_i = 0;
		idle();
		clock();
		top.rst_ni = 1;
		uint8_t word[EAR_CONTROL_WORD_SIZE];
		const ear_control_word enable = {
			EAR_CONTROL_WORD_WRITE, 1, EAR_REG_CONTROL, EAR_REG_CONTROL_ENABLE_MASK};
		ear_control_word_build(word, &enable);
		control.assign(word, word + sizeof(word));
		for (unsigned i = 0; i < 100; i++)
			clock();
		CHECK(control.empty());
	}

	/* Without valid a port shows anything. */
	void idle()
	{
		top.valid_i = 0;
		top.exception_i = 0;
		top.interrupt_i = top.core_i == ROCKET ? uint8_t(bits(1)) : 0;
		top.insn_i = source();
		top.pc_rdata_i[0] = uint32_t(source());
		top.rd_wdata_i[0] = uint32_t(source());
		top.cause_i[1] = uint32_t(source());
	}

	void clock()
	{
		top.rx_valid_i = !control.empty();
		if (!control.empty())
			top.rx_data_i = control[0];
		top.clk_i = 0;
		top.eval();
		if (top.tx_valid_o)
			for (unsigned i = 0; i < 4; i++)
				bytes.push_back(uint8_t(top.tx_data_o >> 8 * i));
		if (top.rx_valid_i && top.rx_ready_o)
			control.erase(control.begin());
		top.clk_i = 1;
		top.eval();
	}

	static void put(WData *words, unsigned at, unsigned xlen, uint64_t value)
	{
		words[at * xlen / 32] = uint32_t(value);
		if (xlen == 64)
			words[at * 2 + 1] = uint32_t(value >> 32);
	}

	void access(unsigned at, unsigned xlen, const ear_retire &entry)
	{
		put(&top.mem_addr_i[0], at, xlen, entry.mem_addr);
		put(&top.mem_rdata_i[0], at, xlen, entry.mem_rdata);
		put(&top.mem_wdata_i[0], at, xlen, entry.mem_wdata);
		top.mem_rmask_i |= QData(entry.mem_rmask) << at * (xlen / 8);
		top.mem_wmask_i |= QData(entry.mem_wmask) << at * (xlen / 8);
	}

	void show(const shown &now)
	{
		top.valid_i = uint8_t(now.valid);
		top.exception_i = uint8_t(now.exception);
		top.interrupt_i = uint8_t(now.interrupt);
		top.debug_i = uint8_t(now.debug);
		top.intr_i = now.intr;
		top.debug_trigger_i = now.trigger;
		top.mpp_i = uint8_t(now.mpp);
		top.insn_i = now.channel[0].insn | QData(now.channel[1].insn) << 32;
		top.mode_i = uint8_t(now.channel[0].mode | now.channel[1].mode << 2);
		top.rs1_addr_i = uint16_t(now.channel[0].rs1_addr | now.channel[1].rs1_addr << 5);
		top.rs2_addr_i = uint16_t(now.channel[0].rs2_addr | now.channel[1].rs2_addr << 5);
		top.rd_addr_i = uint16_t(now.channel[0].rd_addr | now.channel[1].rd_addr << 5);
		top.mem_rmask_i = top.mem_wmask_i = 0;
		for (unsigned k = 0; k < 2; k++) {
			const ear_retire &one = now.channel[k];
			put(&top.cause_i[0], k, 64, one.cause);
			put(&top.rs1_rdata_i[0], k, 64, one.rs1_rdata);
			put(&top.rs2_rdata_i[0], k, 64, one.rs2_rdata);
			put(&top.rd_wdata_i[0], k, 64, one.rd_wdata);
			put(&top.pc_rdata_i[0], k, 64, one.pc_rdata);
			put(&top.pc_wdata_i[0], k, 64, one.pc_wdata);
			if (top.core_i == CVA6)
				access(k, 64, one);
		}
		if (top.core_i == IBEX)
			access(0, 32, now.channel[0]);
		for (unsigned i = 0; top.core_i == CV32E40X && i < ACCESSES; i++)
			access(i, 32, i < now.accesses ? now.access[i] : ear_retire{});
	}

	/* The core is held as soon as it can be. A CV32E40X takes a clock for each step. */
	void run(const std::vector<shown> &clocks)
	{
		for (const shown &now : clocks) {
			unsigned before = now.accesses > 1 ? now.accesses + 1 : 0;
			for (unsigned i = 0; i < before || top.stall_o || bits(3) == 0; i++) {
				idle();
				clock();
			}
			show(now);
			clock();
		}
		idle();
		for (unsigned i = 0; i < 1000; i++)
			clock();
		top.ended_i = 1;
		for (unsigned i = 0; i < 1000; i++)
			clock();
	}
};

/* ---- Captures, and what is compared. ---- */

struct capture {
	char path[64] = "/tmp/test_core_ports.XXXXXX";
	ear_trace *trace = nullptr;

	explicit capture(const std::vector<uint8_t> &bytes)
	{
		int fd = mkstemp(path);
		CHECK(fd >= 0 && write(fd, bytes.data(), bytes.size()) == ssize_t(bytes.size()));
		close(fd);
		ear_trace_options options = EAR_TRACE_DEFAULTS;
		options.reads = true;
		CHECK(ear_trace_open(&trace, path, &options) == 0);
	}
	~capture()
	{
		ear_trace_close(trace);
		unlink(path);
	}
	capture(const capture &) = delete;
	capture &operator=(const capture &) = delete;

	const ear_record *next()
	{
		const ear_record *record;

		while (ear_trace_next(trace, &record) == 1) {
			CHECK(record->kind != EAR_RECORD_GAP);
			if (record->kind == EAR_RECORD_INSTRUCTION)
				return record;
		}
		return nullptr;
	}
};

static void take(void *context, const uint8_t *bytes, size_t size)
{
	auto *all = static_cast<std::vector<uint8_t> *>(context);

	all->insert(all->end(), bytes, bytes + size);
}

static std::vector<uint8_t> encode(const std::vector<ear_retire> &entries, unsigned xlen)
{
	std::vector<uint8_t> bytes;
	auto encoder = std::make_unique<ear_encoder>();
	ear_unit unit = {};
	ear_message stop = {};

	unit.protocol_major = EAR_PROTOCOL_MAJOR;
	unit.protocol_minor = EAR_PROTOCOL_MINOR;
	unit.xlen = uint8_t(xlen);
	unit.nret = 1;
	ear_encoder_init(encoder.get(), &unit, take, &bytes);
	ear_encoder_start(encoder.get());
	for (const ear_retire &entry : entries)
		ear_encoder_push(encoder.get(), &entry, 0);
	stop.kind = EAR_MSG_STOP;
	stop.u.stop.reason = EAR_STOP_ENDED;
	stop.u.stop.retired = stop.u.stop.delivered = entries.size();
	ear_encoder_put(encoder.get(), &stop);
	return bytes;
}

static bool same_registers(const ear_record &a, const ear_record &b)
{
	if (a.register_count != b.register_count)
		return false;
	for (size_t i = 0; i < a.register_count; i++)
		if (a.registers[i].reg_class != b.registers[i].reg_class ||
			a.registers[i].number != b.registers[i].number ||
			a.registers[i].value != b.registers[i].value)
			return false;
	return true;
}

static bool same_accesses(const ear_record &a, const ear_record &b)
{
	if (a.memory_count != b.memory_count)
		return false;
	for (size_t i = 0; i < a.memory_count; i++)
		if (a.memory[i].address != b.memory[i].address ||
			a.memory[i].size != b.memory[i].size ||
			a.memory[i].write != b.memory[i].write ||
			a.memory[i].has_value != b.memory[i].has_value ||
			(a.memory[i].has_value && a.memory[i].value != b.memory[i].value))
			return false;
	return true;
}

static bool same_reads(const ear_record &a, const ear_record &b)
{
	const size_t count = a.extra ? a.extra->read_count : 0;

	if (count != (b.extra ? b.extra->read_count : 0))
		return false;
	for (size_t i = 0; i < count; i++)
		if (a.extra->reads[i].number != b.extra->reads[i].number ||
			a.extra->reads[i].value != b.extra->reads[i].value)
			return false;
	return true;
}

static void print(const char *what, const ear_record &record)
{
	std::fprintf(stderr,
		"%s: index %llu pc 0x%llx next 0x%llx opcode 0x%llx flags 0x%x cause "
		"0x%llx mode %u registers %zu accesses %zu",
		what, (unsigned long long)record.index, (unsigned long long)record.pc,
		(unsigned long long)record.next_pc, (unsigned long long)record.opcode, record.flags,
		(unsigned long long)record.cause, record.privilege, record.register_count,
		record.memory_count);
	for (size_t i = 0; i < record.register_count; i++)
		std::fprintf(stderr, " x%u=0x%llx", record.registers[i].number,
			(unsigned long long)record.registers[i].value);
	for (size_t i = 0; i < record.memory_count; i++)
		std::fprintf(stderr, " [0x%llx]%c%u=0x%llx",
			(unsigned long long)record.memory[i].address,
			record.memory[i].write ? 'w' : 'r', record.memory[i].size,
			(unsigned long long)record.memory[i].value);
	std::fprintf(stderr, "\n");
}

static uint64_t violations(ear_trace *trace)
{
	ear_check_counts counts = {};
	uint64_t sum = 0;

	counts.size = sizeof(counts);
	CHECK(ear_trace_check(trace, nullptr, nullptr, nullptr, &counts, nullptr) == 0);
	CHECK(counts.instructions > 1000);
	for (const auto &rule : counts.rules)
		sum += rule.violations;
	return sum;
}

struct expected_run {
	core which;
	unsigned xlen;
	bool results, accesses;
};

static void compare(const expected_run &run, const std::vector<shown> &clocks,
	const std::vector<ear_retire> &entries)
{
	auto port = std::make_unique<bench>(run.which);
	port->run(clocks);
	capture seen(port->bytes), wanted(encode(entries, run.xlen));
	size_t count = 0;

	CHECK((ear_trace_carries(seen.trace, "integer register write") != 0) == run.results);
	for (const char *field : {"load address", "load value", "store address", "store value"})
		CHECK((ear_trace_carries(seen.trace, field) != 0) == run.accesses);
	for (;; count++) {
		const ear_record *a = seen.next(), *b = wanted.next();
		CHECK((a == nullptr) == (b == nullptr));
		if (!a)
			break;
		/* Without causes on the port none is known. */
		uint32_t apart = a->flags ^ b->flags;
		if (run.which == IBEX)
			apart &= ~uint32_t(EAR_RECORD_NO_CAUSE);
		if (a->index != b->index || a->pc != b->pc || a->next_pc != b->next_pc ||
			a->opcode != b->opcode || a->opcode_size != b->opcode_size ||
			a->privilege != b->privilege || apart ||
			(run.which != IBEX && a->cause != b->cause) || !same_registers(*a, *b) ||
			!same_accesses(*a, *b) || !same_reads(*a, *b)) {
			std::fprintf(stderr, "%s: record %zu differs\n", names[run.which], count);
			print("  seen  ", *a);
			print("  wanted", *b);
			std::exit(1);
		}
	}
	CHECK(count == entries.size() && count > 1000);
	/* No instruction is wrong because the port shows nothing of what it did. */
	if (run.which == CVA6 || run.which == ROCKET)
		CHECK(violations(seen.trace) == 0);
}

/* ---- The program, as the retire port of the demo core shows it. ---- */

static std::vector<ear_retire> program(
	const char *folder, const char *name, unsigned xlen, unsigned flen)
{
	retire_shape shape = {};
	retire_mix mix;
	std::vector<ear_retire> entries(ENTRIES);

	shape.xlen = xlen;
	shape.flen = flen;
	shape.operands = true;
	mix.program = std::string(folder) + "/workloads/" + name + ".elf";
	retire_source iss(shape, mix, 1);
	for (ear_retire &entry : entries) {
		iss.next(&entry);
		entry.csr_count = 0;
	}
	return entries;
}

/* As a record without f registers. */
static ear_retire without_floats(ear_retire entry)
{
	entry.frd_valid = false;
	entry.frd_addr = entry.fflags = 0;
	entry.frd_wdata = 0;
	return entry;
}

/* The next pc of each is the pc of the next one, and the last one has none. */
static void follow(std::vector<ear_retire> *entries)
{
	for (size_t i = 0; i + 1 < entries->size(); i++)
		(*entries)[i].pc_wdata = (*entries)[i + 1].pc_rdata;
	entries->pop_back();
	for (size_t i = 0; i < entries->size(); i++)
		(*entries)[i].order = i;
}

static unsigned major(const ear_retire &entry)
{
	return (entry.insn & 3) == 3 ? entry.insn >> 2 & 31 : 32;
}

static bool is_atomic(const ear_retire &entry)
{
	return major(entry) == 0x0B;
}

/* What an instruction's result register gets of a load. */
static uint64_t loaded(const ear_retire &entry)
{
	return entry.rd_addr ? entry.rd_wdata : entry.frd_valid ? entry.frd_wdata : entry.mem_rdata;
}

/* ---- CVA6. ---- */

static bool second_port(const ear_retire &entry)
{
	const unsigned op = major(entry);

	return !entry.trap && entry.mem_wmask == 0 && entry.insn != 0x9002 && op != 0x1C &&
	       op != 0x03 && op != 0x0B;
}

static bool first_port_of_two(const ear_retire &entry)
{
	return !entry.trap && major(entry) != 0x1C && !is_atomic(entry);
}

static ear_retire as_cva6(const ear_retire &entry)
{
	const unsigned op = major(entry), low = unsigned(entry.mem_addr & 7);
	ear_retire port = entry;

	port.mem_rmask = uint8_t(entry.mem_rmask << low);
	port.mem_wmask = uint8_t(entry.mem_wmask << low);
	port.mem_rdata = entry.mem_rmask ? loaded(entry) : source();
	if (!entry.mem_wmask)
		port.mem_wdata = source();
	if (is_atomic(entry) && !entry.trap) {
		unsigned size = (entry.insn >> 12 & 7) == 3 ? 0xFF : 0xF;
		port.mem_rmask = 0;
		port.mem_wmask = uint8_t(size << low);
		port.mem_rdata = source();
		if (!entry.mem_wmask)
			port.mem_wdata = entry.rs2_rdata;
		if (!entry.rd_addr)
			port.rd_wdata = entry.mem_rdata; /* without a register, too */
	}
	if (entry.trap) {
		port.mem_rmask = uint8_t(bits(8));
		port.mem_wmask = uint8_t(bits(8));
		port.rd_addr = uint8_t(bits(5));
	}
	if (entry.frd_valid) {
		port.rd_addr = entry.frd_addr;
		port.rd_wdata = entry.frd_wdata;
	}
	const bool floats = !entry.trap && (op == 0x01 || op == 0x09 || (op >= 0x10 && op <= 0x14));
	if (floats && !entry.rs1_addr) {
		port.rs1_addr = entry.insn >> 15 & 31;
		port.rs1_rdata = source();
	}
	if (floats && !entry.rs2_addr) {
		port.rs2_addr = entry.insn >> 20 & 31;
		port.rs2_rdata = source();
	}
	port.pc_wdata = source();
	return port;
}

static void cva6(const char *folder, const char *name, unsigned flen)
{
	const std::vector<ear_retire> entries = program(folder, name, 64, flen);
	std::vector<ear_retire> wanted;
	std::vector<shown> clocks;
	unsigned pairs = 0;

	for (size_t i = 0; i < entries.size(); i++) {
		shown now;
		wanted.push_back(without_floats(entries[i]));
		now.channel[0] = as_cva6(entries[i]);
		now.channel[1] = ear_retire{};
		now.channel[1].insn = uint32_t(source());
		now.valid = 1;
		if (entries[i].trap) {
			uint64_t cause = entries[i].cause;
			now.valid = !entries[i].irq && (cause == 8 || cause == 9 || cause == 11);
			now.exception = 1;
		} else {
			now.channel[0].cause = source();
		}
		if (first_port_of_two(entries[i]) && i + 1 < entries.size() &&
			second_port(entries[i + 1]) && bits(2)) {
			i++;
			wanted.push_back(without_floats(entries[i]));
			now.channel[1] = as_cva6(entries[i]);
			now.valid = 3;
			pairs++;
		}
		clocks.push_back(now);
	}
	follow(&wanted);
	compare({CVA6, 64, true, true}, clocks, wanted);
	CHECK(pairs > 500);
}

/* ---- Rocket and BOOM. ---- */

static ear_retire without_data(ear_retire entry)
{
	entry = without_floats(entry);
	entry.rs1_addr = entry.rs2_addr = 0;
	entry.rs1_rdata = entry.rs2_rdata = 0;
	entry.mem_addr = entry.mem_rdata = entry.mem_wdata = 0;
	entry.mem_rmask = entry.mem_wmask = 0;
	return entry;
}

static void rocket(const char *folder, const char *name)
{
	std::vector<ear_retire> wanted = program(folder, name, 64, 0);
	std::vector<shown> clocks;

	for (ear_retire &entry : wanted) {
		shown now;
		now.valid = 1;
		now.exception = entry.trap;
		now.interrupt = entry.trap ? entry.irq : unsigned(bits(1));
		now.channel[0] = entry;
		now.channel[0].rd_wdata = source();
		if (!entry.trap)
			now.channel[0].cause = source();
		clocks.push_back(now);
		entry = without_data(entry);
		entry.rd_addr = 0;
		entry.rd_wdata = 0;
	}
	follow(&wanted);
	compare({ROCKET, 64, false, false}, clocks, wanted);
}

static ear_retire as_boom(const ear_retire &entry)
{
	ear_retire port = entry;

	port.rd_wdata = entry.rd_addr ? entry.rd_wdata : entry.frd_valid ? entry.frd_wdata : 0;
	port.cause = source();
	return port;
}

static void boom(const char *folder, const char *name, unsigned flen)
{
	const std::vector<ear_retire> entries = program(folder, name, 64, flen);
	std::vector<ear_retire> wanted;
	std::vector<shown> clocks;
	bool trapped = false;

	for (size_t i = 0; i < entries.size(); i++) {
		shown now;
		if (entries[i].trap) { /* with the pc of an entry that may be another one */
			now.exception = !entries[i].irq;
			now.interrupt = entries[i].irq;
			now.channel[0] = entries[i];
			now.channel[0].pc_rdata = source();
			clocks.push_back(now);
			trapped = true;
			continue;
		}
		now.valid = 1;
		now.channel[0] = as_boom(entries[i]);
		wanted.push_back(without_data(entries[i]));
		wanted.back().intr = trapped;
		trapped = false;
		if (i + 1 < entries.size() && !entries[i + 1].trap && bits(2)) {
			i++;
			wanted.push_back(without_data(entries[i]));
			now.channel[1] = as_boom(entries[i]);
			now.valid = 3;
			if (bits(2) == 0) { /* the first one came a clock before */
				shown first = now;
				first.valid = 1;
				clocks.push_back(first);
				now.valid = 2;
			}
		}
		clocks.push_back(now);
	}
	follow(&wanted);
	compare({BOOM, 64, true, false}, clocks, wanted);
}

/* ---- Zcmp: the steps of an instruction, by its specification. ---- */

enum zcmp { PUSH, POP, POPRETZ, POPRET, MVA01S, MVSA01, ZCMP_KINDS };

struct expansion {
	uint32_t insn = 0;
	std::vector<ear_retire> steps;
};

static unsigned s_register(unsigned number)
{
	return number < 2 ? 8 + number : 16 + number;
}

static uint32_t i_type(unsigned opcode, unsigned funct3, unsigned rd, unsigned rs1, uint32_t imm)
{
	return imm << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}

static expansion expand(zcmp kind, uint32_t pc, uint32_t next)
{
	expansion made;
	const unsigned rlist = 4 + unsigned(bits(8) % 12), spimm = unsigned(bits(2));
	const uint32_t sp = uint32_t(bits(32)) & ~15u;
	ear_retire step = {};

	step.xlen = 32;
	step.ixl = 1;
	step.mode = 3;
	step.pc_rdata = step.pc_wdata = pc;
	if (kind == MVA01S || kind == MVSA01) {
		const unsigned r1 = unsigned(bits(3)), r2 = (r1 + 1 + unsigned(bits(8) % 7)) & 7;
		made.insn = 0xAC02 | r1 << 7 | (kind == MVA01S ? 3u : 1u) << 5 | r2 << 2;
		for (unsigned i = 0; i < 2; i++) {
			const unsigned s = s_register(i ? r2 : r1), a = 10 + i;
			step.rs1_addr = uint8_t(kind == MVA01S ? s : a);
			step.rd_addr = uint8_t(kind == MVA01S ? a : s);
			step.rs1_rdata = step.rd_wdata = bits(32);
			step.insn = i_type(0x13, 0, step.rd_addr, step.rs1_addr, 0);
			made.steps.push_back(step);
		}
		made.steps.back().pc_wdata = next;
		return made;
	}

	static const uint32_t opcodes[] = {0xB802, 0xBA02, 0xBC02, 0xBE02};
	std::vector<unsigned> list = {1};
	for (unsigned i = 0; i + 4 < rlist || (rlist == 15 && i < 12); i++)
		list.push_back(s_register(i));
	const uint32_t adjust = (uint32_t(4 * list.size() + 15) & ~15u) + 16 * spimm;
	uint64_t ra = 0;
	made.insn = opcodes[kind] | rlist << 4 | spimm << 2;
	for (size_t i = 0; i < list.size(); i++) {
		/* The list from its end, but ra last. */
		const unsigned x = list[list.size() - 1 - i];
		const uint32_t down = uint32_t(4 * (i + 1));
		const uint32_t offset = kind == PUSH ? 0 - down : adjust - down;
		ear_retire one = step;
		one.rs1_addr = 2;
		one.rs1_rdata = sp;
		one.mem_addr = uint32_t(sp + offset);
		if (kind == PUSH) {
			one.rs2_addr = uint8_t(x);
			one.rs2_rdata = one.mem_wdata = bits(32);
			one.mem_wmask = 15;
			one.insn = (offset >> 5 & 0x7F) << 25 | x << 20 | 2 << 15 | 2 << 12 |
				   (offset & 31) << 7 | 0x23;
		} else {
			one.rd_addr = uint8_t(x);
			ra = one.rd_wdata = one.mem_rdata = bits(32);
			one.mem_rmask = 15;
			one.insn = i_type(0x03, 2, x, 2, offset);
		}
		made.steps.push_back(one);
	}
	ear_retire one = step;
	const uint32_t moved = kind == PUSH ? 0 - adjust : adjust;
	one.rs1_addr = one.rd_addr = 2;
	one.rs1_rdata = sp;
	one.rd_wdata = uint32_t(sp + moved);
	one.insn = i_type(0x13, 0, 2, 2, moved);
	made.steps.push_back(one);
	if (kind == POPRETZ) {
		one = step;
		one.rd_addr = 10;
		one.insn = i_type(0x13, 0, 10, 0, 0);
		made.steps.push_back(one);
	}
	if (kind == POPRET || kind == POPRETZ) {
		one = step;
		one.rs1_addr = 1;
		one.rs1_rdata = ra;
		one.insn = i_type(0x67, 0, 0, 1, 0);
		made.steps.push_back(one);
	}
	made.steps.back().pc_wdata = next;
	return made;
}

/* ---- CV32E40X. ---- */

static shown as_cv32e40x(const ear_retire &entry)
{
	shown now;
	ear_retire &port = now.channel[0];

	now.valid = 1;
	now.exception = entry.trap;
	now.intr = entry.intr;
	port = entry;
	port.cause = entry.cause | bits(11) << 32;
	now.accesses = 1;
	now.access[0] = entry;
	if (entry.mem_rmask)
		now.access[0].mem_rdata = loaded(entry);
	else
		now.access[0].mem_rdata = bits(32);
	if (!entry.mem_wmask)
		now.access[0].mem_wdata = bits(32);
	if (!entry.mem_rmask && !entry.mem_wmask && !is_atomic(entry))
		now.access[0].mem_addr = entry.trap ? entry.mem_addr : bits(32);
	if (is_atomic(entry) && !entry.trap && entry.insn >> 27 != 2) {
		now.access[0].mem_rmask = 0;
		now.access[0].mem_wmask = 15;
		now.access[0].mem_wdata = entry.rs2_rdata;
		now.access[0].mem_rdata =
			entry.insn >> 27 == 3 ? !entry.mem_wmask : entry.mem_rdata;
	}
	return now;
}

/* The whole instruction in one entry. With `trapped` that access did not happen. */
static shown as_cv32e40x(const expansion &made, size_t trapped)
{
	shown now;
	ear_retire &port = now.channel[0];

	now.valid = 1;
	port = made.steps[0]; /* operands of the first step, result of the last one */
	port.rd_addr = made.steps.back().rd_addr;
	port.rd_wdata = made.steps.back().rd_wdata;
	port.pc_wdata = made.steps.back().pc_wdata;
	port.insn = made.insn;
	for (const ear_retire &step : made.steps)
		if (step.mem_rmask || step.mem_wmask)
			now.access[now.accesses++] = step;
	if (trapped < now.accesses) {
		now.accesses = unsigned(trapped) + 1;
		now.access[trapped].mem_rmask = now.access[trapped].mem_wmask = 0;
		now.access[trapped].mem_wdata = bits(32);
		now.access[trapped].mem_rdata = bits(32);
		port.rd_addr = 0;
	}
	return now;
}

static void cv32e40x(const char *folder, const char *name)
{
	const std::vector<ear_retire> entries = program(folder, name, 32, 0);
	std::vector<ear_retire> wanted;
	std::vector<shown> clocks;
	const ear_retire *interrupt = nullptr;
	unsigned interrupts = 0, expanded = 0;

	for (const ear_retire &entry : entries) {
		if (entry.irq) {
			/* It is known by the entry before it, and shown by the one after. */
			interrupt = &entry;
			interrupts++;
			wanted.push_back(entry);
			wanted.back().insn = 0;
			wanted.back().mode = bits(1) ? 3 : 0;
			continue;
		}
		shown now = as_cv32e40x(entry);
		if (interrupt) {
			now.interrupt = 1;
			now.mpp = wanted.back().mode;
			now.channel[0].cause = (now.channel[0].cause & 0xFFFFFFFF) |
					       (interrupt->cause & 0x7FF) << 32;
			interrupt = nullptr;
		}
		clocks.push_back(now);
		wanted.push_back(entry);
		/* An interrupt would be at the pc after it. */
		if (entry.trap || bits(4))
			continue;
		const expansion made = expand(zcmp(bits(8) % ZCMP_KINDS), uint32_t(entry.pc_wdata),
			uint32_t(entry.pc_wdata));
		size_t trapped = bits(2) == 0 ? size_t(bits(4)) : SIZE_MAX;
		now = as_cv32e40x(made, trapped);
		expanded++;
		if (trapped >= made.steps.size() ||
			!(made.steps[trapped].mem_rmask || made.steps[trapped].mem_wmask)) {
			clocks.push_back(now);
			wanted.insert(wanted.end(), made.steps.begin(), made.steps.end());
			continue;
		}
		const bool trigger = bits(1);
		now.exception = !trigger;
		now.trigger = trigger;
		now.channel[0].cause = made.steps[trapped].mem_wmask ? 7 : 5;
		clocks.push_back(now);
		wanted.insert(
			wanted.end(), made.steps.begin(), made.steps.begin() + long(trapped) + 1);
		ear_retire &last = wanted.back();
		last.pc_wdata = now.channel[0].pc_wdata;
		if (!trigger) {
			last.trap = true;
			last.cause = now.channel[0].cause;
		}
		last.rd_addr = last.rs2_addr = 0;
		last.rd_wdata = last.rs2_rdata = last.mem_rdata = last.mem_wdata = 0;
		last.mem_rmask = last.mem_wmask = 0;
	}
	for (size_t i = 0; i < wanted.size(); i++)
		wanted[i].order = i;
	compare({CV32E40X, 32, true, true}, clocks, wanted);
	CHECK(expanded > 100);
	CHECK(interrupts > 0 || !std::strstr(name, "timer"));
}

/* ---- Ibex: a step of Zcmp is an entry, and nothing tells it from an instruction. ---- */

static void ibex(const char *folder, const char *name)
{
	const std::vector<ear_retire> entries = program(folder, name, 32, 0);
	std::vector<ear_retire> wanted;
	std::vector<shown> clocks;
	core_port habits;
	bool known = false;
	unsigned inside = 0;

	auto push = [&](const ear_retire &entry) {
		shown now;
		now.valid = 1;
		now.exception = entry.trap;
		now.intr = entry.intr;
		now.channel[0] = entry;
		habits.ibex(&now.channel[0]);
		if (entry.trap)
			now.channel[0].pc_wdata = entry.pc_rdata + ((entry.insn & 3) == 3 ? 4 : 2);
		clocks.push_back(now);
		wanted.push_back(entry);
		known = !entry.trap && entry.insn != 0x30200073;
	};
	for (const ear_retire &entry : entries) {
		if (entry.irq) {
			shown now;
			now.interrupt = 1;
			clocks.push_back(now);
			if (known) {
				wanted.push_back(entry);
				wanted.back().insn = 0;
			}
			known = false;
			continue;
		}
		push(entry);
		if (entry.trap || entry.insn == 0x30200073 || bits(4))
			continue;
		const expansion made = expand(zcmp(bits(8) % ZCMP_KINDS), uint32_t(entry.pc_wdata),
			uint32_t(entry.pc_wdata));
		for (const ear_retire &step : made.steps) {
			push(step);
			/* An interrupt between two accesses: the instruction begins anew later. */
			if (&step == &made.steps.back() || !(step.mem_rmask || step.mem_wmask) ||
				bits(4))
				continue;
			shown now;
			now.interrupt = 1;
			clocks.push_back(now);
			wanted.push_back(ear_retire{});
			ear_retire &taken = wanted.back();
			taken.irq = taken.trap = true;
			taken.xlen = 32;
			taken.ixl = 1;
			taken.mode = 3;
			taken.pc_rdata = step.pc_rdata;
			known = false;
			inside++;
			break;
		}
	}
	for (size_t i = 0; i < wanted.size(); i++) {
		wanted[i].order = i;
		if (i + 1 < wanted.size())
			wanted[i].pc_wdata = wanted[i + 1].pc_rdata;
	}
	compare({IBEX, 32, true, true}, clocks, wanted);
	CHECK(inside > 10);
}

int main(int argc, char **argv)
{
	const char *folder = argc > 1 ? argv[1] : "build/programs";

	cva6(folder, "rv64imac/atomics", 0);
	cva6(folder, "rv64imac/user", 0);
	cva6(folder, "rv64imac/uart_timer", 0);
	cva6(folder, "rv64imafdc_zba_zbb_zbs/float_edges", 64);
	rocket(folder, "rv64imac/user");
	rocket(folder, "rv64imac/uart_timer");
	boom(folder, "rv64imac/trap_storm", 0);
	boom(folder, "rv64imafdc_zba_zbb_zbs/float_edges", 64);
	cv32e40x(folder, "rv32imc/uart_timer");
	cv32e40x(folder, "rv32imac/atomics");
	cv32e40x(folder, "rv32imac/user");
	ibex(folder, "rv32imc/uart_timer");
	return 0;
}
