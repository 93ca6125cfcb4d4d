#ifndef EAR_TRACED_PROGRAM_H
#define EAR_TRACED_PROGRAM_H

/* Where the program of a trace is. docs/names.md, section 1. */

#define EAR_PROGRAM_PATH   4096 /* bytes of a path, with its NUL */
#define EAR_PROGRAM_SHA256 65   /* hexadecimal digits and a NUL */

/* What a capture says of its program (docs/file-format.md, section 3); "" or NULL: nothing. */
struct ear_traced_program {
	const char *path;     /* as it was given */
	const char *absolute; /* absolute */
	const char *sha256;
	const char *build_id; /* hexadecimal digits */
	const char *trace;    /* path of the capture */
};

/* Open a regular file and hash it. Returns its descriptor, at its beginning, or EAR_E_IO (errno; a
 * file that is none is EINVAL). */
int ear_program_open(const char *path, char sha256[EAR_PROGRAM_SHA256]);

/* Find a file whose SHA-256 is that of the program: under its path, beside the capture, in the
 * folders of EARSHOT_PATH, and by its build ID. Nothing is fetched, and no other file is taken.
 *
 * Returns its descriptor, to be closed, and its path in found.
 * Returns EAR_E_UNSUPPORTED if the capture does not say which program it was; EAR_E_IO if none of
 * these files is there; EAR_E_BAD_FILE if there are only others: found gets the first of them, and
 * other its SHA-256.
 */
int ear_program_find(const struct ear_traced_program *program, char found[EAR_PROGRAM_PATH],
	char other[EAR_PROGRAM_SHA256]);

#endif
