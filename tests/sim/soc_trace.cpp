/* Runs a program on the Verilated demo system without the capture unit, and shows or checks what
 * the retire port says. What the unit makes of that port can then be compared with it.
 *
 *   soc_trace [options] PROGRAM.elf
 *     --csv            write one line for each entry, in the columns of Whisper's CSV trace
 *     --check          check the stream by the rules in retire_checker.h
 *     --stall PERMILLE hold the retire port at random
 *     --seed N         seed of that
 *     --limit N        stop after N entries
 *     --fault SPEC     inject a fault, see hdl/sim/fault.h
 *     --quiet          no UART output
 *     --summary        write "<exit code> <entries> <cycles>" to stdout at the end
 * Exit code: that of the program; 125 a broken rule, 124 no end within --limit or too many cycles,
 * 2 bad usage or file.
 */
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <getopt.h>
#include <memory>
#include <string>

#include "Vear_demo_system.h"
#include "hdl/sim/elf_image.h"
#include "hdl/sim/fault.h"
#include "hdl/sim/memory.h"
#include "retire_checker.h"
#include "verilated.h"

#define MEMORY_SIZE      (16u << 20)
#define IDLE_CYCLES_MAX  10000000 /* a core that retires nothing for so long has hung */
#define EXIT_HUNG        124
#define EXIT_BROKEN_RULE 125

struct options {
	bool csv, check, quiet, summary;
	unsigned stall_permille;
	uint32_t seed;
	uint64_t limit;
	ear::Fault fault;
	const char *program;
};

static uint32_t random_next(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static void print_entry(const struct retire_entry &entry)
{
	const char *separator = "";

	std::printf("%" PRIx32 ",%" PRIx32 ",", entry.pc, entry.insn);
	if (entry.rd) {
		std::printf("x%u=%" PRIx32, entry.rd, entry.rd_value);
		separator = ";";
	}
	for (unsigned k = 0; k < entry.csr_count; k++) {
		std::printf("%sc%u=%" PRIx32, separator, entry.csr_number[k], entry.csr_value[k]);
		separator = ";";
	}
	std::printf(",,");
	if (entry.mem_write_mask)
		std::printf("%" PRIx32 "=%" PRIx32, entry.mem_address, entry.mem_write_value);
	else if (entry.mem_address)
		std::printf("%" PRIx32, entry.mem_address);
	std::printf(",%s,m,", entry.mem_write_mask ? "s" : entry.mem_read_mask ? "l" : "");
	if (entry.trap)
		std::printf("%" PRIx32, entry.cause);
	std::printf(",,0\n");
}

static int run(const struct options &options, const ear::ElfImage &image, ear::Memory &memory)
{
	std::unique_ptr<Vear_demo_system> top(new Vear_demo_system);
	RetireChecker checker(ear::MEMORY_BASE, memory.at(ear::MEMORY_BASE), MEMORY_SIZE);
	uint32_t random = options.seed ? options.seed : 1;
	uint64_t entries = 0, idle = 0, cycle;
	struct retire_entry entry;

	if (options.csv)
		std::printf("pc, inst, modified regs, source operands, memory, inst info, "
			    "privilege, trap, disassembly, hartid\n");
	top->boot_address_i = image.entry;
	top->uart_ready_i = 1;
	ear::fault_apply(options.fault, *top);
	top->rst_ni = 0;
	for (cycle = 0; !top->ended_o; cycle++) {
		uint32_t read_data = 0;
		bool error = false, request;

		top->clk_i = 0;
		if (cycle == 4)
			top->rst_ni = 1;
		top->stall_i = options.stall_permille &&
			       random_next(&random) % 1000 < options.stall_permille;
		top->eval();

		if (top->rvfi_valid_o) {
			idle = 0;
			entries++;
			retire_entry_take(&entry, *top);
			if (options.csv)
				print_entry(entry);
			std::string broken = options.check ? checker.check(entry) : "";
			if (!broken.empty()) {
				std::fprintf(stderr, "entry %" PRIu64 ", pc %08" PRIx32 ": %s\n",
					entries - 1, entry.pc, broken.c_str());
				return EXIT_BROKEN_RULE;
			}
		} else if (++idle > IDLE_CYCLES_MAX) {
			std::fprintf(stderr, "the core hangs at cycle %" PRIu64 "\n", cycle);
			return EXIT_HUNG;
		}
		if (top->uart_valid_o && !options.quiet)
			std::fputc(top->uart_data_o, stderr);
		request = top->memory_valid_o;
		if (request)
			error = !memory.access(top->memory_address_o, top->memory_wmask_o,
				top->memory_wdata_o, &read_data);
		top->clk_i = 1;
		top->eval();
		if (request) {
			top->memory_rdata_i = read_data;
			top->memory_error_i = error;
		}
		if (options.limit && entries == options.limit)
			break;
	}
	if (options.summary)
		std::printf("%u %" PRIu64 " %" PRIu64 "\n", top->exit_code_o, entries, cycle);
	if (!top->ended_o)
		return options.limit ? 0 : EXIT_HUNG;
	return top->exit_code_o > 255 ? 255 : top->exit_code_o;
}

static int parse(int argc, char **argv, struct options *options)
{
	static const struct option names[] = {
		{"csv", no_argument, nullptr, 'c'},
		{"check", no_argument, nullptr, 'k'},
		{"quiet", no_argument, nullptr, 'q'},
		{"summary", no_argument, nullptr, 'm'},
		{"stall", required_argument, nullptr, 's'},
		{"seed", required_argument, nullptr, 'r'},
		{"limit", required_argument, nullptr, 'l'},
		{"fault", required_argument, nullptr, 'f'},
		{nullptr, 0, nullptr, 0},
	};
	int option;

	while ((option = getopt_long(argc, argv, "", names, nullptr)) != -1) {
		switch (option) {
		case 'c': options->csv = true; break;
		case 'k': options->check = true; break;
		case 'q': options->quiet = true; break;
		case 'm': options->summary = true; break;
		case 's': options->stall_permille = std::strtoul(optarg, nullptr, 0); break;
		case 'r': options->seed = std::strtoul(optarg, nullptr, 0); break;
		case 'l': options->limit = std::strtoull(optarg, nullptr, 0); break;
		case 'f':
			if (!ear::fault_parse(optarg, &options->fault).empty())
				return -1;
			break;
		default: return -1;
		}
	}
	if (optind != argc - 1)
		return -1;
	options->program = argv[optind];
	return 0;
}

int main(int argc, char **argv)
{
	struct options options = {};
	ear::Memory memory(MEMORY_SIZE);
	ear::ElfImage image;

	if (parse(argc, argv, &options) < 0) {
		std::fprintf(stderr, "usage: soc_trace [--csv] [--check] [--stall PERMILLE] "
				     "[--seed N] [--limit N] [--fault SPEC] [--quiet] [--summary] "
				     "PROGRAM.elf\n");
		return 2;
	}
	std::string error = ear::elf_load(options.program, memory, &image);
	if (!error.empty()) {
		std::fprintf(stderr, "%s: %s\n", options.program, error.c_str());
		return 2;
	}
	return run(options, image, memory);
}
