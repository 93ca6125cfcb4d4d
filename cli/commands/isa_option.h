#ifndef EAR_ISA_OPTION_H
#define EAR_ISA_OPTION_H

#include <stdbool.h>

#include "cli/options/options.h"

/* --isa of commands that read traces: which RISC-V instructions are legal. */

#define ISA_OPTION_STRINGS "rv32gc rv64gc rva20u64 rva22u64 rva23u64"

#define ISA_OPTION \
	{ \
		"isa", 0, "NAME", VALUES_WORDS, ISA_OPTION_STRINGS, \
			.text = "RISC-V instructions that are legal: an ISA string (`rv64gc_zba`) or a " \
				"profile (`rva23u64`).", \
			.detail = ISA_OPTION_DETAIL, .take = isa_option_take \
	}

#define ISA_OPTION_DETAIL \
	"Other opcodes are illegal in texts, operands and classes that are derived, and XLEN is that " \
	"of the string. Default: all instructions that are known."

/* False, and a message, if the string or one of its extensions is not known. value is not used. */
command_take isa_option_take;

/* After all options: only these instructions are legal from now on, if --isa said some. *xlen is 0,
 * or what --xlen said; it becomes the XLEN of the string. False, and a message, if the two differ.
 */
bool isa_option_apply(unsigned *xlen);

#endif
