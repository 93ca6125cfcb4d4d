/* Every text format, a row each. Readers and writers themselves know nothing of this list.
 *
 * The order matters: the first row wins where two fit equally well. So riscv-dv, whose files end
 * in .dv.csv, comes before Whisper, whose files end in .csv.
 */
#include "formats/formats.h"

#include <string.h>

#include "formats/armulator/reader_armulator.h"
#include "formats/armulator/writer_armulator.h"
#include "formats/ibex/reader_ibex.h"
#include "formats/json/reader_json.h"
#include "formats/json/writer_json.h"
#include "formats/riscv_dv/reader_riscv_dv.h"
#include "formats/riscv_dv/writer_riscv_dv.h"
#include "formats/sail/reader_sail.h"
#include "formats/spike/reader_spike.h"
#include "formats/spike/writer_spike.h"
#include "formats/tarmac/reader_tarmac.h"
#include "formats/tarmac/writer_tarmac.h"
#include "formats/tracerv/writer_tracerv.h"
#include "formats/whisper/reader_whisper.h"
#include "formats/whisper/writer_whisper.h"
#include "formats/whisper_log/reader_whisper_log.h"
#include "formats/whisper_log/writer_whisper_log.h"

const struct ear_reader_format ear_reader_formats[] = {
	{"riscv-dv", ".dv.csv", "trace CSV of riscv-dv", ear_reader_riscv_dv_detect,
		ear_reader_riscv_dv_make},
	{"whisper", ".csv", "CSV as the Whisper simulator writes it", ear_reader_whisper_detect,
		ear_reader_whisper_make},
	{"whisper-log", ".whisper.log", "text log as the Whisper simulator writes it",
		ear_reader_whisper_log_detect, ear_reader_whisper_log_make},
	{"spike", ".spike.log", "log of the simulator Spike (-l, --log-commits)",
		ear_reader_spike_detect, ear_reader_spike_make},
	{"qemu4v", ".qemu4v", "trace of QEMU4V and MicroTESK", ear_reader_qemu4v_detect,
		ear_reader_qemu4v_make},
	{"tarmac", ".tarmac", "Tarmac of Fast Models, Cycle Models, gem5, RTL simulators",
		ear_reader_tarmac_detect, ear_reader_tarmac_make},
	{"json", ".jsonl", "JSON lines, the complete record", ear_reader_json_detect,
		ear_reader_json_make},
	{"sail", ".sail.log", "log of the Sail RISC-V model", ear_reader_sail_detect,
		ear_reader_sail_make},
	{"armulator", ".trc", "trace of ARMulator's Tracer", ear_reader_armulator_detect,
		ear_reader_armulator_make},
	{"ibex", ".ibex.log", "trace of the Ibex core's tracer", ear_reader_ibex_detect,
		ear_reader_ibex_make},
	{NULL, NULL, NULL, NULL, NULL},
};

const struct ear_reader_format *ear_reader_find(const char *name)
{
	for (const struct ear_reader_format *format = ear_reader_formats; format->name; format++)
		if (strcmp(format->name, name) == 0)
			return format;
	return NULL;
}

const struct ear_reader_format *ear_reader_detect(const char *bytes, size_t size)
{
	const struct ear_reader_format *best = NULL;
	int best_score = 0;

	for (const struct ear_reader_format *format = ear_reader_formats; format->name; format++) {
		int score = format->detect(bytes, size);
		if (score > best_score) {
			best_score = score;
			best = format;
		}
	}
	return best;
}

const struct ear_writer_format ear_writer_formats[] = {
	{"riscv-dv", ".dv.csv", "trace CSV of riscv-dv", EAR_WRITER_RISCV_DV_FIELDS,
		ear_writer_riscv_dv_make, NULL},
	{"whisper", ".csv", "CSV as the Whisper simulator writes it", EAR_WRITER_WHISPER_FIELDS,
		ear_writer_whisper_make, NULL},
	{"whisper-log", ".whisper.log", "text log as the Whisper simulator writes it",
		EAR_WRITER_WHISPER_LOG_FIELDS, ear_writer_whisper_log_make, NULL},
	{"spike", ".spike.log", "log as the simulator Spike writes it", EAR_WRITER_SPIKE_FIELDS,
		ear_writer_spike_make, NULL},
	{"qemu4v", ".qemu4v", "trace of QEMU4V and MicroTESK, strict grammar",
		EAR_WRITER_QEMU4V_FIELDS, ear_writer_qemu4v_make, ear_writer_qemu4v_unfit},
	{"tarmac", ".tarmac", "Tarmac as tarmac-trace-utilities read it, one hart in a file",
		EAR_WRITER_TARMAC_FIELDS, ear_writer_tarmac_make, ear_writer_tarmac_unfit},
	{"json", ".jsonl", "JSON lines, the complete record", EAR_WRITER_JSON_FIELDS,
		ear_writer_json_make, NULL},
	{"armulator", ".trc", "trace of ARMulator, one hart in a file", EAR_WRITER_ARMULATOR_FIELDS,
		ear_writer_armulator_make, ear_writer_armulator_unfit},
	{"tracerv", ".tracerv", "committed pcs as FireSim's TracerV writes them",
		EAR_WRITER_TRACERV_FIELDS, ear_writer_tracerv_make, NULL},
	{NULL, NULL, NULL, 0, NULL, NULL},
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
