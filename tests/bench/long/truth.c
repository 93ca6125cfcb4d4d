/* The truth of a run: see truth.h.
 *
 * For what happens to any word or instruction, one array entry holds the last time. A question
 * about the next time marks the word or instruction as waited for; only when something marked
 * happens are the samples searched. So an ordinary entry costs a few stores.
 */
#include "truth.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define OPEN (TRUTH_NEVER - 1) /* an answer that may still come */

int truth_init(struct truth *truth, const struct program *program, size_t samples, uint64_t seed)
{
	uint64_t words = program->memory_size / 4;

	memset(truth, 0, sizeof(*truth));
	truth->program = program;
	truth->code_count = program->as.size / 2;
	truth->random = seed * 2 + 1;
	truth->executed = malloc(truth->code_count * sizeof(*truth->executed));
	truth->waited_pcs = calloc(truth->code_count, 1);
	truth->written = malloc(words * sizeof(*truth->written));
	truth->seen = calloc(program->memory_size / 8, 1);
	truth->waited = calloc(words / 8 + 1, 1);
	truth->samples = calloc(samples, sizeof(*truth->samples));
	truth->rare = calloc(PROGRAM_RARE_COUNT, sizeof(*truth->rare));
	truth->seldom = calloc(64, sizeof(*truth->seldom));
	truth->sparse = calloc(1024, sizeof(*truth->sparse));
	if (!truth->executed || !truth->waited_pcs || !truth->written || !truth->seen ||
		!truth->waited || !truth->samples || !truth->rare || !truth->seldom ||
		!truth->sparse) {
		truth_fini(truth);
		return -1;
	}
	memset(truth->executed, 0xFF, truth->code_count * sizeof(*truth->executed));
	memset(truth->written, 0xFF, words * sizeof(*truth->written));
	for (int i = 0; i < TRUTH_KINDS; i++)
		truth->last[i] = TRUTH_NEVER;
	return 0;
}

void truth_fini(struct truth *truth)
{
	free(truth->executed);
	free(truth->waited_pcs);
	free(truth->written);
	free(truth->seen);
	free(truth->waited);
	free(truth->samples);
	free(truth->rare);
	free(truth->seldom);
	free(truth->sparse);
}

static uint32_t random_below(struct truth *truth, uint64_t limit)
{
	truth->random ^= truth->random >> 12;
	truth->random ^= truth->random << 25;
	truth->random ^= truth->random >> 27;
	return (uint32_t)((truth->random * 0x2545F4914F6CDD1Du >> 32) * limit >> 32);
}

/* Answers that come ------------------------------------------------------------------------- */

static void answer(uint32_t *waiting, uint32_t number)
{
	if (*waiting == OPEN)
		*waiting = number;
}

static void answer_pc(struct truth *truth, uint64_t pc)
{
	for (size_t s = 0; s < truth->sample_count; s++)
		for (int i = 0; i < TRUTH_PCS; i++)
			if (truth->samples[s].pcs[i].pc == pc)
				answer(&truth->samples[s].pcs[i].next, truth->count);
}

static void answer_write(struct truth *truth, uint64_t address, unsigned size)
{
	for (size_t s = 0; s < truth->sample_count; s++) {
		for (int i = 0; i < TRUTH_ADDRESSES; i++) {
			struct truth_word *word = &truth->samples[s].words[i];
			if (word->address < address + size && address < word->address + word->size)
				answer(&word->next_write, truth->count);
		}
	}
}

static void note_kind(struct truth *truth, enum truth_kind kind)
{
	truth->last[kind] = truth->count;
	for (size_t s = truth->sample_count; s-- > 0;) {
		if (truth->samples[s].next[kind] != OPEN)
			break; /* nor has any before it */
		truth->samples[s].next[kind] = truth->count;
	}
}

/* Entries ------------------------------------------------------------------------------------ */

static unsigned mask_size(unsigned mask)
{
	return mask == 1 ? 1 : mask == 3 ? 2 : mask == 15 ? 4 : 8;
}

static void keep(uint32_t *list, size_t *count, size_t room, uint32_t number)
{
	if (*count < room)
		list[(*count)++] = number;
}

static void add_store(struct truth *truth, const struct ear_retire *entry, uint64_t offset)
{
	unsigned size = mask_size(entry->mem_wmask);
	uint64_t word = offset / 4, words = size == 8 ? 2 : 1;

	for (uint64_t i = 0; i < words; i++) {
		truth->written[word + i] = truth->count;
		if (truth->waited[(word + i) / 8] >> (word + i) % 8 & 1) {
			truth->waited[(word + i) / 8] &= (uint8_t) ~(1u << (word + i) % 8);
			answer_write(truth, entry->mem_addr, size);
		}
	}
	if (entry->mem_addr == PROGRAM_SELDOM)
		keep(truth->seldom, &truth->seldom_count, 64, truth->count);
	else if (entry->mem_addr - PROGRAM_SPARSE < PROGRAM_SPARSE_SIZE)
		keep(truth->sparse, &truth->sparse_count, 1024, truth->count);
}

