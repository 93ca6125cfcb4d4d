// earshot-board: the virtual board as a program. See usage() for what it does.
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <getopt.h>
#include <memory>
#include <string>

#include "hdl/sim/board.h"

namespace
{

constexpr int EXIT_ABNORMAL = 1; // the run did not end by the program's own exit
constexpr int EXIT_USAGE = 2;    // options, files or the socket
constexpr uint64_t RAM_DEFAULT = 64u << 20;
constexpr uint64_t RAM_MIN = 4096;

struct Options {
	ear::BoardOptions board;
	std::string program;
	std::string listen_path;
	std::string uart_path;
	ear::DumpOptions dump;
	uint64_t ram_size = RAM_DEFAULT;
	int fd = -1;
	bool quiet = false;
};

void usage(std::FILE *file)
{
	std::fprintf(file,
		"Usage: earshot-board PROGRAM.elf (--fd N | --listen PATH) [options]\n"
		"\n"
		"Simulates a RISC-V system with Earshot's capture unit. The program, a bare-metal "
		"RV32\n"
		"ELF file, starts when the host on the socket releases the core. The socket "
		"carries the\n"
		"unit's byte stream to the host and control words to the unit (docs/protocol.md).\n"
		"\n"
		"  --fd N             the socket is open as file descriptor N\n"
		"  --listen PATH      wait for a host on a Unix socket at PATH\n"
		"  --unit KIND        the capture unit: raw, or predicting with the geometry tiny, "
		"small,\n"
		"                     large or unified (default large); tiny is the smallest "
		"unit:\n"
		"                     without filter, triggers, time, operands, CSR writes\n"
		"  --ram BYTES        memory at 0x80000000 (default 64Mi, at most 2Gi)\n"
		"  --link BYTES       what the link carries in a simulated second at 50 MHz\n"
		"                     (default 0: no limit)\n"
		"  --stall PERMILLE   the link is not ready in so many of 1000 clocks, at random\n"
		"  --seed N           seed of that (default 1)\n"
		"  --fault KIND[:N[:OP]]  every N-th (default 1000th) instruction of KIND goes "
		"wrong:\n"
		"                     alu: bit 4 of its result flips; only operation OP if given "
		"(add sub\n"
		"                          sll slt sltu xor srl sra or and)\n"
		"                     store: memory does not change\n"
		"                     reg: bit 4 flips in the register after it was written\n"
		"  --dump LIST:FILE   write to FILE what registers, CSRs and memory hold behind "
		"the\n"
		"                     instruction records of LIST, numbers with commas between "
		"them, or\n"
		"                     @FILE with such numbers; the first record is 0\n"
		"  --max-cycles N     end the program after N clocks; none pass while the host "
		"holds the\n"
		"                     core and the link is quiet\n"
		"  --uart FILE        write the program's output to FILE, - for standard output\n"
		"                     (default: standard error)\n"
		"  --quiet            print errors only, and what the program prints\n"
		"  --help, --version\n"
		"\n"
		"Numbers may end in k, M, G (powers of 1000) or Ki, Mi, Gi (powers of 1024).\n"
		"\n"
		"Exit code: 0 when the program exited, with whatever code, or the host went away;\n"
		"1 when --max-cycles ended it; 2 for bad options, files or sockets.\n");
}

[[noreturn]] void fail(const std::string &message)
{
	std::fprintf(stderr, "earshot-board: %s\n", message.c_str());
	std::exit(EXIT_USAGE);
}

// What stands after a number, as everywhere in Earshot: k, M, G are powers of 1000 and Ki, Mi, Gi
// powers of 1024. 0: it is none of these.
uint64_t suffix_factor(const std::string &suffix)
{
	static const struct {
		const char *name;
		uint64_t factor;
	} suffixes[] = {{"", 1}, {"k", 1000}, {"K", 1000}, {"M", 1000000}, {"G", 1000000000},
		{"Ki", 1u << 10}, {"Mi", 1u << 20}, {"Gi", 1u << 30}};

	for (const auto &known : suffixes)
		if (suffix == known.name)
			return known.factor;
	return 0;
}

// A number of at most `maximum`, with a suffix or without.
uint64_t parse_number(const char *option, const char *text, uint64_t maximum)
{
	char *end;

	errno = 0;
	uint64_t value = std::strtoull(text, &end, 0);
	uint64_t factor = suffix_factor(end);
	if (errno || end == text || text[0] < '0' || text[0] > '9' || factor == 0)
		fail(std::string("--") + option + ": '" + text + "' is not a number");
	if (value > maximum / factor)
		fail(std::string("--") + option + ": '" + text + "' is more than " +
			std::to_string(maximum));
	return value * factor;
}

void parse_option(Options *options, const char *name)
{
	std::string key = name, error;

	if (key == "fd") {
		options->fd = static_cast<int>(parse_number(name, optarg, INT32_MAX));
	} else if (key == "listen") {
		options->listen_path = optarg;
	} else if (key == "unit") {
		if (!ear::board_unit_find(optarg, &options->board.unit))
			fail(std::string("--unit: '") + optarg +
				"' is none of raw, tiny, small, large, unified");
	} else if (key == "ram") {
		options->ram_size = parse_number(name, optarg, ear::MEMORY_SIZE_MAX);
		if (options->ram_size < RAM_MIN || options->ram_size % 4 != 0)
			fail("--ram: at least 4096 bytes, a multiple of 4");
	} else if (key == "link") {
		// More than a word in every clock is no limit.
		options->board.link_bytes_per_s =
			parse_number(name, optarg, 4 * ear::BOARD_CLOCK_HZ);
	} else if (key == "stall") {
		options->board.stall_permille =
			static_cast<unsigned>(parse_number(name, optarg, 999));
	} else if (key == "seed") {
		options->board.seed = static_cast<uint32_t>(parse_number(name, optarg, UINT32_MAX));
	} else if (key == "fault") {
		error = ear::fault_parse(optarg, &options->board.fault);
		if (!error.empty())
			fail("--fault: " + error);
	} else if (key == "dump") {
		error = ear::dump_parse(optarg, &options->dump);
		if (!error.empty())
			fail("--dump: " + error);
	} else if (key == "max-cycles") {
		options->board.max_cycles = parse_number(name, optarg, UINT64_MAX);
	} else if (key == "uart") {
		options->uart_path = optarg;
	} else if (key == "quiet") {
		options->quiet = true;
	}
}

Options parse(int argc, char **argv)
{
	static const struct option names[] = {
		{"fd", required_argument, nullptr, 0},
		{"listen", required_argument, nullptr, 0},
		{"unit", required_argument, nullptr, 0},
		{"ram", required_argument, nullptr, 0},
		{"link", required_argument, nullptr, 0},
		{"stall", required_argument, nullptr, 0},
		{"seed", required_argument, nullptr, 0},
		{"fault", required_argument, nullptr, 0},
		{"dump", required_argument, nullptr, 0},
		{"max-cycles", required_argument, nullptr, 0},
		{"uart", required_argument, nullptr, 0},
		{"quiet", no_argument, nullptr, 0},
		{"help", no_argument, nullptr, 'h'},
		{"version", no_argument, nullptr, 'v'},
		{nullptr, 0, nullptr, 0},
	};
	Options options;
	int result, index = 0;

	while ((result = getopt_long(argc, argv, "", names, &index)) != -1) {
		switch (result) {
		case 0: parse_option(&options, names[index].name); break;
		case 'h': usage(stdout); std::exit(0);
		case 'v': std::printf("earshot-board %s\n", EAR_VERSION); std::exit(0);
		default: // getopt has said what is wrong
			std::exit(EXIT_USAGE);
		}
	}
	if (optind != argc - 1)
		fail("give one program; see earshot-board --help");
	options.program = argv[optind];
	if ((options.fd >= 0) == !options.listen_path.empty())
		fail("give one of --fd and --listen; see earshot-board --help");
	return options;
}

void open_uart(Options *options)
{
	if (options->uart_path.empty())
		return;
	options->board.uart =
		options->uart_path == "-" ? stdout : std::fopen(options->uart_path.c_str(), "wb");
	if (!options->board.uart)
		fail(options->uart_path + ": " + std::strerror(errno));
}

std::unique_ptr<ear::Dump> open_dump(const Options &options, ear::Memory &memory)
{
	if (options.dump.moments.empty())
		return nullptr;
	auto dump = std::make_unique<ear::Dump>(options.dump, memory);
	std::string error = dump->open();
	if (!error.empty())
		fail("--dump: " + error);
	return dump;
}

int open_socket(const Options &options)
{
	std::string error;
	int socket = options.fd;

	if (socket >= 0) {
		if (fcntl(socket, F_GETFD) < 0)
			fail("--fd " + std::to_string(socket) + ": " + std::strerror(errno));
		return socket;
	}
	socket = earshot::host_listen(options.listen_path, &error);
	if (socket < 0)
		fail(options.listen_path + ": " + error);
	return socket;
}

void report_end(const ear::Board &board, ear::BoardEnd end)
{
	switch (end) {
	case ear::BoardEnd::EXITED:
		std::fprintf(
			stderr, "earshot-board: program exited with %u after", board.exit_code());
		break;
	case ear::BoardEnd::OVERTIME:
		std::fprintf(stderr, "earshot-board: program ended by --max-cycles after");
		break;
	case ear::BoardEnd::HOST_GONE:
		std::fprintf(stderr, "earshot-board: the host closed the link after");
		break;
	}
	std::fprintf(stderr, " %" PRIu64 " cycles, %" PRIu64 " instructions\n", board.cycles(),
		board.instructions());
}

} // namespace

int main(int argc, char **argv)
{
	Options options = parse(argc, argv);
	ear::Memory memory(options.ram_size);
	ear::ElfImage image;

	if (!memory.valid())
		fail("no memory for --ram " + std::to_string(options.ram_size));
	std::string error = ear::elf_load(options.program, memory, &image);
	if (!error.empty())
		fail(options.program + ": " + error);
	open_uart(&options);

	std::unique_ptr<ear::Dump> dump = open_dump(options, memory);
	options.board.dump = dump.get();

	earshot::HostLink host(open_socket(options));
	ear::Board board(options.board, image, memory, host);
	ear::BoardEnd end = board.run();

	if (!options.quiet)
		report_end(board, end);
	if (options.board.uart != stderr && std::fflush(options.board.uart) != 0) {
		std::fprintf(stderr, "earshot-board: %s: %s\n", options.uart_path.c_str(),
			std::strerror(errno));
		return EXIT_USAGE;
	}
	error = dump ? dump->close() : "";
	if (!error.empty())
		fail("--dump: " + error);
	return end == ear::BoardEnd::OVERTIME ? EXIT_ABNORMAL : 0;
}
