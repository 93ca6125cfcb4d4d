/* Opens what a trace maps. A path of a trace is taken apart before it is used: it may not climb out
 * of the root, and only regular files are read, by the process that names come from.
 */
#include "cli/android/model/files.h"

#include <earshot/error.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/android/model/dexlist.h"

struct ear_android_files {
	struct ear_android_files_options options;
	struct ear_android_dexlist *dexlist;
	struct ear_android_image *first, *kernel, *unknown;
	struct ear_android_place places[EAR_ANDROID_PLACES];
	int root;
};

static void say(const struct ear_android_files *files, const char *path, const char *cause)
{
	char sentence[512];

	if (!files->options.report)
		return;
	snprintf(sentence, sizeof(sentence), "%.300s: %s: its code has no names", path, cause);
	files->options.report(files->options.context, sentence);
}

static struct ear_android_image *keep(
	struct ear_android_files *files, struct ear_android_image *image)
{
	if (image) {
		image->next = files->first;
		files->first = image;
	}
	return image;
}

static bool climbs(const char *path)
{
	for (const char *at = path; (at = strstr(at, "..")); at += 2)
		if ((at == path || at[-1] == '/') && (at[2] == '/' || at[2] == '\0'))
			return true;
	return false;
}

/* Returns the descriptor, or -1 and the cause. */
static int open_regular(int folder, const char *path, const char **cause)
{
	struct stat status;
	int fd = openat(folder, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0) {
		*cause = strerror(errno);
		return -1;
	}
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
		return fd;
	close(fd);
	*cause = "it is not a file";
	return -1;
}

static int open_mapped(const struct ear_android_files *files, const char *path, const char **cause)
{
	while (*path == '/')
		path++;
	if (climbs(path) || *path == '\0') {
		*cause = "its name leads out of the root";
		return -1;
	}
	return open_regular(files->root, path, cause);
}

/* An ELF file, or one that is missing. */
static struct ear_android_image *load(
	struct ear_android_files *files, const char *path, bool kernel)
{
	const struct ear_android_files_options *options = &files->options;
	const char *cause = NULL;
	char message[256] = "";
	struct ear_android_image *image;

	if (!options->names || (!kernel && files->root < 0))
		return ear_android_image_missing(path);
	int fd = kernel ? open_regular(AT_FDCWD, path, &cause) : open_mapped(files, path, &cause);
	if (fd < 0) {
		say(files, path, cause);
		return ear_android_image_missing(path);
	}
	image = ear_android_image_elf(options->names, fd, kernel ? ear_names_base(path) : path,
		kernel, options->mangled, message, sizeof(message));
	close(fd);
	if (message[0])
		say(files, path, message);
	return image;
}

struct ear_android_image *ear_android_files_get(struct ear_android_files *files, const char *path)
{
	struct ear_android_image *image = files->first;

	while (image && (image == files->kernel || strcmp(image->path, path) != 0))
		image = image->next;
	if (image || ear_android_dexlist_find(files->dexlist, path, &image) != 0)
		return image;
	return keep(files, image ? image : load(files, path, false));
}

struct ear_android_image *ear_android_files_kernel(const struct ear_android_files *files)
{
	return files->kernel;
}

struct ear_android_image *ear_android_files_unknown(const struct ear_android_files *files)
{
	return files->unknown;
}

struct ear_android_image *ear_android_files_first(const struct ear_android_files *files)
{
	return files->first;
}

const struct ear_android_place *ear_android_files_place(
	const struct ear_android_files *files, unsigned number)
{
	if (number >= EAR_ANDROID_PLACES || !files->options.fixed)
		return NULL;
	return &files->places[number];
}

/* --- Opening --- */

static bool make_places(struct ear_android_files *files)
{
	static const struct ear_android_fixed boot[] = {
		{"(bootloader_start)", 0}, {"(bootloader_end)", 0x14}};
	static const struct ear_android_fixed vectors[] = {
		{"(vector_start)", 0}, {"(vector_end)", 0x500}};
	static const struct ear_android_fixed atomic[] = {{"(kuser_atomic_dec)", 0},
		{"(kuser_atomic_inc)", 0x20}, {"(kuser_cmpxchg)", 0x40}, {"(kuser_end)", 0x80}};
	struct ear_android_place *places = files->places;

	places[0] = (struct ear_android_place){
		0, 0x14, keep(files, ear_android_image_fixed("(bootloader)", boot, 2))};
	places[1] = (struct ear_android_place){0xFFFF0000, 0xFFFF0500,
		keep(files, ear_android_image_fixed("(exception vectors)", vectors, 2))};
	places[2] = (struct ear_android_place){0xFFFF0F80, 0xFFFF1000,
		keep(files, ear_android_image_fixed("(atomic ops)", atomic, 4))};
	if (places[1].image)
		places[1].image->is_vectors = true;
	return places[0].image && places[1].image && places[2].image;
}

static int open_root(struct ear_android_files *files, char *message, size_t size)
{
	const char *root = files->options.root;

	if (!root)
		return 0;
	files->root = open(root[0] ? root : "/", O_RDONLY | O_CLOEXEC | O_DIRECTORY);
	if (files->root >= 0)
		return 0;
	snprintf(message, size, "%s: %s", root, strerror(errno));
	return EAR_E_IO;
}

static int open_kernel(struct ear_android_files *files, char *message, size_t size)
{
	const char *path = files->options.kernel;

	if (!path)
		return 0;
	files->kernel = keep(files, load(files, path, true));
	if (!files->kernel)
		return EAR_E_NO_MEMORY;
	if (!files->kernel->is_missing)
		return 0;
	snprintf(message, size, "%s: names of it are needed", path);
	return EAR_E_BAD_FILE;
}

int ear_android_files_open(struct ear_android_files **files,
	const struct ear_android_files_options *options, char *message, size_t size)
{
	struct ear_android_files *made = calloc(1, sizeof(*made));

	if (!made) {
		snprintf(message, size, "%s", ear_error_text(EAR_E_NO_MEMORY));
		return EAR_E_NO_MEMORY;
	}
	made->options = *options;
	made->root = -1;
	made->unknown = keep(made, ear_android_image_missing("(unknown)"));
	int result = made->unknown && make_places(made) ? 0 : EAR_E_NO_MEMORY;
	if (result == 0)
		result = open_root(made, message, size);
	if (result == 0)
		result = ear_android_dexlist_read(&made->dexlist, options->folder, message, size);
	if (result == 0)
		result = open_kernel(made, message, size);
	if (result == EAR_E_NO_MEMORY)
		snprintf(message, size, "%s", ear_error_text(result));
	if (result) {
		ear_android_files_close(made);
		return result;
	}
	*files = made;
	return 0;
}

void ear_android_files_close(struct ear_android_files *files)
{
	if (!files)
		return;
	while (files->first) {
		struct ear_android_image *image = files->first;
		files->first = image->next;
		ear_android_image_free(image);
	}
	ear_android_dexlist_free(files->dexlist);
	if (files->root >= 0)
		close(files->root);
	free(files);
}
