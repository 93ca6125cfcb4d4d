/* JSON lines: the complete record, written and read back. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/formats/formats.h"
#include "decoder/formats/json/json_name.h"
#include "record_trip.h"

#ifndef ROUNDS /* of lines that are changed; more by hand */
#define ROUNDS (5000 / EAR_TEST_LESS)
#endif

/* Everything that a random record points to. */
struct full {
	struct ear_record record;
	struct ear_record_extra extra;
	struct ear_record_register registers[6], reads[4];
	struct ear_record_access memory[4];
	uint64_t access_times[4];
	struct ear_record_inferred inferred;
	struct ear_record_register inferred_registers[3];
	struct ear_record_access inferred_memory[3];
	struct ear_walk walks[2];
	struct ear_walk_step steps[6];
	char bytes[16384];
	size_t used;
};

static uint64_t some_value(struct random *random)
{
	switch (random_below(random, 4)) {
	case 0: return random_below(random, 100);
	case 1: return UINT64_MAX - random_below(random, 100);
	case 2: return (UINT64_C(1) << 53) - 2 + random_below(random, 4);
	default: return random_next(random);
	}
}

/* Bytes of every value: also such that are no UTF-8, quotes, NUL and line ends. */
static const char *some_bytes(struct full *full, struct random *random, size_t size)
{
	char *bytes = full->bytes + full->used;

	assert_at_most(full->used + size, sizeof(full->bytes));
	for (size_t i = 0; i < size; i++)
		bytes[i] = random_once_in(random, 2) ? (char)random_next(random)
						     : (char)('a' + random_below(random, 26));
	full->used += size;
	return bytes;
}

static struct ear_text some_text(struct full *full, struct random *random)
{
	static const char *const fixed[] = {"", "caf\xc3\xa9 \xe2\x86\x92 \xf0\x9f\x8e\xa7",
		"\xed\xb2\x80", "\xc0\xaf\xf5", "\\\"/\b\f\n\r\t\x7f", "addi     x3, x3, 1024"};

	if (random_once_in(random, 2))
		return (struct ear_text){0};
	if (random_once_in(random, 2)) {
		const char *text = fixed[random_below(random, COUNT_OF(fixed))];
		return (struct ear_text){text, strlen(text)};
	}
	size_t size = (size_t)random_below(random, 40);
	return (struct ear_text){some_bytes(full, random, size), size};
}

static void fill_register(struct full *full, struct ear_record_register *reg, struct random *random)
{
	*reg = (struct ear_record_register){.reg_class = (uint8_t)random_below(random, 5)};
	reg->size = (uint8_t)random_below(random, 9);
	if (reg->reg_class != EAR_REGISTER_NAMED)
		reg->number = (uint16_t)random_below(
			random, reg->reg_class == EAR_REGISTER_CSR ? 4096 : 32);
	if (reg->reg_class == EAR_REGISTER_V) {
		reg->text_size = (uint32_t)random_below(random, 65);
		reg->text.bytes = (const uint8_t *)some_bytes(full, random, reg->text_size);
		return;
	}
	reg->value = some_value(random);
	if (reg->reg_class != EAR_REGISTER_NAMED)
		return;
	reg->text_size = (uint32_t)random_below(random, 12);
	if (random_once_in(random, 2))
		reg->size =
			(uint16_t)(9 + random_below(random, random_once_in(random, 8) ? 300 : 24));
	reg->unknown = reg->size > 0 && random_once_in(random, 3);
	reg->note_size = random_once_in(random, 3) ? (uint16_t)random_below(random, 9) : 0;
	size_t text_size = ear_register_text_size(reg);
	uint8_t *bytes = (uint8_t *)full->bytes + full->used;
	reg->text.name = some_bytes(full, random, text_size);
	uint8_t *unknown = reg->unknown ? bytes + (ear_register_unknown(reg) - bytes) : NULL;
	uint8_t *wide = bytes + reg->text_size;
	if (reg->size > 8)
		reg->value = 0;
	for (unsigned i = 0; unknown && i < reg->size; i++) { /* unknown bits are 0 */
		if (reg->size > 8)
			wide[i] &= (uint8_t)~unknown[i];
		else
			reg->value &= ~((uint64_t)unknown[i] << 8 * i);
	}
	for (unsigned i = 8; reg->size > 8 && i-- > 0;)
		reg->value = reg->value << 8 | wide[i];
}

