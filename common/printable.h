#ifndef EAR_PRINTABLE_H
#define EAR_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>

/* Text from outside, made fit to be shown.
 *
 * Names of files, facts of a capture, strings of a USB device, words of a server and whatever a
 * trace carries may hold anything: an escape sequence that renames the terminal or types a command
 * into it, a carriage return that overwrites a warning, an override of the direction of writing
 * that makes a name read backwards. What may be shown is printable ASCII, and every other character
 * in valid UTF-8 that is neither a control character (C0, DEL, C1), nor one that changes the
 * direction of writing, nor invisible or a separator of lines, nor no character at all. Each byte
 * of anything else is shown as \xHH.
 *
 * This is the only home of that rule. It is applied where text leaves the program: on standard
 * output and error (cli/base/outlet.h), and in texts made of records (formats/text/text_output.h).
 */
enum ear_printable_kind {
	EAR_PRINTABLE_LINE, /* one line: its end is no part of it */
	EAR_PRINTABLE_TEXT, /* lines: "\n", "\r\n" and "\t" may stand in it, too */
};

#define EAR_PRINTABLE_GROWTH 4 /* bytes that one byte becomes, at the most */

/* How many bytes from the first on may be shown as they are. */
size_t ear_printable_span(const char *text, size_t size, enum ear_printable_kind kind);

/* Copy text[0 .. size-1] to to[0 .. room-1], fit to be shown. The copy ends before what has no more
 * room; and unless final, before a character whose last bytes are not there yet (at most 3), or a
 * "\r" that may belong to a "\n".
 *
 * Returns the bytes written; *used is how many of text they stand for.
 */
size_t ear_printable_copy(char *to, size_t room, size_t *used, const char *text, size_t size,
	enum ear_printable_kind kind, bool final);

/* The same for a string and a buffer, which gets an end: a copy that is too long is cut. */
void ear_printable_string(char *to, size_t room, const char *text, enum ear_printable_kind kind);

#endif
