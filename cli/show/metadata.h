#ifndef EAR_METADATA_H
#define EAR_METADATA_H

#include <stddef.h>

/* The text of a metadata frame, built line by line. docs/file-format.md, section 3. */
struct metadata {
	char text[16384]; /* NUL-terminated */
	size_t size;
};

void metadata_init(struct metadata *metadata);

/* Add "key: value". Line feeds in the value become blanks; a line that does not fit is cut. */
void metadata_add(struct metadata *metadata, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Add the present time, UTC. */
void metadata_add_time(struct metadata *metadata, const char *key);

/* The same for a file that is made from another: the date of ear_source_date(). */
void metadata_add_source_date(struct metadata *metadata, const char *key);

/* Add the command line. */
void metadata_add_command(struct metadata *metadata, int argc, char **argv);

/* What says which program was traced: a file that is made from another one has the same. NULL ends
 * them. */
extern const char *const metadata_program_keys[];

#endif
