#include "formats/base/writer.h"

#include <string.h>

#include "formats/armulator/writer_armulator.h"
#include "formats/json/writer_json.h"
#include "formats/riscv_dv/writer_riscv_dv.h"
#include "formats/spike/writer_spike.h"
#include "formats/tarmac/writer_tarmac.h"
#include "formats/tracerv/writer_tracerv.h"
#include "formats/whisper/writer_whisper.h"
#include "formats/whisper_log/writer_whisper_log.h"

const struct ear_writer_format ear_writer_formats[] = {
	{"riscv-dv", ".dv.csv", "trace CSV of riscv-dv", EAR_WRITER_RISCV_DV_FIELDS,
		ear_writer_riscv_dv_make},
	{"whisper", ".csv", "CSV as the Whisper simulator writes it", EAR_WRITER_WHISPER_FIELDS,
		ear_writer_whisper_make},
	{"whisper-log", ".whisper.log", "text log as the Whisper simulator writes it",
		EAR_WRITER_WHISPER_LOG_FIELDS, ear_writer_whisper_log_make},
	{"spike", ".spike.log", "log as the simulator Spike writes it", EAR_WRITER_SPIKE_FIELDS,
		ear_writer_spike_make},
	{"qemu4v", ".qemu4v", "trace of QEMU4V and MicroTESK, strict grammar",
		EAR_WRITER_QEMU4V_FIELDS, ear_writer_qemu4v_make},
	{"tarmac", ".tarmac", "Tarmac as tarmac-trace-utilities read it, one hart in a file",
		EAR_WRITER_TARMAC_FIELDS, ear_writer_tarmac_make},
	{"json", ".jsonl", "JSON lines, the complete record", EAR_WRITER_JSON_FIELDS,
		ear_writer_json_make},
	{"armulator", ".trc", "trace of ARMulator, one hart in a file", EAR_WRITER_ARMULATOR_FIELDS,
		ear_writer_armulator_make},
	{"tracerv", ".tracerv", "committed pcs as FireSim's TracerV writes them",
		EAR_WRITER_TRACERV_FIELDS, ear_writer_tracerv_make},
	{NULL, NULL, NULL, 0, NULL},
};

const struct ear_writer_format *ear_writer_find(const char *name)
{
	for (const struct ear_writer_format *format = ear_writer_formats; format->name; format++)
		if (strcmp(format->name, name) == 0)
			return format;
	return NULL;
}

/* Length of path without the end that asks for packing. */
static size_t unpacked_length(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && ear_text_output_packing(path) != EAR_TEXT_PLAIN ? (size_t)(dot - path)
								      : strlen(path);
}

const struct ear_writer_format *ear_writer_find_by_path(const char *path)
{
	size_t length = unpacked_length(path);

	for (const struct ear_writer_format *format = ear_writer_formats; format->name; format++) {
		size_t extension = strlen(format->extension);
		if (extension > 0 && length > extension &&
			memcmp(path + length - extension, format->extension, extension) == 0)
			return format;
	}
	return NULL;
}

uint64_t ear_writer_lost(const struct ear_writer_format *format, const struct ear_record *record)
{
	uint64_t lost = ear_record_fields(record) & ~format->fields;

	if (format->make == ear_writer_qemu4v_make)
		return lost | ear_writer_qemu4v_unfit(record);
	if (format->make == ear_writer_tarmac_make)
		return lost | ear_writer_tarmac_unfit(record);
	if (format->make == ear_writer_armulator_make)
		return lost | ear_writer_armulator_unfit(record);
	return lost;
}

int ear_writer_save_nothing(const struct ear_writer *writer, struct ear_snapshot *snapshot)
{
	(void)writer;
	ear_snapshot_clear(snapshot);
	return 0;
}

int ear_writer_restore_nothing(struct ear_writer *writer, const struct ear_snapshot *snapshot)
{
	(void)writer;
	(void)snapshot;
	return 0;
}

void ear_writer_free(struct ear_writer *writer)
{
	if (writer)
		writer->free(writer);
}
