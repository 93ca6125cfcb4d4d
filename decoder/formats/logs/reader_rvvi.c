/* RVVI-TEXT to records: a line of elements, each a word with values after it.
 *
 * RET and TRAP begin an instruction; elements before it on its line are of it, and so are those
 * after it, up to the next one. HART, MODE, VIRT and DM hold until they change; CYCLE and TIME add
 * up, and an instruction has a time if its line has one of them. A line that ends in a backslash
 * continues in the next one. META elements of VENDOR "earshot" carry what the format has no element
 * for; in its lines nothing but HART and DM holds longer than the line, so that what is unknown
 * stays unknown.
 */
#include <earshot/error.h>
#include <string.h>

#include "decoder/formats/logs/logs.h"
#include "decoder/isa/csr.h"

struct rvvi {
	struct ear_log_reader log;
	bool earshot;                        /* VENDOR */
	bool continued;                      /* the line before ended in a backslash */
	bool has_mode, has_cycle, has_time;  /* and so are the members below */
	bool time_here, has_order, gap_here; /* in this line */
	bool trap;                           /* the instruction begun trapped */
	uint8_t mode, virt, debug;
	uint8_t flen; /* bytes of an f register, 0: unknown */
	uint16_t hart;
	uint64_t order, cycle, time;
	char time_unit[4]; /* TIMESCALE */
};

/* Blanks, and comments between quotes. */
static void skip_space(struct ear_text_cursor *cursor)
{
	for (;;) {
		while (ear_text_skip_blanks(cursor) || ear_text_take(cursor, '\r'))
			;
		if (!ear_text_take(cursor, '\''))
			return;
		ear_text_until(cursor, '\'');
		ear_text_take(cursor, '\'');
	}
}

static struct ear_text take_word(struct ear_text_cursor *cursor)
{
	skip_space(cursor);
	if (!ear_text_take(cursor, '"'))
		return ear_text_token(cursor);
	struct ear_text word = ear_text_until(cursor, '"');
	ear_text_take(cursor, '"');
	return word;
}

static bool take_decimal(struct ear_text_cursor *cursor, uint64_t *value, uint64_t max)
{
	skip_space(cursor);
	return ear_text_decimal(cursor, value) && *value <= max;
}

static size_t take_hex(struct ear_text_cursor *cursor, uint64_t *value)
{
	skip_space(cursor);
	return ear_log_hex(cursor, value);
}

/* What holds, for the instruction begun. */
static void apply(struct rvvi *rvvi)
{
	static const enum ear_privilege virtual_modes[] = {EAR_PRIVILEGE_VU, EAR_PRIVILEGE_VS};
	struct ear_log_reader *log = &rvvi->log;

	if (!log->builder)
		return;
	ear_log_privilege(log, EAR_PRIVILEGE_U);
	log->builder->record.flags |= EAR_RECORD_NO_PRIVILEGE;
	if (rvvi->debug)
		ear_log_privilege(log, EAR_PRIVILEGE_DEBUG);
	else if (rvvi->has_mode)
		ear_log_privilege(log, rvvi->virt && rvvi->mode < 2
					       ? virtual_modes[rvvi->mode]
					       : (enum ear_privilege)rvvi->mode);
	if (!rvvi->time_here)
		return;
	if (rvvi->has_cycle)
		ear_log_time(log, rvvi->cycle);
	if (!rvvi->has_time || rvvi->has_cycle)
		return;
	ear_log_time(log, rvvi->time);
	log->builder->extra.time_unit = ear_record_builder_copy(
		log->builder, (struct ear_text){rvvi->time_unit, strlen(rvvi->time_unit)});
}

