/* Waves: which variables there are, and what each record makes of them. */
#include "analyses/waves/waves.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "analyses/waves/waves_dump.h"

_Static_assert(WAVES_ACCESSES == EAR_WAVES_ACCESSES_MAX, "said in the header");

struct ear_waves {
	struct waves_dump dump;
	struct ear_names *names;
	struct waves_hart *last_hart;
	struct ear_waves_result result;
	uint64_t untimed;
	bool looked; /* there was a record */

	const char *function; /* name of the function of the last pc, */
	uint64_t first, last; /* and the addresses that are of it */
	char event_text[64];
};

/* ---- Harts. ---- */

static struct waves_hart *find_hart(struct ear_waves *waves, uint16_t number)
{
	if (waves->last_hart && waves->last_hart->number == number)
		return waves->last_hart;
	for (size_t i = 0; i < waves->dump.hart_count; i++)
		if (waves->dump.harts[i]->number == number)
			return waves->last_hart = waves->dump.harts[i];
	return NULL;
}

static int add_hart(struct ear_waves *waves, uint16_t number, struct waves_hart **hart_out)
{
	if (waves->dump.hart_count == EAR_WAVES_HARTS_MAX)
		return EAR_E_FULL;
	struct waves_hart **harts = realloc(
		waves->dump.harts, (waves->dump.hart_count + 1) * sizeof(struct waves_hart *));
	struct waves_hart *hart = harts ? calloc(1, sizeof(*hart)) : NULL;
	if (harts)
		waves->dump.harts = harts;
	if (!hart)
		return EAR_E_NO_MEMORY;
	hart->number = number;
	size_t at = waves->dump.hart_count++;
	for (; at > 0 && harts[at - 1]->number > number; at--)
		harts[at] = harts[at - 1];
	harts[at] = hart;
	*hart_out = waves->last_hart = hart;
	return 0;
}

static struct waves_named *find_named(
	struct waves_hart *hart, const struct ear_record_register *reg)
{
	for (size_t i = 0; i < hart->named_count; i++)
		if (strncmp(hart->named[i].name, reg->text.name, reg->text_size) == 0 &&
			hart->named[i].name[reg->text_size] == '\0')
			return &hart->named[i];
	return NULL;
}

/* ---- Which variables there are. ---- */

static int look_at_csr(struct waves_hart *hart, unsigned number)
{
	if (number >= WAVES_CSRS || hart->csrs[number])
		return 0;
	struct waves_bits *bits = realloc(hart->csr_bits, (hart->csr_count + 1u) * sizeof(*bits));
	if (!bits)
		return EAR_E_NO_MEMORY;
	hart->csr_bits = bits;
	memset(&bits[hart->csr_count], 0, sizeof(*bits));
	hart->csrs[number] = ++hart->csr_count;
	return 0;
}

static int look_at_vector(struct waves_hart *hart, const struct ear_record_register *reg)
{
	struct waves_wide *vector = &hart->vectors[reg->number & 31];

	if (reg->text_size <= vector->size || reg->text_size > WAVES_WIDE_MAX)
		return 0;
	uint8_t *bytes = realloc(vector->bytes, reg->text_size);
	if (!bytes)
		return EAR_E_NO_MEMORY;
	vector->bytes = bytes;
	vector->size = (uint16_t)reg->text_size;
	return 0;
}

static bool can_be_named(const struct ear_record_register *reg)
{
	return reg->text_size > 0 && reg->text_size < sizeof(((struct waves_named *)NULL)->name) &&
	       reg->size <= 8;
}

static int look_at_named(struct waves_hart *hart, const struct ear_record_register *reg)
{
	if (!can_be_named(reg))
		return 0;
	const uint8_t width = (uint8_t)(reg->size ? 8 * reg->size : 64);
	struct waves_named *named = find_named(hart, reg);
	if (!named) {
		if (hart->named_count == EAR_WAVES_NAMED_MAX)
			return 0;
		struct waves_named *list =
			realloc(hart->named, (hart->named_count + 1) * sizeof(*list));
		if (!list)
			return EAR_E_NO_MEMORY;
		hart->named = list;
		named = &list[hart->named_count++];
		memset(named, 0, sizeof(*named));
		memcpy(named->name, reg->text.name, reg->text_size);
	}
	if (width > named->bits.width)
		named->bits.width = width;
	return 0;
}

