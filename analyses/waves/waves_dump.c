/* The text of a value change dump. Identifiers are numbers to the base of 94, the lowest digit
 * first. */
#include "analyses/waves/waves_dump.h"

#include <stdio.h>
#include <string.h>

#include <earshot/instruction.h>
#include <earshot/record.h>

#define DIGIT_FIRST 33u /* '!' */
#define DIGITS      94u
#define TEXT_MAX    1024u
#define UNKNOWN     "-"

/* ---- Values. ---- */

static char *put_code(char *at, uint32_t code)
{
	for (;;) {
		*at++ = (char)(DIGIT_FIRST + code % DIGITS);
		code /= DIGITS;
		if (code == 0)
			return at;
		code--;
	}
}

static char *put_time(struct waves_dump *dump, char *at)
{
	if (dump->begun && dump->written_time == dump->now)
		return at;
	dump->begun = true;
	dump->written_time = dump->now;
	*at++ = '#';
	at = ear_byte_output_decimal(at, dump->now);
	*at++ = '\n';
	return at;
}

/* From the highest digit that counts on: what is left of it is like 0, or x if it is x. */
static char *put_digits(char *at, uint64_t value, uint64_t unknown, unsigned width)
{
	uint64_t all = value | unknown;
	unsigned bit = all ? 63u - (unsigned)__builtin_clzll(all) : 0;

	if (unknown >> bit & 1 && bit + 1 < width)
		*at++ = '0';
	/* Of many x at the top one is enough. */
	while (bit + 1 == width && bit > 0 && unknown >> bit & 1 && unknown >> (bit - 1) & 1) {
		bit--;
		width--;
	}
	for (;;) {
		*at++ = unknown >> bit & 1 ? 'x' : (char)('0' + (value >> bit & 1));
		if (bit-- == 0)
			return at;
	}
}

