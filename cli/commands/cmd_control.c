/* 'earshot control': control words as bytes, for a bench without a host. A unit in a simulation of
 * somebody's own says nothing before it gets one, and one has a CRC.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/files.h"
#include "cli/commands/cmd.h"
#include "cli/live/control_text.h"
#include "cli/options/options.h"

enum { FORMAT_BYTES, FORMAT_HEX };

struct request {
	const char *path; /* NULL: standard output */
	unsigned format;
	struct control_words list;
};

static const struct command_option table[] = {
	{"output", 'o', "FILE", VALUES_FILES,
		.text = "Write to FILE (default `-`: standard output).",
		OPTION_VALUE(struct request, path)},
	{"format", 'f', "FORMAT", VALUES_WORDS, "bytes hex",
		.text = "`bytes` (default), or `hex`: text with a word a line, which `$readmemh` of "
			"Verilog reads as bytes.",
		OPTION_VALUE(struct request, format)},
	{0},
};

/* ---- The output. ---- */

static int write_words(const struct request *request, int fd)
{
	uint8_t bytes[EAR_CONTROL_WORD_SIZE];
	const struct control_words *list = &request->list;
	const int copy = dup(fd);
	FILE *to = copy >= 0 ? fdopen(copy, "w") : NULL;

	if (!to) {
		cli_error("%s: %s", request->path, strerror(errno));
		return EAR_EXIT_FAILED;
	}
	for (unsigned i = 0; i < list->count; i++) {
		if (request->format == FORMAT_HEX) {
			control_text_print(to, &list->words[i]);
		} else {
			ear_control_word_build(bytes, &list->words[i]);
			fwrite(bytes, 1, sizeof(bytes), to);
		}
	}
	const bool good = !ferror(to);
	if (fclose(to) != 0 || !good) {
		cli_error("%s: %s", request->path, strerror(errno));
		return EAR_EXIT_FAILED;
	}
	return EAR_EXIT_DONE;
}

static int run(int argc, char **argv)
{
	static struct request request = {.path = "-"};
	int status;

	int first = options_parse(&cmd_control, argc, argv, &request, &status);
	if (first < 0)
		return status;
	if (first == argc)
		return cli_usage("control", "which words?");
	for (int i = first; i < argc; i++)
		if (!control_text_add(&request.list, argv[i]))
			return EAR_EXIT_FAILED;
	if (!files_write("-o", request.path))
		return EAR_EXIT_FAILED;
	const int fd = files_open(request.path);
	if (fd < 0)
		return EAR_EXIT_FAILED;
	if (request.format == FORMAT_BYTES && isatty(fd)) {
		cli_error("control words are binary: not written to a terminal (-o FILE, -f hex)");
		return EAR_EXIT_FAILED;
	}
	files_begin();
	return write_words(&request, fd);
}

const struct command cmd_control = {
	.name = "control",
	.arguments = "[OPTION]... WORD...",
	.summary = "control words as bytes, for a simulation without a host",
	.about = "Write control words, which a capture unit takes from its link, as bytes. A unit "
		 "in a simulation of your own sends nothing before it gets one. A WORD is a name "
		 "of the list below; REGISTER, which reads it; or REGISTER=VALUE, which writes it. "
		 "The unit answers each in its stream.",
	.options = table,
	.notes = "REGISTER is a name of docs/protocol.md, section 7.1, such as `CONTROL` or "
		 "`STOP.KIND`, a name and an offset in bytes (`RANGE0+8`), or an address. VALUE is "
		 "a number, or fields of the register with + between them: "
		 "`CONTROL=ENABLE+TIME_MODE:2`. Fields that are not named are 0.\n\n"
		 "The words have the tags 1, 2 and so on.",
	.print_lists = control_text_names,
	.exit_status = "0 done, 2 a word is wrong, or the file cannot be written.",
	.run = run,
};
