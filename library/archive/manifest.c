/* The manifest: lines of words, each line with its own CRC-32, so that damage costs one entry. */
#include "library/archive/manifest.h"

#include <earshot/error.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "common/array.h"

#define FIRST_LINE "earshot archive 1\n"
#define CRC_SIZE   9u /* 8 digits and a blank */
#define WORDS_MAX  10u

static const char *const kinds[] = {"file", "folder", "link"};

static void entry_fini(struct ear_manifest_entry *entry)
{
	free(entry->path);
	free(entry->target);
}

void ear_manifest_fini(struct ear_manifest *manifest)
{
	for (size_t i = 0; i < manifest->count; i++)
		entry_fini(&manifest->entries[i]);
	free(manifest->entries);
	*manifest = (struct ear_manifest){0};
}

bool ear_manifest_path_is_good(const char *path)
{
	if (strlen(path) >= EAR_MANIFEST_PATH_MAX)
		return false;
	for (const char *at = path;; at++) {
		size_t size = strcspn(at, "/");
		if (size == 0 || size > NAME_MAX || (size == 1 && at[0] == '.') ||
			(size == 2 && at[0] == '.' && at[1] == '.'))
			return false;
		at += size;
		if (!*at)
			return true;
	}
}

static int order_entry(const void *path, const void *entry)
{
	return strcmp(path, ((const struct ear_manifest_entry *)entry)->path);
}

const struct ear_manifest_entry *ear_manifest_find(
	const struct ear_manifest *manifest, const char *path)
{
	return manifest->count == 0 ? NULL
				    : bsearch(path, manifest->entries, manifest->count,
					      sizeof(*manifest->entries), order_entry);
}

int ear_manifest_add(struct ear_manifest *manifest, const struct ear_manifest_entry *entry)
{
	struct ear_manifest_entry copy = *entry;

	if (manifest->count > 0 &&
		strcmp(manifest->entries[manifest->count - 1].path, entry->path) >= 0)
		return 0;
	copy.path = strdup(entry->path);
	copy.target = entry->target ? strdup(entry->target) : NULL;
	if (!copy.path || (entry->target && !copy.target) ||
		!EAR_ARRAY_RESERVE(manifest->entries, &manifest->capacity, manifest->count + 1)) {
		entry_fini(&copy);
		return EAR_E_NO_MEMORY;
	}
	manifest->entries[manifest->count++] = copy;
	return 1;
}

/* Writing ---------------------------------------------------------------------------------- */

static bool is_plain(char byte)
{
	return byte > ' ' && byte < 0x7F && byte != '\\';
}

/* A name as a word. Returns its size. */
static size_t put_name(char *at, const char *name)
{
	char *begin = at;

	for (; *name; name++)
		if (is_plain(*name))
			*at++ = *name;
		else
			at += sprintf(at, "\\x%02x", (unsigned)(unsigned char)*name);
	return (size_t)(at - begin);
}

static int append(struct ear_pack_bytes *to, const char *text, size_t size)
{
	if (!EAR_ARRAY_RESERVE(to->bytes, &to->capacity, to->size + size))
		return EAR_E_NO_MEMORY;
	memcpy(to->bytes + to->size, text, size);
	to->size += size;
	return 0;
}

/* A line without its CRC-32 and line feed. */
static int put_line(struct ear_pack_bytes *to, const char *line, size_t size)
{
	char crc[CRC_SIZE + 1];

	snprintf(crc, sizeof(crc), "%08x ", (unsigned)crc32_z(0, (const Bytef *)line, size));
	int result = append(to, crc, CRC_SIZE);
	if (result == 0)
		result = append(to, line, size);
	return result ? result : append(to, "\n", 1);
}

static int put_entry(struct ear_pack_bytes *to, const struct ear_manifest_entry *entry)
{
	size_t names = strlen(entry->path) + (entry->target ? strlen(entry->target) : 0);
	char *line = malloc(4 * names + 512), *at = line;

	if (!line)
		return EAR_E_NO_MEMORY;
	at += sprintf(at, "%s ", kinds[entry->kind]);
	if (entry->kind == EAR_MANIFEST_FILE)
		at += sprintf(at, "%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s %s %s ",
			entry->sha256, entry->size, entry->lines, entry->blocks, entry->stored,
			entry->executable ? "x" : "-", entry->records ? "records" : "zstd",
			entry->format[0] ? entry->format : "-");
	if (entry->target) {
		at += put_name(at, entry->target);
		*at++ = ' ';
	}
	at += put_name(at, entry->path);
	int result = put_line(to, line, (size_t)(at - line));
	free(line);
	return result;
}

int ear_manifest_write(struct ear_pack_bytes *to, const struct ear_manifest *manifest)
{
	char end[40];
	int result = append(to, FIRST_LINE, strlen(FIRST_LINE));

	for (size_t i = 0; i < manifest->count && result == 0; i++)
		result = put_entry(to, &manifest->entries[i]);
	int size = snprintf(end, sizeof(end), "end %zu", manifest->count);
	return result ? result : put_line(to, end, (size_t)size);
}

/* Reading ---------------------------------------------------------------------------------- */

static int hex_digit(char digit)
{
	return digit >= '0' && digit <= '9'   ? digit - '0'
	       : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
					      : -1;
}