static void push_frame(struct truth *truth, uint64_t return_address, uint64_t entry, bool trap)
{
	assert(truth->depth < TRUTH_STACK_MAX);
	truth->stack[truth->depth++] =
		(struct truth_frame){return_address, entry, truth->count, trap};
}

/* Calls link ra; a return goes through ra; nothing else in the programs does either. */
static void follow_stack(struct truth *truth, const struct ear_retire *entry)
{
	uint32_t insn = entry->insn;
	bool call = (insn & 0xFFF) == 0x0EF || ((insn & 0xF07F) == 0x9002 && insn >> 7 & 31);

	if (call) {
		push_frame(
			truth, entry->pc_rdata + ((insn & 3) == 3 ? 4 : 2), entry->pc_wdata, false);
	} else if (insn == 0x8082 || insn == 0x30200073) {
		assert(truth->depth > 0);
		truth->depth--;
	}
}

void truth_add(struct truth *truth, const struct ear_retire *entry)
{
	uint64_t code = (entry->pc_rdata - PROGRAM_CODE) / 2;
	uint64_t offset = entry->mem_addr - PROGRAM_CODE;

	assert(code < truth->code_count);
	truth->executed[code] = truth->count;
	if (truth->waited_pcs[code]) {
		truth->waited_pcs[code] = 0;
		answer_pc(truth, entry->pc_rdata);
	}
	if (entry->trap) {
		note_kind(truth, entry->irq ? TRUTH_INTERRUPT : TRUTH_TRAP);
		push_frame(truth, entry->pc_rdata, entry->pc_wdata, true);
	} else {
		if (entry->rd_addr) {
			truth->x[entry->rd_addr] = entry->rd_wdata;
			truth->x_written |= 1u << entry->rd_addr;
		}
		if (offset < truth->program->memory_size && (entry->mem_rmask | entry->mem_wmask)) {
			unsigned mask = entry->mem_rmask | entry->mem_wmask;
			truth->seen[offset / 8] |= (uint8_t)(mask << offset % 8);
			if (entry->mem_wmask)
				add_store(truth, entry, offset);
		}
		if (entry->csr_count)
			note_kind(truth, TRUTH_CSR);
		if (entry->pc_rdata == truth->program->rare)
			keep(truth->rare, &truth->rare_count, PROGRAM_RARE_COUNT, truth->count);
		follow_stack(truth, entry);
	}
	truth->count++;
}

/* Samples ------------------------------------------------------------------------------------ */

static const struct program_region *choose_region(struct truth *truth)
{
	return &truth->program->regions[random_below(truth, truth->program->region_count)];
}

static uint64_t choose_word(struct truth *truth, unsigned size)
{
	const struct program_region *region = choose_region(truth);

	return region->address + (uint64_t)random_below(truth, region->size / size) * size;
}

/* A word of XLEN bits. The first two of each moment are the counter and the word beside it; then
 * two anywhere in the memory that the program uses; then some that were written, if chance finds
 * any.
 */
static void ask_word(struct truth *truth, struct truth_word *word, int which)
{
	unsigned size = truth->program->as.xlen / 8;
	uint64_t at = choose_word(truth, size);

	if (which < 2)
		at = which == 0 ? PROGRAM_COUNTER : PROGRAM_SELDOM;
	for (int tries = 0; which >= 4 && tries < 100; tries++) {
		if (truth->written[(at - PROGRAM_CODE) / 4] != TRUTH_NEVER)
			break;
		at = choose_word(truth, size);
	}
	word->address = at;
	word->size = size;
	word->last_write = TRUTH_NEVER;
	word->next_write = OPEN;
	for (uint64_t i = 0; i < size / 4; i++) {
		uint64_t index = (at - PROGRAM_CODE) / 4 + i;
		uint32_t last = truth->written[index];
		if (last != TRUTH_NEVER &&
			(word->last_write == TRUTH_NEVER || last > word->last_write))
			word->last_write = last;
		truth->waited[index / 8] |= (uint8_t)(1u << index % 8);
	}
}

