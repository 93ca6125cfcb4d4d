/* Packets of GDB's remote protocol. */
#include "cli/gdb/wire/packet.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/hex.h"

static const char digits[] = "0123456789abcdef";

/* ---- In. ---- */

static void put(struct ear_gdb_parser *parser, uint8_t byte)
{
	if (parser->size < EAR_GDB_PACKET_MAX)
		parser->data[parser->size++] = (char)byte;
	else
		parser->too_long = true;
}

static void begin(struct ear_gdb_parser *parser)
{
	parser->state = EAR_GDB_DATA;
	parser->size = 0;
	parser->sum = 0;
	parser->too_long = false;
}

static enum ear_gdb_event parse_outside(struct ear_gdb_parser *parser, uint8_t byte)
{
	switch (byte) {
	case '$': begin(parser); return EAR_GDB_NOTHING;
	case '+': return EAR_GDB_ACK;
	case '-': return EAR_GDB_NAK;
	case 0x03: return EAR_GDB_INTERRUPT;
	default: return EAR_GDB_NOTHING; /* noise */
	}
}

static void parse_data(struct ear_gdb_parser *parser, uint8_t byte)
{
	if (byte == '#') {
		parser->state = EAR_GDB_SUM_1;
		return;
	}
	parser->sum = (uint8_t)(parser->sum + byte);
	if (byte == '}')
		parser->state = EAR_GDB_ESCAPE;
	else
		put(parser, byte);
}

static enum ear_gdb_event finish(struct ear_gdb_parser *parser, uint8_t byte, bool checked)
{
	int high = ear_hex_digit((char)parser->wanted), low = ear_hex_digit((char)byte);

	parser->state = EAR_GDB_OUTSIDE;
	parser->data[parser->size] = '\0';
	bool right = high >= 0 && low >= 0 && high * 16 + low == parser->sum;
	return parser->too_long || (checked && !right) ? EAR_GDB_BAD : EAR_GDB_PACKET;
}

enum ear_gdb_event ear_gdb_parse(struct ear_gdb_parser *parser, uint8_t byte, bool checked)
{
	/* A packet that was cut: here is the next one. */
	if (byte == '$' && parser->state != EAR_GDB_OUTSIDE) {
		begin(parser);
		return EAR_GDB_BAD;
	}
	switch (parser->state) {
	case EAR_GDB_OUTSIDE: return parse_outside(parser, byte);
	case EAR_GDB_DATA: parse_data(parser, byte); return EAR_GDB_NOTHING;
	case EAR_GDB_ESCAPE:
		parser->sum = (uint8_t)(parser->sum + byte);
		put(parser, byte ^ 0x20);
		parser->state = EAR_GDB_DATA;
		return EAR_GDB_NOTHING;
	case EAR_GDB_SUM_1:
		parser->wanted = byte;
		parser->state = EAR_GDB_SUM_2;
		return EAR_GDB_NOTHING;
	case EAR_GDB_SUM_2: return finish(parser, byte, checked);
	}
	return EAR_GDB_NOTHING;
}

bool ear_gdb_take_hex(const char **at, uint64_t *value)
{
	const char *text = *at;
	uint64_t result = 0;
	unsigned count = 0;

	for (; ear_hex_digit(*text) >= 0; text++) {
		if (result >> 60)
			return false;
		result = result << 4 | (unsigned)ear_hex_digit(*text);
		count++;
	}
	if (count == 0)
		return false;
	*value = result;
	*at = text;
	return true;
}

int ear_gdb_take_bytes(const char *text, uint8_t *bytes, size_t max)
{
	size_t count = 0;

	for (; text[0]; text += 2) {
		int high = ear_hex_digit(text[0]);
		int low = high < 0 ? -1 : ear_hex_digit(text[1]);
		if (low < 0 || count == max)
			return -1;
		bytes[count++] = (uint8_t)(high << 4 | low);
	}
	return (int)count;
}

/* ---- Out. ---- */

#define ROOM (EAR_GDB_REPLY_MAX - 4) /* the checksum follows */

static void add(struct ear_gdb_reply *reply, char byte)
{
	if (reply->size < ROOM)
		reply->bytes[reply->size++] = byte;
	else
		reply->full = true;
}

void ear_gdb_reply_begin(struct ear_gdb_reply *reply)
{
	reply->size = 0;
	reply->full = false;
	add(reply, '$');
}

static bool is_escaped(char byte)
{
	return byte == '$' || byte == '#' || byte == '}' || byte == '*';
}

void ear_gdb_reply_text(struct ear_gdb_reply *reply, const char *text)
{
	ear_gdb_reply_binary(reply, text, strlen(text));
}

void ear_gdb_reply_print(struct ear_gdb_reply *reply, const char *format, ...)
{
	char text[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	ear_gdb_reply_text(reply, text);
}

void ear_gdb_reply_hex(struct ear_gdb_reply *reply, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;

	for (size_t i = 0; i < size; i++) {
		add(reply, digits[at[i] >> 4]);
		add(reply, digits[at[i] & 15]);
	}
}

void ear_gdb_reply_number(struct ear_gdb_reply *reply, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++) {
		const uint8_t byte = (uint8_t)(value >> 8 * i);
		ear_gdb_reply_hex(reply, &byte, 1);
	}
}

size_t ear_gdb_reply_binary(struct ear_gdb_reply *reply, const void *bytes, size_t size)
{
	const char *at = bytes;

	for (size_t i = 0; i < size; i++) {
		if (reply->size + 2 > ROOM) {
			reply->full = true;
			return i;
		}
		if (is_escaped(at[i])) {
			add(reply, '}');
			add(reply, (char)(at[i] ^ 0x20));
		} else {
			add(reply, at[i]);
		}
	}
	return size;
}

void ear_gdb_reply_end(struct ear_gdb_reply *reply)
{
	uint8_t sum = 0;

	for (size_t i = 1; i < reply->size; i++)
		sum = (uint8_t)(sum + (uint8_t)reply->bytes[i]);
	reply->bytes[reply->size++] = '#';
	reply->bytes[reply->size++] = digits[sum >> 4];
	reply->bytes[reply->size++] = digits[sum & 15];
}
