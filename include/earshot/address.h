#ifndef EAR_ADDRESS_H
#define EAR_ADDRESS_H

#include <earshot/moment_view.h>
#include <earshot/names.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* The one reading of addresses as people write them:
 *
 *   0x8000            one address (decimal, or 0x..)
 *   0x8000-0x80ff     FIRST-LAST, last included
 *   0x8000+256        FIRST+SIZE
 *   main              a symbol: all of the function or object
 *   main+4            one address behind its start; main-4 before it
 *   main_buffer+32:64 64 bytes from there; so 0x8000:64
 *   fw.c:12           the code of a line: often several ranges
 *   box.handler       a member of a variable, table[3].next an element's; all its bytes
 *   box.handler+8     one address
 *   *list, list->next what a pointer points to: only where there is a moment to read it at
 *   .bss              a section
 *   sp+16:32          where a register points to: only where there is a moment
 *   $sp               the same, whatever else has that name
 *
 * A symbol is tried first, then a section, a line, a function that was inlined everywhere (all of
 * its copies), a variable of the debug information, and a register.
 * FILE:LINE wins over SYMBOL:SIZE if there is a source file of that name. C++ names may have their
 * arguments, and may leave them out; a name that several symbols have is refused with their list.
 */
enum ear_address_kind {
	EAR_ADDRESS_NUMBER,
	EAR_ADDRESS_SYMBOL,
	EAR_ADDRESS_SECTION,
	EAR_ADDRESS_LINE,
	EAR_ADDRESS_VARIABLE,
	EAR_ADDRESS_REGISTER,
	EAR_ADDRESS_INLINED,
};

#define EAR_ADDRESS_RANGES_MAX 64

struct ear_address {
	size_t size; /* sizeof(struct ear_address), filled in by the caller */
	enum ear_address_kind kind;
	bool is_point;  /* one address was meant ("main+4", "0x8000"): range 0 has one byte */
	bool has_size;  /* the end of the ranges was given or is known */
	unsigned count; /* ranges, at least 1, in memory order */
	struct ear_span ranges[EAR_ADDRESS_RANGES_MAX];
};

#define EAR_ADDRESS_MESSAGE_MAX 512

/* Read text[0 .. size-1].
 *
 * names may be NULL: then only numbers and registers are known, and the message for a name says
 * that no ELF was given. moment may be NULL: then what depends on a moment (pointers, locals,
 * registers) is refused.
 *
 * Returns 0, or EAR_E_BAD_ARGUMENT (also if size of *address or *moment is 0) with the reason in
 * message: "'man' is neither a number nor a
 * symbol of fw.elf; did you mean main?". The message has no option's name in it, is safe for a
 * terminal, and *address is untouched.
 */
int ear_address_parse(struct ear_address *address, const char *text, size_t size,
	struct ear_names *names, const struct ear_moment_view *moment,
	char message[EAR_ADDRESS_MESSAGE_MAX]);

/* Where the code of an address begins that text names: the first address of each range, and of each
 * inlined copy of a function. Returns an array for free(), and in *count how many there are; NULL
 * without memory. */
struct ear_span *ear_address_entries(const struct ear_address *address, struct ear_names *names,
	const char *text, size_t *count);

/* Does the address lie in code, by the sections of the files? */
bool ear_address_is_code(const struct ear_address *address, const struct ear_names *names);

/* Is this a number or a range of numbers, for which no names are needed? */
bool ear_address_is_number(const char *text, size_t size);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
