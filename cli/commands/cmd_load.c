#include <getopt.h>
#include <stdio.h>

#include "cli/base/cli.h"
#include "cli/base/confine.h"
#include "cli/base/files.h"
#include "cli/live/loading.h"
#include "driver/link/transport.h"
#include "driver/session/session.h"

/* For the signal handler. */
static struct ear_session *volatile active_session;

static void stop_on_signal(void)
{
	ear_transport_interrupt(true);
	if (active_session)
		ear_session_stop(active_session);
}

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

static int load(struct loading *loading, const char *device)
{
	struct ear_session *session;
	struct ear_report report;
	int status = EAR_EXIT_FAILED;

	cli_catch_signals(stop_on_signal);
	if (ear_session_open(&session, device, NULL, &report) != 0) {
		cli_error("%s", report.text);
		return EAR_EXIT_FAILED;
	}
	confine_device();
	active_session = session;
	const char *warning = ear_session_warning(session);
	if (warning[0])
		cli_warning("%s", warning);
	if (cli_interrupted)
		cli_error("%s: interrupted; nothing has been loaded", device);
	else if (loading_run(loading, session))
		status = EAR_EXIT_DONE;
	active_session = NULL;
	ear_session_close(session);
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
	struct loading loading = {.runs = true};
	const char *device = NULL;
	int option;

	while ((option = getopt_long(argc, argv, "d:qh", options, NULL)) != -1) {
		switch (option) {
		case 'd': device = optarg; break;
		case 'e': loading.entry_text = optarg; break;
		case 'r': loading.runs = true; break;
		case 'n': loading.runs = false; break;
		case 'q': loading.quiet = true; break;
		case 'h': print_help(); return EAR_EXIT_DONE;
		default: return cli_usage("load", "bad option");
		}
	}
	if (optind + 1 != argc)
		return cli_usage("load", optind == argc ? "which program?" : "one program, please");
	if (!device)
		return cli_usage("load", "which device? Give -d DEVICE");
	loading.path = argv[optind];
	if (loading.quiet)
		cli_progress_disable();
	if (!files_read("", loading.path) || !files_device(device) || !loading_read(&loading))
		return EAR_EXIT_FAILED;
	int status = load(&loading, device);
	loading_free(&loading);
	return status;
}