static uint64_t mask_of(unsigned width)
{
	return width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

void waves_set(struct waves_dump *dump, struct waves_bits *bits, uint64_t value, uint64_t unknown)
{
	const uint64_t mask = mask_of(bits->width);

	value &= mask & ~unknown;
	unknown &= mask;
	if (bits->width == 0 || (bits->shown && bits->value == value && bits->unknown == unknown))
		return;
	bits->shown = true;
	bits->value = value;
	bits->unknown = unknown;
	char *at = put_time(dump, ear_byte_output_room(dump->output, 128));
	if (bits->width == 1) {
		*at++ = unknown ? 'x' : (char)('0' + value);
	} else {
		*at++ = 'b';
		at = put_digits(at, value, unknown, bits->width);
		*at++ = ' ';
	}
	at = put_code(at, bits->code);
	*at++ = '\n';
	ear_byte_output_take(dump->output, at);
}

static char *put_wide(char *at, const struct waves_wide *wide)
{
	unsigned bit = 8u * wide->size;

	if (wide->unknown) {
		*at++ = 'x';
		return at;
	}
	while (bit > 1 && !(wide->bytes[(bit - 1) / 8] >> (bit - 1) % 8 & 1))
		bit--;
	while (bit-- > 0)
		*at++ = (char)('0' + (wide->bytes[bit / 8] >> bit % 8 & 1));
	return at;
}

void waves_set_wide(
	struct waves_dump *dump, struct waves_wide *wide, const uint8_t *bytes, size_t size)
{
	const bool was_known = wide->shown && !wide->unknown;

	size = size < wide->size ? size : wide->size;
	if (size < wide->size && !was_known)
		bytes = NULL;
	if (wide->size == 0 || (wide->shown && wide->unknown == !bytes &&
				       (!bytes || memcmp(wide->bytes, bytes, size) == 0)))
		return;
	wide->shown = true;
	wide->unknown = !bytes;
	if (bytes)
		memmove(wide->bytes, bytes, size);
	char *at = put_time(dump, ear_byte_output_room(dump->output, 8 * WAVES_WIDE_MAX + 128));
	*at++ = 'b';
	at = put_wide(at, wide);
	*at++ = ' ';
	at = put_code(at, wide->code);
	*at++ = '\n';
	ear_byte_output_take(dump->output, at);
}

/* A text has no blanks in a dump, and printable characters only. Blanks after a comma are left out.
 */
static char *put_text(char *at, const char *text, size_t max)
{
	char *const begin = at;

	for (; *text && (size_t)(at - begin) < max; text++) {
		if (*text == ' ' && at > begin && at[-1] == ',')
			continue;
		*at++ = *text > ' ' && *text <= '~' && *text != '\\' ? *text : '_';
	}
	if (at == begin)
		*at++ = UNKNOWN[0];
	return at;
}

void waves_set_text(struct waves_dump *dump, struct waves_text *variable, const char *text)
{
	if (variable->value == text)
		return;
	variable->value = text;
	char *at = put_time(dump, ear_byte_output_room(dump->output, TEXT_MAX + 64));
	*at++ = 's';
	at = put_text(at, text, TEXT_MAX);
	*at++ = ' ';
	at = put_code(at, variable->code);
	*at++ = '\n';
	ear_byte_output_take(dump->output, at);
}

/* ---- Declarations. ---- */

struct declaring {
	struct waves_dump *dump;
	uint32_t next; /* identifier */
};

static void declare(struct declaring *declaring, struct waves_bits *bits, unsigned width,
	const char *type, const char *name)
{
	char code[8];

	bits->code = declaring->next++;
	bits->width = (uint8_t)width;
	*put_code(code, bits->code) = '\0';
	if (width > 1)
		ear_byte_output_print(declaring->dump->output, "$var %s %u %s %s [%u:0] $end\n",
			type, width, code, name, width - 1);
	else
		ear_byte_output_print(
			declaring->dump->output, "$var %s 1 %s %s $end\n", type, code, name);
}

static void declare_text(struct declaring *declaring, struct waves_text *text, const char *name)
{
	char code[8];

	text->code = declaring->next++;
	*put_code(code, text->code) = '\0';
	ear_byte_output_print(declaring->dump->output, "$var string 1 %s %s $end\n", code, name);
}

static void open_scope(
	struct declaring *declaring, const char *name, unsigned number, bool numbered)
{
	if (numbered)
		ear_byte_output_print(
			declaring->dump->output, "$scope module %s%u $end\n", name, number);
	else
		ear_byte_output_print(declaring->dump->output, "$scope module %s $end\n", name);
}

static void close_scope(struct declaring *declaring)
{
	ear_byte_output_print(declaring->dump->output, "$upscope $end\n");
}

static void declare_class(struct declaring *declaring, struct waves_bits *bits, uint32_t set,
	enum ear_register_class reg_class, unsigned width)
{
	char name[32];

	if (set == 0)
		return;
	open_scope(declaring, reg_class == EAR_REGISTER_X ? "x" : "f", 0, false);
	for (unsigned i = 0; i < 32; i++) {
		if (!(set >> i & 1))
			continue;
		ear_register_name(reg_class, i, name, sizeof(name));
		declare(declaring, &bits[i], width, "reg", name);
	}
	close_scope(declaring);
}

static void declare_vectors(struct declaring *declaring, struct waves_hart *hart)
{
	bool opened = false;
	char name[16], code[8];

	for (unsigned i = 0; i < 32; i++) {
		struct waves_wide *vector = &hart->vectors[i];
		if (vector->size == 0)
			continue;
		if (!opened)
			open_scope(declaring, "v", 0, false);
		opened = true;
		vector->code = declaring->next++;
		*put_code(code, vector->code) = '\0';
		ear_register_name(EAR_REGISTER_V, i, name, sizeof(name));
		ear_byte_output_print(declaring->dump->output, "$var reg %u %s %s [%u:0] $end\n",
			8u * vector->size, code, name, 8u * vector->size - 1);
	}
	if (opened)
		close_scope(declaring);
}

static void declare_csrs(struct declaring *declaring, struct waves_hart *hart)
{
	char name[32];

	if (hart->csr_count == 0)
		return;
	open_scope(declaring, "csr", 0, false);
	for (unsigned i = 0; i < WAVES_CSRS; i++) {
		if (hart->csrs[i] == 0)
			continue;
		ear_register_name(EAR_REGISTER_CSR, i, name, sizeof(name));
		declare(declaring, &hart->csr_bits[hart->csrs[i] - 1], hart->xlen, "reg", name);
	}
	close_scope(declaring);
}

static void declare_named(struct declaring *declaring, struct waves_hart *hart)
{
	char name[sizeof(hart->named->name) + 1];

	if (hart->named_count == 0)
		return;
	open_scope(declaring, "registers", 0, false);
	for (size_t i = 0; i < hart->named_count; i++) {
		*put_text(name, hart->named[i].name, sizeof(name) - 1) = '\0';
		declare(declaring, &hart->named[i].bits, hart->named[i].bits.width, "reg", name);
	}
	close_scope(declaring);
}

static void declare_accesses(struct declaring *declaring, struct waves_hart *hart)
{
	for (unsigned i = 0; i < hart->accesses; i++) {
		struct waves_access *access = &hart->access[i];
		open_scope(declaring, "access", i, true);
		declare(declaring, &access->valid, 1, "wire", "valid");
		declare(declaring, &access->write, 1, "wire", "write");
		declare(declaring, &access->size, 4, "wire", "size");
		declare(declaring, &access->address, hart->xlen, "wire", "address");
		declare(declaring, &access->data, 64, "wire", "data");
		close_scope(declaring);
	}
}

static void declare_hart(struct declaring *declaring, struct waves_hart *hart)
{
	open_scope(declaring, "hart", hart->number, true);
	declare(declaring, &hart->pc, hart->xlen, "wire", "pc");
	declare_text(declaring, &hart->function, "function");
	declare(declaring, &hart->opcode, hart->wide_opcode ? 64 : 32, "wire", "opcode");
	declare_text(declaring, &hart->privilege, "privilege");
	declare(declaring, &hart->trap, 1, "wire", "trap");
	declare(declaring, &hart->interrupt, 1, "wire", "interrupt");
	declare(declaring, &hart->cause, hart->xlen, "wire", "cause");
	declare_text(declaring, &hart->event, "event");
	declare_accesses(declaring, hart);
	declare_class(declaring, hart->x_bits, hart->x, EAR_REGISTER_X, hart->xlen);
	declare_class(declaring, hart->f_bits, hart->f, EAR_REGISTER_F, 64);
	declare_vectors(declaring, hart);
	declare_csrs(declaring, hart);
	declare_named(declaring, hart);
	close_scope(declaring);
}

void waves_declare(struct waves_dump *dump)
{
	struct declaring declaring = {dump, 0};

	if (!dump->has_time)
		ear_byte_output_print(dump->output,
			"$comment The trace has no time for its records: time here is the number of the "
			"instruction record. $end\n$timescale 1 ns $end\n");
	else if (dump->time_unit[0])
		ear_byte_output_print(dump->output,
			"$comment Time is that of the trace. $end\n$timescale 1 %s $end\n",
			dump->time_unit);
	else
		ear_byte_output_print(dump->output,
			"$comment Time is that of the trace, in clocks of the core: 1 ns stands for one. "
			"$end\n$timescale 1 ns $end\n");
	for (size_t i = 0; i < dump->hart_count; i++)
		declare_hart(&declaring, dump->harts[i]);
	ear_byte_output_print(dump->output, "$enddefinitions $end\n");
}
