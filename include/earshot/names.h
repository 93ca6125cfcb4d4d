#ifndef EAR_NAMES_H
#define EAR_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/search.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* Names of addresses: symbols, lines of the source, functions and those that were inlined into
 * them, sections, from one or more ELF files.
 *
 * ELF and DWARF are untrusted. This side never parses them: a helper process, earshot-names, does,
 * which has given up every right but reading the descriptors that it is sent (docs/security.md).
 * What it answers is checked again here. Its crash, hang or lie is an error that names the file;
 * what was read before stays usable.
 *
 * A file's tables come over once, when it is added; looking an address up is then a binary search
 * and asks nobody. Variables (variable.h) ask the helper each time.
 *
 * All addresses are the traced system's: the file's own plus the offset at which it was
 * loaded. Strings that are handed out belong to the object and last until it is closed; they come
 * from the file as they are, not safe for a terminal; ear_names_text and ear_names_line_text are.
 *
 * An object is for one thread at a time. Functions that return int give >= 0 or an enum ear_error
 * (error.h), with a sentence in ear_names_message.
 */
struct ear_names;

/* Make an object without files, and start its helper, which takes about 2 ms. A process that gives
 * its rights up (common/sandbox/) does this before; it may add files after.
 *
 * The helper is the program that EARSHOT_NAMES names, else the one beside this program or this
 * library, or in the folder that it was installed in.
 *
 * Returns 0, EAR_E_NO_MEMORY, or EAR_E_IO if the helper could not be started: *names then is an
 * object that has a message, and refuses files.
 */
int ear_names_open(struct ear_names **names);
void ear_names_close(struct ear_names *names); /* NULL is allowed */

/* What went wrong last: one line that names the file; "" if nothing did. */
const char *ear_names_message(const struct ear_names *names);

/* Called about 20 times a second while the helper works. A result other than 0 gives up: the call
 * returns EAR_E_CANCELLED. NULL, the default: wait until the helper's own time limit.
 */
typedef int ear_names_progress(void *context);
void ear_names_set_progress(struct ear_names *names, ear_names_progress *progress, void *context);

/* Add an ELF file: its number (0, 1, ..) is the result. offset is added to every address of the
 * file (0 for a program that was linked to where it runs). Of files that overlap, the one that was
 * added last counts.
 *
 * Errors: EAR_E_IO (errno: it cannot be opened), EAR_E_BAD_FILE (not an ELF file, or the helper
 * crashed on it), EAR_E_TIMEOUT, EAR_E_NO_MEMORY, EAR_E_UNSUPPORTED (big-endian). A file without
 * symbols or without debug information is no error: see struct ear_names_file.
 */
int ear_names_add(struct ear_names *names, const char *path, uint64_t offset);

/* The same for a file that is open for reading; fd is not closed. path is for messages. */
int ear_names_add_fd(struct ear_names *names, int fd, const char *path, uint64_t offset);

/* The debug information of file is in another one, which was split from it. It is refused
 * (EAR_E_BAD_ARGUMENT) if the build ids differ. Nothing is searched for: only what is named here is
 * read.
 */
int ear_names_add_debug(struct ear_names *names, unsigned file, const char *path);

/* What a file is and has. */
#define EAR_NAMES_BUILD_ID_MAX 64

enum ear_names_section_flag {
	EAR_NAMES_WRITE = 1 << 0,
	EAR_NAMES_EXECUTE = 1 << 1,
	EAR_NAMES_IN_FILE = 1 << 2, /* has bytes in the file (.bss has none) */
};

struct ear_names_section { /* one that takes memory when the program runs */
	const char *name;
	uint64_t address, size;
	unsigned flags;
};

struct ear_names_segment {     /* PT_LOAD */
	uint64_t address;      /* virtual */
	uint64_t load_address; /* physical */
	uint64_t size;         /* in memory */
	uint64_t file_offset, file_size;
	unsigned flags;
};

struct ear_names_file {
	const char *path;
	uint64_t offset;
	unsigned xlen;    /* 32 or 64 */
	unsigned machine; /* EM_RISCV is 243 */
	uint64_t entry;
	uint8_t build_id[EAR_NAMES_BUILD_ID_MAX];
	size_t build_id_size;   /* 0: it has none */
	const char *debug_link; /* name of the file that was split off; "" none */
	bool has_symbols, has_lines, has_debug;
	size_t section_count, segment_count;
	const struct ear_names_section *sections;
	const struct ear_names_segment *segments;
};

size_t ear_names_file_count(const struct ear_names *names);
const struct ear_names_file *ear_names_file(const struct ear_names *names, size_t file);

/* Bytes of a file's segments at an address, as the program begins: zero where a segment is longer
 * than what the file has of it. Returns how many of size there are from address on; 0 if no segment
 * has that address, EAR_E_IO if the file cannot be read. Reads the file, so it is for whole pages.
 */
int64_t ear_names_image(struct ear_names *names, size_t file, uint64_t address, uint8_t *bytes,
	size_t size, bool *writable);

/* ---- Symbols ------------------------------------------------------------------------------ */

enum ear_names_kind {
	EAR_NAMES_LABEL,    /* no type: a label of assembly */
	EAR_NAMES_FUNCTION, /* code */
	EAR_NAMES_OBJECT,   /* a variable */
};

struct ear_symbol {
	const char *name;   /* C++ and Rust demangled: "box::take(int)" */
	const char *linked; /* as the file has it: "_ZN3box4takeEi"; often the same pointer */
	uint64_t address;
	uint64_t size;     /* 0: unknown, it reaches to the next one */
	uint8_t kind;      /* enum ear_names_kind */
	uint8_t is_global; /* seen from other object files */
	uint16_t file;
};

