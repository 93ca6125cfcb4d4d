#ifndef EAR_ANDROID_IMAGE_H
#define EAR_ANDROID_IMAGE_H

#include <earshot/names.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The functions of a file that a traced system maps: an ELF file, the methods of a .dexlist, or one
 * of the places that every ARM system has. Only where functions begin is known, as in the original
 * tools: each reaches to the next one.
 */
struct ear_android_image;

struct ear_android_symbol {
	const char *name;
	const char *class_name, *method, *signature; /* of a method; else NULL */
	uint32_t address;                            /* in the image */
	struct ear_android_image *image;
	/* A tool's own. */
	uint64_t cycles;
	uint32_t number;
	bool called;
};

struct ear_android_image {
	char *path; /* as the traced system names it */
	struct ear_android_symbol *symbols;
	size_t count; /* at least 1; by address, and the first one is at 0 or is a method */
	bool is_kernel, is_dex;
	bool is_vectors;                 /* where exceptions lead */
	bool is_later;                   /* a process mapped it after its first file */
	bool is_missing;                 /* there is no such file, or nothing in it */
	bool has_end;                    /* the original tools count one symbol more, for the end */
	uint32_t begin, end;             /* of the kernel: its code, end is not in it */
	struct ear_android_symbol whole; /* all of it as one, for --lump */
	char *strings;
	struct ear_android_image *next;
};

/* The symbol that an address of the image is in: the last one that begins before it. */
struct ear_android_symbol *ear_android_image_find(
	const struct ear_android_image *image, uint32_t address);

/* The symbol that begins there, or NULL. */
struct ear_android_symbol *ear_android_image_at(
	const struct ear_android_image *image, uint32_t address);

struct ear_android_fixed {
	const char *name;
	uint32_t address; /* after the first one */
};

/* All that follow return an image, or NULL if memory is short. */
struct ear_android_image *ear_android_image_fixed(
	const char *path, const struct ear_android_fixed *symbols, size_t count);
struct ear_android_image *ear_android_image_missing(const char *path);

/* A file that is not open yet: "" in message if it is read, else why it is like a missing one. */
struct ear_android_image *ear_android_image_elf(struct ear_names *names, int fd, const char *path,
	bool kernel, bool mangled, char *message, size_t size);

struct ear_android_method {
	uint32_t address;
	const char *class_name, *name, *signature;
};

/* The methods are by address. */
struct ear_android_image *ear_android_image_dex(
	const char *path, const struct ear_android_method *methods, size_t count);

void ear_android_image_free(struct ear_android_image *image); /* NULL is allowed */

#endif