static bool begin(struct rvvi *rvvi, struct ear_text_cursor *cursor, bool trap)
{
	struct ear_log_reader *log = &rvvi->log;
	uint64_t pc, opcode;
	size_t digits = take_hex(cursor, &pc);

	if (digits == 0 || !take_hex(cursor, &opcode) || opcode > UINT32_MAX)
		return false;
	if (rvvi->gap_here)
		log->line.pair.broken = log->line.pair.open;
	struct ear_record *record = ear_log_begin(log, rvvi->hart, pc, digits);
	if (rvvi->has_order)
		record->index = rvvi->order;
	rvvi->has_order = rvvi->gap_here = false;
	ear_log_opcode(log, opcode);
	rvvi->trap = trap;
	if (trap)
		record->flags |= EAR_RECORD_TRAP | EAR_RECORD_NO_CAUSE;
	apply(rvvi);
	return true;
}

static bool take_ret(struct rvvi *rvvi, struct ear_text_cursor *cursor)
{
	return begin(rvvi, cursor, false);
}

static bool take_trap(struct rvvi *rvvi, struct ear_text_cursor *cursor)
{
	return begin(rvvi, cursor, true);
}

/* The cause of a trap or an interrupt. */
static void set_cause(struct rvvi *rvvi, uint64_t cause)
{
	struct ear_log_reader *log = &rvvi->log;

	if (rvvi->trap && log->builder)
		ear_log_trap(log, cause);
}

static bool take_register(
	struct rvvi *rvvi, struct ear_text_cursor *cursor, enum ear_register_class reg_class)
{
	struct ear_log_reader *log = &rvvi->log;
	uint64_t number, value;

	if (!take_decimal(cursor, &number, 31))
		return false;
	size_t digits = take_hex(cursor, &value);
	if (digits == 0)
		return false;
	ear_log_write(log, reg_class, number, value, rvvi->flen ? 2 * (size_t)rvvi->flen : digits);
	return true;
}

static bool take_x(struct rvvi *rvvi, struct ear_text_cursor *cursor)
{
	return take_register(rvvi, cursor, EAR_REGISTER_X);
}

static bool take_f(struct rvvi *rvvi, struct ear_text_cursor *cursor)
{
	return take_register(rvvi, cursor, EAR_REGISTER_F);
}

static bool take_csr(struct rvvi *rvvi, struct ear_text_cursor *cursor)
{
	uint64_t number, value;

	if (!take_hex(cursor, &number) || number > 4095 || !take_hex(cursor, &value))
		return false;
	ear_log_write(&rvvi->log, EAR_REGISTER_CSR, number, value, 0);
	if (!rvvi->earshot &&
		(number == EAR_CSR_MCAUSE || number == EAR_CSR_SCAUSE || number == EAR_CSR_VSCAUSE))
		set_cause(rvvi, value);
	return true;
}

static bool take_vector(struct rvvi *rvvi, struct ear_text_cursor *cursor)
{
	struct ear_log_reader *log = &rvvi->log;
	uint64_t number;

	if (!take_decimal(cursor, &number, 31))
		return false;
	skip_space(cursor);
	if (!ear_text_take_word(cursor, "0x"))
		ear_text_take_word(cursor, "0X");
	return ear_log_write_vector(log, (unsigned)number, cursor);
}

/* "MEM D 4 0x1083 0x1083 0": bus, bytes, virtual and physical address, and pairs of words about the
 * page tables, which are not read. Whether it writes is what the opcode says. */
static bool take_memory(struct rvvi *rvvi, struct ear_text_cursor *cursor)
{
	struct ear_log_reader *log = &rvvi->log;
	struct ear_text bus = take_word(cursor);
	uint64_t size, address, physical, count;

	if (!take_decimal(cursor, &size, 4096) || !take_hex(cursor, &address) ||
		!take_hex(cursor, &physical) || !take_decimal(cursor, &count, 1000))
		return false;
	for (uint64_t i = 0; i < 2 * count; i++)
		take_word(cursor);
	if (!log->builder)
		return true;
	struct ear_record *record = &log->builder->record;
	if (ear_text_is(bus, "D")) {
		struct ear_record_access *access =
			ear_log_access(log, address, NULL, false, (unsigned)size);
		if (access) {
			access->physical = physical;
			access->has_physical = true;
		}
	} else if (ear_text_is(bus, "I") && address == record->pc) {
		record->pc_physical = physical;
		record->flags |= EAR_RECORD_PC_PHYSICAL;
	}
	return true;
}

