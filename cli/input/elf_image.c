/* The segments of an ELF file that are loaded, as an image for a running state of memory. All count
 * as writable, because after a gap a string may have changed.
 */
#include "cli/input/elf_image.h"

#include <earshot/error.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/cli.h"
#include "cli/input/elf_file.h"

#define LOADED 1u /* type of a segment: PT_LOAD */

static int load_segment(
	struct elf_image *image, const struct elf_file *file, const struct elf_segment *segment)
{
	uint8_t *bytes;

	if (segment->type != LOADED || segment->file_size == 0)
		return 0;
	if (image->count == ELF_IMAGE_SEGMENTS_MAX)
		return EAR_E_FULL;
	if (segment->file_size > UINT64_MAX - segment->physical)
		return EAR_E_BAD_FILE;
	int result = elf_file_bytes(file, segment->offset, segment->file_size, &bytes);
	if (result)
		return result;
	image->bytes[image->count] = bytes;
	image->segments[image->count++] = (struct ear_memory_segment){.address = segment->physical,
		.size = segment->file_size,
		.bytes = bytes,
		.writable = true};
	return 0;
}

bool elf_image_load(struct elf_image *image, const char *path, bool optional)
{
	struct elf_segment segment;
	struct elf_file file;
	int result = elf_file_open(&file, path);
	const char *cause = result == EAR_E_IO ? strerror(errno) : NULL;

	*image = (struct elf_image){.count = 0};
	if (result == 0) {
		for (uint64_t i = 0; i < file.segment_count && result == 0; i++) {
			result = elf_file_segment(&file, i, &segment);
			if (result == 0)
				result = load_segment(image, &file, &segment);
		}
		elf_file_close(&file);
	}
	if (result && optional)
		elf_image_free(image);
	else if (result)
		cli_error("%s: cannot be read as a program: %s", path,
			cause ? cause : ear_error_text(result));
	return result == 0 || optional;
}

void elf_image_free(struct elf_image *image)
{
	for (size_t i = 0; i < image->count; i++)
		free(image->bytes[i]);
	image->count = 0;
}
