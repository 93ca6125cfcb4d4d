/* 'earshot doctor': what driver/tools/doctor.h finds, and what the sandbox can do here; with --port
 * what a capture shows of the retire port that it came from; with --write-eeprom the cure of an
 * FTDI chip that is no FIFO, after a question.
 */
#include <stdio.h>
#include <string.h>

#include "cli/base/cli.h"
#include "cli/base/confine.h"
#include "cli/commands/cmd.h"
#include "cli/input/input.h"
#include "cli/live/interrupt.h"
#include "cli/options/options.h"
#include "cli/show/json.h"
#include "cli/show/port_summary.h"
#include "cli/show/statistics.h"
#include "common/sandbox/sandbox.h"
#include "decoder/codec/decoder.h"
#include "decoder/codec/verdict.h"
#include "driver/tools/doctor.h"
#include "driver/usb/ftdi_eeprom.h"
#include "driver/usb/transport_ftdi.h"

struct doctor {
	bool opens, yes, as_json;
	const char *port, *eeprom;
	struct json json; /* of as_json */
};

static const struct command_option table[] = {
	{"no-open", 0, .text = "Do not open devices: their versions are not checked.",
		OPTION_SETS(struct doctor, opens, false)},
	{"port", 0, "FILE",
		.text = "Look at nothing but this capture: what is wrong with the retire port that "
			"it came from, and which parameter cures it.",
		OPTION_VALUE(struct doctor, port)},
	{"write-eeprom", 0, "DEVICE", VALUES_DEVICES,
		.text = "Make channel A of this FT232H or FT2232H a 245 FIFO, in the chip's "
			"EEPROM; asks first.",
		.detail =
			"`ftdi:`, `ftdi:SERIAL` or `ftdi:BUS-PORT`. Only the channel's type and "
			"the checksum are changed; an empty EEPROM gets a whole image. `uart:` does "
			"not work with the channel afterwards.",
		OPTION_VALUE(struct doctor, eeprom)},
	JSON_OPTION(
		struct doctor, as_json, true, "Print one JSON object; not with --write-eeprom."),
	{"yes", 0, .text = "With --write-eeprom: do not ask.", OPTION_VALUE(struct doctor, yes)},
	{0},
};

/* context: a struct doctor. */
static void print_finding(void *context, const struct ear_finding *finding)
{
	struct doctor *doctor = context;

	if (cli_interrupted)
		return; /* what is found from now on, was not asked in earnest */
	if (doctor->as_json) {
		json_line(&doctor->json, 2);
		json_open(&doctor->json, NULL, '{');
		json_bool(&doctor->json, "well", finding->well);
		json_text(&doctor->json, "subject", finding->subject);
		json_text(&doctor->json, "text", finding->text);
		json_text(&doctor->json, "remedy", finding->well ? NULL : finding->remedy);
		json_close(&doctor->json, '}');
		return;
	}
	printf("%-4s %s: %s\n", finding->well ? "ok" : "FIX", finding->subject, finding->text);
	if (!finding->well)
		printf("       -> %s\n", finding->remedy);
}

static void begin_findings(struct doctor *doctor)
{
	if (!doctor->as_json)
		return;
	doctor->json = json_spaced();
	json_open(&doctor->json, NULL, '{');
	json_open(&doctor->json, "findings", '[');
}

/* verdict: of the capture of --port; NULL: there is none. */
static void end_findings(struct doctor *doctor, const struct ear_verdict *verdict)
{
	if (!doctor->as_json)
		return;
	json_close(&doctor->json, ']');
	if (verdict) {
		json_bool(&doctor->json, "complete", verdict->complete);
		json_bool(&doctor->json, "accounted", verdict->accounted);
	}
	json_close(&doctor->json, '}');
	putchar('\n');
}

/* Nothing of this hinders a capture, so none of it is ill; but who relies on it has to know. */
static void print_sandbox(struct doctor *doctor)
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
	print_finding(doctor, &finding);
}

static void print_port(void *context, const char *text, const char *remedy)
{
	struct ear_finding finding = {.well = !remedy, .subject = "port"};

	snprintf(finding.text, sizeof(finding.text), "%s", text);
	snprintf(finding.remedy, sizeof(finding.remedy), "%s", remedy ? remedy : "");
	print_finding(context, &finding);
}

static int add_record(void *context, const struct ear_record *record)
{
	port_summary_add(context, record);
	return 0;
}

