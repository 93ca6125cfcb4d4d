#ifndef EAR_MANIFEST_H
#define EAR_MANIFEST_H

#include "library/archive/text_pack.h"

/* The manifest of an archive: what it holds, a line each. docs/archive.md, section 2. */

#define EAR_MANIFEST_PATH_MAX 4096u /* bytes of a path, with its NUL */
#define EAR_MANIFEST_SHA256   65u   /* hexadecimal digits and a NUL */

enum ear_manifest_kind { EAR_MANIFEST_FILE, EAR_MANIFEST_FOLDER, EAR_MANIFEST_LINK };

struct ear_manifest_entry {
	enum ear_manifest_kind kind;
	char *path;   /* relative, components between '/' */
	char *target; /* of a link */
	/* Of a file: */
	char sha256[EAR_MANIFEST_SHA256];
	uint64_t size, lines; /* bytes, and line feeds in them */
	uint64_t blocks;      /* of its object; 0: it is empty, and has none */
	uint64_t stored;      /* bytes of the object */
	bool executable, records;
	char format[32]; /* "": none is known */
};

/* Sorted by path, which no two have in common. */
struct ear_manifest {
	struct ear_manifest_entry *entries;
	size_t count, capacity;
};

void ear_manifest_fini(struct ear_manifest *manifest);

/* Is it a path that an entry may have: relative, without "", "." and ".." between its slashes? */
bool ear_manifest_path_is_good(const char *path);

/* Add a copy of *entry, whose path is good. Returns 1; 0: its path is not after the last one's, and
 * nothing was done; or EAR_E_NO_MEMORY. */
int ear_manifest_add(struct ear_manifest *manifest, const struct ear_manifest_entry *entry);

/* NULL if there is none. */
const struct ear_manifest_entry *ear_manifest_find(
	const struct ear_manifest *manifest, const char *path);

/* Append its text. Returns 0 or EAR_E_NO_MEMORY. */
int ear_manifest_write(struct ear_pack_bytes *to, const struct ear_manifest *manifest);

/* Hears of a line that cannot be used: its number, from 1; 0: the end of the manifest is missing.
 */
typedef void ear_manifest_report(void *context, uint64_t line);

/* Read a manifest, text[0 .. size-1], into *manifest, to be ended. Lines that are damaged are
 * reported and left out; report may be NULL.
 *
 * Returns how many were reported; EAR_E_VERSION: its first line is not that of an archive that this
 * version reads; EAR_E_NO_MEMORY.
 */
int ear_manifest_read(struct ear_manifest *manifest, const char *text, size_t size,
	ear_manifest_report *report, void *context);

#endif