static void fill_access(struct ear_record_access *access, struct random *random)
{
	*access = (struct ear_record_access){
		.address = some_value(random),
		.size = (uint8_t)random_below(random, 9),
		.write = random_once_in(random, 2),
		.has_value = random_once_in(random, 2),
		.has_physical = random_once_in(random, 2),
		.masked = random_once_in(random, 2),
		.aborted = random_once_in(random, 2),
		.attributes = random_once_in(random, 2) ? 0 : (uint16_t)random_next(random),
	};
	access->value = access->has_value ? some_value(random) : 0;
	if (access->has_value && random_once_in(random, 3))
		access->unknown = random_next(random) & ~access->value;
	access->physical = access->has_physical ? some_value(random) : 0;
}

static void fill_walks(struct full *full, struct random *random)
{
	size_t used = 0;

	full->extra.walks = full->walks;
	full->extra.walk_count = random_below(random, 3);
	for (size_t i = 0; i < full->extra.walk_count; i++) {
		struct ear_walk *walk = &full->walks[i];
		*walk = (struct ear_walk){.data = random_once_in(random, 2),
			.start = some_value(random),
			.result = some_value(random),
			.step_count = random_below(random, 4),
			.steps = &full->steps[used]};
		for (size_t k = 0; k < walk->step_count; k++) {
			struct ear_walk_step *step = &full->steps[used++];
			*step = (struct ear_walk_step){.address = some_value(random),
				.has_entry = random_once_in(random, 2),
				.has_attributes = random_once_in(random, 2)};
			step->entry = step->has_entry ? some_value(random) : 0;
			step->attributes = step->has_attributes ? (uint32_t)some_value(random) : 0;
		}
	}
}

static void fill_inferred(struct full *full, struct random *random)
{
	struct ear_record_inferred *inferred = &full->inferred;

	*inferred = (struct ear_record_inferred){random_below(random, 4), full->inferred_registers,
		random_below(random, 4), full->inferred_memory};
	for (size_t i = 0; i < inferred->register_count; i++) {
		struct ear_record_register *reg = &full->inferred_registers[i];
		*reg = (struct ear_record_register){
			.reg_class = (uint8_t)random_below(random, EAR_REGISTER_CSR + 1),
			.number = (uint16_t)random_below(random, 32),
			.value = some_value(random)};
	}
	for (size_t i = 0; i < inferred->memory_count; i++) {
		fill_access(&full->inferred_memory[i], random);
		full->inferred_memory[i].unknown = 0;
	}
	bool any = inferred->register_count + inferred->memory_count > 0;
	full->extra.inferred = any && random_once_in(random, 2) ? inferred : NULL;
}

static void fill_extra(struct full *full, struct random *random)
{
	struct ear_record_extra *extra = &full->extra;

	extra->line = 1 + random_below(random, 1000);
	extra->time_unit = some_text(full, random);
	extra->disassembly = some_text(full, random);
	extra->sources = some_text(full, random);
	extra->info = some_text(full, random);
	extra->mode_name = some_text(full, random);
	extra->has_task = random_once_in(random, 2);
	extra->task = extra->has_task ? some_value(random) : 0;
	extra->task_name = extra->has_task ? some_text(full, random) : (struct ear_text){NULL, 0};
	extra->has_trap_value = random_once_in(random, 2);
	extra->trap_value = extra->has_trap_value ? some_value(random) : 0;
	extra->wide_opcode = random_once_in(random, 4) ? some_value(random) : 0;
	extra->has_trigger = random_once_in(random, 4);
	extra->trigger_action = extra->has_trigger ? (uint8_t)random_below(random, 256) : 0;
	extra->reads = full->reads;
	extra->read_count = random_below(random, 4);
	for (size_t i = 0; i < extra->read_count; i++)
		fill_register(full, &full->reads[i], random);
	fill_walks(full, random);
	fill_inferred(full, random);
}