/* The symbol that an address belongs to, and in *offset how far behind its start; NULL if there is
 * none. Of several, one whose size reaches to it, then the nearest start, then a function, then a
 * global one. A label without a size reaches to the next symbol of its section. Section names,
 * files and mapping symbols ($x) are no symbols here.
 */
const struct ear_symbol *ear_names_symbol_at(
	const struct ear_names *names, uint64_t address, uint64_t *offset);

/* The range of addresses for which ear_names_symbol_at gives the same answer, or none: a caller
 * that walks keeps it and asks again only outside. *last is included.
 */
const struct ear_symbol *ear_names_symbol_span(
	const struct ear_names *names, uint64_t address, uint64_t *first, uint64_t *last);

/* Symbols by name: linked or demangled, the latter also without its arguments ("box::take").
 * Returns how many there are; the first of them in found[0 .. max-1], which may be NULL if max is
 * 0: those whose linked name it is, then the others, of each global ones first, then by address.
 */
size_t ear_names_symbols_named(const struct ear_names *names, const char *name,
	const struct ear_symbol **found, size_t max);

/* All symbols, by address. */
size_t ear_names_symbols(const struct ear_names *names, const struct ear_symbol **list);

/* Names of symbols and inlined functions that are near a wrong one, the nearest first: "main" for
 * "mian". */
size_t ear_names_suggest(
	const struct ear_names *names, const char *wrong, const char **found, size_t max);

/* ---- Functions ---------------------------------------------------------------------------- */

/* The function that an address is in: the symbol, or, where there is no symbol, what the debug
 * information says. Its ranges may be several (hot and cold part); entry is where it begins.
 */
struct ear_function {
	size_t size; /* sizeof(struct ear_function), filled in by the caller */
	const char *name;
	uint64_t entry;
	/* The addresses around the one that was asked for with the same answer, last included: a
	 * caller that walks asks again only outside. Where functions overlap or are nested, this is
	 * less than what the symbol covers. */
	uint64_t first, last;
	uint16_t file;
	uint8_t has_size; /* it has an end of its own, not just the beginning of the next symbol */
};

/* Returns true and *function; false, and *function is untouched: in no function, or size is 0. */
bool ear_names_function_at(
	const struct ear_names *names, uint64_t address, struct ear_function *function);

/* ---- Lines -------------------------------------------------------------------------------- */

struct ear_line {
	size_t size;           /* sizeof(struct ear_line), filled in by the caller */
	const char *path;      /* as the compiler wrote it, with its folder */
	uint32_t line, column; /* from 1; column 0: not known; line 0: no line of the source */
	bool is_statement;     /* the address is a good one for a breakpoint */
	uint64_t first, last;  /* the addresses that this row is for */
};

/* Returns true and *line; false, and *line is untouched: the address has no line, or size is 0. */
bool ear_names_line_at(const struct ear_names *names, uint64_t address, struct ear_line *line);

/* The part of a path that people read: behind its last slash. */
const char *ear_names_base(const char *path);

/* Addresses of a line. path is a whole path or its end ("fw.c", "src/fw.c").
 *
 * Returns how many ranges there are, those in memory order, merged; the first max of them in
 * ranges, which may be NULL if max is 0. 0: no code, and *nearest[0], nearest[1] are the lines
 * before and after it that have code (0: none). EAR_E_BAD_ARGUMENT: no such file, or several, which
 * ear_names_message lists.
 */
int ear_names_line_addresses(struct ear_names *names, const char *path, uint32_t line,
	struct ear_span *ranges, size_t max, uint32_t nearest[2]);

/* All source files. */
size_t ear_names_sources(const struct ear_names *names, const char *const **paths);

/* ---- Inlined functions -------------------------------------------------------------------- */

/* One step of the chain at an address: the innermost function first, last the one that has the
 * code. path, line and column: in the first the address's; in each next one where the call was
 * that was inlined.
 */
struct ear_inlined {
	const char *function;
	const char *path; /* "": not known */
	uint32_t line, column;
	bool is_inlined; /* false for the last */
	/* Where the function is defined: the line of its name. */
	const char *declared_path; /* "": not known */
	uint32_t declared_line;    /* 0: not known */
};

#define EAR_INLINED_MAX 64 /* deeper ones are cut */

/* The chain into chain[0 .. max-1], and how many steps that are. size: sizeof(*chain). */
size_t ear_names_inlined_at(const struct ear_names *names, uint64_t address,
	struct ear_inlined *chain, size_t size, size_t max);

/* The code of all copies of a function that were inlined somewhere: how many spans that is, in
 * memory order, merged; the first max of them in spans. And where the copies begin, likewise. name
 * may leave the arguments out. What is not inlined of it is a symbol, and not in these. */
size_t ear_names_inlined_spans(
	const struct ear_names *names, const char *name, struct ear_span *spans, size_t max);
size_t ear_names_inlined_entries(
	const struct ear_names *names, const char *name, uint64_t *entries, size_t max);

/* ---- Text --------------------------------------------------------------------------------- */

/* "main+0x4" for an address, "" for one without a symbol. Safe for a terminal. Returns the length
 * of the whole, as snprintf does.
 */
int ear_names_text(const struct ear_names *names, uint64_t address, char *text, size_t size);

/* "fw.c:12", or "". */
int ear_names_line_text(const struct ear_names *names, uint64_t address, char *text, size_t size);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
