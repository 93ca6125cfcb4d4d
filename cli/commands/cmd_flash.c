/* 'earshot flash': a bitstream or firmware through an FX2LP, or by the program that knows the
 * board, which is only started. No shell is between, so a path may hold any character.
 */
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cli/base/cli.h"
#include "cli/base/progress.h"
#include "cli/commands/cmd.h"
#include "cli/live/interrupt.h"
#include "cli/options/options.h"
#include "driver/usb/fx2_flash.h"
#include "driver/usb/transport_usb.h"

#define BITSTREAM_MAX (64u << 20) /* bytes; the largest FPGA with this interface takes 48 MB */

extern char **environ;

struct flash {
	const char *device, *board, *path;
	bool firmware, eeprom, keeps, dry_run, quiet;
	unsigned flags; /* EAR_USB_FPGA_* */
	const char *doing;
	double last_progress;
};

/* Boards whose bitstream another program writes. Every other name is for openFPGALoader. */
static const struct board {
	const char *name, *program, *package;
	const char *temporary, *lasting; /* its option, "" none */
	const char *board_option;        /* in front of the name; NULL: the name is not passed */
} boards[] = {
	{"ice40_hx8k", "iceprog", "fpga-icestorm", "-S", "", NULL},
	{NULL, "openFPGALoader", "openfpgaloader", "-m", "-f", "-b"},
};

static bool take_bit(void *value, const struct command_option *option, const char *argument)
{
	(void)argument;
	*(unsigned *)value |= (unsigned)option->min;
	return true;
}

#define SETS_BIT(bit) OPTION_TAKEN(take_bit, struct flash, flags), .min = (bit)

static const struct command_option table[] = {
	{.heading = "Through an FX2LP (slave serial, until power is off):"},
	{"device", 'd', "DEVICE", VALUES_DEVICES, .text = "`usb:`, `usb:SERIAL` or `usb:BUS-PORT`.",
		.detail =
			"See {DEVICES}. The file is a bitstream for the FPGA behind the chip, which keeps it "
			"until power is off.",
		OPTION_VALUE(struct flash, device)},
	{"lsb-first", 0, .text = "Send bit 0 of each byte first (default: bit 7).",
		SETS_BIT(EAR_USB_FPGA_LSB_FIRST)},
	{"no-init", 0, .text = "The FPGA's INIT pin is not connected, as with an iCE40.",
		SETS_BIT(EAR_USB_FPGA_NO_INIT)},
	{.heading = "Firmware of the FX2LP (default: the one that came with this program):"},
	{"firmware", 0, .text = "Write it to the chip's memory, until power is off.",
		OPTION_VALUE(struct flash, firmware)},
	{"eeprom", 0,
		.text = "Write it to the EEPROM as well, from which the chip starts by itself.",
		OPTION_VALUE(struct flash, eeprom)},
	{.heading = "Boards that another program writes to, which is started:"},
	{"board", 0, "BOARD",
		.text = "`ice40_hx8k` (iceprog), or any board that openFPGALoader knows.",
		OPTION_VALUE(struct flash, board)},
	{"keep", 0,
		.text = "Write the bitstream to the board's flash memory (default: to the FPGA itself).",
		.detail = "The FPGA itself keeps it until power is off.",
		OPTION_VALUE(struct flash, keeps)},
	{"dry-run", 0, .text = "Only print the command that would be started.",
		OPTION_VALUE(struct flash, dry_run)},
	{.heading = ""},
	QUIET_OPTION(struct flash, quiet),
	{0},
};

/* -- Boards of other programs -- */

static const struct board *find_board(const char *name)
{
	const struct board *board = boards;

	while (board->name && strcmp(board->name, name) != 0)
		board++;
	return board;
}

