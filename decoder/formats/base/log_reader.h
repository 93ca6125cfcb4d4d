#ifndef EAR_LOG_READER_H
#define EAR_LOG_READER_H

#include "decoder/formats/base/line_reader.h"

/* A base for the logs of tracers, which print what an instruction did in a line, or in a line for
 * each thing. A format says which lines are its own and what one means; the loop over lines,
 * indexes, XLEN, saving and the handling of damage are here. How to add one: CONTRIBUTING.md,
 * "Adding a text format".
 */
struct ear_log_reader;

struct ear_log_format {
	/* How certainly a line is of this format and no other: 0 to 100. It may be cut off. */
	int (*judge)(struct ear_text_cursor line);
	/* One line, which may be empty: begin records, fill them in, end them. Returns 0, or the
	 * value to stop with: that of the last function below that has one. */
	int (*take)(struct ear_log_reader *log, struct ear_text_cursor line);
	/* The text has ended: begin and end what was kept back; NULL: nothing is. As take. */
	int (*end)(struct ear_log_reader *log);
	/* Of the format's own struct, which begins with struct ear_log_reader; 0: it has none. */
	size_t size;
	/* Fill in the own members, once the others are; false: it cannot be. NULL: they are 0. */
	bool (*init)(struct ear_log_reader *log);
	/* Save or load the own members; NULL: there are none. */
	void (*walk)(struct ear_log_reader *log, struct ear_state_walk *walk);
	void (*fini)(struct ear_log_reader *log); /* free what it owns; NULL: nothing */
	bool no_traps; /* it does not mark instructions that trap: ear_log_own_trap is asked */
	bool unpadded; /* a pc has no leading zeros: XLEN 32 is a guess, which a value takes back */
	bool no_walk;  /* it knows too much of the lines before to be saved */
};

struct ear_log_reader {
	struct ear_line_reader line;
	const struct ear_log_format *format;
	struct ear_record_builder *builder; /* the record begun in this line, or the open one */
	const struct ear_record *done;      /* by this line */
	/* What is left of a line after a record that it completed: comes again. */
	struct ear_text_cursor rest;
	void (*free_line)(struct ear_reader *base);
	bool warned;           /* of parts of lines that are not read */
	bool no_traps;         /* as the format's */
	bool sparse;           /* not every instruction has a line */
	unsigned narrow, wide; /* integer registers with all 8 digits of RV32, and with more */
	bool longer;           /* one of more digits, which is not its lower 32 bits extended */
};

/* The highest judgement of the first lines of a text. */
int ear_log_detect(const struct ear_log_format *format, const char *bytes, size_t size);
struct ear_reader *ear_log_make(const struct ear_log_format *format, struct ear_text_input *input,
	const struct ear_reader_options *options);

/* Begin an instruction at pc, whose digits may show XLEN (ear_reader_xlen). Its index is the next
 * one of the hart; privilege and opcode are unknown. */
struct ear_record *ear_log_begin(
	struct ear_log_reader *log, uint64_t hart, uint64_t pc, size_t pc_digits);

/* Parts of the record begun, or of the open one. Without a record, and where a reader is asked for
 * no effects, they do nothing. */
void ear_log_opcode(struct ear_log_reader *log, uint64_t opcode);
/* For tracers that show a compressed instruction as what it stands for: the next pc is 2 bytes
 * after the pc of the open record of 4 bytes, so its opcode in memory is unknown. So is an opcode
 * that is all zeros where the next pc is 4 bytes further. */
void ear_log_find_expanded(struct ear_log_reader *log, uint64_t next_pc);
void ear_log_time(struct ear_log_reader *log, uint64_t ticks);
void ear_log_privilege(struct ear_log_reader *log, enum ear_privilege privilege);
void ear_log_trap(struct ear_log_reader *log, uint64_t cause);
/* The trap of an instruction that its opcode alone shows, and whose cause follows from that: an
 * illegal one, ecall, ebreak. False: it shows none. */
bool ear_log_own_trap(struct ear_record *record);
/* digits: of a floating-point register with 8 or 16 it gives the size. x0 is left out. */
void ear_log_write(struct ear_log_reader *log, enum ear_register_class reg_class, uint64_t number,
	uint64_t value, size_t digits);
