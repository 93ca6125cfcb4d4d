/* The text of an instruction of any instruction set, through a cache.
 *
 * A trace runs in loops, and a text takes longer than all else that is written of a record, so a
 * direct-mapped cache by opcode and pc keeps the texts. Capstone is loaded, and an engine of it
 * opened, when the first instruction that needs it comes.
 */
#include "decoder/isa/disassembly.h"

#include <capstone/capstone.h>
#include <earshot/error.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/hash.h"
#include "common/load.h"
#include "decoder/isa/inst.h"

/* A key of all zero bits is an empty entry, because no instruction has size 0. */
#define CACHE_BITS 12
#define TEXT_SIZE  104 /* Capstone's longest are lists of 16 registers; a longer one is cut */

struct entry {
	uint64_t pc; /* 0 for RISC-V, whose texts do not depend on it */
	uint64_t opcode;
	uint8_t isa, xlen, opcode_size;
	uint8_t size;
	char text[TEXT_SIZE];
};

struct engine {
	csh handle;
	bool open, failed;
};

struct ear_disassembler {
	struct engine engines[EAR_ISA_UNKNOWN];
	cs_insn *scratch;
	struct entry *cache; /* allocated at the first text */
	struct entry last;   /* replaces the cache if memory is short */
};

struct architecture {
	cs_arch arch;
	unsigned mode;
	bool known;
};

static const struct architecture architectures[EAR_ISA_UNKNOWN] = {
	[EAR_ISA_A32] = {CS_ARCH_ARM, CS_MODE_ARM | CS_MODE_V8, true},
	[EAR_ISA_T32] = {CS_ARCH_ARM, CS_MODE_THUMB | CS_MODE_V8, true},
	[EAR_ISA_T32EE] = {CS_ARCH_ARM, CS_MODE_THUMB, true},
	[EAR_ISA_A64] = {CS_ARCH_ARM64, CS_MODE_ARM, true},
	/* Opcodes are passed as numbers, so the byte order of the machine does not matter. */
	[EAR_ISA_MIPS32] = {CS_ARCH_MIPS, CS_MODE_MIPS32 | (unsigned)CS_MODE_BIG_ENDIAN, true},
	[EAR_ISA_MIPS64] = {CS_ARCH_MIPS, CS_MODE_MIPS64 | (unsigned)CS_MODE_BIG_ENDIAN, true},
};

/* The functions of Capstone. */
static struct capstone {
	__typeof__(cs_open) *open;
	__typeof__(cs_close) *close;
	__typeof__(cs_malloc) *malloc;
	__typeof__(cs_free) *free;
	__typeof__(cs_disasm_iter) *disasm_iter;
} capstone;
static bool capstone_is_there;

static void load_capstone(void)
{
	static const struct ear_load_function functions[] = {{"cs_open", &capstone.open},
		{"cs_close", &capstone.close}, {"cs_malloc", &capstone.malloc},
		{"cs_free", &capstone.free}, {"cs_disasm_iter", &capstone.disasm_iter}};

	capstone_is_there = !ear_load(
		EAR_CAPSTONE_LIBRARY, functions, sizeof(functions) / sizeof(functions[0]));
}

bool ear_disassembly_load(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load_capstone);
	return capstone_is_there;
}

struct ear_disassembler *ear_disassembler_new(void)
{
	return calloc(1, sizeof(struct ear_disassembler));
}

void ear_disassembler_free(struct ear_disassembler *disassembler)
{
	if (!disassembler)
		return;
	if (disassembler->scratch)
		capstone.free(disassembler->scratch, 1);
	for (unsigned isa = 0; isa < EAR_ISA_UNKNOWN; isa++)
		if (disassembler->engines[isa].open)
			capstone.close(&disassembler->engines[isa].handle);
	free(disassembler->cache);
	free(disassembler);
}

/* The engine, opened at its first use; NULL if there is none. */
static struct engine *find_engine(struct ear_disassembler *disassembler, enum ear_isa isa)
{
	const struct architecture *architecture = &architectures[isa];
	struct engine *engine = &disassembler->engines[isa];

	if (!architecture->known || engine->failed)
		return NULL;
	if (!engine->open) {
		engine->failed = !ear_disassembly_load() ||
				 capstone.open(architecture->arch, (cs_mode)architecture->mode,
					 &engine->handle) != CS_ERR_OK;
		engine->open = !engine->failed;
		if (engine->open && !disassembler->scratch)
			disassembler->scratch = capstone.malloc(engine->handle);
	}
	return engine->open && disassembler->scratch ? engine : NULL;
}

/* The bytes as in memory, in the byte order that the engine was opened with. */
static size_t put_bytes(uint8_t *bytes, enum ear_isa isa, uint64_t opcode, unsigned size)
{
	bool big = isa == EAR_ISA_MIPS32 || isa == EAR_ISA_MIPS64;
	bool thumb = isa == EAR_ISA_T32 || isa == EAR_ISA_T32EE;

	for (unsigned i = 0; i < size; i++) {
		unsigned byte = big ? size - 1 - i : i;
		if (thumb && size == 4)
			byte ^= 2;
		bytes[i] = (uint8_t)(opcode >> 8 * byte);
	}
	return size;
}

static int derive_capstone(struct ear_disassembler *disassembler, char *text, enum ear_isa isa,
	uint64_t pc, uint64_t opcode, unsigned opcode_size)
{
	struct engine *engine = find_engine(disassembler, isa);
	uint8_t bytes[8];

	if (!engine || opcode_size == 0 || opcode_size > sizeof(bytes))
		return 0;
	const uint8_t *code = bytes;
	size_t left = put_bytes(bytes, isa, opcode, opcode_size);
	cs_insn *insn = disassembler->scratch;
	if (!capstone.disasm_iter(engine->handle, &code, &left, &pc, insn) || left > 0)
		return 0;
	return snprintf(
		text, TEXT_SIZE, insn->op_str[0] ? "%s %s" : "%s", insn->mnemonic, insn->op_str);
}

