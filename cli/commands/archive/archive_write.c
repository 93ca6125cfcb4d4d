/* Two passes over the sources. The first one reads each file for its SHA-256: what the archive
 * already has, under any name, needs no work. The second one packs what is new, block by block,
 * with several threads, and writes the blocks in their order. So the archive is the same whatever
 * the number of threads, and whatever was done in runs before.
 */
#include "cli/commands/archive/archive_write.h"

#include <earshot/error.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/progress.h"
#include "cli/base/seconds.h"
#include "library/archive/object_table.h"
#include "library/parallel/thread_pool.h"

#define READ_SIZE  ((size_t)1 << 20)
#define SAVE_AFTER 60.0 /* seconds between two manifests, so that a killed run can be continued */
#define SLOTS_MAX  (CLI_JOBS_MAX + 1)

/* A block on its way. */
struct slot {
	struct archive_source *source;
	struct ear_text_form *form; /* of the file; its last block's slot frees it */
	char *text;
	size_t size;
	uint64_t lines;
	bool first, last;
	bool changed; /* last: the file is not what the first pass read */
	struct ear_pack_bytes frame;
	bool records;
	int result;
};

struct writer {
	struct archive_writing *writing;
	struct ear_thread_pool *pool;
	struct slot slots[SLOTS_MAX];
	size_t slot_count;

	/* The file that is read. */
	size_t next; /* source to be opened next */
	int fd;
	struct archive_source *source;
	struct ear_text_form *form;
	SHA2_CTX sha256;
	uint64_t read;
	size_t block_size;
	size_t kept; /* bytes that were read after the end of the last line */
	char *rest;

	/* The object that is written. */
	int object;
	char path[ARCHIVE_OBJECT_MAX], new_path[ARCHIVE_OBJECT_MAX + 8];
	struct ear_object_table table;
	bool records;
	uint64_t stored;

	double saved, progress;
	uint64_t done; /* bytes of files that are packed */
	bool failed;
};

static void fail_source(struct archive_source *source, const char *why)
{
	if (!source->failed)
		cli_error("%s: %s", source->file, why);
	source->failed = true;
}

/* Bytes of a file into a buffer. Returns how many, fewer than size at its end, or -1 with errno. */
static ssize_t read_some(int fd, char *to, size_t size)
{
	size_t got = 0;

	while (got < size) {
		ssize_t count = read(fd, to + got, size - got);
		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return -1;
		if (count == 0)
			break;
		got += (size_t)count;
	}
	return (ssize_t)got;
}

static uint64_t count_lines(const char *text, size_t size)
{
	uint64_t count = 0;

	for (size_t i = 0; i < size; i++)
		count += text[i] == '\n';
	return count;
}

/* The first pass -------------------------------------------------------------------------- */

/* Files whose bytes are counted and hashed, one a slot. */
struct hashing {
	struct archive_source *sources[SLOTS_MAX];
	int errors[SLOTS_MAX]; /* errno, or 0 */
	char *buffers[CLI_JOBS_MAX];
};