void ear_log_read(struct ear_log_reader *log, enum ear_register_class reg_class, uint64_t number,
	uint64_t value);
/* A vector register from the digits at the cursor. Returns false if there is none. */
bool ear_log_write_vector(
	struct ear_log_reader *log, unsigned number, struct ear_text_cursor *cursor);
/* An access; value NULL: unknown. Whether it writes, and its size, is what the opcode says; write
 * and size, 0 if unknown, are for opcodes that say nothing. An AMO reads and writes, and write says
 * which value it is. Returns it, or NULL. */
struct ear_record_access *ear_log_access(struct ear_log_reader *log, uint64_t address,
	const uint64_t *value, bool write, unsigned size);
/* An access as it is. */
struct ear_record_access *ear_log_add_access(
	struct ear_log_reader *log, struct ear_record_access access);

/* The privilege of a letter or a number: "M", "3", "D". False: it is none. */
bool ear_log_find_privilege(struct ear_text word, enum ear_privilege *privilege);

/* The record begun is complete but for what later lines add to it. Returns 0, or the value to stop
 * with. */
int ear_log_end(struct ear_log_reader *log);

/* After more was added to the open record: is it wider than XLEN? Returns as ear_log_end, which
 * asks itself. */
int ear_log_check(struct ear_log_reader *log);

/* The word at the cursor is not understood: it is skipped, and the record stays. */
void ear_log_word(struct ear_log_reader *log, struct ear_text_cursor *cursor);

/* A line that ear_comment_line_is (comment_line.h): the gap or event of it, of hart 0. Returns 0,
 * or the value to stop with. */
int ear_log_comment(struct ear_log_reader *log, struct ear_text_cursor line);

/* Skip the line: it was to be a record, or a part of one; or it is one of something else. */
int ear_log_bad(struct ear_log_reader *log, const char *cause);
int ear_log_other(struct ear_log_reader *log, const char *cause);

/* Say once that some parts of lines are not read. */
int ear_log_warn(struct ear_log_reader *log, const char *cause);

/* Warn once if a disassembly or an opcode is not one of RISC-V, from what ARM's and x86's look
 * like; then end the record, see ear_log_end. For tracers that trace other processors too. */
int ear_log_end_riscv(struct ear_log_reader *log, struct ear_text disassembly, bool foreign);

/* What ear_log_scan took: a number and its digits, or a word. */
struct ear_log_value {
	uint64_t number;
	size_t digits;
	struct ear_text word;
};

/* Take the beginning of a line by its pattern, which looks like the tracer's own: %d is a decimal
 * number, %x a hexadecimal one with or without 0x, %w a word up to a blank or to the character
 * after it in the pattern; blanks may stand before each. A blank in the pattern stands for any
 * number of them, everything else for itself. Fills in values[], one for each %. False: the line is
 * another one, and the cursor stays. */
bool ear_log_scan(
	struct ear_text_cursor *cursor, const char *pattern, struct ear_log_value *values);

/* Of a register that a log numbers without its class: the class that the opcode's operand with
 * this number and access (EAR_OPERAND_READ, EAR_OPERAND_WRITE) has. False: there is none. */
bool ear_log_class(const struct ear_log_reader *log, uint64_t number, unsigned access,
	enum ear_register_class *reg_class);

/* A register by any of its names, or a CSR, or of another instruction set one by its name: written
 * with the value at the cursor, in hexadecimal, with or without 0x. False: there is no such
 * register, or no value. */
bool ear_log_write_named(
	struct ear_log_reader *log, struct ear_text name, struct ear_text_cursor *cursor);

/* Keep the text of an instruction, where the instruction table knows none. */
void ear_log_text(struct ear_log_reader *log, struct ear_text text);

/* Digits of a hexadecimal number with or without "0x"; 0: there is none. */
static inline size_t ear_log_hex(struct ear_text_cursor *cursor, uint64_t *value)
{
	size_t digits = ear_text_0x(cursor, value);

	return digits ? digits : ear_text_hex(cursor, value);
}

#endif