/* "LOAD 001004a8 00000048" of Ibex, which prints a load for each store as well. What the opcode
 * does not do is left out. */
static bool take_access(struct rvvi *rvvi, struct ear_text_cursor *cursor, bool write)
{
	struct ear_log_reader *log = &rvvi->log;
	uint64_t address, value;

	if (!take_hex(cursor, &address) || !take_hex(cursor, &value))
		return false;
	if (!log->builder || log->builder->record.memory_count == 0)
		ear_log_access(log, address, &value, write, 0);
	return true;
}

static bool take_load(struct rvvi *rvvi, struct ear_text_cursor *cursor)
{
	return take_access(rvvi, cursor, false);
}

static bool take_store(struct rvvi *rvvi, struct ear_text_cursor *cursor)
{
	return take_access(rvvi, cursor, true);
}

static bool take_hart(struct rvvi *rvvi, struct ear_text_cursor *cursor)
{
	uint64_t hart;

	if (!take_decimal(cursor, &hart, UINT16_MAX))
		return false;
	rvvi->hart = (uint16_t)hart;
	return true;
}

static bool take_order(struct rvvi *rvvi, struct ear_text_cursor *cursor)
{
	rvvi->has_order = rvvi->log.line.base.index_given =
		take_decimal(cursor, &rvvi->order, UINT64_MAX);
	return rvvi->has_order;
}

static bool take_small(struct ear_text_cursor *cursor, uint8_t *value, uint64_t max)
{
	uint64_t number;

	if (!take_hex(cursor, &number) || number > max)
		return false;
	*value = (uint8_t)number;
	return true;
}

static bool take_mode(struct rvvi *rvvi, struct ear_text_cursor *cursor)
{
	rvvi->has_mode = take_small(cursor, &rvvi->mode, EAR_PRIVILEGE_M) &&
			 rvvi->mode != EAR_PRIVILEGE_RESERVED;
	if (rvvi->has_mode)
		apply(rvvi);
	return rvvi->has_mode;
}

static bool take_virt(struct rvvi *rvvi, struct ear_text_cursor *cursor)
{
	bool good = take_small(cursor, &rvvi->virt, 1);

	apply(rvvi);
	return good;
}

static bool take_debug(struct rvvi *rvvi, struct ear_text_cursor *cursor)
{
	bool good = take_small(cursor, &rvvi->debug, 1);

	apply(rvvi);
	return good;
}

static bool take_delta(
	struct rvvi *rvvi, struct ear_text_cursor *cursor, uint64_t *sum, bool *known)
{
	uint64_t delta;

	if (!take_decimal(cursor, &delta, UINT64_MAX))
		return false;
	*sum += delta;
	*known = rvvi->time_here = true;
	apply(rvvi);
	return true;
}

static bool take_cycle(struct rvvi *rvvi, struct ear_text_cursor *cursor)
{
	return take_delta(rvvi, cursor, &rvvi->cycle, &rvvi->has_cycle);
}

static bool take_time(struct rvvi *rvvi, struct ear_text_cursor *cursor)
{
	return take_delta(rvvi, cursor, &rvvi->time, &rvvi->has_time);
}

static bool take_vendor(struct rvvi *rvvi, struct ear_text_cursor *cursor)
{
	uint64_t major, minor;

	rvvi->earshot = ear_text_is(take_word(cursor), "earshot");
	if (!take_hex(cursor, &major))
		return false;
	struct ear_text_cursor after = *cursor; /* 0.1 has one number, later ones two */
	if (take_decimal(&after, &minor, UINT64_MAX))
		*cursor = after;
	return true;
}