static int derive_riscv(char *text, uint64_t opcode, unsigned xlen)
{
	struct ear_inst inst;

	ear_inst_decode(&inst, (uint32_t)opcode, xlen);
	if (inst.id == EAR_INST_ILLEGAL || opcode >> 32)
		return 0;
	int size = ear_inst_disassemble(text, TEXT_SIZE, &inst);
	while (size > 0 && text[size - 1] == ' ')
		size--;
	return size;
}

static const struct ear_text unknown = {
	EAR_DISASSEMBLY_UNKNOWN, sizeof(EAR_DISASSEMBLY_UNKNOWN) - 1};

static void fill(struct ear_disassembler *disassembler, struct entry *entry)
{
	int size;

	if (entry->isa == EAR_ISA_RISCV)
		size = derive_riscv(entry->text, entry->opcode, entry->xlen);
	else
		size = derive_capstone(disassembler, entry->text, entry->isa, entry->pc,
			entry->opcode, entry->opcode_size);
	if (size <= 0)
		size = snprintf(entry->text, TEXT_SIZE, EAR_DISASSEMBLY_UNKNOWN);
	entry->size = (uint8_t)(size < TEXT_SIZE ? size : TEXT_SIZE - 1);
}

/* The slot for a key; it may hold the entry of another key. */
static struct entry *find_slot(struct ear_disassembler *disassembler, uint64_t key)
{
	if (!disassembler->cache)
		disassembler->cache = calloc(1u << CACHE_BITS, sizeof(struct entry));
	if (!disassembler->cache)
		return &disassembler->last;
	return &disassembler->cache[ear_hash_slot(key, CACHE_BITS)];
}

struct ear_text ear_disassemble(struct ear_disassembler *disassembler, enum ear_isa isa,
	unsigned xlen, uint64_t pc, uint64_t opcode, unsigned opcode_size)
{
	if (isa >= EAR_ISA_UNKNOWN || opcode_size == 0)
		return unknown;
	if (isa == EAR_ISA_RISCV) {
		pc = 0;
		xlen = xlen == 64 ? 64 : 32;
	} else {
		xlen = 0;
	}

	struct entry *entry = find_slot(disassembler, opcode ^ pc << 17 ^ (uint64_t)isa << 40);
	if (entry->opcode != opcode || entry->pc != pc || entry->isa != isa ||
		entry->xlen != xlen || entry->opcode_size != opcode_size) {
		entry->pc = pc;
		entry->opcode = opcode;
		entry->isa = (uint8_t)isa;
		entry->xlen = (uint8_t)xlen;
		entry->opcode_size = (uint8_t)opcode_size;
		fill(disassembler, entry);
	}
	return (struct ear_text){entry->text, entry->size};
}

struct ear_text ear_disassembler_text(
	struct ear_disassembler *disassembler, const struct ear_record *record)
{
	if (record->extra && record->extra->disassembly.text && record->extra->disassembly.size > 0)
		return record->extra->disassembly;
	return ear_disassemble(disassembler, record->isa, record->xlen, record->pc, record->opcode,
		record->flags & EAR_RECORD_NO_OPCODE ? 0 : record->opcode_size);
}

struct ear_text ear_disassembler_line_text(
	struct ear_disassembler *disassembler, const struct ear_record *record)
{
	if (record->extra && record->extra->disassembly.text)
		return record->extra->disassembly;
	return ear_disassembler_text(disassembler, record);
}

static bool is_text(struct ear_text text, const char *other)
{
	return text.size == strlen(other) && strncasecmp(text.text, other, text.size) == 0;
}

bool ear_disassembly_hides_opcode(enum ear_isa isa, uint64_t opcode, struct ear_text text)
{
	if (opcode != 0)
		return false;
	if (isa != EAR_ISA_RISCV)
		return is_text(text, EAR_DISASSEMBLY_UNKNOWN);
	return text.size > 0 && !is_text(text, "illegal") && !is_text(text, "unimp") &&
	       !is_text(text, "c.unimp");
}

bool ear_disassembly_is_lost_beside(const struct ear_record *record)
{
	return record->flags & EAR_RECORD_NO_OPCODE && record->extra &&
	       record->extra->disassembly.text &&
	       !ear_disassembly_hides_opcode(record->isa, 0, record->extra->disassembly);
}

struct ear_text ear_disassembler_text_beside(
	struct ear_disassembler *disassembler, const struct ear_record *record)
{
	return ear_disassembly_is_lost_beside(record)
		       ? unknown
		       : ear_disassembler_line_text(disassembler, record);
}

int ear_isa_find(const char *name)
{
	static const char *const names[] = {
		[EAR_ISA_RISCV] = "riscv",
		[EAR_ISA_A32] = "arm",
		[EAR_ISA_T32] = "thumb",
		[EAR_ISA_T32EE] = "thumbee",
		[EAR_ISA_JAZELLE] = "jazelle",
		[EAR_ISA_A64] = "aarch64",
		[EAR_ISA_MIPS32] = "mips",
		[EAR_ISA_MIPS64] = "mips64",
	};

	for (unsigned isa = 0; isa < sizeof(names) / sizeof(names[0]); isa++)
		if (strcmp(names[isa], name) == 0)
			return (int)isa;
	return EAR_E_BAD_ARGUMENT;
}
