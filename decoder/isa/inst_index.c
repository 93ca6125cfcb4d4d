/* The index of the instruction table, and how an opcode is looked up in it.
 *
 * Three levels, as the manual lays opcodes out: major opcode and funct3 (of a compressed opcode
 * quadrant and funct3) select a group, its upper bits a list in the group, and the list names the
 * rows that these bits leave. Two loads and a shift, however many rows there are. The arrays are
 * written by make_inst_index.c when the project is built.
 */
#include "decoder/isa/inst_index.h"

#include "decoder/isa/inst_table.h"

#include "inst_index.inc"

const uint16_t *ear_inst_candidates(uint32_t opcode)
{
	const struct ear_inst_group *group = &groups[ear_inst_group_of(opcode)];

	return &lists[starts[group->first + (opcode >> group->shift & group->mask)]];
}
