#ifndef EAR_LINE_COMPARE_H
#define EAR_LINE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Comparing the lines of two texts without decoding them: an optional interface of readers
 * (ear_reader.line_compare), for formats whose records are one line each.
 *
 * Lines are *equal* if all their bytes are. They are *equivalent* if they differ and are known to
 * decode to the same record. Comparing is many times faster than decoding, and two traces that are
 * compared are mostly the same.
 */
struct ear_reader;

/* Records of one hart in a run of lines, and the state that they leave the hart in: what the last
 * line that sets it says, in terms of the format; 0: none does.
 */
struct ear_equal_lines {
	uint16_t hart;
	uint8_t state;
	uint64_t count;
};
#define EAR_EQUAL_HARTS_MAX 16

/* A run of lines that both texts have: records by hart, lines, bytes. */
struct ear_line_run {
	struct ear_equal_lines harts[EAR_EQUAL_HARTS_MAX];
	size_t hart_count;
	uint64_t line_count;
	size_t size; /* in bytes; of equivalent lines the size in the first text */
};

/* Count records of a hart; state 0 leaves that of the run. Returns false, and the run is as it was,
 * if there are too many harts. */
bool ear_line_run_count(struct ear_line_run *run, unsigned hart, uint64_t count, unsigned state);

/* Append a run. Returns false, and *run is as it was, if there are too many harts. */
bool ear_line_run_append(struct ear_line_run *run, const struct ear_line_run *next);

/* Whole lines in memory, with EAR_TEXT_SLACK readable bytes after them. */
struct ear_line_range {
	const char *at, *end;
};

/* Two equivalent lines: their ends, counted from the beginnings of the two ranges, the hart, and
 * the state as in struct ear_equal_lines. */
struct ear_line_pair {
	uint32_t end[2];
	uint16_t hart;
	uint8_t state;
};
#define EAR_LINE_PAIRS_MAX 2048 /* a good number of pairs for one search */

/* What a reader remembers of the lines that it has decoded; equivalent lines are found with it. */
enum ear_line_memory {
	EAR_LINE_MEMORY_NONE,    /* lines cannot be compared here */
	EAR_LINE_MEMORY_GROWING, /* decoding more lines adds to it */
	EAR_LINE_MEMORY_SETTLED, /* decoding more lines adds next to nothing */
};

/* The functions of a format. Both readers are of this format. find_equal and find_equivalent may
 * run in any thread, and in several, while no other function changes the readers.
 */
struct ear_line_compare {
	/* As ear_reader_skip_equal, within the blocks that the two readers hold in memory. */
	size_t (*skip)(struct ear_reader *reader, struct ear_reader *other,
		struct ear_equal_lines *harts, size_t keep);

	/* Would both readers decode the same line to the same record, and be in the same state
	 * after it? */
	bool (*same_state)(const struct ear_reader *reader, const struct ear_reader *other);

	/* Offset in the text of the first byte of the reader's next line. */
	uint64_t (*offset)(const struct ear_reader *reader);

	/* Continue after size bytes from there, which hold the lines of *run. */
	void (*jump)(struct ear_reader *reader, const struct ear_line_run *run, uint64_t size);

	/* The lines at the beginning of a[0 .. size-1] that b has too and that have no effect on
	 * the lines after them but by the state of the run. The readers are in the same state. */
	void (*find_equal)(const struct ear_reader *reader, struct ear_line_run *run, const char *a,
		const char *b, size_t size);

	enum ear_line_memory (*memory)(const struct ear_reader *reader);

	/* The pairs at the beginning of two ranges, up to the first that is not certain: equal or
	 * equivalent lines without an effect on the lines after them. Both memories exist.
	 *
	 * *budget: how many of the pairs may be lines that a reader does not remember, which cost
	 * twice as much; reduced by those that are. Returns how many pairs there are, at most max.
	 */
	size_t (*find_equivalent)(const struct ear_reader *reader, struct ear_line_range range,
		const struct ear_reader *other, struct ear_line_range other_range,
		struct ear_line_pair *pairs, size_t max, size_t *budget);
};

#endif
