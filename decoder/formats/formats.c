/* Every text format, a row each. Readers and writers themselves know nothing of this list.
 *
 * The order matters: the first row wins where two fit equally well. So riscv-dv, whose files end
 * in .dv.csv, comes before Whisper, whose files end in .csv.
 */
#include "decoder/formats/formats.h"

#include <string.h>

#include "decoder/formats/armulator/reader_armulator.h"
#include "decoder/formats/armulator/writer_armulator.h"
#include "decoder/formats/etrace/reader_etrace.h"
#include "decoder/formats/etrace/writer_etrace.h"
#include "decoder/formats/ibex/reader_ibex.h"
#include "decoder/formats/json/reader_json.h"
#include "decoder/formats/json/writer_json.h"
#include "decoder/formats/logs/logs.h"
#include "decoder/formats/ntrace/reader_ntrace.h"
#include "decoder/formats/ntrace/writer_ntrace.h"
#include "decoder/formats/pattern/reader_pattern.h"
#include "decoder/formats/qtrace/reader_qtrace.h"
#include "decoder/formats/qtrace/writer_qtrace.h"
#include "decoder/formats/riscv_dv/reader_riscv_dv.h"
#include "decoder/formats/riscv_dv/writer_riscv_dv.h"
#include "decoder/formats/sail/reader_sail.h"
#include "decoder/formats/spike/reader_spike.h"
#include "decoder/formats/spike/writer_spike.h"
#include "decoder/formats/tarmac/reader_tarmac.h"
#include "decoder/formats/tarmac/writer_tarmac.h"
#include "decoder/formats/tracerv/writer_tracerv.h"
#include "decoder/formats/whisper/reader_whisper.h"
#include "decoder/formats/whisper/writer_whisper.h"
#include "decoder/formats/whisper_log/reader_whisper_log.h"
#include "decoder/formats/whisper_log/writer_whisper_log.h"

