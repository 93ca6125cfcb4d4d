#include "formats/base/reader.h"

#include <string.h>

#include "formats/armulator/reader_armulator.h"
#include "formats/ibex/reader_ibex.h"
#include "formats/json/reader_json.h"
#include "formats/riscv_dv/reader_riscv_dv.h"
#include "formats/sail/reader_sail.h"
#include "formats/spike/reader_spike.h"
#include "formats/tarmac/reader_tarmac.h"
#include "formats/whisper/reader_whisper.h"
#include "formats/whisper_log/reader_whisper_log.h"

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

size_t ear_reader_skip_equal(struct ear_reader *reader, struct ear_reader *other,
	struct ear_equal_lines *harts, size_t keep)
{
	return reader->skip_equal && reader->skip_equal == other->skip_equal
		       ? reader->skip_equal(reader, other, harts, keep)
		       : 0;
}

void ear_reader_free(struct ear_reader *reader)
{
	if (reader)
		reader->free(reader);
}

int ear_reader_tell(struct ear_reader *reader, const char *cause, bool bad)
{
	if (!reader->options.report)
		return 0;
	return reader->options.report(reader->options.context,
		ear_text_input_line_number(reader->input), ear_text_input_offset(reader->input),
		cause, bad);
}
