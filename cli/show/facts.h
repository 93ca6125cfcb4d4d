#ifndef EAR_FACTS_H
#define EAR_FACTS_H

#include <stddef.h>

/* The text of a facts frame, built line by line. docs/file-format.md, section 3. */
struct facts {
	char text[16384]; /* NUL-terminated */
	size_t size;
};

void facts_init(struct facts *facts);

/* Add "key: value". Line feeds in the value become blanks; a line that does not fit is cut. */
void facts_add(struct facts *facts, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Add the present time, UTC. */
void facts_add_time(struct facts *facts, const char *key);

/* The same for a file that is made from another: the date of ear_source_date(). */
void facts_add_source_date(struct facts *facts, const char *key);

/* Add the command line. */
void facts_add_command(struct facts *facts, int argc, char **argv);

/* Add program and program_sha256 for an ELF file, if it can be read. */
void facts_add_program(struct facts *facts, const char *path);

#endif
