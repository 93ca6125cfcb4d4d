#ifndef EAR_DOCUMENT_H
#define EAR_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "byte_buffer.h"

/* The examples of a document in docs/, for tests that hold them against the code.
 *
 * An example is a fenced block "hex" after a comment "<!-- example NAME -->": hexadecimal
 * bytes, and explanations from "#" to the end of the line. The text that a stream decodes to is
 * a fenced block behind "<!-- text NAME -->".
 */

/* The content of the fenced block behind "<!-- kind name -->", and its end. document ends with a
 * NUL. Fails the test if there is none.
 */
const char *document_block(
	const struct byte_buffer *document, const char *kind, const char *name, const char **end);

/* The bytes of an example, appended to *bytes. */
void document_example(
	struct byte_buffer *bytes, const struct byte_buffer *document, const char *name);

/* Check that known says true to the name (length characters) of every example, and that every
 * block of hexadecimal bytes is one. Returns how many examples there are.
 */
size_t document_check_examples(
	const struct byte_buffer *document, bool (*known)(const char *name, size_t length));

/* Check that what the document at path has between "<!-- name -->" and "<!-- end -->" is what print
 * writes. If not, the test fails and shows what should be there; with EAR_WRITE_DOCUMENTS in the
 * environment it is written into the document instead.
 */
void document_check_table(const char *path, const char *name, void (*print)(FILE *to));

#endif
