/* Archives (docs/archive.md): the first byte says what the others are. m is a manifest, f a frame
 * of an object, t the end of an object with the tables of three blocks, p a file that is packed,
 * first and later in its file. Wrong is: a crash, a read beyond the bytes, a path that leads out of
 * the folder, a manifest that is not what it is when it is written and read again, a block of
 * another size than its frame says, and a file that does not come back.
 */
#include <earshot/error.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "library/archive/manifest.h"
#include "library/archive/object_table.h"
#include "library/archive/text_pack.h"
#include "target.h"

static void expect(bool right)
{
	if (!right)
		abort();
}

static void try_manifest(const char *text, size_t size)
{
	struct ear_manifest manifest, again;
	struct ear_pack_bytes bytes = {0};

	if (ear_manifest_read(&manifest, text, size, NULL, NULL) >= 0) {
		for (size_t i = 0; i < manifest.count; i++)
			expect(ear_manifest_path_is_good(manifest.entries[i].path));
		expect(ear_manifest_write(&bytes, &manifest) == 0);
		expect(ear_manifest_read(
			       &again, (const char *)bytes.bytes, bytes.size, NULL, NULL) == 0);
		expect(again.count == manifest.count);
		ear_manifest_fini(&again);
	}
	ear_manifest_fini(&manifest);
	free(bytes.bytes);
}

static void try_frame(const uint8_t *frame, size_t size)
{
	struct ear_frame_info info;
	struct ear_pack_bytes text = {0};
	int looked = ear_frame_look(&info, frame, size);

	if (ear_text_unpack(&text, frame, size) == 0)
		expect(looked == 0 && info.text && info.frame_size == size &&
			info.text_size == text.size);
	free(text.bytes);
}

static void try_table(const uint8_t *bytes, size_t size)
{
	struct ear_object_table table;

	if (ear_object_table_take(&table, 3, size, bytes, size) == 0)
		expect(table.count == 3);
	ear_object_table_fini(&table);
}

static void try_file(const char *file, size_t size)
{
	struct ear_text_form form;
	struct ear_pack_bytes frame = {0}, back = {0};
	bool records;

	if (size == 0)
		return;
	expect(ear_text_form_find(&form, file, size) == 0);
	for (unsigned first = 0; first < 2; first++) {
		expect(ear_text_pack(&frame, &records, &form, first, file, size) == 0);
		expect(ear_text_unpack(&back, frame.bytes, frame.size) == 0);
		expect(back.size == size && memcmp(back.bytes, file, size) == 0);
	}
	free(frame.bytes);
	free(back.bytes);
}

int fuzz_archive(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = size > 0 ? malloc(size) : NULL; /* without the first byte, nor one more */

	if (!copy)
		return 0;
	memcpy(copy, bytes + 1, size - 1);
	copy = realloc(copy, size > 1 ? size - 1 : 1);
	switch (bytes[0]) {
	case 'm': try_manifest((const char *)copy, size - 1); break;
	case 'f': try_frame(copy, size - 1); break;
	case 't': try_table(copy, size - 1); break;
	case 'p': try_file((const char *)copy, size - 1); break;
	default: break;
	}
	free(copy);
	return 0;
}