/* What is missing has no value. */
static void fill_instruction(struct ear_record *record, struct random *random)
{
	uint32_t stopped = EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT;

	record->isa = (uint8_t)random_below(random, EAR_ISA_UNKNOWN + 1);
	record->xlen = random_once_in(random, 2) ? 32 : 64;
	record->privilege = (uint8_t)random_below(random, 7);
	record->opcode_size = (uint8_t[]){2, 4, 8}[random_below(random, 3)];
	record->fflags = (uint8_t)random_below(random, 32);
	record->frm = (uint8_t)random_below(random, 8);
	record->fetch = random_once_in(random, 2) ? 0 : (uint16_t)random_next(random);
	record->opcode = some_value(random);
	record->pc = some_value(random);
	record->next_pc = some_value(random);
	record->cause = some_value(random);
	record->flags |= random_next(random) & ((1u << 14) - 1);
	record->pc_physical = record->flags & EAR_RECORD_PC_PHYSICAL ? some_value(random) : 0;
	if (!(record->flags & EAR_RECORD_HAS_SECURITY))
		record->flags &= ~(uint32_t)EAR_RECORD_SECURE;
	if (!(record->flags & stopped))
		record->flags &= ~(uint32_t)EAR_RECORD_NO_CAUSE;
	if (record->flags & EAR_RECORD_NO_CAUSE || !(record->flags & stopped))
		record->cause = 0;
	if (record->flags & EAR_RECORD_NO_OPCODE)
		record->opcode = 0;
	if (record->flags & EAR_RECORD_NO_PRIVILEGE)
		record->privilege = 0;
	if (record->flags & EAR_RECORD_NO_NEXT_PC)
		record->next_pc = 0;
}

static void fill_other(struct full *full, struct random *random)
{
	struct ear_record *record = &full->record;
	struct ear_gap *gap = &record->u.gap;

	switch (record->kind) {
	case EAR_RECORD_GAP:
		*gap = (struct ear_gap){
			.reason = (enum ear_gap_reason)random_below(random, EAR_GAP_REASONS),
			.count_known = random_once_in(random, 2),
			.upper_bound = random_once_in(random, 2),
			.at_start = random_once_in(random, 2),
			.skipped_bytes = some_value(random),
			.missing_frames = some_value(random)};
		if (gap->count_known) {
			gap->first = some_value(random);
			gap->last = some_value(random);
			gap->count = some_value(random);
		} else if (gap->reason == EAR_GAP_NO_CODE) {
			gap->first = some_value(random);
		}
		break;
	case EAR_RECORD_EVENT:
		record->u.event = (struct ear_event){.source = (uint8_t)random_next(random),
			.value = (uint32_t)random_next(random),
			.words = {some_value(random), some_value(random)},
			.name = some_text(full, random)};
		break;
	case EAR_RECORD_IDLE: record->u.cycle.attributes = (uint16_t)random_next(random); break;
	case EAR_RECORD_NOTE: record->u.note.text = some_text(full, random); break;
	default: break;
	}
}

static void fill_random(struct full *full, struct random *random)
{
	struct ear_record *record = &full->record;

	memset(full, 0, sizeof(*full));
	record->kind = random_once_in(random, 2) ? EAR_RECORD_INSTRUCTION
						 : (uint8_t)random_below(random, 7);
	record->hart = (uint16_t)random_next(random);
	record->index = some_value(random);
	record->stream_offset = some_value(random);
	record->flags = random_once_in(random, 2) ? EAR_RECORD_HAS_TIME : 0;
	record->registers = full->registers;
	record->register_count = random_below(random, 6);
	for (size_t i = 0; i < record->register_count; i++)
		fill_register(full, &full->registers[i], random);
	record->memory = full->memory;
	record->memory_count = random_below(random, 4);
	for (size_t i = 0; i < record->memory_count; i++) {
		fill_access(&full->memory[i], random);
		full->access_times[i] = random_once_in(random, 3) ? 0 : some_value(random);
	}
	full->extra.access_times = random_once_in(random, 2) ? full->access_times : NULL;
	if (record->kind == EAR_RECORD_INSTRUCTION)
		fill_instruction(record, random);
	else
		fill_other(full, random);
	bool riscv = record->kind == EAR_RECORD_INSTRUCTION && record->isa == EAR_ISA_RISCV;
	for (size_t i = 0; riscv && i < record->memory_count; i++)
		full->memory[i].unknown = 0;
	record->ticks = record->flags & EAR_RECORD_HAS_TIME ? some_value(random) : 0;
	if (!random_once_in(random, 4)) {
		fill_extra(full, random);
		record->extra = &full->extra;
	}
}