static int look_at_registers(struct waves_hart *hart, const struct ear_record *record)
{
	int result = 0;

	for (size_t i = 0; i < record->register_count && result == 0; i++) {
		const struct ear_record_register *reg = &record->registers[i];
		switch (reg->reg_class) {
		case EAR_REGISTER_X: hart->x |= 1u << (reg->number & 31); break;
		case EAR_REGISTER_F: hart->f |= 1u << (reg->number & 31); break;
		case EAR_REGISTER_CSR: result = look_at_csr(hart, reg->number); break;
		case EAR_REGISTER_V: result = look_at_vector(hart, reg); break;
		case EAR_REGISTER_NAMED: result = look_at_named(hart, reg); break;
		default: break;
		}
	}
	return result;
}

static void look_at_time(struct ear_waves *waves, const struct ear_record *record)
{
	static const char *const units[] = {"fs", "ps", "ns", "us", "ms", "s"};

	if (!(record->flags & EAR_RECORD_HAS_TIME))
		waves->untimed++;
	if (!record->extra || !record->extra->time_unit.text || waves->dump.time_unit[0])
		return;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (record->extra->time_unit.size == strlen(units[i]) &&
			memcmp(record->extra->time_unit.text, units[i], strlen(units[i])) == 0)
			memcpy(waves->dump.time_unit, units[i], strlen(units[i]) + 1);
}

static int look_at_record(struct ear_waves *waves, const struct ear_record *record)
{
	struct waves_hart *hart = find_hart(waves, record->hart);

	if (record->kind == EAR_RECORD_NOTE || record->kind == EAR_RECORD_IDLE)
		return 0;
	if (!hart) {
		int result = add_hart(waves, record->hart, &hart);
		if (result)
			return result;
	}
	if (record->kind == EAR_RECORD_INSTRUCTION) {
		waves->looked = true;
		look_at_time(waves, record);
		if (record->xlen > hart->xlen)
			hart->xlen = record->xlen <= 64 ? record->xlen : 64;
		hart->wide_opcode = hart->wide_opcode || record->opcode >> 32;
	}
	if (record->memory_count > hart->accesses)
		hart->accesses = (uint8_t)(record->memory_count < EAR_WAVES_ACCESSES_MAX
						   ? record->memory_count
						   : EAR_WAVES_ACCESSES_MAX);
	return look_at_registers(hart, record);
}

/* What look_at_record finds in any order of the records of a run. */
static int look_at_run(struct ear_waves *waves, const struct ear_batch *batch)
{
	struct waves_hart *hart = find_hart(waves, batch->run->hart);
	uint32_t x = 0;
	bool accesses = false;

	if (!hart || batch->run->flags || batch->run->first_line) {
		for (size_t i = 0; i < batch->count; i++) {
			int result = look_at_record(waves, ear_batch_record(batch, i));
			if (result)
				return result;
		}
		return 0;
	}
	for (size_t i = 0; i < batch->count; i++) {
		x |= 1u << (batch->compacts[i].rd & 31);
		accesses = accesses || batch->compacts[i].size != EAR_COMPACT_NO_ACCESS;
	}
	hart->x |= x & ~1u;
	if (accesses && hart->accesses == 0)
		hart->accesses = 1;
	if (batch->run->xlen > hart->xlen)
		hart->xlen = batch->run->xlen;
	waves->looked = true;
	waves->untimed += !batch->run->first_timed;
	waves->untimed += batch->run->all_timed ? 0 : batch->count - 1;
	return 0;
}

int ear_waves_look(struct ear_waves *waves, const struct ear_batch *batch)
{
	return batch->run ? look_at_run(waves, batch) : look_at_record(waves, batch->record);
}

void ear_waves_begin(struct ear_waves *waves, struct ear_byte_output *output)
{
	waves->dump.output = output;
	waves->dump.has_time = waves->result.has_time = waves->looked && waves->untimed == 0;
	for (size_t i = 0; i < waves->dump.hart_count; i++)
		if (waves->dump.harts[i]->xlen == 0)
			waves->dump.harts[i]->xlen = 64;
	waves_declare(&waves->dump);
}