static int look_at_port(struct doctor *doctor)
{
	struct input input = {.ftdi_status = false};
	struct port_summary summary = {.records = 0};
	struct ear_decoder decoder;
	const char *path = doctor->port;
	int status = EAR_EXIT_FAILED;

	confine_files((const char *const[]){path, NULL}, (const char *const[]){NULL});
	if (!input_open(&input, path))
		return status;
	cli_catch_signals(NULL);
	ear_decoder_init(&decoder, add_record, &summary);
	decoder.with_reads = true;
	if (input_decode(&input, &decoder, NULL, NULL)) {
		status = statistics_judge(&decoder.statistics, input.name,
			ear_shot_reader_fault(input.window.reader), false);
		if (status == EAR_EXIT_DONE) {
			const struct ear_verdict verdict = ear_verdict_of(&decoder.statistics);

			begin_findings(doctor);
			if (port_summary_report(&summary, &decoder.statistics, print_port, doctor) >
				0)
				status = EAR_EXIT_NO;
			end_findings(doctor, &verdict);
		}
	}
	ear_decoder_fini(&decoder);
	input_close(&input);
	return status;
}

/* -- The EEPROM of an FTDI chip -- */

static void print_plan(const char *name, const struct ear_ftdi_eeprom *eeprom)
{
	if (eeprom->empty) {
		printf("%s: the EEPROM is empty; it gets libftdi's defaults with channel A as 245 "
		       "FIFO, without a serial number\n",
			name);
		return;
	}
	printf("%s: channel A becomes a 245 FIFO; of %zu words change\n", name, eeprom->words);
	for (size_t i = 0; i < eeprom->words; i++)
		if (eeprom->before[i] != eeprom->after[i])
			printf("  %3zu from 0x%04X to 0x%04X\n", i, eeprom->before[i],
				eeprom->after[i]);
}

/* Only a line that begins with y is a yes. */
static bool confirms(void)
{
	char line[16];

	fputs("Write it? [y/N] ", stdout);
	fflush(stdout);
	return fgets(line, sizeof(line), stdin) && (line[0] == 'y' || line[0] == 'Y');
}

static int write_eeprom(const struct doctor *doctor)
{
	struct ear_ftdi_eeprom eeprom;
	struct ear_transport *transport;
	struct ear_report report;
	int status = EAR_EXIT_FAILED;

	int error = ear_transport_ftdi_open(&transport, doctor->eeprom, &report);
	if (error) {
		cli_error("%s", report.text);
		return status;
	}
	error = ear_ftdi_eeprom_plan(&eeprom, transport, &report);
	if (!error && eeprom.change == 0) {
		printf("%s: channel A is a 245 FIFO already; nothing is written\n",
			transport->name);
		status = EAR_EXIT_DONE;
	} else if (!error) {
		print_plan(transport->name, &eeprom);
		if (doctor->yes || confirms()) {
			error = ear_ftdi_eeprom_write(&eeprom, transport, &report);
			if (!error) {
				puts("written and read back; unplug the device and plug it in "
				     "again");
				status = EAR_EXIT_DONE;
			}
		} else {
			puts("nothing is written");
			status = EAR_EXIT_NO;
		}
	}
	if (error)
		cli_error("%s", report.text);
	ear_transport_close(transport);
	return status;
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
	if (doctor.yes && !doctor.eeprom)
		return cli_usage("doctor", "--yes goes with --write-eeprom");
	if (doctor.eeprom && (doctor.port || strncmp(doctor.eeprom, "ftdi:", 5) != 0))
		return cli_usage("doctor", "--write-eeprom takes ftdi: only, and no --port");
	if (doctor.eeprom && doctor.as_json)
		return cli_usage("doctor", "--write-eeprom asks, and has no JSON");
	if (doctor.port)
		return look_at_port(&doctor);
	if (doctor.eeprom)
		return write_eeprom(&doctor);
	/* A device that is open is closed in good order. */
	interrupt_catch();
	begin_findings(&doctor);
	print_sandbox(&doctor);
	unsigned ill = ear_doctor(print_finding, &doctor, doctor.opens);
	end_findings(&doctor, NULL);
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
		"drivers, speed, versions. Each line is ok, or is followed by a remedy. With --port "
		"look at a capture instead, for a core that was just connected. With "
		"--write-eeprom make an FTDI chip fit for ftdi:. In JSON `findings` has an object "
		"each: `well`, `subject`, `text`, and `remedy`, null if all is well; with --port "
		"there are `complete` and `accounted`, too.",
	.options = table,
	.exit_status = "0 all is well, 1 something must be fixed, or the answer was no, 2 it was "
		       "interrupted, the capture could not be read, or the EEPROM not be written.",
	.opens_device = true,
	.run = run,
};
