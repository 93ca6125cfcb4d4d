#include <getopt.h>
#include <stdio.h>

#include "cli/cli.h"
#include "driver/doctor.h"
#include "driver/transport.h"

static void print_help(void)
{
	fputs("usage: earshot doctor [OPTION]\n"
	      "Look at what a capture from a real device needs: permissions, memory for USB,\n"
	      "drivers of the kernel, speed, versions. Each line is ok, or has a remedy below "
	      "it.\n\n"
	      "      --no-open  ask no device for its versions\n"
	      "  -h, --help     this text\n\n"
	      "Exit status: 0 all is well, 1 something is to be done, 2 it was interrupted.\n",
		stdout);
}

static void stop_on_signal(void)
{
	ear_transport_interrupt(true);
}

static void print_finding(void *context, const struct ear_finding *finding)
{
	(void)context;
	if (cli_interrupted)
		return; /* what is found from now on, was not asked in earnest */
	printf("%-4s %s: %s\n", finding->well ? "ok" : "FIX", finding->subject, finding->text);
	if (!finding->well)
		printf("       -> %s\n", finding->remedy);
}

int cmd_doctor(int argc, char **argv)
{
	static const struct option options[] = {
		{"no-open", no_argument, NULL, 'n'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	bool opens = true;
	int option;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (option) {
		case 'n': opens = false; break;
		case 'h': print_help(); return EAR_EXIT_DONE;
		default: return cli_usage("doctor", "bad option");
		}
	}
	if (optind != argc)
		return cli_usage("doctor", "takes no arguments");
	/* A device that is open is closed in good order. */
	cli_catch_signals(stop_on_signal);
	unsigned ill = ear_doctor(print_finding, NULL, opens);
	if (cli_interrupted) {
		cli_error("interrupted");
		return EAR_EXIT_FAILED;
	}
	return ill ? EAR_EXIT_NO : EAR_EXIT_DONE;
}
