#ifndef EAR_ANDROID_FILES_H
#define EAR_ANDROID_FILES_H

#include "cli/android/model/image.h"

/* The images of a trace, each once, by the path that the traced system maps. */
struct ear_android_files;

/* Says that a file has no names, and why: a sentence. */
typedef void ear_android_report(void *context, const char *sentence);

struct ear_android_files_options {
	struct ear_names *names; /* NULL: ELF files have no names */
	int folder;              /* of the trace, for its .dexlist */
	const char *root;        /* what mapped paths are below; NULL: none is opened */
	const char *kernel;      /* NULL: none */
	bool mangled;
	bool fixed; /* the places that every ARM system has are named */
	ear_android_report *report;
	void *context;
};

/* Returns 0 and *files, or an error and a sentence in message. */
int ear_android_files_open(struct ear_android_files **files,
	const struct ear_android_files_options *options, char *message, size_t size);
void ear_android_files_close(struct ear_android_files *files); /* NULL is allowed */

/* The image of a mapped path, never NULL but if memory is short. The path is the trace's, and not
 * trusted: no file outside of root is opened, but through links that root itself has. */
struct ear_android_image *ear_android_files_get(struct ear_android_files *files, const char *path);

/* NULL: there is none. */
struct ear_android_image *ear_android_files_kernel(const struct ear_android_files *files);

/* The image without any file. */
struct ear_android_image *ear_android_files_unknown(const struct ear_android_files *files);

/* All images, the first one; next in the image. */
struct ear_android_image *ear_android_files_first(const struct ear_android_files *files);

/* Places of every ARM system; NULL: no such number, or they are not wanted. */
struct ear_android_place {
	uint32_t start;
	uint64_t end;
	struct ear_android_image *image;
};
#define EAR_ANDROID_PLACES 3
const struct ear_android_place *ear_android_files_place(
	const struct ear_android_files *files, unsigned number);

#endif