/* Run the command to its end. Returns the exit status of this program. */
static int run_program(const struct board *board, char **words)
{
	pid_t pid;
	int status;

	fflush(stdout);
	int error = posix_spawnp(&pid, board->program, NULL, NULL, words, environ);
	if (error == ENOENT) {
		cli_error("%s is not installed; on Debian: apt install %s", board->program,
			board->package);
		return EAR_EXIT_FAILED;
	}
	if (error) {
		cli_error("%s: %s", board->program, strerror(error));
		return EAR_EXIT_FAILED;
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return EAR_EXIT_FAILED;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return EAR_EXIT_DONE;
	if (WIFEXITED(status))
		cli_error("%s failed with status %d", board->program, WEXITSTATUS(status));
	else
		cli_error("%s was ended by signal %d", board->program, WTERMSIG(status));
	return EAR_EXIT_FAILED;
}

static int flash_board(const struct flash *flash)
{
	const struct board *board = find_board(flash->board);
	const char *option = flash->keeps ? board->lasting : board->temporary;
	const char *words[8];
	unsigned count = 0;
	FILE *file = fopen(flash->path, "re");

	if (!file) {
		cli_error("%s: %s", flash->path, strerror(errno));
		return EAR_EXIT_FAILED;
	}
	fclose(file);
	words[count++] = board->program;
	if (board->board_option) {
		words[count++] = board->board_option;
		words[count++] = flash->board;
	}
	if (option[0])
		words[count++] = option;
	words[count++] = flash->path;
	words[count] = NULL;
	if (flash->dry_run || !flash->quiet)
		for (unsigned i = 0; i < count; i++)
			printf("%s%c", words[i], i + 1 < count ? ' ' : '\n');
	return flash->dry_run ? EAR_EXIT_DONE : run_program(board, (char **)words);
}

/* -- FX2LP -- */

static void show_progress(void *context, size_t done, size_t total)
{
	struct flash *flash = context;

	if (!cli_progress_due(&flash->last_progress))
		return;
	cli_progress(
		"%s: %zu of %zu bytes, %d%%", flash->doing, done, total, (int)(done * 100 / total));
}

static int fail(const struct ear_report *report)
{
	cli_error("%s", report->text);
	return EAR_EXIT_FAILED;
}

/* The whole file. Returns NULL after printing why not; to be freed. */
static uint8_t *read_bitstream(const char *path, size_t *size)
{
	FILE *file = fopen(path, "re");
	uint8_t *bytes = file ? malloc(BITSTREAM_MAX + 1) : NULL;

	if (file && !bytes)
		errno = ENOMEM;
	*size = bytes ? fread(bytes, 1, BITSTREAM_MAX + 1, file) : 0;
	if (!bytes || ferror(file)) {
		cli_error("%s: %s", path, strerror(errno));
	} else if (*size == 0 || *size > BITSTREAM_MAX) {
		cli_error("%s: %s", path, *size ? "too long for a bitstream" : "is empty");
	} else {
		fclose(file);
		return bytes;
	}
	free(bytes);
	if (file)
		fclose(file);
	return NULL;
}

static int flash_fpga(struct flash *flash)
{
	struct ear_transport *transport;
	struct ear_report report;
	size_t size;
	uint8_t *bytes = read_bitstream(flash->path, &size);

	if (!bytes)
		return EAR_EXIT_FAILED;
	int error = ear_transport_usb_open(&transport, flash->device, &report);
	if (!error) {
		flash->doing = "FPGA";
		error = ear_fx2_flash_fpga(
			transport, bytes, size, flash->flags, show_progress, flash, &report);
		ear_transport_close(transport);
	}
	cli_progress_clear();
	free(bytes);
	if (error)
		return fail(&report);
	if (!flash->quiet)
		fprintf(stderr, "earshot: the FPGA has its bitstream of %zu bytes and runs\n",
			size);
	return EAR_EXIT_DONE;
}

static int write_eeprom(struct flash *flash, struct ear_transport *transport,
	const struct ear_fx2_image *image, struct ear_report *report)
{
	flash->doing = "EEPROM";
	int error = ear_fx2_flash_eeprom(transport, image, show_progress, flash, report);

	cli_progress_clear();
	if (!error && !flash->quiet)
		fputs("earshot: the firmware is in the EEPROM; the chip starts from it when it has "
		      "power again\n",
			stderr);
	return error;
}

static int flash_firmware(struct flash *flash)
{
	static struct ear_fx2_image image;
	struct ear_transport *transport;
	struct ear_report report;
	char found[PATH_MAX];
	int error = 0;

	if (!flash->path) {
		error = ear_fx2_find_firmware(found, sizeof(found), &report);
		flash->path = found;
	}
	if (!error)
		error = ear_fx2_image_read(&image, flash->path, &report);
	if (!error)
		error = ear_transport_usb_open_with(
			&transport, flash->device, flash->path, &report);
	if (error)
		return fail(&report);
	if (!flash->quiet)
		fprintf(stderr, "earshot: the chip runs the firmware, version %u\n",
			ear_transport_usb_identity(transport)->firmware);
	if (flash->eeprom)
		error = write_eeprom(flash, transport, &image, &report);
	ear_transport_close(transport);
	return error ? fail(&report) : EAR_EXIT_DONE;
}

/* -- Options -- */

/* What does not go together. Returns NULL if all is well. */
static const char *check(const struct flash *flash)
{
	bool for_chip = flash->firmware || flash->eeprom;

	if (!flash->device == !flash->board)
		return "where to? Give -d usb: or --board BOARD";
	if (flash->device && strncmp(flash->device, "usb:", 4) != 0)
		return "-d takes usb: only; for other boards see --board";
	if (flash->board && (for_chip || flash->flags))
		return "--firmware, --eeprom, --lsb-first and --no-init go with -d";
	if (flash->device && (flash->keeps || flash->dry_run))
		return "--keep and --dry-run go with --board";
	if (for_chip && flash->flags)
		return "--lsb-first and --no-init are for a bitstream";
	if (!flash->path && !for_chip)
		return "which bitstream?";
	return NULL;
}

static int run(int argc, char **argv)
{
	struct flash flash = {0};
	int status;

	int first = options_parse(&cmd_flash, argc, argv, &flash, &status);
	if (first < 0)
		return status;
	if (first + 1 < argc)
		return cli_usage("flash", "one file, please");
	flash.path = argv[first];
	const char *wrong = check(&flash);
	if (wrong)
		return cli_usage("flash", "%s", wrong);
	if (flash.board)
		return flash_board(&flash);
	/* What is on its way ends where the device can be used again. */
	interrupt_catch();
	return flash.firmware || flash.eeprom ? flash_firmware(&flash) : flash_fpga(&flash);
}

const struct command cmd_flash = {
	.name = "flash",
	.arguments = "[OPTION]... -d usb: BITSTREAM\n"
		     "[OPTION]... -d usb: --firmware|--eeprom [FIRMWARE]\n"
		     "[OPTION]... --board BOARD BITSTREAM",
	.summary = "write a bitstream or firmware to a board",
	.about = "Write a bitstream to an FPGA, or Earshot's firmware to an FX2LP.",
	.options = table,
	.exit_status = "0 done, 2 it could not be done.",
	.run = run,
};