/* RFC 3629 by its table of byte sequences, apart from the writer's own check. */
static bool is_utf8(const char *text, size_t size)
{
	const uint8_t *at = (const uint8_t *)text, *end = at + size;

	while (at < end) {
		uint32_t character = *at;
		int more = *at < 0x80       ? 0
			   : *at >> 5 == 6  ? 1
			   : *at >> 4 == 14 ? 2
			   : *at >> 3 == 30 ? 3
					    : -1;
		static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
		if (more < 0 || end - at <= more)
			return false;
		if (more > 0)
			character &= 0x3Fu >> more;
		for (int i = 1; i <= more; i++) {
			if (at[i] >> 6 != 2)
				return false;
			character = character << 6 | (at[i] & 0x3F);
		}
		if (character < least[more] || character > 0x10FFFF ||
			(character >= 0xD800 && character < 0xE000))
			return false;
		at += 1 + more;
	}
	return true;
}

static void every_field_of_every_kind_comes_back(void **state)
{
	(void)state;
	static struct full full[50];
	struct ear_record *list[50];
	struct random random = {20260102};

	for (unsigned round = 0; round < 200; round++) {
		struct trip trip;
		size_t size;
		for (size_t i = 0; i < 50; i++) {
			fill_random(&full[i], &random);
			list[i] = &full[i].record;
		}
		char *text = trip_write("json", list, 50, &size);
		if (!is_utf8(text, size))
			fail_msg("round %u: not UTF-8: %s", round, text);
		assert_int_equal(strlen(text), size); /* no NUL */
		trip_read(&trip, "json", text, size, NULL);
		if (trip.bad > 0)
			fail_msg("line %lu: %s", trip.messages[0].line, trip.messages[0].cause);
		assert_int_equal(trip.count, 50);
		for (size_t i = 0; i < 50; i++) {
			const char *field = trip_record_difference(list[i], trip.records[i]);
			if (field)
				fail_msg("round %u, record %zu: %s", round, i, field);
		}
		trip_fini(&trip);
		free(text);
	}
}

static void the_form_is_the_documented_one(void **state)
{
	(void)state;
	static const struct ear_record_register registers[] = {
		{.reg_class = EAR_REGISTER_X, .number = 15, .value = 0x29}};
	static const struct ear_record_access memory[] = {
		{.address = 0x80001018, .size = 4, .value = 0x29, .has_value = true},
		{.address = 0x80001018,
			.size = 4,
			.value = 0x2a,
			.has_value = true,
			.write = true}};
	struct ear_record record = {.kind = EAR_RECORD_INSTRUCTION,
		.index = 12,
		.stream_offset = 345,
		.ticks = 99,
		.xlen = 32,
		.privilege = EAR_PRIVILEGE_M,
		.opcode_size = 4,
		.opcode = 0x00f727af,
		.pc = 0x8000011a,
		.next_pc = 0x8000011e,
		.flags = EAR_RECORD_HAS_TIME,
		.register_count = 1,
		.registers = registers,
		.memory_count = 2,
		.memory = memory};
	struct ear_record gap = {.kind = EAR_RECORD_GAP,
		.index = UINT64_C(1) << 53,
		.u.gap = {.reason = EAR_GAP_UNIT_FIFO,
			.count_known = true,
			.first = 5,
			.last = 7,
			.count = 3}};
	struct ear_record *list[] = {&record, &gap};
	size_t size;
	char *text = trip_write("json", list, 2, &size);

	assert_string_equal(text,
		"{\"kind\":\"instruction\",\"schema\":2,\"hart\":0,\"index\":12,\"offset\":345,\"time\":99,"
		"\"isa\":\"riscv\",\"xlen\":32,\"pc\":\"0x8000011a\",\"opcode\":\"0xf727af\","
		"\"opcode_size\":4,\"mnemonic\":\"amoadd.w\",\"class\":\"amo\",\"privilege\":\"m\",\"next_pc\":\"0x8000011e\","
		"\"registers\":[{\"class\":\"x\",\"number\":15,\"value\":\"0x29\"}],"
		"\"memory\":[{\"write\":false,\"address\":\"0x80001018\",\"size\":4,"
		"\"value\":\"0x29\"},{\"write\":true,\"address\":\"0x80001018\",\"size\":4,"
		"\"value\":\"0x2a\"}]}\n"
		"{\"kind\":\"gap\",\"schema\":2,\"hart\":0,\"index\":\"0x20000000000000\",\"offset\":0,"
		"\"reason\":\"unit-fifo\",\"count\":3,\"first\":5,\"last\":7}\n");
	free(text);
}