/* Of all registers of a hart, one after the other. */
static void start_register(struct waves_bits *bits, const struct ear_moment *moment, uint16_t hart,
	enum ear_register_class reg_class, unsigned number)
{
	if (bits->width > 0)
		bits->starts = ear_moment_register(moment, hart, reg_class, number, &bits->value);
}

static void start_vector(
	struct waves_wide *vector, const struct ear_moment *moment, uint16_t hart, unsigned number)
{
	size_t size = 0;
	const uint8_t *bytes =
		vector->size > 0 ? ear_moment_vector(moment, hart, number, &size) : NULL;

	vector->starts = bytes && size >= vector->size;
	if (vector->starts)
		memcpy(vector->bytes, bytes, vector->size);
}

void ear_waves_start(struct ear_waves *waves, const struct ear_moment *moment)
{
	for (size_t i = 0; i < waves->dump.hart_count; i++) {
		struct waves_hart *hart = waves->dump.harts[i];
		for (unsigned j = 0; j < 32; j++) {
			start_register(&hart->x_bits[j], moment, hart->number, EAR_REGISTER_X, j);
			start_register(&hart->f_bits[j], moment, hart->number, EAR_REGISTER_F, j);
		}
		for (unsigned j = 0; j < 32; j++)
			start_vector(&hart->vectors[j], moment, hart->number, j);
		for (unsigned j = 0; j < WAVES_CSRS; j++)
			if (hart->csrs[j])
				start_register(&hart->csr_bits[hart->csrs[j] - 1], moment,
					hart->number, EAR_REGISTER_CSR, j);
		for (size_t j = 0; j < hart->named_count; j++)
			hart->named[j].bits.starts = ear_moment_named(moment, hart->number,
				hart->named[j].name, &hart->named[j].bits.value);
	}
}

static void show_start(struct ear_waves *waves, struct waves_bits *bits)
{
	if (bits->starts)
		waves_set(&waves->dump, bits, bits->value, 0);
}

/* What registers had before the first record. */
static void start_hart(struct ear_waves *waves, struct waves_hart *hart)
{
	for (unsigned i = 0; i < 32; i++) {
		show_start(waves, &hart->x_bits[i]);
		show_start(waves, &hart->f_bits[i]);
	}
	for (unsigned i = 0; i < 32; i++)
		if (hart->vectors[i].starts)
			waves_set_wide(&waves->dump, &hart->vectors[i], hart->vectors[i].bytes,
				hart->vectors[i].size);
	for (unsigned i = 0; i < hart->csr_count; i++)
		show_start(waves, &hart->csr_bits[i]);
	for (size_t i = 0; i < hart->named_count; i++)
		show_start(waves, &hart->named[i].bits);
	hart->started = true;
}

/* ---- What a record changes. ---- */

static const char *function_of(struct ear_waves *waves, uint64_t pc)
{
	struct ear_function function = {.size = sizeof(function)};

	if (waves->function && pc - waves->first <= waves->last - waves->first)
		return waves->function;
	if (!waves->names || !ear_names_function_at(waves->names, pc, &function))
		return "";
	waves->function = function.name;
	waves->first = function.first;
	waves->last = function.last;
	return function.name;
}

static const char *privilege_name(const struct ear_record *record)
{
	static const char *const names[] = {[EAR_PRIVILEGE_U] = "U",
		[EAR_PRIVILEGE_S] = "S",
		[EAR_PRIVILEGE_RESERVED] = "reserved",
		[EAR_PRIVILEGE_M] = "M",
		[EAR_PRIVILEGE_VU] = "VU",
		[EAR_PRIVILEGE_VS] = "VS",
		[EAR_PRIVILEGE_DEBUG] = "debug"};

	if (record->flags & EAR_RECORD_NO_PRIVILEGE ||
		record->privilege >= sizeof(names) / sizeof(names[0]))
		return "";
	return names[record->privilege];
}

static void show_register(
	struct ear_waves *waves, struct waves_hart *hart, const struct ear_record_register *reg)
{
	struct waves_bits *bits = NULL;
	uint64_t unknown = 0;

