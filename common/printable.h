#ifndef EAR_PRINTABLE_H
#define EAR_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>

/* Text from outside, made safe to show.
 *
 * Names of files, metadata of a capture, strings of a USB device, words of a server and the
 * contents of a trace may hold anything: an escape sequence that renames the terminal or types a
 * command into it, a carriage return that overwrites a warning, an override of the writing
 * direction that makes a name read backwards. Shown as they are: printable ASCII, and every other
 * character in valid UTF-8 except control characters (C0, DEL, C1), those that change the writing
 * direction, invisible ones, line separators and code points that are not characters. Each byte of
 * anything else is shown as \xHH.
 *
 * This is the only home of that rule. It is applied where text leaves the program: on standard
 * output and error (cli/base/outlet.h), and in texts made of records (decoder/text/text_output.h).
 */
enum ear_printable_kind {
	EAR_PRINTABLE_LINE, /* one line, without its end */
	EAR_PRINTABLE_TEXT, /* lines: "\n", "\r\n" and "\t" are allowed, too */
};

#define EAR_PRINTABLE_GROWTH ((size_t)4) /* the most bytes that one byte becomes */

/* How many of the first bytes may be shown as they are. */
size_t ear_printable_span(const char *text, size_t size, enum ear_printable_kind kind);

/* Copy text[0 .. size-1] to to[0 .. room-1], made safe to show. The copy ends before the first
 * character that does not fit; and unless final, before a character whose last bytes are missing
 * (at most 3), or a "\r" that may belong to a "\n".
 *
 * Returns the bytes written; *used is how many bytes of text they show.
 */
size_t ear_printable_copy(char *to, size_t room, size_t *used, const char *text, size_t size,
	enum ear_printable_kind kind, bool final);

/* The first character of text[0 .. size-1], size 1 or more, as JSON has one that may not be shown:
 * its units of UTF-16, as "\u202e". A byte that is not UTF-8 becomes "\udc80" .. "\udcff", which
 * Python calls surrogateescape. Returns the bytes that it has; to is NUL-terminated.
 */
#define EAR_PRINTABLE_JSON_SIZE 13
size_t ear_printable_json(char to[EAR_PRINTABLE_JSON_SIZE], const char *text, size_t size);

/* The same as a copy for a string, into a buffer that is NUL-terminated: a copy that is too long is
 * cut. */
void ear_printable_string(char *to, size_t room, const char *text, enum ear_printable_kind kind);

#endif
