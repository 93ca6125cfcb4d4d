#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/program.h"
#include "cli/symbols.h"
#include "driver/session_load.h"

#define PROGRESS_SECONDS 0.2

struct load {
	const char *device, *path, *entry_text;
	bool runs, quiet;

	struct program program;
	struct ear_session *session;
	uint64_t done; /* bytes of the segments before this one */
	double begin, last_progress;
};

static void print_help(void)
{
	fputs("usage: earshot load [OPTION]... -d DEVICE PROGRAM.elf\n"
	      "Load a program into the memory of the system on a device, through its capture\n"
	      "unit, with the core in reset; each word is read back. Then the core is let go. A\n"
	      "later 'earshot capture' begins with the program's first instruction.\n\n"
	      "  -d, --device DEVICE  where to, named as for 'earshot capture'\n"
	      "      --entry ADDRESS  address or symbol of the first instruction (default: the\n"
	      "                       entry of the ELF file)\n"
	      "      --run            let the core go (default)\n"
	      "      --no-run         leave the core in reset, for a capture that misses nothing\n"
	      "  -q, --quiet          no progress and no summary\n"
	      "  -h, --help           this text\n\n"
	      "Exit status: 0 loaded, 2 it could not be done.\n",
		stdout);
}

/* Where the core begins. Returns false after printing what is wrong. */
static bool choose_entry(const struct load *load, uint32_t *entry)
{
	uint64_t address = load->program.entry, last;

	if (load->entry_text && !cli_parse_count(&address, load->entry_text)) {
		struct symbols *symbols = symbols_open(load->path);
		bool found = symbols && symbols_find(symbols, load->entry_text, &address, &last);

		symbols_close(symbols);
		if (!found) {
			cli_error("--entry: %s has no symbol '%s'", load->path, load->entry_text);
			return false;
		}
	}
	if (address % 2 != 0 || address > UINT32_MAX) {
		cli_error("%s: no instruction can begin at 0x%" PRIX64, load->path, address);
		return false;
	}
	*entry = (uint32_t)address;
	return true;
}

static void show_progress(void *context, size_t done)
{
	struct load *load = context;
	double now = cli_seconds();

	if (!cli_progress_wanted() || now - load->last_progress < PROGRESS_SECONDS)
		return;
	uint64_t sum = load->done + done;
	load->last_progress = now;
	cli_progress("%" PRIu64 " of %" PRIu64 " bytes, %d%%, %.1f kB/s", sum, load->program.size,
		(int)(sum * 100 / load->program.size), (double)sum * 1e-3 / (now - load->begin));
}

static bool load_segments(struct load *load)
{
	for (size_t i = 0; i < load->program.count; i++) {
		const struct segment *segment = &load->program.segments[i];

		if (ear_session_load(load->session, (uint32_t)segment->address, segment->bytes,
			    (size_t)segment->size, show_progress, load) != 0) {
			cli_error("%s: the segment 0x%" PRIX64 "-0x%" PRIX64 ": %s", load->path,
				segment->address, segment->address + segment->size - 1,
				ear_session_message(load->session));
			return false;
		}
		load->done += segment->size;
	}
	return true;
}

static bool fail(const struct load *load)
{
	cli_error("%s", ear_session_message(load->session));
	return false;
}

/* On an open session. Returns false after printing an error. */
static bool run(struct load *load)
{
	struct ear_identity identity;
	uint32_t entry;

	if (!choose_entry(load, &entry))
		return false;
	if (ear_session_identify(load->session, &identity) != 0)
		return fail(load);
	if (identity.xlen != load->program.xlen) {
		cli_error("%s: a program of %u bits, but the core has %u", load->path,
			load->program.xlen, identity.xlen);
		return false;
	}
	load->begin = load->last_progress = cli_seconds();
	if (ear_session_load_begin(load->session) != 0)
		return fail(load);
	if (!load_segments(load))
		return false;
	if (ear_session_load_end(load->session, entry, load->runs) != 0)
		return fail(load);
	cli_progress_clear();
	if (!load->quiet)
		fprintf(stderr,
			"earshot: %" PRIu64 " bytes loaded and compared in %.1f s; the core %s "
			"0x%08" PRIX32 "\n",
			load->program.size, cli_seconds() - load->begin,
			load->runs ? "runs from" : "is in reset, and will begin at", entry);
	return true;
}

static int load_program(struct load *load)
{
	struct ear_report report;

	if (!program_read(&load->program, load->path))
		return EAR_EXIT_FAILED;
	int status = EAR_EXIT_FAILED;
	if (ear_session_open(&load->session, load->device, NULL, &report) != 0) {
		cli_error("%s", report.text);
		goto out_free_program;
	}
	const char *notice = ear_session_notice(load->session);
	if (notice[0])
		cli_warning("%s", notice);
	if (run(load))
		status = EAR_EXIT_DONE;
	ear_session_close(load->session);
out_free_program:
	program_free(&load->program);
	return status;
}

int cmd_load(int argc, char **argv)
{
	static const struct option options[] = {
		{"device", required_argument, NULL, 'd'},
		{"entry", required_argument, NULL, 'e'},
		{"run", no_argument, NULL, 'r'},
		{"no-run", no_argument, NULL, 'n'},
		{"quiet", no_argument, NULL, 'q'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	struct load load = {.runs = true};
	int option;

	while ((option = getopt_long(argc, argv, "d:qh", options, NULL)) != -1) {
		switch (option) {
		case 'd': load.device = optarg; break;
		case 'e': load.entry_text = optarg; break;
		case 'r': load.runs = true; break;
		case 'n': load.runs = false; break;
		case 'q': load.quiet = true; break;
		case 'h': print_help(); return EAR_EXIT_DONE;
		default: return cli_usage("load", "bad option");
		}
	}
	if (optind + 1 != argc)
		return cli_usage("load", optind == argc ? "which program?" : "one program, please");
	if (!load.device)
		return cli_usage("load", "which device? Give -d DEVICE");
	load.path = argv[optind];
	if (load.quiet)
		cli_progress_disable();
	return load_program(&load);
}
