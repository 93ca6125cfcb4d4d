/* Symbols of one file, by address. Names are copied into one block, so that an image does not need
 * the file, nor the table that it came from.
 */
#include "cli/android/model/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

#define EM_ARM 40

struct ear_android_symbol *ear_android_image_find(
	const struct ear_android_image *image, uint32_t address)
{
	size_t low = 0, high = image->count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (image->symbols[middle].address <= address)
			low = middle;
		else
			high = middle;
	}
	return &image->symbols[low];
}

struct ear_android_symbol *ear_android_image_at(
	const struct ear_android_image *image, uint32_t address)
{
	struct ear_android_symbol *symbol = ear_android_image_find(image, address);

	return symbol->address == address ? symbol : NULL;
}

void ear_android_image_free(struct ear_android_image *image)
{
	if (!image)
		return;
	free(image->path);
	free(image->symbols);
	free(image->strings);
	free(image);
}

/* --- Building --- */

struct builder {
	struct ear_android_image *image;
	size_t symbol_room, text_size, text_room;
	char *text; /* of all names; symbols hold offsets until the end */
	bool failed;
};

static bool begin(struct builder *builder, const char *path)
{
	memset(builder, 0, sizeof(*builder));
	builder->image = calloc(1, sizeof(*builder->image));
	if (builder->image)
		builder->image->path = strdup(path);
	builder->failed = !builder->image || !builder->image->path;
	return !builder->failed;
}

/* Returns the offset of the copy. */
static size_t add_text(struct builder *builder, const char *text)
{
	size_t size = strlen(text) + 1, at = builder->text_size;

	if (builder->failed)
		return 0;
	if (!EAR_ARRAY_RESERVE(builder->text, &builder->text_room, at + size)) {
		builder->failed = true;
		return 0;
	}
	memcpy(builder->text + at, text, size);
	builder->text_size += size;
	return at;
}

/* Until finish, the names are offsets: the block may move. */
static const char *as_name(size_t offset)
{
	return (const char *)(uintptr_t)offset;
}

static const char *add_name(struct builder *builder, const char *text)
{
	return as_name(add_text(builder, text));
}

static struct ear_android_symbol *add(struct builder *builder, uint32_t address, const char *name)
{
	struct ear_android_image *image = builder->image;
	static struct ear_android_symbol unused;

	if (!builder->failed &&
		!EAR_ARRAY_RESERVE(image->symbols, &builder->symbol_room, image->count + 1))
		builder->failed = true;
	const char *copy = add_name(builder, name);
	if (builder->failed)
		return &unused;
	struct ear_android_symbol *symbol = &image->symbols[image->count++];
	*symbol = (struct ear_android_symbol){.name = copy, .address = address, .image = image};
	return symbol;
}

static const char *settle(const struct ear_android_image *image, const char *offset)
{
	return image->strings + (uintptr_t)offset;
}

static struct ear_android_image *finish(struct builder *builder)
{
	struct ear_android_image *image = builder->image;

	if (builder->failed) {
		free(builder->text);
		ear_android_image_free(image);
		return NULL;
	}
	image->strings = builder->text;
	for (size_t i = 0; i < image->count; i++) {
		struct ear_android_symbol *symbol = &image->symbols[i];
		symbol->name = settle(image, symbol->name);
		if (image->is_dex) {
			symbol->class_name = settle(image, symbol->class_name);
			symbol->method = settle(image, symbol->method);
			symbol->signature = settle(image, symbol->signature);
		}
	}
	image->whole = (struct ear_android_symbol){
		.name = image->is_kernel ? ":kernel" : image->path, .image = image};
	return image;
}

struct ear_android_image *ear_android_image_fixed(
	const char *path, const struct ear_android_fixed *symbols, size_t count)
{
	struct builder builder;

	if (!begin(&builder, path))
		return finish(&builder);
	builder.image->is_kernel = true;
	for (size_t i = 0; i < count; i++)
		add(&builder, symbols[i].address, symbols[i].name);
	return finish(&builder);
}

struct ear_android_image *ear_android_image_missing(const char *path)
{
	struct builder builder;

	if (!begin(&builder, path))
		return finish(&builder);
	builder.image->is_missing = true;
	add(&builder, 0, "(unknown)");
	return finish(&builder);
}

