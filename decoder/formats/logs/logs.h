#ifndef EAR_LOGS_H
#define EAR_LOGS_H

#include "decoder/formats/base/log_reader.h"
#include "decoder/formats/base/writer.h"
#include "decoder/formats/logs/writer_rvvi.h"

/* Of each row of logs.def what a format's row in decoder/formats/formats.c needs. */
#define LOG(id, ...) \
	extern const struct ear_log_format ear_log_##id; \
	int ear_log_##id##_detect(const char *bytes, size_t size); \
	struct ear_reader *ear_log_##id##_make( \
		struct ear_text_input *input, const struct ear_reader_options *options);
#include "decoder/formats/logs/logs.def"
#undef LOG

#endif
