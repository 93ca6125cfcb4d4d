#ifndef EAR_COMMENT_LINE_H
#define EAR_COMMENT_LINE_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>

/* Gaps and events in text formats that have comments: a line of plain words that begins with "# ",
 * made for people and read back.
 *
 *     # gap: 12 records missing; index 100 to 111; hart 0; the unit's FIFO was full; stream byte
 *     4096
 *     # event: start trigger; value 0x1; hart 0; before index 0
 *
 * Names and texts of more than 2048 bytes are cut. There are no commas in it, so that nothing that
 * splits lines at commas takes it for a record.
 */

#define EAR_COMMENT_LINE_SIZE 2560 /* bytes of one comment line at most, with its line end */

/* Write the comment line for a gap or an event at at; nothing for other kinds. Returns the end. */
char *ear_comment_line_put(char *at, const struct ear_record *record);

/* True if a line is a comment line of this kind, well-formed or not. */
bool ear_comment_line_is(const char *line, size_t size);

/* Read a comment line into *record: kind, hart, index, stream_offset and u; nothing else is
 * touched. An event's name points into line. Of gaps, at_start is true only for an unknown count
 * before an index, and "after index 0" gives index 1.
 *
 * Returns 0, or EAR_E_BAD_FILE if line is not as ear_comment_line_put writes it.
 */
int ear_comment_line_parse(struct ear_record *record, const char *line, size_t size);

#endif