static bool take_version(struct rvvi *rvvi, struct ear_text_cursor *cursor)
{
	uint64_t number;

	(void)rvvi;
	return take_decimal(cursor, &number, UINT64_MAX) &&
	       take_decimal(cursor, &number, UINT64_MAX);
}

static bool take_params(struct rvvi *rvvi, struct ear_text_cursor *cursor)
{
	struct ear_reader *base = &rvvi->log.line.base;
	uint64_t count;

	if (!take_decimal(cursor, &count, 1000))
		return false;
	for (uint64_t i = 0; i < count; i++) {
		struct ear_text key = take_word(cursor);
		struct ear_text value = take_word(cursor);
		struct ear_text_cursor inside = ear_text_cursor(value.text, value.size);
		uint64_t number = 0;
		ear_text_decimal(&inside, &number);
		if (ear_text_is(key, "XLEN") && !base->options.xlen &&
			(number == 32 || number == 64))
			base->xlen = (uint8_t)number;
		else if (ear_text_is(key, "FLEN"))
			rvvi->flen = number == 32 || number == 64 ? (uint8_t)(number / 8) : 0;
		else if (ear_text_is(key, "TIMESCALE") && value.size < sizeof(rvvi->time_unit))
			memcpy(rvvi->time_unit, value.text, value.size);
	}
	return true;
}

/* Of VENDOR earshot: "LOAD 0x1083 4 DATA 0xdeafcafe PHYSICAL 0x1083", what the record had. */
static bool take_meta_access(
	struct rvvi *rvvi, struct ear_text_cursor *cursor, bool write, uint64_t count)
{
	struct ear_record_access access = {.write = write};
	uint64_t size;

	if (!take_hex(cursor, &access.address) || !take_decimal(cursor, &size, 8))
		return false;
	access.size = (uint8_t)size;
	for (; count >= 5; count -= 2) {
		struct ear_text word = take_word(cursor);
		uint64_t value;
		if (!take_hex(cursor, &value))
			return false;
		if (ear_text_is(word, "DATA")) {
			access.has_value = true;
			access.value = value;
		} else if (ear_text_is(word, "PHYSICAL")) {
			access.has_physical = true;
			access.physical = value;
		} else if (ear_text_is(word, "MASKED")) {
			access.masked = true;
		} else {
			return false;
		}
	}
	ear_log_add_access(&rvvi->log, access);
	return true;
}

static bool take_meta_value(struct rvvi *rvvi, struct ear_text_cursor *cursor, struct ear_text word)
{
	struct ear_record_builder *builder = rvvi->log.builder;
	uint64_t value;

	if (!take_hex(cursor, &value) || !builder)
		return false;
	if (ear_text_is(word, "CAUSE")) {
		set_cause(rvvi, value);
	} else if (ear_text_is(word, "TVAL")) {
		builder->extra.has_trap_value = true;
		builder->extra.trap_value = value;
	} else if (ear_text_is(word, "FFLAGS")) {
		builder->record.fflags = (uint8_t)(value & 31);
	} else if (ear_text_is(word, "PHYSICAL")) {
		builder->record.pc_physical = value;
		builder->record.flags |= EAR_RECORD_PC_PHYSICAL;
	} else {
		return false;
	}
	return true;
}

/* Those of writer_rvvi.c. */
static bool take_own_meta(struct rvvi *rvvi, struct ear_text_cursor *cursor, uint64_t count)
{
	struct ear_record_builder *builder = rvvi->log.builder;
	struct ear_text word = take_word(cursor);

	if (ear_text_is(word, "LOAD") || ear_text_is(word, "STORE"))
		return take_meta_access(rvvi, cursor, ear_text_is(word, "STORE"), count);
	if (count == 2)
		return take_meta_value(rvvi, cursor, word);
	if (builder && ear_text_is(word, "NO_OPCODE")) {
		builder->record.flags |= EAR_RECORD_NO_OPCODE;
		builder->record.opcode_size = 0;
	}
	if (builder && rvvi->trap && ear_text_is(word, "INTERRUPT"))
		builder->record.flags ^= EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT;
	rvvi->gap_here |= ear_text_is(word, "GAP");
	return ear_text_is(word, "INTERRUPT") || ear_text_is(word, "NO_OPCODE") ||
	       ear_text_is(word, "GAP");
}

