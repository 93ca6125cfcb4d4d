/* The text is read whole and cut in place. */
#include "cli/android/model/dexlist.h"

#include <earshot/error.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME          "qtrace.dexlist"
#define FILE_SIZE_MAX ((off_t)64 << 20)

struct dex_file {
	const char *path;
	size_t first, count; /* methods */
};

struct ear_android_dexlist {
	char *text;
	struct dex_file *files;
	struct ear_android_method *methods;
	size_t file_count, method_count;
};

void ear_android_dexlist_free(struct ear_android_dexlist *list)
{
	if (!list)
		return;
	free(list->text);
	free(list->files);
	free(list->methods);
	free(list);
}

static int read_text(struct ear_android_dexlist *list, int fd, char *message, size_t size)
{
	struct stat status;
	size_t used = 0;

	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > FILE_SIZE_MAX) {
		snprintf(message, size, NAME ": this is not a file of at most 64 MiB");
		return EAR_E_BAD_FILE;
	}
	list->text = malloc((size_t)status.st_size + 1);
	if (!list->text)
		return EAR_E_NO_MEMORY;
	while (used < (size_t)status.st_size) {
		ssize_t got = read(fd, list->text + used, (size_t)status.st_size - used);
		if (got < 0) {
			snprintf(message, size, NAME ": %s", strerror(errno));
			return EAR_E_IO;
		}
		if (got == 0)
			break;
		used += (size_t)got;
	}
	list->text[used] = '\0';
	return 0;
}

/* Room for one more item in an array whose capacity is a power of two. */
static void *grow(void *array, size_t count, size_t item)
{
	if (count & (count - 1))
		return array;
	return realloc(array, (count ? 2 * count : 1) * item);
}

static int add_file(struct ear_android_dexlist *list, const char *path)
{
	struct dex_file *files = grow(list->files, list->file_count, sizeof(*files));

	if (!files)
		return EAR_E_NO_MEMORY;
	list->files = files;
	files[list->file_count++] = (struct dex_file){path, list->method_count, 0};
	return 0;
}

/* Seven words; the first four that count are address, class, method, signature. */
static int add_method(struct ear_android_dexlist *list, char *line)
{
	char *words[7], *rest = NULL, *end;
	size_t count = 0;

	for (char *word = strtok_r(line, " \t", &rest); word && count < 7;
		word = strtok_r(NULL, " \t", &rest))
		words[count++] = word;
	if (count < 7 || list->file_count == 0)
		return EAR_E_BAD_FILE;
	unsigned long address = strtoul(words[0], &end, 16);
	if (*end != '\0' || address > UINT32_MAX)
		return EAR_E_BAD_FILE;
	struct dex_file *file = &list->files[list->file_count - 1];
	if (file->count > 0 && address <= list->methods[list->method_count - 1].address)
		return EAR_E_BAD_FILE;
	struct ear_android_method *methods =
		grow(list->methods, list->method_count, sizeof(*methods));
	if (!methods)
		return EAR_E_NO_MEMORY;
	list->methods = methods;
	methods[list->method_count++] =
		(struct ear_android_method){(uint32_t)address, words[2], words[3], words[4]};
	file->count++;
	return 0;
}

static int parse(struct ear_android_dexlist *list, char *message, size_t size)
{
	char *rest = NULL;
	size_t number = 0;
	int result = 0;

	for (char *line = list->text; line && *line && result == 0; line = rest) {
		rest = strchr(line, '\n');
		if (rest)
			*rest++ = '\0';
		number++;
		line[strcspn(line, "\r")] = '\0';
		if (line[0] == '#')
			result = add_file(list, line + 1);
		else if (line[0] != '\0')
			result = add_method(list, line);
	}
	if (result == EAR_E_BAD_FILE)
		snprintf(message, size,
			NAME ", line %zu: this is not '#PATH', nor a method after the one before: "
			     "ADDRESS SIZE CLASS METHOD SIGNATURE FILE LINE",
			number);
	return result;
}

int ear_android_dexlist_read(
	struct ear_android_dexlist **list, int folder, char *message, size_t size)
{
	int fd = openat(folder, NAME, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	*list = NULL;
	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0) {
		snprintf(message, size, NAME ": %s", strerror(errno));
		return EAR_E_IO;
	}
	struct ear_android_dexlist *made = calloc(1, sizeof(*made));
	int result = made ? read_text(made, fd, message, size) : EAR_E_NO_MEMORY;
	close(fd);
	if (result == 0)
		result = parse(made, message, size);
	if (result == EAR_E_NO_MEMORY)
		snprintf(message, size, "%s", ear_error_text(result));
	if (result) {
		ear_android_dexlist_free(made);
		return result;
	}
	*list = made;
	return 0;
}

static bool ends_with(const char *text, const char *end)
{
	size_t size = strlen(text), end_size = strlen(end);

	return end_size <= size && strcmp(text + size - end_size, end) == 0;
}

int ear_android_dexlist_find(
	const struct ear_android_dexlist *list, const char *path, struct ear_android_image **image)
{
	*image = NULL;
	for (size_t i = 0; list && i < list->file_count; i++) {
		const struct dex_file *file = &list->files[i];
		if (file->count == 0 || !ends_with(file->path, path))
			continue;
		*image = ear_android_image_dex(path, list->methods + file->first, file->count);
		return *image ? 0 : EAR_E_NO_MEMORY;
	}
	return 0;
}