struct ear_android_image *ear_android_image_dex(
	const char *path, const struct ear_android_method *methods, size_t count)
{
	struct builder builder;
	char name[1024];

	if (!begin(&builder, path))
		return finish(&builder);
	builder.image->is_dex = true;
	builder.image->has_end = true;
	for (size_t i = 0; i < count; i++) {
		const struct ear_android_method *method = &methods[i];
		snprintf(name, sizeof(name), "%s.%s%s", method->class_name, method->name,
			method->signature);
		struct ear_android_symbol *symbol = add(&builder, method->address, name);
		symbol->class_name = add_name(&builder, method->class_name);
		symbol->method = add_name(&builder, method->name);
		symbol->signature = add_name(&builder, method->signature);
	}
	return finish(&builder);
}

/* --- ELF files --- */

static int by_address(const void *a, const void *b)
{
	const struct ear_android_symbol *left = a, *right = b;

	if (left->address != right->address)
		return left->address < right->address ? -1 : 1;
	return (left->name > right->name) - (left->name < right->name); /* as they came */
}

/* Sort; of those with one address the first that came counts. */
static void sort(struct builder *builder)
{
	struct ear_android_image *image = builder->image;
	size_t kept = 0;

	if (builder->failed || image->count == 0)
		return;
	qsort(image->symbols, image->count, sizeof(*image->symbols), by_address);
	for (size_t i = 0; i < image->count; i++)
		if (kept == 0 || image->symbols[kept - 1].address != image->symbols[i].address)
			image->symbols[kept++] = image->symbols[i];
	image->count = kept;
}

/* The section of code that has the address, or NULL. */
static const struct ear_names_section *find_code(
	const struct ear_names_file *file, uint64_t address)
{
	for (size_t i = 0; i < file->section_count; i++) {
		const struct ear_names_section *section = &file->sections[i];
		if (section->flags & EAR_NAMES_EXECUTE &&
			address - section->address < section->size)
			return section;
	}
	return NULL;
}

static void add_symbols(struct builder *builder, const struct ear_names *names, unsigned number,
	bool kernel, bool mangled)
{
	const struct ear_names_file *file = ear_names_file(names, number);
	const struct ear_symbol *list;
	size_t count = ear_names_symbols(names, &list);

	for (size_t i = 0; i < count; i++) {
		const struct ear_symbol *symbol = &list[i];
		bool label = symbol->kind == EAR_NAMES_LABEL && kernel;
		if (symbol->file != number || (symbol->kind != EAR_NAMES_FUNCTION && !label) ||
			!find_code(file, symbol->address))
			continue;
		uint32_t address = (uint32_t)symbol->address;
		if (file->machine == EM_ARM) /* bit 0 says Thumb */
			address &= ~UINT32_C(1);
		add(builder, address, mangled ? symbol->linked : symbol->name);
	}
}

/* Code without a symbol at its beginning has the name of its section. */
static void add_sections(
	struct builder *builder, const struct ear_names_file *file, const char *path, bool kernel)
{
	struct ear_android_image *image = builder->image;
	char name[512];

	for (size_t i = 0; i < file->section_count; i++) {
		const struct ear_names_section *section = &file->sections[i];
		if (!(section->flags & EAR_NAMES_EXECUTE) || section->size == 0)
			continue;
		uint32_t first = (uint32_t)section->address;
		uint64_t last = section->address + section->size;
		image->begin = image->end == 0 || first < image->begin ? first : image->begin;
		image->end = last > UINT32_MAX   ? UINT32_MAX
			     : last > image->end ? (uint32_t)last
						 : image->end;
		snprintf(name, sizeof(name), "%s%s%s", kernel ? "" : ear_names_base(path),
			kernel ? "" : ":", section->name);
		add(builder, first, name);
	}
}

struct ear_android_image *ear_android_image_elf(struct ear_names *names, int fd, const char *path,
	bool kernel, bool mangled, char *message, size_t size)
{
	struct builder builder;
	int number = ear_names_add_fd(names, fd, path, 0);

	message[0] = '\0';
	const struct ear_names_file *file =
		number < 0 ? NULL : ear_names_file(names, (size_t)number);
	if (!file || file->xlen != 32)
		snprintf(message, size, "%s",
			file ? "it is no ELF file of 32 bits" : ear_names_message(names));
	else if (!file->has_symbols)
		snprintf(message, size, "it has no symbols");
	if (message[0])
		return ear_android_image_missing(path);
	if (!begin(&builder, path))
		return finish(&builder);
	builder.image->is_kernel = kernel;
	builder.image->has_end = true;
	add_symbols(&builder, names, (unsigned)number, kernel, mangled);
	add_sections(&builder, file, path, kernel);
	add(&builder, 0, "(0 unknown)");
	sort(&builder);
	return finish(&builder);
}
