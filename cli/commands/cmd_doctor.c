#include <getopt.h>
#include <stdio.h>

#include "cli/base/cli.h"
#include "driver/link/transport.h"
#include "driver/tools/doctor.h"
#include "sandbox/sandbox.h"

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

/* Nothing of this hinders a capture, so none of it is ill; but who relies on it has to know. */
static void print_sandbox(void)
{
	struct ear_sandbox_support support;
	struct ear_finding finding = {.well = true, .subject = "sandbox"};
	char landlock[64] = "no Landlock in this kernel, so files are not confined";

	ear_sandbox_support(&support);
	if (support.landlock)
		snprintf(landlock, sizeof(landlock), "Landlock version %d", support.landlock);
	if (support.sanitized)
		snprintf(finding.text, sizeof(finding.text),
			"none: this program was built with sanitizers");
	else if (!support.wanted)
		snprintf(finding.text, sizeof(finding.text), "switched off by EARSHOT_SANDBOX=off");
	else
		snprintf(finding.text, sizeof(finding.text), "%s; %s",
			support.has_filter ? "system calls are filtered (seccomp)"
			: support.built_in ? "no seccomp in this kernel, so system calls are not "
					     "filtered"
					   : "built without libseccomp, so system calls are not "
					     "filtered",
			landlock);
	print_finding(NULL, &finding);
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
	print_sandbox();
	unsigned ill = ear_doctor(print_finding, NULL, opens);
	if (cli_interrupted) {
		cli_error("interrupted");
		return EAR_EXIT_FAILED;
	}
	return ill ? EAR_EXIT_NO : EAR_EXIT_DONE;
}