const struct ear_reader_format ear_reader_formats[] = {
	{.name = "riscv-dv",
		.extension = ".dv.csv",
		.summary = "trace CSV of riscv-dv",
		.detect = ear_reader_riscv_dv_detect,
		.make = ear_reader_riscv_dv_make},
	{.name = "whisper",
		.extension = ".csv",
		.summary = "CSV as the Whisper simulator writes it",
		.detect = ear_reader_whisper_detect,
		.make = ear_reader_whisper_make},
	{.name = "whisper-log",
		.extension = ".whisper.log",
		.summary = "text log as the Whisper simulator writes it",
		.detect = ear_reader_whisper_log_detect,
		.make = ear_reader_whisper_log_make},
	{.name = "spike",
		.extension = ".spike.log",
		.summary = "log of the simulator Spike (-l, --log-commits)",
		.dialects = true,
		.detect = ear_reader_spike_detect,
		.make = ear_reader_spike_make},
	{.name = "qemu4v",
		.extension = ".qemu4v",
		.summary = "trace of QEMU4V and MicroTESK",
		.detect = ear_reader_qemu4v_detect,
		.make = ear_reader_qemu4v_make},
	{.name = "tarmac",
		.extension = ".tarmac",
		.summary = "Tarmac of Fast Models, Cycle Models, gem5, RTL simulators",
		.detect = ear_reader_tarmac_detect,
		.make = ear_reader_tarmac_make},
	{.name = "json",
		.extension = ".jsonl",
		.summary = "JSON lines, the complete record",
		.detect = ear_reader_json_detect,
		.make = ear_reader_json_make},
	{.name = "sail",
		.extension = ".sail.log",
		.summary = "log of the Sail RISC-V model",
		.fields = EAR_READER_SAIL_FIELDS,
		.dialects = true,
		.detect = ear_reader_sail_detect,
		.make = ear_reader_sail_make},
	{.name = "armulator",
		.extension = ".trc",
		.summary = "trace of ARMulator's Tracer",
		.detect = ear_reader_armulator_detect,
		.make = ear_reader_armulator_make},
	{.name = "ibex",
		.extension = ".ibex.log",
		.summary = "trace of the Ibex core's tracer",
		.fields = EAR_READER_IBEX_FIELDS,
		.dialects = true,
		.detect = ear_reader_ibex_detect,
		.make = ear_reader_ibex_make},
#define LOG(id, text, ending, words, carried) \
	{.name = (text), \
		.extension = (ending), \
		.summary = (words), \
		.fields = (carried), \
		.detect = ear_log_##id##_detect, \
		.make = ear_log_##id##_make},
#include "decoder/formats/logs/logs.def"
#undef LOG
	{.name = "etrace",
		.extension = ".etrace",
		.summary = "branch trace of E-Trace encoders, with --elf and --unit",
		.fields = EAR_READER_ETRACE_FIELDS,
		.detect = ear_reader_etrace_detect,
		.make_of_bytes = ear_reader_etrace_make},
	{.name = "esptrace",
		.extension = ".esptrace",
		.summary = "branch trace of Espressif's chips, with --elf and --unit",
		.fields = EAR_READER_ETRACE_FIELDS,
		.detect = ear_reader_esptrace_detect,
		.make_of_bytes = ear_reader_esptrace_make},
	{.name = "ntrace",
		.extension = ".ntrace",
		.summary = "branch trace of N-Trace encoders, with --elf and --unit",
		.fields = EAR_READER_NTRACE_FIELDS,
		.detect = ear_reader_ntrace_detect,
		.make_of_bytes = ear_reader_ntrace_make},
	{.name = "pattern",
		.extension = "",
		.summary = "a log of your own, with --pattern",
		.fields = EAR_READER_PATTERN_FIELDS,
		.dialects = true,
		.detect = ear_reader_pattern_detect,
		.make = ear_reader_pattern_make},
	{.name = "qtrace",
		.extension = "",
		.summary = "folder of the Android emulator's -trace",
		.open = ear_reader_qtrace_open},
	{.name = NULL},
};

const struct ear_reader_format *ear_reader_find(const char *name)
{
	for (const struct ear_reader_format *format = ear_reader_formats; format->name; format++)
		if (strcmp(format->name, name) == 0)
			return format;
	return NULL;
}

const struct ear_reader_format *ear_reader_find_folder(void)
{
	const struct ear_reader_format *format = ear_reader_formats;

	while (!format->open)
		format++;
	return format;
}

const struct ear_reader_format *ear_reader_detect(const char *bytes, size_t size)
{
	const struct ear_reader_format *best = NULL;
	int best_score = 0;

	for (const struct ear_reader_format *format = ear_reader_formats; format->name; format++) {
		int score = format->detect ? format->detect(bytes, size) : 0;
		if (score > best_score) {
			best_score = score;
			best = format;
		}
	}
	return best;
}

const struct ear_writer_format ear_writer_formats[] = {
	{.name = "riscv-dv",
		.extension = ".dv.csv",
		.summary = "trace CSV of riscv-dv",
		.fields = EAR_WRITER_RISCV_DV_FIELDS,
		.make = ear_writer_riscv_dv_make},
	{.name = "whisper",
		.extension = ".csv",
		.summary = "CSV as the Whisper simulator writes it",
		.fields = EAR_WRITER_WHISPER_FIELDS,
		.comments = true,
		.make = ear_writer_whisper_make,
		.unfit = ear_writer_whisper_unfit,
		.header = ear_writer_whisper_header},
	{.name = "whisper-log",
		.extension = ".whisper.log",
		.summary = "text log as the Whisper simulator writes it",
		.fields = EAR_WRITER_WHISPER_LOG_FIELDS,
		.comments = true,
		.make = ear_writer_whisper_log_make,
		.unfit = ear_writer_whisper_log_unfit},
	{.name = "spike",
		.extension = ".spike.log",
		.summary = "log as the simulator Spike writes it",
		.fields = EAR_WRITER_SPIKE_FIELDS,
		.make = ear_writer_spike_make,
		.unfit = ear_writer_spike_unfit},
	{.name = "qemu4v",
		.extension = ".qemu4v",
		.summary = "trace of QEMU4V and MicroTESK, strict grammar",
		.fields = EAR_WRITER_QEMU4V_FIELDS,
		.make = ear_writer_qemu4v_make,
		.unfit = ear_writer_qemu4v_unfit},
	{.name = "tarmac",
		.extension = ".tarmac",
		.summary = "Tarmac as tarmac-trace-utilities read it, one hart in a file",
		.fields = EAR_WRITER_TARMAC_FIELDS,
		.takes_lines = true,
		.make = ear_writer_tarmac_make,
		.unfit = ear_writer_tarmac_unfit},
	{.name = "json",
		.extension = ".jsonl",
		.summary = "JSON lines, the complete record",
		.fields = EAR_WRITER_JSON_FIELDS,
		.make = ear_writer_json_make},
	{.name = "armulator",
		.extension = ".trc",
		.summary = "trace of ARMulator, one hart in a file",
		.fields = EAR_WRITER_ARMULATOR_FIELDS,
		.make = ear_writer_armulator_make,
		.unfit = ear_writer_armulator_unfit},
	{.name = "tracerv",
		.extension = ".tracerv",
		.summary = "committed pcs as FireSim's TracerV writes them",
		.fields = EAR_WRITER_TRACERV_FIELDS,
		.comments = true,
		.make = ear_writer_tracerv_make},
	{.name = "rvvi",
		.extension = ".rvvi",
		.summary = "RVVI-TEXT, the text of the RISC-V Verification Interface",
		.fields = EAR_WRITER_RVVI_FIELDS,
		.make = ear_writer_rvvi_make,
		.unfit = ear_writer_rvvi_unfit},
	{.name = "etrace",
		.extension = ".etrace",
		.summary = "branch trace as an E-Trace encoder sends it, with --out-unit",
		.fields = EAR_WRITER_ETRACE_FIELDS,
		.make_of_bytes = ear_writer_etrace_make},
	{.name = "ntrace",
		.extension = ".ntrace",
		.summary = "branch trace as an N-Trace encoder sends it, with --out-unit",
		.fields = EAR_WRITER_NTRACE_FIELDS,
		.make_of_bytes = ear_writer_ntrace_make},
	{.name = "qtrace",
		.extension = "",
		.summary = "folder as the Android emulator's -trace makes it, one hart",
		.fields = EAR_WRITER_QTRACE_FIELDS,
		.folder = &ear_writer_qtrace_folder,
		.unfit = ear_writer_qtrace_unfit},
	{.name = NULL},
};

const struct ear_writer_format *ear_writer_find(const char *name)
{
	for (const struct ear_writer_format *format = ear_writer_formats; format->name; format++)
		if (strcmp(format->name, name) == 0)
			return format;
	return NULL;
}

const struct ear_format_limit ear_format_limits[] = {
#define LIMIT(name, id, how, words) {(name), EAR_FIELD_##id, EAR_LIMIT_##how, (words)},
#include "decoder/formats/limits.def"
#undef LIMIT
	{.format = NULL},
};

const struct ear_format_limit *ear_format_limit(const char *format, enum ear_field field)
{
	for (const struct ear_format_limit *limit = ear_format_limits; limit->format; limit++)
		if (limit->field == field && strcmp(limit->format, format) == 0)
			return limit;
	return NULL;
}

/* Of those that are only read; kept for the metadata of capture files. */
static const struct {
	const char *name;
	uint64_t absent;
} only_read[] = {
	{"sail", EAR_FIELD_BIT(EAR_FIELD_GAP) | EAR_FIELD_BIT(EAR_FIELD_EVENT)},
	{"ibex", EAR_FIELD_BIT(EAR_FIELD_GAP) | EAR_FIELD_BIT(EAR_FIELD_EVENT) |
			 EAR_FIELD_BIT(EAR_FIELD_INTERRUPT)},
};

uint64_t ear_format_fields(const char *name)
{
	const struct ear_writer_format *writer = ear_writer_find(name);
	const struct ear_reader_format *reader = ear_reader_find(name);

	if (writer && !(reader && reader->make_of_bytes))
		return writer->fields;
	for (size_t i = 0; i < sizeof(only_read) / sizeof(only_read[0]); i++)
		if (strcmp(only_read[i].name, name) == 0)
			return EAR_FIELDS_ALL & ~only_read[i].absent &
			       ~EAR_FIELD_BIT(EAR_FIELD_INFERRED);
	return reader ? reader->fields : EAR_FIELDS_ALL;
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
