/* Parts of an index file behind their checksums, which no mutation would pass: the first byte says
 * which part the others are: the sets of a node, a directory in a file of its own, or a whole file.
 * Wrong is: a crash, a read beyond the bytes, memory without bounds, an end that never comes.
 */
#include <earshot/error.h>
#include <stdlib.h>
#include <unistd.h>

#include "decode_run.h"
#include "library/index/file/index_checkpoint.h"
#include "library/index/file/index_file.h"
#include "library/index/file/index_version.h"
#include "library/index/index_query.h"
#include "target.h"

static void ask(struct ear_index *index)
{
	const struct ear_index_term terms[] = {{.kind = EAR_INDEX_PC, .last = UINT64_MAX},
		{.kind = EAR_INDEX_WRITE, .first = 0x80000000, .last = 0x80000fff}};
	const struct ear_index_query query = {terms, 2}, any = {NULL, 0};
	uint64_t records = ear_index_totals(index).records;
	struct ear_index_stretch stretch;
	struct ear_index_counts counts;
	struct ear_anchor anchor;
	size_t node;

	ear_index_next(index, &any, 0, &stretch);
	ear_index_next(index, &query, records / 2, &stretch);
	ear_index_previous(index, &query, records, &stretch);
	ear_index_count(index, records / 3, &counts);
	ear_index_find_number(index, records / 4, &stretch);
	ear_index_checkpoint_anchor(index, records / 2, &node, &anchor);
	ear_anchor_fini(&anchor);
	for (size_t i = 0; i < index->directory.levels[0].count && i < 16; i++) {
		struct ear_index_version version;
		if (ear_index_version_read(&version, index, i) != 0)
			continue;
		ear_index_version_check(&version, index);
		ear_index_version_fini(&version);
	}
}

static void ask_sets(const uint8_t *bytes, size_t size, unsigned level)
{
	struct ear_index_sets sets;
	struct ear_index_bytes again = {0};

	if (ear_index_sets_read(&sets, level, bytes, size) != 0)
		return;
	ear_index_sets_executed(&sets, 0, UINT64_MAX);
	ear_index_sets_accessed(&sets, 0x80000000, 0x80000fff, true, true);
	ear_index_sets_changed(&sets, 0, UINT64_MAX);
	ear_index_sets_write(&sets, level, &again);
	ear_index_sets_coarsen_data(&sets, sets.data_shift < 58 ? sets.data_shift + 2 : 60);
	ear_index_sets_coarsen_code(&sets, sets.code_shift < 58 ? sets.code_shift + 2 : 60);
	ear_index_bytes_fini(&again);
	ear_index_sets_fini(&sets);
}

int fuzz_index(const uint8_t *bytes, size_t size)
{
	struct ear_index_writer writer;
	struct ear_index *index;

	if (size == 0)
		return 0;
	if (bytes[0] != 'd' && bytes[0] != 'f') {
		ask_sets(bytes + 1, size - 1, bytes[0] & 3);
		return 0;
	}
	int fd = memory_file();
	if (bytes[0] == 'd' ? ear_index_writer_begin(&writer, fd) != 0 ||
				      ear_index_writer_end(&writer, bytes + 1, size - 1) != 0
			    : write(fd, bytes + 1, size - 1) != (ssize_t)(size - 1))
		abort();
	if (ear_index_file_open(&index, fd) == 0) {
		ask(index);
		ear_index_file_close(index);
	} else {
		close(fd);
	}
	return 0;
}
