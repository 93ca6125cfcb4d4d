#ifndef EAR_TARMAC_LINE_H
#define EAR_TARMAC_LINE_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/formats/base/record_builder.h"
#include "decoder/formats/tarmac/tarmac_head.h"
#include "decoder/text/text_cursor.h"

/* Lines of QEMU4V and Tarmac (docs/text-formats.md): each function reads a part of one line and
 * returns NULL, or in a few words why the line is bad; then the outputs mean nothing.
 *
 * A line must have EAR_TEXT_SLACK readable bytes after it, of which the first is not a hexadecimal
 * digit (a line end, or the zeros at the end of a file); ear_tarmac_head alone reads nothing
 * after it.
 */

struct ear_tarmac_instruction {
	bool has_index, skipped, has_physical, has_opcode, has_mode;
	char set;      /* 'A' 'T' 'X' 'O' 'J' */
	int8_t secure; /* 1 secure, 0 not, -1 unknown */
	uint8_t pc_digits, opcode_digits;
	uint64_t index, pc, pc_physical, opcode;
	struct ear_text mode; /* if has_mode: without the security state; size 0: unknown */
	struct ear_text text; /* disassembly, may be empty */
};

/* IT, IS, IF and ES. An event that is written as IT ("IT EXC") gives "" instead of a cause.
 * implicit: the instruction set of a line without one, as Cortex-M0 RTL writes them; 0: that is
 * bad. */
const char *ear_tarmac_instruction(struct ear_tarmac_instruction *instruction,
	const struct ear_tarmac_head *head, char implicit);

/* MR, MW, R01, LD, ST: appends the accesses to the record. A transfer that is not a data access
 * gives "" instead of a cause: it is an event. qemu4v: the letter X means privileged, else
 * exclusive.
 */
const char *ear_tarmac_access(
	struct ear_record_builder *builder, const struct ear_tarmac_head *head, bool qemu4v);

/* R: fills in *reg, of class NAMED. Its name points into the line, or into the builder if something
 * follows it (record.h). An operation of the system instead of a register gives "" instead of a
 * cause: it is an event.
 */
const char *ear_tarmac_register(struct ear_record_register *reg, struct ear_record_builder *builder,
	const struct ear_tarmac_head *head);

#endif
