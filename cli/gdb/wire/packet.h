#ifndef EAR_GDB_PACKET_H
#define EAR_GDB_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Packets of GDB's remote protocol: "$data#checksum", where '}' escapes a byte (GDB manual, "Remote
 * Protocol", "Overview"). Bytes in, packets out; nothing here reads or writes a descriptor.
 */
#define EAR_GDB_PACKET_MAX 16384u /* bytes of data, unescaped; GDB learns this limit, too */

enum ear_gdb_event {
	EAR_GDB_NOTHING,   /* more bytes are needed */
	EAR_GDB_PACKET,    /* a packet is complete */
	EAR_GDB_BAD,       /* its checksum is wrong, or it is too long */
	EAR_GDB_ACK,       /* '+' */
	EAR_GDB_NAK,       /* '-': what was sent last is wanted again */
	EAR_GDB_INTERRUPT, /* 0x03 outside of a packet: Ctrl-C */
};

struct ear_gdb_parser {
	enum { EAR_GDB_OUTSIDE, EAR_GDB_DATA, EAR_GDB_ESCAPE, EAR_GDB_SUM_1, EAR_GDB_SUM_2 } state;
	bool too_long;
	uint8_t sum, wanted;
	size_t size;
	char data[EAR_GDB_PACKET_MAX + 1]; /* after PACKET: size bytes and a NUL */
};

/* The next byte; all zero is a parser that waits for a packet. checked: the checksum counts, as
 * long as packets are acknowledged. */
enum ear_gdb_event ear_gdb_parse(struct ear_gdb_parser *parser, uint8_t byte, bool checked);

/* A packet that is written: data is added to it, then it is ended. What does not fit is left out,
 * and full is set. */
#define EAR_GDB_REPLY_MAX (2 * EAR_GDB_PACKET_MAX + 8)

struct ear_gdb_reply {
	size_t size;
	bool full;
	char bytes[EAR_GDB_REPLY_MAX]; /* "$data#sum" after ear_gdb_reply_end */
};

void ear_gdb_reply_begin(struct ear_gdb_reply *reply);
void ear_gdb_reply_text(struct ear_gdb_reply *reply, const char *text);
__attribute__((format(printf, 2, 3))) void ear_gdb_reply_print(
	struct ear_gdb_reply *reply, const char *format, ...);
void ear_gdb_reply_hex(struct ear_gdb_reply *reply, const void *bytes, size_t size);
/* A number of size bytes as registers are sent: the lowest byte first. */
void ear_gdb_reply_number(struct ear_gdb_reply *reply, uint64_t value, unsigned size);
/* Bytes as they are, escaped where that is needed. Returns how many fit. */
size_t ear_gdb_reply_binary(struct ear_gdb_reply *reply, const void *bytes, size_t size);
void ear_gdb_reply_end(struct ear_gdb_reply *reply);

/* Reading what is in a packet: a number of up to 16 hexadecimal digits from *at on, which is moved
 * behind it. False: there is none, or it is too large. */
bool ear_gdb_take_hex(const char **at, uint64_t *value);

/* Bytes written as hexadecimal digits. Returns how many, or -1: it is not such a text, or they are
 * more than max. */
int ear_gdb_take_bytes(const char *text, uint8_t *bytes, size_t max);

#endif
