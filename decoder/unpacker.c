#include "decoder/unpacker.h"

#include <stdlib.h>

#include "common/error.h"

#define BATCH 4096 /* lines that are made before they go out */

int ear_unpacker_init(
	struct ear_unpacker *unpacker, struct ear_text_output *output, struct ear_writer *writer)
{
	*unpacker = (struct ear_unpacker){.output = output, .writer = writer};
	return ear_record_lines_init(&unpacker->lines);
}

void ear_unpacker_fini(struct ear_unpacker *unpacker)
{
	ear_record_lines_fini(&unpacker->lines);
	free(unpacker->script.bytes);
	unpacker->script = (struct ear_shot_script){.format = 0};
}

int ear_unpacker_flush(struct ear_unpacker *unpacker)
{
	struct ear_lines lines = ear_record_lines_get(&unpacker->lines);

	if (unpacker->script.format == 0)
		return unpacker->output->error;
	int result = ear_script_apply(&unpacker->place, unpacker->output, &lines);
	if (result == EAR_E_BAD_FILE) {
		unpacker->bad_scripts++;
		result = 0;
	}
	if (result == 0)
		result = ear_record_lines_begin(&unpacker->lines, unpacker->script.flags);
	return result;
}

int ear_unpacker_script(struct ear_unpacker *unpacker, struct ear_shot_script script)
{
	int result = ear_unpacker_flush(unpacker);

	if (script.format != EAR_LINES_WHISPER || script.flags & ~EAR_LINES_FLAGS) {
		unpacker->bad_scripts += script.format != 0;
		free(script.bytes);
		return result;
	}
	free(unpacker->script.bytes);
	unpacker->script = script;
	ear_script_begin(&unpacker->place, script.bytes, script.size, script.count);
	return result ? result : ear_record_lines_begin(&unpacker->lines, script.flags);
}

int ear_unpacker_push(struct ear_unpacker *unpacker, const struct ear_record *record)
{
	if (unpacker->script.format == 0)
		return ear_writer_push(unpacker->writer, record);

	int result = ear_record_lines_push(&unpacker->lines, record);
	if (result == 0 && unpacker->lines.count == BATCH)
		result = ear_unpacker_flush(unpacker);
	return result;
}