/* A word as the name that it is, in its place. */
static bool take_name(char *word)
{
	char *to = word;

	while (*word) {
		if (is_plain(*word)) {
			*to++ = *word++;
			continue;
		}
		if (word[0] != '\\' || word[1] != 'x')
			return false;
		int high = hex_digit(word[2]), low = high < 0 ? -1 : hex_digit(word[3]);
		if (low < 0 || is_plain((char)(high * 16 + low)) || high * 16 + low == 0)
			return false;
		*to++ = (char)(high * 16 + low);
		word += 4;
	}
	*to = '\0';
	return true;
}

static bool take_number(uint64_t *value, const char *word)
{
	char *end;

	if (*word < '0' || *word > '9' || strlen(word) > 19)
		return false;
	*value = strtoull(word, &end, 10);
	return !*end;
}

static bool take_choice(bool *value, const char *word, const char *yes, const char *no)
{
	*value = strcmp(word, yes) == 0;
	return *value || strcmp(word, no) == 0;
}

static bool take_sha256(char sha256[EAR_MANIFEST_SHA256], const char *word)
{
	if (strlen(word) != EAR_MANIFEST_SHA256 - 1)
		return false;
	for (const char *at = word; *at; at++)
		if (hex_digit(*at) < 0)
			return false;
	memcpy(sha256, word, EAR_MANIFEST_SHA256);
	return true;
}

static bool take_format(char format[32], const char *word)
{
	if (strlen(word) >= 32)
		return false;
	strcpy(format, strcmp(word, "-") == 0 ? "" : word);
	return true;
}

/* The words of a line are those of an entry. */
static bool take_entry(struct ear_manifest_entry *entry, char **words, size_t count)
{
	*entry = (struct ear_manifest_entry){.path = words[count - 1]};
	if (!take_name(entry->path) || !ear_manifest_path_is_good(entry->path))
		return false;
	if (count == 2 && strcmp(words[0], kinds[EAR_MANIFEST_FOLDER]) == 0) {
		entry->kind = EAR_MANIFEST_FOLDER;
		return true;
	}
	if (count == 3 && strcmp(words[0], kinds[EAR_MANIFEST_LINK]) == 0) {
		entry->kind = EAR_MANIFEST_LINK;
		entry->target = words[1];
		return take_name(entry->target) && *entry->target;
	}
	return count == WORDS_MAX && strcmp(words[0], kinds[EAR_MANIFEST_FILE]) == 0 &&
	       take_sha256(entry->sha256, words[1]) && take_number(&entry->size, words[2]) &&
	       take_number(&entry->lines, words[3]) && take_number(&entry->blocks, words[4]) &&
	       take_number(&entry->stored, words[5]) &&
	       take_choice(&entry->executable, words[6], "x", "-") &&
	       take_choice(&entry->records, words[7], "records", "zstd") &&
	       take_format(entry->format, words[8]);
}

static size_t split(char **words, char *line)
{
	size_t count = 0;

	for (char *at = line; count < WORDS_MAX + 1; at++) {
		words[count++] = at;
		at = strchr(at, ' ');
		if (!at)
			break;
		*at = '\0';
	}
	return count;
}

static bool crc_is_right(const char *line, size_t size)
{
	char crc[CRC_SIZE + 1];

	if (size <= CRC_SIZE)
		return false;
	snprintf(crc, sizeof(crc), "%08x ",
		(unsigned)crc32_z(0, (const Bytef *)line + CRC_SIZE, size - CRC_SIZE));
	return memcmp(crc, line, CRC_SIZE) == 0;
}

/* Returns 0; 1: the line cannot be used; 2: it was the last one; or EAR_E_NO_MEMORY. */
static int take_line(struct ear_manifest *manifest, uint64_t lines, const char *text, size_t size)
{
	struct ear_manifest_entry entry;
	char *words[WORDS_MAX + 1], *line;
	uint64_t number;
	int result = 1;

	if (!crc_is_right(text, size) || memchr(text, '\0', size))
		return 1;
	line = strndup(text + CRC_SIZE, size - CRC_SIZE);
	if (!line)
		return EAR_E_NO_MEMORY;
	size_t count = split(words, line);
	if (count == 2 && strcmp(words[0], "end") == 0)
		result = take_number(&number, words[1]) && number == lines ? 2 : 1;
	else if (count > 1 && count <= WORDS_MAX && take_entry(&entry, words, count))
		result = ear_manifest_add(manifest, &entry);
	else
		count = 0;
	/* Added is 1, and not in order is 0. */
	if (count > 0 && strcmp(words[0], "end") != 0 && result >= 0)
		result = 1 - result;
	free(line);
	return result;
}

int ear_manifest_read(struct ear_manifest *manifest, const char *text, size_t size,
	ear_manifest_report *report, void *context)
{
	const size_t first = strlen(FIRST_LINE);
	uint64_t line = 1;
	int reported = 0, result = 0;

	*manifest = (struct ear_manifest){0};
	if (size < first || memcmp(text, FIRST_LINE, first) != 0)
		return EAR_E_VERSION;
	for (size_t at = first; at < size && result != 2; line++) {
		const char *newline = memchr(text + at, '\n', size - at);
		size_t end = newline ? (size_t)(newline - text) : size;
		result = newline ? take_line(manifest, line - 1, text + at, end - at) : 1;
		at = end + 1;
		if (result < 0)
			return result;
		if (result == 2 && at < size)
			result = 1;
		if (result == 1 && reported < INT_MAX) {
			reported++;
			if (report)
				report(context, line + 1);
		}
	}
	if (result != 2) {
		reported++;
		if (report)
			report(context, 0);
	}
	return reported;
}