	switch (reg->reg_class) {
	case EAR_REGISTER_X: bits = &hart->x_bits[reg->number & 31]; break;
	case EAR_REGISTER_F: bits = &hart->f_bits[reg->number & 31]; break;
	case EAR_REGISTER_CSR:
		if (reg->number < WAVES_CSRS && hart->csrs[reg->number])
			bits = &hart->csr_bits[hart->csrs[reg->number] - 1];
		break;
	case EAR_REGISTER_NAMED: {
		struct waves_named *named = can_be_named(reg) ? find_named(hart, reg) : NULL;
		const uint8_t *mask = ear_register_unknown(reg);
		bits = named ? &named->bits : NULL;
		for (unsigned i = 0; mask && i < reg->size && i < 8; i++)
			unknown |= (uint64_t)mask[i] << 8 * i;
		break;
	}
	case EAR_REGISTER_V: {
		struct waves_wide *vector = &hart->vectors[reg->number & 31];
		waves->result.left_out += reg->text_size > vector->size;
		waves_set_wide(&waves->dump, vector, reg->text.bytes, reg->text_size);
		return;
	}
	default: break;
	}
	if (bits && bits->width > 0)
		waves_set(&waves->dump, bits, reg->value, unknown);
	else
		waves->result.left_out++;
}

static void show_accesses(
	struct ear_waves *waves, struct waves_hart *hart, const struct ear_record *record)
{
	for (size_t i = 0; i < hart->accesses; i++) {
		struct waves_access *to = &hart->access[i];
		if (i >= record->memory_count) {
			waves_set(&waves->dump, &to->valid, 0, 0);
			continue;
		}
		const struct ear_record_access *access = &record->memory[i];
		uint64_t unknown = access->has_value ? access->unknown : UINT64_MAX;
		if (access->has_value && access->size < 8 && access->size > 0)
			unknown &= (UINT64_C(1) << 8 * access->size) - 1;
		waves_set(&waves->dump, &to->valid, 1, 0);
		waves_set(&waves->dump, &to->write, access->write, 0);
		waves_set(&waves->dump, &to->size, access->size, access->size ? 0 : UINT64_MAX);
		waves_set(&waves->dump, &to->address, access->address, 0);
		waves_set(&waves->dump, &to->data, access->value, unknown);
	}
	if (record->memory_count > hart->accesses)
		waves->result.left_out += record->memory_count - hart->accesses;
}

static void show_instruction(
	struct ear_waves *waves, struct waves_hart *hart, const struct ear_record *record)
{
	const bool trapped = record->flags & EAR_RECORD_TRAP,
		   interrupted = record->flags & EAR_RECORD_INTERRUPT,
		   caused = (trapped || interrupted) && !(record->flags & EAR_RECORD_NO_CAUSE);

	if (!hart->started)
		start_hart(waves, hart);
	waves_set(&waves->dump, &hart->pc, record->pc, 0);
	waves_set_text(&waves->dump, &hart->function, function_of(waves, record->pc));
	waves_set(&waves->dump, &hart->opcode, record->opcode,
		interrupted || record->flags & EAR_RECORD_NO_OPCODE ? UINT64_MAX : 0);
	waves_set_text(&waves->dump, &hart->privilege, privilege_name(record));
	waves_set(&waves->dump, &hart->trap, trapped, 0);
	waves_set(&waves->dump, &hart->interrupt, interrupted, 0);
	waves_set(&waves->dump, &hart->cause, record->cause, caused ? 0 : UINT64_MAX);
	waves->result.records++;
}

/* After a gap nothing is known. */
static void forget(struct ear_waves *waves, struct waves_hart *hart)
{
	hart->started = true;
	struct waves_bits *const some[] = {
		&hart->pc, &hart->opcode, &hart->trap, &hart->interrupt, &hart->cause};

	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++)
		waves_set(&waves->dump, some[i], 0, UINT64_MAX);
	for (unsigned i = 0; i < 32; i++) {
		waves_set(&waves->dump, &hart->x_bits[i], 0, UINT64_MAX);
		waves_set(&waves->dump, &hart->f_bits[i], 0, UINT64_MAX);
		waves_set_wide(&waves->dump, &hart->vectors[i], NULL, hart->vectors[i].size);
	}
	for (unsigned i = 0; i < hart->csr_count; i++)
		waves_set(&waves->dump, &hart->csr_bits[i], 0, UINT64_MAX);
	for (size_t i = 0; i < hart->named_count; i++)
		waves_set(&waves->dump, &hart->named[i].bits, 0, UINT64_MAX);
	for (unsigned i = 0; i < hart->accesses; i++)
		waves_set(&waves->dump, &hart->access[i].valid, 0, UINT64_MAX);
	waves_set_text(&waves->dump, &hart->function, "");
	waves_set_text(&waves->dump, &hart->privilege, "");
}