/* "META 4 VMEM 1083 4 deafcafe" is a store in the specification's example. */
static bool take_meta(struct rvvi *rvvi, struct ear_text_cursor *cursor)
{
	struct ear_text_cursor after;
	uint64_t count, address, size, value;

	if (!take_decimal(cursor, &count, 1000000))
		return false;
	if (rvvi->earshot)
		return take_own_meta(rvvi, cursor, count);
	after = *cursor;
	if (count == 4 && ear_text_is(take_word(&after), "VMEM")) {
		*cursor = after;
		if (!take_hex(cursor, &address) || !take_decimal(cursor, &size, 8) ||
			!take_hex(cursor, &value))
			return false;
		ear_log_access(&rvvi->log, address, &value, true, (unsigned)size);
		return true;
	}
	for (uint64_t i = 0; i < count && !ear_text_at_end(cursor); i++)
		take_word(cursor);
	return ear_log_warn(&rvvi->log, "elements META of this vendor are not read") == 0;
}

/* Elements that are read over: so many words after them. */
static bool skip_words(struct ear_text_cursor *cursor, unsigned count)
{
	bool good = true;

	while (count-- > 0)
		good &= take_word(cursor).size > 0;
	return good;
}

static bool take_issue(struct rvvi *rvvi, struct ear_text_cursor *cursor)
{
	(void)rvvi;
	return skip_words(cursor, 1);
}

static bool take_net(struct rvvi *rvvi, struct ear_text_cursor *cursor)
{
	return skip_words(cursor, 2) &&
	       ear_log_warn(&rvvi->log, "elements NET, STATE and CANCEL are not read") == 0;
}

static bool take_cancel(struct rvvi *rvvi, struct ear_text_cursor *cursor)
{
	return skip_words(cursor, 1) &&
	       ear_log_warn(&rvvi->log, "elements NET, STATE and CANCEL are not read") == 0;
}

static const struct element {
	const char *word;
	bool (*take)(struct rvvi *rvvi, struct ear_text_cursor *cursor);
} elements[] = {
	{"RET", take_ret},
	{"TRAP", take_trap},
	{"X", take_x},
	{"F", take_f},
	{"V", take_vector},
	{"C", take_csr},
	{"MODE", take_mode},
	{"VIRT", take_virt},
	{"DM", take_debug},
	{"MEM", take_memory},
	{"LOAD", take_load},
	{"STORE", take_store},
	{"HART", take_hart},
	{"ORDER", take_order},
	{"CYCLE", take_cycle},
	{"TIME", take_time},
	{"ISSUE", take_issue},
	{"META", take_meta},
	{"NET", take_net},
	{"STATE", take_net},
	{"CANCEL", take_cancel},
	{"VERSION", take_version},
	{"VENDOR", take_vendor},
	{"PARAMS", take_params},
};

static const struct element *find_element(struct ear_text_cursor *cursor)
{
	struct ear_text_cursor after = *cursor;
	const char *begin = after.at;

	while (ear_text_peek(&after) >= 'A' && ear_text_peek(&after) <= 'Z')
		after.at++;
	for (size_t i = 0; i < sizeof(elements) / sizeof(elements[0]); i++) {
		if (ear_text_is((struct ear_text){begin, (size_t)(after.at - begin)},
			    elements[i].word)) {
			*cursor = after;
			return &elements[i];
		}
	}
	return NULL;
}

