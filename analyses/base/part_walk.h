#ifndef EAR_ANALYSES_PART_WALK_H
#define EAR_ANALYSES_PART_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyses/base/part.h"

/* One walk over what was counted writes it as lines of a part file, and reads it from them, so that
 * both have the same words in the same order (docs/parts.md, section 3).
 *
 *     static void walk(void *count, struct ear_part_walk *walk)
 *     {
 *             struct ear_example *example = count;
 *
 *             for (uint64_t i = 0; ear_part_item(walk, "class", &i, CLASSES); i++)
 *                     ear_part_u64(walk, &example->classes[i], UINT64_MAX);
 *             if (ear_part_line(walk, "ticks")) {
 *                     ear_part_u64(walk, &example->first_ticks, UINT64_MAX);
 *                     ear_part_u64(walk, &example->last_ticks, UINT64_MAX);
 *             }
 *     }
 *
 * Writing, it is called once, and each line that it begins is written. Reading, it is called once a
 * line, and takes the one that the file has: lines may come in any order, and any number of times.
 *
 * After an error all that is read is 0, and no line begins. The sentence is in the reader.
 */
struct ear_part_walk {
	struct ear_part_writer *writer; /* NULL: it reads, */
	struct ear_part_reader *reader; /* from this; NULL: it writes */
	const char *word;               /* that the line begins with; NULL: it was taken */
	bool bad;                       /* reading: it failed */
};

typedef void ear_part_walker(void *count, struct ear_part_walk *walk);

/* All lines of a count, after the head and before the end. unknown_line: what is wrong with a line
 * that the walk does not take. ear_part_walk_read returns false after an error, which the reader
 * has. */
void ear_part_walk_write(ear_part_walker *part, void *count, struct ear_part_writer *writer);
bool ear_part_walk_read(ear_part_walker *part, void *count, struct ear_part_reader *reader,
	const char *unknown_line);

static inline bool ear_part_reads(const struct ear_part_walk *walk)
{
	return walk->reader != NULL;
}

/* Is a line with this word wanted here? For what is long to look for in vain. */
bool ear_part_wants(const struct ear_part_walk *walk, const char *word);

/* Does a line with this word come next? If so, its values do. */
bool ear_part_line(struct ear_part_walk *walk, const char *word);

/* The same for item *i of count ones: its number is the line's first value. */
bool ear_part_item(struct ear_part_walk *walk, const char *word, uint64_t *i, uint64_t count);

/* Of items 0 .. count - 1 whose lines have no number: is item i to be walked? Writing, all are;
 * reading, the first call, for the item that the line is, whichever that is. */
static inline bool ear_part_more(const struct ear_part_walk *walk, uint64_t i, uint64_t count)
{
	return walk->reader ? i == 0 : i < count;
}

/* The next value of the line. Reading returns it, or 0 if it is missing or above max. Writing, it
 * is written in decimal, or as 0x and hexadecimal digits. */
uint64_t ear_part_decimal(struct ear_part_walk *walk, uint64_t value, uint64_t max);
uint64_t ear_part_hex(struct ear_part_walk *walk, uint64_t value, uint64_t max);

/* The rest of the line, a text without line ends. Reading returns it, until the next line comes. */
const char *ear_part_tail(struct ear_part_walk *walk, const char *text);

/* The next word, any text of less than size bytes (ear_part_quote). */
#define EAR_PART_TEXT_MAX 1024u /* of size */
void ear_part_quoted(struct ear_part_walk *walk, char *text, size_t size);

/* The line has something else that is wrong. */
void ear_part_reject(struct ear_part_walk *walk, const char *what);

static inline void ear_part_u64(struct ear_part_walk *walk, uint64_t *value, uint64_t max)
{
	*value = ear_part_decimal(walk, *value, max);
}

static inline void ear_part_hex64(struct ear_part_walk *walk, uint64_t *value, uint64_t max)
{
	*value = ear_part_hex(walk, *value, max);
}

static inline void ear_part_u32(struct ear_part_walk *walk, uint32_t *value, uint32_t max)
{
	*value = (uint32_t)ear_part_decimal(walk, *value, max);
}

static inline void ear_part_hex32(struct ear_part_walk *walk, uint32_t *value, uint32_t max)
{
	*value = (uint32_t)ear_part_hex(walk, *value, max);
}

static inline void ear_part_u16(struct ear_part_walk *walk, uint16_t *value, uint16_t max)
{
	*value = (uint16_t)ear_part_decimal(walk, *value, max);
}

static inline void ear_part_u8(struct ear_part_walk *walk, uint8_t *value, uint8_t max)
{
	*value = (uint8_t)ear_part_decimal(walk, *value, max);
}

static inline void ear_part_bool(struct ear_part_walk *walk, bool *value)
{
	*value = ear_part_decimal(walk, *value, 1);
}

#endif