static void unknown_digits_and_notes_have_members_of_their_own(void **state)
{
	(void)state;
	static const struct ear_record_register registers[] = {{.reg_class = EAR_REGISTER_NAMED,
		.size = 4,
		.text_size = 3,
		.value = 0x1200,
		.unknown = true,
		.note_size = 5,
		.text.name = "r13\x0f\0\0\xff(MSP)"}};
	static const struct ear_record_access memory[] = {{.address = 0x100,
		.size = 4,
		.value = 0x1200,
		.unknown = 0xFFFF00FF,
		.has_value = true}};
	struct ear_record record = {.kind = EAR_RECORD_REGISTERS,
		.register_count = 1,
		.registers = registers,
		.memory_count = 1,
		.memory = memory};
	struct ear_record *list[] = {&record};
	size_t size;
	char *text = trip_write("json", list, 1, &size);

	assert_string_equal(text,
		"{\"kind\":\"registers\",\"schema\":2,\"hart\":0,\"index\":0,\"offset\":0,\"registers\":["
		"{\"class\":\"named\",\"size\":4,\"value\":\"0x1200\",\"name\":\"r13\","
		"\"unknown\":\"0xff00000f\",\"note\":\"(MSP)\"}],\"memory\":[{\"write\":false,"
		"\"address\":\"0x100\",\"size\":4,\"value\":\"0x1200\","
		"\"unknown\":\"0xffff00ff\"}]}\n");
	free(text);
}

/* Records of every other format, through JSON and back. */
static void nothing_of_any_format_is_lost(void **state)
{
	(void)state;
	static const struct {
		const char *format, *name;
	} files[] = {{"whisper", "whisper/multi.csv"}, {"whisper", "whisper/sv39-ptw.csv"},
		{"whisper", "whisper/fpmix.csv"}, {"whisper", "whisper/timer.csv"},
		{"whisper", "whisper/vector.csv"}, {"spike", "spike/rv64.log"},
		{"sail", "sail/rv64.log"}, {"ibex", "ibex/rv32.log"},
		{"riscv-dv", "riscv-dv/rv32.csv"}, {"tarmac", "tarmac/dialects.txt"},
		{"qemu4v", "qemu4v/mips.txt"}};

	for (size_t i = 0; i < COUNT_OF(files); i++) {
		struct trip trip, again;
		size_t size;
		trip_read_file(&trip, files[i].format, files[i].name);
		assert_above(trip.count, 0);
		char *text = trip_write("json", trip.records, trip.count, &size);
		trip_read(&again, "json", text, size, NULL);
		assert_int_equal(again.bad + again.warnings, 0);
		assert_int_equal(again.count, trip.count);
		for (size_t k = 0; k < trip.count; k++) {
			const char *field =
				trip_record_difference(trip.records[k], again.records[k]);
			if (field)
				fail_msg("%s, record %zu: %s", files[i].name, k, field);
		}
		free(text);
		trip_fini(&again);
		trip_fini(&trip);
	}
}