static const char gap_text[] = "gap";

static void show_event(
	struct ear_waves *waves, struct waves_hart *hart, const struct ear_event *event)
{
	/* Two of the same kind are two changes. */
	hart->event.value = NULL;
	if (event->name.text)
		snprintf(waves->event_text, sizeof(waves->event_text), "%.*s",
			(int)(event->name.size < 60 ? event->name.size : 60), event->name.text);
	else
		snprintf(waves->event_text, sizeof(waves->event_text), "%u:0x%x", event->source,
			event->value);
	waves_set_text(&waves->dump, &hart->event, waves->event_text);
}

static void set_time(struct ear_waves *waves, const struct ear_record *record, uint64_t number)
{
	uint64_t now = number;

	if (waves->result.has_time) {
		if (!(record->flags & EAR_RECORD_HAS_TIME))
			return; /* that of the record before */
		now = record->ticks;
	}
	if (waves->dump.begun && now < waves->dump.now)
		waves->result.backwards++;
	else
		waves->dump.now = now;
}

static void show(struct ear_waves *waves, const struct ear_record *record, uint64_t number)
{
	struct waves_hart *hart = find_hart(waves, record->hart);

	if (!hart)
		return;
	switch (record->kind) {
	case EAR_RECORD_INSTRUCTION:
		set_time(waves, record, number);
		show_instruction(waves, hart, record);
		break;
	case EAR_RECORD_GAP:
		set_time(waves, record, number);
		forget(waves, hart);
		waves_set_text(&waves->dump, &hart->event, gap_text);
		return;
	case EAR_RECORD_EVENT:
		set_time(waves, record, number);
		show_event(waves, hart, &record->u.event);
		return;
	case EAR_RECORD_MEMORY:
	case EAR_RECORD_REGISTERS: set_time(waves, record, number); break;
	default: return;
	}
	for (size_t i = 0; i < record->register_count; i++)
		show_register(waves, hart, &record->registers[i]);
	if (record->kind != EAR_RECORD_REGISTERS)
		show_accesses(waves, hart, record);
}

int ear_waves_batch(struct ear_waves *waves, const struct ear_batch *batch)
{
	for (size_t i = 0; i < batch->count; i++)
		show(waves, ear_batch_record(batch, i), batch->number + i);
	return waves->dump.output->error;
}

int ear_waves_finish(struct ear_waves *waves)
{
	/* The last values have a length, too. */
	if (waves->dump.begun && waves->dump.now < UINT64_MAX)
		ear_byte_output_print(
			waves->dump.output, "#%llu\n", (unsigned long long)waves->dump.now + 1);
	return ear_byte_output_flush(waves->dump.output);
}

struct ear_waves_result ear_waves_result(const struct ear_waves *waves)
{
	return waves->result;
}

int ear_waves_new(struct ear_waves **waves_out, struct ear_names *names)
{
	struct ear_waves *waves = calloc(1, sizeof(*waves));

	if (!waves)
		return EAR_E_NO_MEMORY;
	waves->names = names;
	*waves_out = waves;
	return 0;
}

void ear_waves_free(struct ear_waves *waves)
{
	if (!waves)
		return;
	for (size_t i = 0; i < waves->dump.hart_count; i++) {
		for (unsigned j = 0; j < 32; j++)
			free(waves->dump.harts[i]->vectors[j].bytes);
		free(waves->dump.harts[i]->csr_bits);
		free(waves->dump.harts[i]->named);
		free(waves->dump.harts[i]);
	}
	free(waves->dump.harts);
	free(waves);
}
