/* Registers in the text of an instruction: the disassembler writes x10 and f10, as the formats of
 * traces do; people and compilers write a0 and fa0. The text is read once from the left, and a
 * register is one only where an operand begins, so a name such as "x10_buffer" stays.
 */
#include "cli/show/instruction_names.h"

#include <earshot/instruction.h>
#include <stdlib.h>
#include <string.h>

void instruction_with_names(const char *plain, bool single_blanks, char *text, size_t size)
{
	size_t length = 0;

	for (const char *at = plain; *at && length + 8 < size;) {
		const bool begins = at == plain || strchr(" ,(", at[-1]) != NULL;
		char *end = NULL;
		unsigned long number = 32;
		if (begins && (at[0] == 'x' || at[0] == 'f') && at[1] >= '0' && at[1] <= '9')
			number = strtoul(at + 1, &end, 10);
		if (number < 32 && strchr(" ,()", *end)) {
			length += (size_t)ear_register_name(
				at[0] == 'f' ? EAR_REGISTER_F : EAR_REGISTER_X, (unsigned)number,
				text + length, size - length);
			at = end;
			continue;
		}
		if (!single_blanks || at[0] != ' ' || at[1] != ' ')
			text[length++] = *at;
		at++;
	}
	text[length] = '\0';
}