/* A script writes what it likes: other orders, blanks, escapes, members of its own. */
static void any_json_of_the_schema_is_read(void **state)
{
	(void)state;
	static const char text[] =
		"\n"
		" { \"pc\" : 2147483648 , \"mine\" : [ { \"a\" : [ ] } , null , -1.5e3 , true ],"
		"\"xlen\":\"32\",\"disassembly\":\"\\u0061\\n\\u00e9\\ud83c\\udfa7\\udc80\\/\","
		"\"registers\":[],\"privilege\":\"vs\",\"opcode\":\"19\",\"kind\":\"instruction\"}"
		"\r\n"
		"{\"kind\":\"note\",\"text\":\"\"}";
	struct trip trip;

	trip_read(&trip, "json", text, sizeof(text) - 1, NULL);
	assert_int_equal(trip.bad, 0);
	assert_int_equal(trip.warnings, 1); /* no line end */
	assert_int_equal(trip.count, 2);
	const struct ear_record *record = trip.records[0];
	assert_int_equal(record->pc, 0x80000000);
	assert_int_equal(record->opcode, 19);
	assert_int_equal(record->privilege, EAR_PRIVILEGE_VS);
	assert_int_equal(record->flags, EAR_RECORD_NO_NEXT_PC);
	assert_int_equal(record->extra->line, 2);
	static const char disassembly[] = "a\n\xc3\xa9\xf0\x9f\x8e\xa7\x80/";
	assert_int_equal(record->extra->disassembly.size, sizeof(disassembly) - 1);
	assert_memory_equal(record->extra->disassembly.text, disassembly, sizeof(disassembly) - 1);
	assert_non_null(trip.records[1]->u.note.text.text);
	trip_fini(&trip);
}

static void what_is_wrong_is_reported(void **state)
{
	(void)state;
	static const struct {
		const char *line, *cause;
	} rows[] = {
		{"[]", "an object is missing"},
		{"{\"kind\":\"gap\"", "a comma is missing"},
		{"{\"kind\" \"gap\"}", "a colon is missing"},
		{"{\"kind\":\"gap\"}}", "something follows the object"},
		{"{\"kind\":\"hole\"}", "a word is not in the schema"},
		{"{\"hart\":1}", "the object has no kind"},
		{"{\"kind\":\"gap\",\"hart\":65536}", "a number is out of range"},
		{"{\"kind\":\"gap\",\"index\":1.5}", "a number has a fraction or an exponent"},
		{"{\"kind\":\"gap\",\"index\":18446744073709551616}",
			"a number is missing or too large"},
		{"{\"kind\":\"gap\",\"index\":\"0xg\"}", "a string is not a number"},
		{"{\"kind\":\"instruction\",\"xlen\":16}", "xlen is neither 32 nor 64"},
		{"{\"kind\":\"registers\",\"registers\":[{\"number\":1}]}",
			"a register has no class"},
		{"{\"kind\":\"registers\",\"registers\":[{\"class\":\"x\",\"number\":32}]}",
			"a register number is too large"},
		{"{\"kind\":\"registers\",\"registers\":[{\"class\":\"x\",\"value\":12}]}",
			"a string is missing"},
		{"{\"kind\":\"registers\",\"registers\":[{\"class\":\"v\",\"value\":\"0xzz\"}]}",
			"a register value is not a number"},
		{"{\"kind\":\"registers\",\"registers\":[{\"class\":\"named\",\"size\":4,"
		 "\"value\":\"0x12\",\"unknown\":\"0xff0000\"}]}",
			"a register value does not have the size of its register"},
		{"{\"kind\":\"registers\",\"registers\":[{\"class\":\"named\",\"size\":4,"
		 "\"value\":\"0x12\",\"unknown\":\"0x0000000f\"}]}",
			"an unknown bit of a register is not 0"},
		{"{\"kind\":\"registers\",\"registers\":[{\"class\":\"named\",\"size\":1,"
		 "\"value\":\"0x0\",\"unknown\":\"ff\"}]}",
			"a value does not begin with 0x"},
		{"{\"kind\":\"memory\",\"memory\":[{\"size\":4,\"value\":\"0x1\","
		 "\"unknown\":\"0x3\"}]}",
			"an unknown bit of an access is not 0"},
		{"{\"kind\":\"instruction\",\"xlen\":32,\"memory\":[{\"size\":4,"
		 "\"value\":\"0x0\",\"unknown\":\"0x3\"}]}",
			"an access of RISC-V has unknown bits"},
		{"{\"kind\":\"memory\",\"memory\":[{\"size\":16}]}",
			"an access has more than 8 bytes"},
		{"{\"kind\":\"note\",\"text\":\"\\x\"}",
			"a string has an escape that JSON does not know"},
		{"{\"kind\":\"note\",\"text\":\"\\udfff\"}",
			"a string has an escape that JSON does not know"},
		{"{\"kind\":\"note\",\"text\":\"\t\"}", "a string holds a control character"},
		{"{\"kind\":\"note\",\"text\":\"abc}", "a string has no end"},
		{"{\"kind\":\"note\",\"other\":}", "a value is missing"},
		{"{\"kind\":\"note\",\"taken\":1}", "a value is neither true nor false"},
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		char text[256];
		struct trip trip;
		snprintf(text, sizeof(text), "%s\n{\"kind\":\"note\"}\n", rows[i].line);
		trip_read(&trip, "json", text, strlen(text), NULL);
		assert_int_equal(trip.count, 1);
		assert_int_equal(trip.bad, 1);
		assert_int_equal(trip.messages[0].line, 1);
		assert_string_equal(trip.messages[0].cause, rows[i].cause);
		trip_fini(&trip);
	}
}

