/* Entries of a block as instructions. */
#include "cli/android/tools/code.h"

#include <earshot/error.h>
#include <inttypes.h>
#include <string.h>

int ear_android_code_init(struct ear_android_code *code, const struct ear_android_trace *trace)
{
	code->xlen = ear_android_trace_xlen(trace);
	code->disassembler = ear_disassembler_new();
	return code->disassembler ? 0 : EAR_E_NO_MEMORY;
}

void ear_android_code_fini(struct ear_android_code *code)
{
	ear_disassembler_free(code->disassembler);
}

struct ear_android_instruction ear_android_code_at(
	const struct ear_android_code *code, const struct ear_qtrace_block *block, uint32_t entry)
{
	bool halfwords = block->address & 1;
	uint32_t word = block->entries[entry], address = block->address & ~UINT32_C(1);

	if (!halfwords || !ear_qtrace_is_wrapped(word))
		return (struct ear_android_instruction){
			address + 4 * entry, word, 1, 4, EAR_ISA_A32};
	uint16_t first = ear_qtrace_unwrap(word);
	struct ear_android_instruction instruction = {.address = address + 2 * entry,
		.opcode = first,
		.entries = 1,
		.size = 2,
		.isa = code->xlen ? EAR_ISA_RISCV : EAR_ISA_T32};
	bool is_long = code->xlen ? (first & 3) == 3 : first >> 11 >= 0x1D;
	if (!is_long || entry + 1 >= block->count)
		return instruction;
	uint16_t second = ear_qtrace_unwrap(block->entries[entry + 1]);
	instruction.opcode =
		code->xlen ? (uint32_t)second << 16 | first : (uint32_t)first << 16 | second;
	instruction.entries = 2;
	instruction.size = 4;
	return instruction;
}

void ear_android_code_print_opcode(const struct ear_android_instruction *instruction,
	const struct ear_android_code *code, FILE *out)
{
	bool pair = instruction->entries == 2 && code->xlen == 0;

	fprintf(out, "%08" PRIx32 " ", instruction->address);
	if (pair)
		fprintf(out, "%04" PRIx32 " %04" PRIx32, instruction->opcode >> 16,
			instruction->opcode & 0xFFFF);
	else if (instruction->size == 2)
		fprintf(out, "    %04" PRIx32, instruction->opcode);
	else
		fprintf(out, "%08" PRIx32, instruction->opcode);
}

void ear_android_code_print(const struct ear_android_code *code,
	const struct ear_android_instruction *instruction, FILE *out)
{
	struct ear_text text = ear_disassemble(code->disassembler, instruction->isa, code->xlen,
		instruction->address, instruction->opcode, instruction->size);
	const char *blank = memchr(text.text, ' ', text.size);
	size_t name = blank ? (size_t)(blank - text.text) : text.size, rest = name;

	while (rest < text.size && text.text[rest] == ' ')
		rest++;
	fwrite(text.text, 1, name, out);
	if (rest < text.size)
		fputc('\t', out);
	fwrite(text.text + rest, 1, text.size - rest, out);
}