/* A line begins: nothing of it is known. */
static void begin_line(struct rvvi *rvvi)
{
	if (!rvvi->continued)
		rvvi->log.builder = NULL;
	else
		return;
	rvvi->time_here = rvvi->has_order = rvvi->gap_here = false;
	rvvi->has_mode &= !rvvi->earshot;
	rvvi->virt = rvvi->earshot ? 0 : rvvi->virt;
}

/* Elements up to the end of the line, or up to where a second instruction begins. */
static int take(struct ear_log_reader *log, struct ear_text_cursor line)
{
	struct rvvi *rvvi = (struct rvvi *)log;
	bool begun = false;

	begin_line(rvvi);
	rvvi->continued = false;
	for (skip_space(&line); !ear_text_at_end(&line); skip_space(&line)) {
		struct ear_text_cursor before = line;
		if (ear_text_take(&line, '\\') && (skip_space(&line), ear_text_at_end(&line))) {
			rvvi->continued = true;
			break;
		}
		const struct element *element = find_element(&line);
		if (!element && !log->builder)
			return ear_log_other(log, EAR_READER_OTHER "RVVI-TEXT");
		if (!element) {
			ear_log_word(log, &line);
			continue;
		}
		bool starts = element->take == take_ret || element->take == take_trap;
		if (starts && begun) { /* what is left comes again */
			log->rest = before;
			rvvi->continued = true;
			break;
		}
		begun |= starts;
		if (!element->take(rvvi, &line))
			return log->builder && log->builder->error == EAR_E_NO_MEMORY
				       ? log->builder->error
				       : ear_log_bad(
						 log, "an element has no value, or a wrong one");
	}
	return begun ? ear_log_end(log) : 0;
}

static void walk(struct ear_log_reader *log, struct ear_state_walk *state)
{
	struct rvvi *rvvi = (struct rvvi *)log;

	ear_state_bool(state, &rvvi->earshot);
	ear_state_bool(state, &rvvi->continued);
	ear_state_bool(state, &rvvi->has_mode);
	ear_state_bool(state, &rvvi->has_cycle);
	ear_state_bool(state, &rvvi->has_time);
	ear_state_bool(state, &rvvi->time_here);
	ear_state_bool(state, &rvvi->has_order);
	ear_state_bool(state, &rvvi->gap_here);
	ear_state_bool(state, &rvvi->trap);
	ear_state_u8(state, &rvvi->mode, EAR_PRIVILEGE_M);
	ear_state_u8(state, &rvvi->virt, 1);
	ear_state_u8(state, &rvvi->debug, 1);
	ear_state_u8(state, &rvvi->flen, 8);
	ear_state_u16(state, &rvvi->hart, UINT16_MAX);
	ear_state_u64(state, &rvvi->order, UINT64_MAX);
	ear_state_u64(state, &rvvi->cycle, UINT64_MAX);
	ear_state_u64(state, &rvvi->time, UINT64_MAX);
	ear_state_bytes(state, (uint8_t *)rvvi->time_unit, sizeof(rvvi->time_unit) - 1);
}

/* The header, or an instruction. */
static int judge(struct ear_text_cursor line)
{
	uint64_t number;

	skip_space(&line);
	const struct element *element = find_element(&line);
	if (!element || !ear_text_skip_blanks(&line))
		return 0;
	if (element->take == take_params && take_decimal(&line, &number, 1000))
		return 95;
	while (element && (element->take == take_hart || element->take == take_mode)) {
		if (!take_hex(&line, &number))
			return 0;
		skip_space(&line);
		element = find_element(&line);
	}
	if (!element || (element->take != take_ret && element->take != take_trap))
		return 0;
	return take_hex(&line, &number) && take_hex(&line, &number) ? 90 : 0;
}

const struct ear_log_format ear_log_rvvi = {
	.judge = judge, .take = take, .size = sizeof(struct rvvi), .walk = walk};