static void depth_is_bounded(void **state)
{
	(void)state;
	char text[400] = "{\"kind\":\"note\",\"x\":";
	struct trip trip;

	memset(text + strlen(text), '[', 200);
	trip_read(&trip, "json", text, strlen(text), NULL);
	assert_int_equal(trip.bad + trip.warnings, 1);
	assert_int_equal(trip.count, 0);
	trip_fini(&trip);
}

static void damaged_lines_end_in_an_orderly_way(void **state)
{
	(void)state;
	static struct full full[6];
	struct ear_record *list[6];
	struct random random = {20260103};
	size_t size;

	for (size_t i = 0; i < 6; i++) {
		do
			fill_random(&full[i], &random);
		while (full[i].record.kind != i);
		list[i] = &full[i].record;
	}
	char *text = trip_write("json", list, 6, &size);
	trip_torture("json", text, size, 10000);
	assert_string_equal(ear_reader_detect(text, size)->name, "json");
	free(text);
}

/* A blank before each line: what is in it is the same, but none is an ordinary one. */
static char *indent(const char *text, size_t size, size_t *indented)
{
	char *copy = malloc(2 * size + 1);
	size_t used = 0;

	assert_non_null(copy);
	for (size_t i = 0; i < size; i++) {
		if (i == 0 || text[i - 1] == '\n')
			copy[used++] = ' ';
		copy[used++] = text[i];
	}
	*indented = used;
	return copy;
}

static void check_both_ways(const char *text, size_t size, bool light)
{
	const struct ear_reader_options options = {.light = light};
	struct trip ordinary, any;
	size_t indented;
	char *copy = indent(text, size, &indented);

	trip_read(&ordinary, "json", text, size, &options);
	trip_read(&any, "json", copy, indented, &options);
	assert_int_equal(ordinary.result, any.result);
	assert_int_equal(ordinary.bad, any.bad);
	assert_int_equal(ordinary.count, any.count);
	for (size_t i = 0; i < ordinary.count; i++) {
		const char *difference =
			trip_record_difference(ordinary.records[i], any.records[i]);
		if (difference)
			fail_msg("record %zu: %s\n%.*s", i, difference, (int)size, text);
	}
	for (unsigned i = 0; i < ordinary.bad && i < TRIP_MESSAGES_MAX; i++) {
		assert_same(ordinary.messages[i].line, any.messages[i].line);
		assert_string_equal(ordinary.messages[i].cause, any.messages[i].cause);
	}
	trip_fini(&ordinary);
	trip_fini(&any);
	free(copy);
}

/* Something of a line changes: a character, a digit, a piece comes twice or is missing. */
static size_t change(struct random *random, char *line, size_t size)
{
	static const char marks[] = "{}[]\",:0x \\-.eE9f\r\0\n";
	const size_t at = (size_t)random_below(random, size);
	const size_t piece = 1 + (size_t)random_below(random, size - at < 20 ? size - at : 20);

	switch (random_below(random, 4)) {
	case 0: line[at] = marks[random_below(random, sizeof(marks) - 1)]; return size;
	case 1: line[at] = (char)random_next(random); return size;
	case 2: memmove(line + at + piece, line + at, size - at); return size + piece;
	default: memmove(line + at, line + at + piece, size - at - piece); return size - piece;
	}
}

