/* 'earshot doctor': what driver/tools/doctor.h finds, and what the sandbox can do here. */
#include <stdio.h>

#include "cli/base/cli.h"
#include "cli/commands/cmd.h"
#include "cli/live/interrupt.h"
#include "cli/options/options.h"
#include "common/sandbox/sandbox.h"
#include "driver/tools/doctor.h"

struct doctor {
	bool opens;
};

static const struct command_option table[] = {
	{"no-open", 0, .text = "Do not open devices: their versions are not checked.",
		OPTION_SETS(struct doctor, opens, false)},
	{0},
};

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

static int run(int argc, char **argv)
{
	struct doctor doctor = {.opens = true};
	int status;

	int first = options_parse(&cmd_doctor, argc, argv, &doctor, &status);
	if (first < 0)
		return status;
	if (first != argc)
		return cli_usage("doctor", "takes no arguments");
	/* A device that is open is closed in good order. */
	interrupt_catch();
	print_sandbox();
	unsigned ill = ear_doctor(print_finding, NULL, doctor.opens);
	if (cli_interrupted) {
		cli_error("interrupted");
		return EAR_EXIT_FAILED;
	}
	return ill ? EAR_EXIT_NO : EAR_EXIT_DONE;
}

const struct command cmd_doctor = {
	.name = "doctor",
	.arguments = "[OPTION]",
	.summary = "check what a device needs, and how to fix it",
	.about =
		"Check what a capture from a real device needs: permissions, memory for USB, kernel "
		"drivers, speed, versions. Each line is ok, or is followed by a remedy.",
	.options = table,
	.exit_status = "0 all is well, 1 something must be fixed, 2 it was interrupted.",
	.opens_device = true,
	.run = run,
};
