/* --isa: which RISC-V instructions are legal.
 *
 * The set is the command's, not that of a file: it is given to the instruction table once, before
 * anything is read, so that no reader and no writer has to ask for it at each record.
 */
#include "cli/commands/isa_option.h"

#include <string.h>

#include "cli/base/cli.h"
#include "decoder/isa/inst.h"

static bool refuse(const char *option, const char *argument, const char *part, size_t size)
{
	if (size == strlen(argument))
		cli_error("--%s: '%s' is not an ISA string (rv64gc_zba) nor a profile (rva23u64)",
			option, argument);
	else
		cli_error("--%s: there is no extension '%.*s'", option, (int)size, part);
	return false;
}

/* What --isa said; its XLEN is 0 if it said nothing. */
static struct ear_inst_set legal;

bool isa_option_take(void *value, const struct command_option *option, const char *argument)
{
	const char *part;
	size_t size;

	(void)value;
	return ear_inst_set_parse(&legal, argument, &part, &size) == 0 ||
	       refuse(option->name, argument, part, size);
}

bool isa_option_apply(unsigned *xlen)
{
	if (legal.xlen == 0)
		return true;
	if (*xlen != 0 && *xlen != legal.xlen) {
		cli_error("--isa has XLEN %u, and --xlen is %u", legal.xlen, *xlen);
		return false;
	}
	*xlen = legal.xlen;
	ear_inst_restrict(&legal);
	return true;
}