#define LINE(hart, index, pc, size, more) \
	"{\"kind\":\"instruction\",\"schema\":2,\"hart\":" hart ",\"index\":" index \
	",\"time\":999999999999999999,\"isa\":\"riscv\",\"xlen\":64,\"pc\":\"" pc \
	"\",\"opcode\":\"0x13\",\"opcode_size\":" size more "}\n"
#define REGISTERS(name, number) \
	"\"registers\":[{\"class\":\"" name "\",\"number\":" number ",\"value\":\"0x1\"}," \
	"{\"class\":\"x\",\"number\":1,\"value\":\"0xffffffffffffffff\"}]"
#define MEMORY(size) \
	"\"memory\":[{\"write\":true,\"address\":\"0x8\"}," \
	"{\"write\":false,\"address\":\"0x8\",\"size\":" size ",\"value\":\"0x1\"}]"

/* Lines of which a trace has millions are read without looking for anything (json_ordinary.h). */
static void ordinary_lines_mean_what_any_reader_of_json_reads(void **state)
{
	/* From the fourth on, something is too large by one, or missing. */
	static const char *const more[] = {
		LINE("65535", "999999999999999999", "0xffffffffffffffff", "4",
			",\"privilege\":\"s\"," REGISTERS("csr", "4095")),
		LINE("0", "1000000000000000000", "0x00000000000000001", "0", ""),
		LINE("0", "0", "0xFf", "8", "," REGISTERS("f", "31") "," MEMORY("8")),
		LINE("65536", "0", "0x0", "4", ""),
		LINE("", "0", "0x0", "4", ""),
		LINE("0", "0", "0x10000000000000000", "4", ""),
		LINE("0", "0", "0x", "4", ""),
		LINE("0", "0", "0x0", "9", ""),
		LINE("0", "0", "0x0", "4", "," REGISTERS("x", "32")),
		LINE("0", "0", "0x0", "4", "," REGISTERS("csr", "4096")),
		LINE("0", "0", "0x0", "4", "," MEMORY("9")),
		LINE("0", "0", "0x0", "4", ",\"mnemonic\":\"a\\\",\""),
	};
	struct random random = {12};
	struct trip trip;
	size_t size;

	(void)state;
	trip_read_file(&trip, "whisper", "whisper/timer.csv");
	char *text = trip_write("json", trip.records, trip.count, &size);
	check_both_ways(text, size, false);
	check_both_ways(text, size, true);
	trip_fini(&trip);
	for (size_t i = 0; i < COUNT_OF(more); i++)
		check_both_ways(more[i], strlen(more[i]), false);
	for (unsigned round = 0; round < ROUNDS; round++) {
		char line[1200];
		const char *from = text + random_below(&random, size - 400);
		if (round % 3 == 0)
			from = more[round % COUNT_OF(more)];
		else
			from = memchr(from, '\n', 400) ? (const char *)memchr(from, '\n', 400) + 1
						       : text;
		const char *end = strchr(from, '\n');
		size_t length = end ? (size_t)(end - from) + 1 : 0;
		if (length == 0 || length > 1000)
			continue;
		memcpy(line, from, length);
		for (unsigned i = 0; i <= random_below(&random, 3) && length > 1; i++)
			length = change(&random, line, length);
		check_both_ways(line, length, round % 2 > 0);
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_of_every_kind_comes_back),
		cmocka_unit_test(the_form_is_the_documented_one),
		cmocka_unit_test(unknown_digits_and_notes_have_members_of_their_own),
		cmocka_unit_test(nothing_of_any_format_is_lost),
		cmocka_unit_test(any_json_of_the_schema_is_read),
		cmocka_unit_test(what_is_wrong_is_reported),
		cmocka_unit_test(depth_is_bounded),
		cmocka_unit_test(damaged_lines_end_in_an_orderly_way),
		cmocka_unit_test(ordinary_lines_mean_what_any_reader_of_json_reads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
