/* Of each row of logs.def the two functions of a reader, which are the same for all. */
#include "decoder/formats/logs/logs.h"

#define LOG(id, ...) \
	int ear_log_##id##_detect(const char *bytes, size_t size) \
	{ \
		return ear_log_detect(&ear_log_##id, bytes, size); \
	} \
	struct ear_reader *ear_log_##id##_make( \
		struct ear_text_input *input, const struct ear_reader_options *options) \
	{ \
		return ear_log_make(&ear_log_##id, input, options); \
	}
#include "decoder/formats/logs/logs.def"