/* The first is the rare function, the others lie anywhere. */
static void ask_pc(struct truth *truth, struct truth_pc *pc, int which)
{
	uint64_t code = random_below(truth, truth->code_count);

	while (truth->executed[code] == TRUTH_NEVER)
		code = (code + 1) % truth->code_count;
	if (which == 0)
		code = (truth->program->rare - PROGRAM_CODE) / 2;
	pc->pc = PROGRAM_CODE + 2 * code;
	pc->last = truth->executed[code];
	pc->next = OPEN;
	truth->waited_pcs[code] = 1;
}

static void keep_memory(struct truth *truth, struct truth_sample *sample, const uint8_t *memory)
{
	const struct program_region *region = choose_region(truth);
	uint64_t room = region->size > TRUTH_MEMORY ? region->size - TRUTH_MEMORY : 0;
	uint64_t at = region->address + (random_below(truth, room / 64 + 1) * UINT64_C(64));

	sample->region = region->name;
	sample->memory_address = at;
	memcpy(sample->memory, memory + (at - PROGRAM_CODE), TRUTH_MEMORY);
	memcpy(sample->seen, truth->seen + (at - PROGRAM_CODE) / 8, TRUTH_MEMORY / 8);
}

void truth_sample(struct truth *truth, const struct ear_retire *entry, const uint8_t *memory)
{
	struct truth_sample *sample = &truth->samples[truth->sample_count++];

	sample->number = truth->count - 1;
	sample->entry = *entry;
	memcpy(sample->x, truth->x, sizeof(sample->x));
	sample->x_written = truth->x_written;
	sample->depth = truth->depth;
	while (sample->frame_count < TRUTH_FRAMES && sample->frame_count < truth->depth) {
		sample->frames[sample->frame_count] =
			truth->stack[truth->depth - 1 - sample->frame_count];
		sample->frame_count++;
	}
	keep_memory(truth, sample, memory);
	for (int i = 0; i < TRUTH_ADDRESSES; i++)
		ask_word(truth, &sample->words[i], i);
	for (int i = 0; i < TRUTH_PCS; i++)
		ask_pc(truth, &sample->pcs[i], i);
	for (int i = 0; i < TRUTH_KINDS; i++) {
		sample->last[i] = truth->last[i];
		sample->next[i] = OPEN;
	}
}

/* JSON --------------------------------------------------------------------------------------- */

struct printer {
	FILE *file;
	const struct truth_about *about;
};

static void print_number(FILE *file, const char *key, uint32_t number, const char *end)
{
	if (number >= OPEN)
		fprintf(file, "\"%s\": null%s", key, end);
	else
		fprintf(file, "\"%s\": %u%s", key, number, end);
}

static void print_hex(FILE *file, const char *key, uint64_t value, const char *end)
{
	fprintf(file, "\"%s\": \"0x%llx\"%s", key, (unsigned long long)value, end);
}

static void print_list(FILE *file, const char *key, const uint32_t *list, size_t count)
{
	fprintf(file, "\"%s\": [", key);
	for (size_t i = 0; i < count; i++)
		fprintf(file, "%s%u", i ? ", " : "", list[i]);
	fprintf(file, "]");
}

/* Events come before the instruction record of their number. */
static uint64_t position_of(const struct truth_about *about, uint32_t number)
{
	uint64_t events = 0;

	while (events < about->event_count && about->events[events] <= number)
		events++;
	return number + events;
}

static void print_entry(FILE *file, const struct ear_retire *entry)
{
	unsigned mask = entry->mem_rmask | entry->mem_wmask;

	fprintf(file, "    \"record\": {");
	print_hex(file, "pc", entry->pc_rdata, ", ");
	print_hex(file, "next_pc", entry->pc_wdata, ", ");
	print_hex(file, "opcode", entry->insn, "");
	fprintf(file, ", \"trap\": %s, \"interrupt\": %s", entry->trap ? "true" : "false",
		entry->irq ? "true" : "false");
	if (entry->rd_addr) {
		fprintf(file, ", \"rd\": %u, ", entry->rd_addr);
		print_hex(file, "value", entry->rd_wdata, "");
	}
	if (mask) {
		fprintf(file, ", \"write\": %s, \"size\": %u, ",
			entry->mem_wmask ? "true" : "false", mask_size(mask));
		print_hex(file, "address", entry->mem_addr, ", ");
		print_hex(file, "data", entry->mem_wmask ? entry->mem_wdata : entry->mem_rdata, "");
	}
	fprintf(file, "},\n");
}

static void print_registers(FILE *file, const struct truth_sample *sample)
{
	fprintf(file, "    \"x\": [");
	for (int i = 0; i < 32; i++)
		fprintf(file, "%s\"0x%llx\"", i ? ", " : "", (unsigned long long)sample->x[i]);
	fprintf(file, "],\n    \"x_written\": [");
	const char *between = "";
	for (int i = 1; i < 32; i++) {
		if (sample->x_written >> i & 1) {
			fprintf(file, "%s%d", between, i);
			between = ", ";
		}
	}
	fprintf(file, "],\n");
}