/* Returns 0, or errno. */
static int hash_source(struct archive_source *source, char *buffer)
{
	struct ear_manifest_entry *entry = &source->entry;
	SHA2_CTX sha256;
	ssize_t got;
	int fd = open(source->file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	/* An argument may be a link. */
	if (fd < 0 && errno == ELOOP)
		fd = open(source->file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	SHA256Init(&sha256);
	entry->size = 0;
	while ((got = read_some(fd, buffer, READ_SIZE)) > 0) {
		SHA256Update(&sha256, (const uint8_t *)buffer, (size_t)got);
		entry->size += (uint64_t)got;
		entry->lines += count_lines(buffer, (size_t)got);
		if (cli_interrupted)
			break;
	}
	int error = got < 0 ? errno : 0;
	SHA256End(&sha256, entry->sha256);
	close(fd);
	return error;
}

static void hash_slot(void *context, size_t number, unsigned thread)
{
	struct hashing *hashing = context;

	hashing->errors[number] = hash_source(hashing->sources[number], hashing->buffers[thread]);
}

static void hash_files(
	struct archive_sources *sources, struct ear_thread_pool *pool, struct hashing *hashing)
{
	double progress = 0;
	size_t next = 0, number;

	do {
		while (next < sources->count && !cli_interrupted &&
			ear_thread_pool_free_slot(pool, &number)) {
			struct archive_source *source = &sources->list[next++];
			if (source->entry.kind != EAR_MANIFEST_FILE)
				continue;
			hashing->sources[number] = source;
			ear_thread_pool_submit(pool);
		}
		if (!ear_thread_pool_wait(pool, &number))
			break;
		if (hashing->errors[number] != 0)
			fail_source(hashing->sources[number], strerror(hashing->errors[number]));
		ear_thread_pool_release(pool);
		if (cli_progress_due(&progress))
			cli_progress("reading: %zu of %zu", next, sources->count);
	} while (!cli_interrupted);
}

static bool hash_all(struct archive_writing *writing)
{
	struct hashing *hashing = calloc(1, sizeof(*hashing));
	struct ear_thread_pool *pool = NULL;
	bool good = hashing && ear_thread_pool_new(&pool, writing->jobs, writing->jobs + 1,
				       hash_slot, hashing) == 0;

	for (unsigned i = 0; i < writing->jobs && good; i++)
		good = (hashing->buffers[i] = malloc(READ_SIZE));
	if (good)
		hash_files(writing->sources, pool, hashing);
	else
		cli_error("%s", ear_error_text(EAR_E_NO_MEMORY));
	ear_thread_pool_free(pool);
	for (unsigned i = 0; i < writing->jobs && hashing; i++)
		free(hashing->buffers[i]);
	free(hashing);
	return good && !cli_interrupted;
}

/* What is new ------------------------------------------------------------------------------ */

static bool is_same(const struct ear_manifest_entry *old, const struct ear_manifest_entry *entry)
{
	if (old->kind != entry->kind)
		return false;
	if (old->kind == EAR_MANIFEST_LINK)
		return strcmp(old->target, entry->target) == 0;
	return old->kind == EAR_MANIFEST_FOLDER ||
	       (strcmp(old->sha256, entry->sha256) == 0 && old->executable == entry->executable);
}

static void take_object(struct ear_manifest_entry *entry, const struct ear_manifest_entry *of)
{
	entry->blocks = of->blocks;
	entry->stored = of->stored;
	entry->records = of->records;
	memcpy(entry->format, of->format, sizeof(entry->format));
}

/* A file under one name keeps its contents for ever. */
static void find_conflicts(struct archive_writing *writing)
{
	for (size_t i = 0; i < writing->sources->count; i++) {
		struct archive_source *source = &writing->sources->list[i];
		const struct ear_manifest_entry *old =
			ear_manifest_find(&writing->store->manifest, source->entry.path);
		if (!old || source->failed)
			continue;
		if (!is_same(old, &source->entry)) {
			fail_source(source,
				"the archive has another file of this name, which it keeps");
			continue;
		}
		source->archived = true;
		take_object(&source->entry, old);
	}
}

static int order_sha256(const void *first, const void *second)
{
	const struct ear_manifest_entry *const *a = first, *const *b = second;

	return strcmp((*a)->sha256, (*b)->sha256);
}

/* The files of a manifest by their contents. */
static const struct ear_manifest_entry **list_objects(
	const struct ear_manifest *manifest, size_t *count)
{
	const struct ear_manifest_entry **list =
		malloc((manifest->count + 1) * sizeof(const void *));

	*count = 0;
	for (size_t i = 0; list && i < manifest->count; i++)
		if (manifest->entries[i].kind == EAR_MANIFEST_FILE)
			list[(*count)++] = &manifest->entries[i];
	if (list && *count > 1)
		qsort(list, *count, sizeof(*list), order_sha256);
	return list;
}

static bool find_known(struct archive_writing *writing)
{
	size_t count;
	const struct ear_manifest_entry **known = list_objects(&writing->store->manifest, &count);

	if (!known)
		return false;
	for (size_t i = 0; i < writing->sources->count && count > 0; i++) {
		struct archive_source *source = &writing->sources->list[i];
		const struct ear_manifest_entry *key = &source->entry;
		if (source->failed || source->archived || key->kind != EAR_MANIFEST_FILE)
			continue;
		const struct ear_manifest_entry **same =
			bsearch(&key, known, count, sizeof(*known), order_sha256);
		if (same)
			take_object(&source->entry, *same);
	}
	free(known);
	return true;
}

static int order_sources(const void *first, const void *second)
{
	const struct archive_source *const *a = first, *const *b = second;
	int order = strcmp((*a)->entry.sha256, (*b)->entry.sha256);

	return order ? order : strcmp((*a)->entry.path, (*b)->entry.path);
}

/* Files of equal contents have one object: the first one's. copies: mark the others; else they get
 * what the first one has by now. */
static bool share_objects(struct archive_sources *sources, bool copies)
{
	struct archive_source **list = malloc((sources->count + 1) * sizeof(const void *));
	size_t count = 0;

	if (!list)
		return false;
	for (size_t i = 0; i < sources->count; i++)
		if (sources->list[i].entry.kind == EAR_MANIFEST_FILE && !sources->list[i].failed)
			list[count++] = &sources->list[i];
	if (count > 1)
		qsort(list, count, sizeof(*list), order_sources);
	for (size_t i = 1; i < count; i++) {
		if (strcmp(list[i - 1]->entry.sha256, list[i]->entry.sha256) != 0)
			continue;
		list[i]->copy = copies || list[i]->copy;
		if (!copies && list[i]->copy)
			take_object(&list[i]->entry, &list[i - 1]->entry);
	}
	free(list);
	return true;
}

/* Has the file an object already, or needs none? */
static bool has_object(const struct archive_source *source)
{
	return source->entry.kind != EAR_MANIFEST_FILE || source->entry.size == 0 ||
	       source->entry.blocks > 0;
}

/* The second pass ------------------------------------------------------------------------- */

static void pack_slot(void *context, size_t number, unsigned thread)
{
	struct writer *writer = context;
	struct slot *slot = &writer->slots[number];

	(void)thread;
	slot->result = 0;
	if (slot->size > 0 && !slot->source->failed)
		slot->result = ear_text_pack(&slot->frame, &slot->records, slot->form, slot->first,
			slot->text, slot->size);
}

/* Open the next file that needs an object. Returns false if there is none. */
static bool open_next(struct writer *writer)
{
	struct archive_sources *sources = writer->writing->sources;

	for (; writer->next < sources->count; writer->next++) {
		struct archive_source *source = &sources->list[writer->next];
		if (source->failed || source->copy || has_object(source))
			continue;
		writer->fd = open(source->file, O_RDONLY | O_CLOEXEC);
		writer->form = writer->fd < 0 ? NULL : calloc(1, sizeof(*writer->form));
		if (writer->form) {
			writer->source = source;
			writer->read = 0;
			writer->kept = 0;
			SHA256Init(&writer->sha256);
			writer->next++;
			return true;
		}
		fail_source(
			source, writer->fd < 0 ? strerror(errno) : ear_error_text(EAR_E_NO_MEMORY));
		if (writer->fd >= 0)
			close(writer->fd);
	}
	return false;
}

/* Where a block ends that is not the last one: after its last line. */
static size_t block_end(const char *text, size_t size)
{
	for (size_t end = size; end > 0; end--)
		if (text[end - 1] == '\n')
			return end;
	return size;
}

/* The next block of the file into a slot. */
static void fill_slot(struct writer *writer, struct slot *slot)
{
	size_t max = writer->block_size;
	char sha256[EAR_MANIFEST_SHA256] = "";

	slot->source = writer->source;
	slot->form = writer->form;
	slot->first = writer->read == 0;
	memcpy(slot->text, writer->rest, writer->kept);
	ssize_t got = read_some(writer->fd, slot->text + writer->kept, max - writer->kept);
	if (got < 0)
		fail_source(writer->source, strerror(errno));
	else
		SHA256Update(
			&writer->sha256, (const uint8_t *)slot->text + writer->kept, (size_t)got);
	writer->read += got < 0 ? 0 : (uint64_t)got;
	size_t there = writer->kept + (got < 0 ? 0 : (size_t)got);
	slot->last = got < 0 || there < max || writer->read >= writer->source->entry.size;
	slot->size = slot->last ? there : block_end(slot->text, there);
	writer->kept = there - slot->size;
	memcpy(writer->rest, slot->text + slot->size, writer->kept);
	slot->lines = count_lines(slot->text, slot->size);
	if (slot->first && ear_text_form_find(slot->form, slot->text,
				   slot->size < READ_SIZE / 16 ? slot->size : READ_SIZE / 16) != 0)
		fail_source(writer->source, ear_error_text(EAR_E_NO_MEMORY));
	if (!slot->last)
		return;
	/* More that was appended since is seen here, too. */
	if (got >= 0 && read_some(writer->fd, sha256, 1) != 0)
		sha256[0] = '\0';
	else
		SHA256End(&writer->sha256, sha256);
	slot->changed = strcmp(sha256, writer->source->entry.sha256) != 0;
	close(writer->fd);
	writer->source = NULL;
}

/* Give the threads a block. Returns false if there is none, or no slot is free. */
static bool submit_next(struct writer *writer)
{
	size_t number;

	if (writer->failed || cli_interrupted || !ear_thread_pool_free_slot(writer->pool, &number))
		return false;
	if (!writer->source && !open_next(writer))
		return false;
	fill_slot(writer, &writer->slots[number]);
	ear_thread_pool_submit(writer->pool);
	return true;
}

static bool fail_object(struct writer *writer)
{
	cli_error("%s/%s: %s", writer->writing->store->name, writer->path, strerror(errno));
	writer->failed = true;
	return false;
}

static void begin_object(struct writer *writer, const struct slot *slot)
{
	int folder = writer->writing->store->fd;
	char name[16];

	archive_store_object(writer->path, slot->source->entry.sha256, false);
	snprintf(writer->new_path, sizeof(writer->new_path), "%s.new", writer->path);
	snprintf(name, sizeof(name), "%.10s", writer->path);
	if (mkdirat(folder, name, 0777) != 0 && errno != EEXIST) {
		fail_object(writer);
		return;
	}
	writer->object = openat(folder, writer->new_path,
		O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (writer->object < 0)
		fail_object(writer);
	writer->stored = 0;
	writer->records = false;
	writer->table.count = 0;
}

static bool put(struct writer *writer, const struct ear_pack_bytes *bytes)
{
	for (size_t at = 0; at < bytes->size;) {
		ssize_t count = write(writer->object, bytes->bytes + at, bytes->size - at);
		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0)
			return fail_object(writer);
		at += (size_t)count;
	}
	writer->stored += bytes->size;
	return true;
}

static bool put_table(struct writer *writer)
{
	struct ear_pack_bytes tables = {0};
	int result = writer->table.count > 1 ? ear_object_table_put(&tables, &writer->table) : 0;

	if (result)
		cli_error("%s: %s", writer->path, ear_error_text(result));
	writer->failed |= result != 0;
	bool good = result == 0 && put(writer, &tables);
	free(tables.bytes);
	return good;
}

static void end_object(struct writer *writer, const struct slot *slot)
{
	struct ear_manifest_entry *entry = &slot->source->entry;
	int folder = writer->writing->store->fd;

	if (slot->changed)
		fail_source(slot->source, "not archived: it has changed while it was read");
	bool good = !slot->source->failed && !writer->failed && put_table(writer);
	if (writer->object >= 0)
		close(writer->object);
	writer->object = -1;
	if (!good) {
		unlinkat(folder, writer->new_path, 0);
		return;
	}
	archive_store_object(writer->path, entry->sha256, writer->records);
	if (renameat(folder, writer->new_path, folder, writer->path) != 0) {
		fail_object(writer);
		return;
	}
	entry->blocks = writer->table.count;
	entry->stored = writer->stored;
	entry->records = writer->records;
	const char *format = slot->form->reader ? slot->form->reader->name : "";
	snprintf(entry->format, sizeof(entry->format), "%s", format);
	writer->writing->added++;
	writer->writing->stored += writer->stored;
}

static void take_slot(struct writer *writer, struct slot *slot)
{
	if (slot->first && !slot->source->failed && !writer->failed)
		begin_object(writer, slot);
	if (slot->result)
		fail_source(slot->source, ear_error_text(slot->result));
	if (!slot->source->failed && !writer->failed && put(writer, &slot->frame)) {
		const struct ear_object_block block = {slot->frame.size, slot->size, slot->lines};
		writer->records |= slot->records;
		writer->done += slot->size;
		if (ear_object_table_add(&writer->table, &block) != 0)
			fail_source(slot->source, ear_error_text(EAR_E_NO_MEMORY));
	}
	if (!slot->last)
		return;
	end_object(writer, slot);
	free(slot->form);
}

/* The manifest with all sources that have been done. */
static bool save(struct archive_writing *writing)
{
	const struct ear_manifest *old = &writing->store->manifest;
	struct ear_manifest all = {0};
	size_t next = 0;
	int result = 1;

	for (size_t i = 0; i < writing->sources->count && result >= 0; i++) {
		const struct archive_source *source = &writing->sources->list[i];
		if (source->failed || source->archived || !has_object(source))
			continue;
		for (; next < old->count && result >= 0 &&
			strcmp(old->entries[next].path, source->entry.path) < 0;
			next++)
			result = ear_manifest_add(&all, &old->entries[next]);
		if (result >= 0)
			result = ear_manifest_add(&all, &source->entry);
	}
	for (; next < old->count && result >= 0; next++)
		result = ear_manifest_add(&all, &old->entries[next]);
	if (result < 0)
		cli_error("%s: %s", writing->store->name, ear_error_text(result));
	bool good = result >= 0 && archive_store_save(writing->store, &all);
	ear_manifest_fini(&all);
	return good;
}

static void show_progress(struct writer *writer)
{
	if (cli_progress_due(&writer->progress))
		cli_progress("archiving: %zu of %zu, %" PRIu64 " MB", writer->next,
			writer->writing->sources->count, writer->done / 1000000);
	if (cli_seconds() - writer->saved < SAVE_AFTER)
		return;
	writer->failed |= !save(writer->writing);
	writer->saved = cli_seconds();
}

static bool pack_all(struct writer *writer)
{
	size_t number;

	for (;;) {
		while (submit_next(writer))
			;
		if (!ear_thread_pool_wait(writer->pool, &number))
			break;
		take_slot(writer, &writer->slots[number]);
		ear_thread_pool_release(writer->pool);
		show_progress(writer);
	}
	return !writer->failed && !cli_interrupted;
}

static void writer_fini(struct writer *writer)
{
	ear_thread_pool_free(writer->pool);
	/* Ended inside of a file. */
	if (writer->source) {
		close(writer->fd);
		free(writer->form);
	}
	if (writer->object >= 0) {
		close(writer->object);
		unlinkat(writer->writing->store->fd, writer->new_path, 0);
	}
	for (size_t i = 0; i < writer->slot_count; i++) {
		free(writer->slots[i].text);
		free(writer->slots[i].frame.bytes);
	}
	ear_object_table_fini(&writer->table);
	free(writer->rest);
	free(writer);
}

/* Blocks are no longer than the longest file. */
static size_t choose_block(const struct archive_writing *writing)
{
	uint64_t longest = 1;

	for (size_t i = 0; i < writing->sources->count; i++)
		if (!has_object(&writing->sources->list[i]) &&
			writing->sources->list[i].entry.size > longest)
			longest = writing->sources->list[i].entry.size;
	return longest < writing->block_size ? (size_t)longest : writing->block_size;
}

static bool pack_sources(struct archive_writing *writing)
{
	struct writer *writer = calloc(1, sizeof(*writer));
	bool good = writer;
	size_t room = choose_block(writing);

	if (writer) {
		writer->block_size = room;
		writer->writing = writing;
		writer->object = -1;
		writer->saved = cli_seconds();
		writer->slot_count = writing->jobs + 1;
		writer->rest = malloc(room);
		good = writer->rest && ear_thread_pool_new(&writer->pool, writing->jobs,
					       writer->slot_count, pack_slot, writer) == 0;
		for (size_t i = 0; i < writer->slot_count && good; i++)
			good = (writer->slots[i].text = malloc(room));
	}
	if (!good)
		cli_error("%s", ear_error_text(EAR_E_NO_MEMORY));
	good = good && pack_all(writer);
	if (writer)
		writer_fini(writer);
	return good;
}

static void count_up(struct archive_writing *writing)
{
	struct archive_sources *sources = writing->sources;

	for (size_t i = 0; i < sources->count; i++) {
		const struct ear_manifest_entry *entry = &sources->list[i].entry;
		if (sources->list[i].failed || entry->kind != EAR_MANIFEST_FILE)
			continue;
		writing->files++;
		writing->bytes += entry->size;
		writing->records += entry->records;
	}
}

bool archive_write(struct archive_writing *writing)
{
	bool good = hash_all(writing);

	if (!good)
		return false;
	find_conflicts(writing);
	if (!find_known(writing) || !share_objects(writing->sources, true)) {
		cli_error("%s", ear_error_text(EAR_E_NO_MEMORY));
		return false;
	}
	good = pack_sources(writing);
	/* What was done before a signal or a full disk is kept. */
	good &= share_objects(writing->sources, false) && save(writing);
	for (size_t i = 0; i < writing->sources->count && good; i++)
		if (!has_object(&writing->sources->list[i]))
			fail_source(
				&writing->sources->list[i], "not archived: nor was its first copy");
	count_up(writing);
	return good;
}