static void print_memory(FILE *file, const struct truth_sample *sample)
{
	fprintf(file, "    \"memory\": {\"region\": \"%s\", ", sample->region);
	print_hex(file, "address", sample->memory_address, ", \"bytes\": \"");
	for (int i = 0; i < TRUTH_MEMORY; i++)
		fprintf(file, "%02x", sample->memory[i]);
	fprintf(file, "\", \"seen\": \"");
	for (int i = 0; i < TRUTH_MEMORY / 8; i++)
		fprintf(file, "%02x", sample->seen[i]);
	fprintf(file, "\"},\n");
}

static void print_stack(FILE *file, const struct truth_sample *sample)
{
	fprintf(file, "    \"depth\": %u, \"stack\": [", sample->depth);
	for (size_t i = 0; i < sample->frame_count; i++) {
		const struct truth_frame *frame = &sample->frames[i];
		fprintf(file, "%s{", i ? ", " : "");
		print_hex(file, "return", frame->return_address, ", ");
		print_hex(file, "entry", frame->entry, ", ");
		print_number(file, "number", frame->number, ", ");
		fprintf(file, "\"trap\": %s}", frame->trap ? "true" : "false");
	}
	fprintf(file, "],\n");
}

static void print_sample(const struct printer *printer, const struct truth_sample *sample)
{
	static const char *const kinds[TRUTH_KINDS] = {"trap", "interrupt", "csr_write"};
	FILE *file = printer->file;

	fprintf(file, "  {\"number\": %u, \"position\": %llu, \"mode\": %u,\n", sample->number,
		(unsigned long long)position_of(printer->about, sample->number),
		sample->entry.mode);
	print_entry(file, &sample->entry);
	print_registers(file, sample);
	print_memory(file, sample);
	print_stack(file, sample);
	fprintf(file, "    \"words\": [");
	for (int i = 0; i < TRUTH_ADDRESSES; i++) {
		const struct truth_word *word = &sample->words[i];
		fprintf(file, "%s{\"size\": %u, ", i ? ", " : "", word->size);
		print_hex(file, "address", word->address, ", ");
		print_number(file, "last_write", word->last_write, ", ");
		print_number(file, "next_write", word->next_write, "}");
	}
	fprintf(file, "],\n    \"pcs\": [");
	for (int i = 0; i < TRUTH_PCS; i++) {
		fprintf(file, "%s{", i ? ", " : "");
		print_hex(file, "pc", sample->pcs[i].pc, ", ");
		print_number(file, "last", sample->pcs[i].last, ", ");
		print_number(file, "next", sample->pcs[i].next, "}");
	}
	fprintf(file, "],\n    ");
	for (int i = 0; i < TRUTH_KINDS; i++) {
		fprintf(file, "\"%s\": {", kinds[i]);
		print_number(file, "last", sample->last[i], ", ");
		print_number(file, "next", sample->next[i], i + 1 < TRUTH_KINDS ? "}, " : "}}");
	}
}

void truth_write(const struct truth *truth, const struct truth_about *about, FILE *file)
{
	const struct printer printer = {file, about};

	fprintf(file,
		"{\"version\": 1, \"workload\": \"%s\", \"seed\": %llu, \"records\": %u,\n"
		"\"xlen\": %u, \"program\": \"%s\",\n",
		truth->program->name, (unsigned long long)about->seed, truth->count,
		truth->program->as.xlen, about->program_path);
	print_list(file, "events", about->events, about->event_count);
	fprintf(file, ",\n\"rare\": {");
	print_hex(file, "pc", truth->program->rare, ", ");
	print_list(file, "numbers", truth->rare, truth->rare_count);
	fprintf(file, "},\n\"seldom\": {");
	print_hex(file, "address", PROGRAM_SELDOM, ", ");
	print_list(file, "writes", truth->seldom, truth->seldom_count);
	fprintf(file, "},\n\"sparse\": {");
	print_hex(file, "address", PROGRAM_SPARSE, ", ");
	fprintf(file, "\"size\": %d, ", PROGRAM_SPARSE_SIZE);
	print_list(file, "writes", truth->sparse, truth->sparse_count);
	fprintf(file, "},\n\"samples\": [\n");
	for (size_t i = 0; i < truth->sample_count; i++) {
		print_sample(&printer, &truth->samples[i]);
		fprintf(file, "%s\n", i + 1 < truth->sample_count ? "," : "");
	}
	fprintf(file, "]}\n");
}
