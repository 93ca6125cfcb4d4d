#ifndef EAR_LOGS_H
#define EAR_LOGS_H

#include "decoder/formats/base/log_reader.h"
#include "decoder/formats/base/writer.h"
#include "decoder/formats/logs/writer_rvvi.h"

/* Sets of fields for logs.def. */
#define HAS(field) EAR_FIELD_BIT(EAR_FIELD_##field)
#define CODE       (HAS(OPCODE) | HAS(TAKEN) | HAS(DISASSEMBLY))
#define ADDRESSES  (HAS(LOAD_ADDRESS) | HAS(STORE_ADDRESS))
#define VALUES     (HAS(LOAD_VALUE) | HAS(STORE_VALUE))
#define WRITES     (HAS(X_WRITE) | HAS(F_WRITE))
#define TRAPS      (HAS(TRAP) | HAS(CAUSELESS))

/* Of each row of logs.def what a format's row in decoder/formats/formats.c needs. */
#define LOG(id, ...) \
	extern const struct ear_log_format ear_log_##id; \
	int ear_log_##id##_detect(const char *bytes, size_t size); \
	struct ear_reader *ear_log_##id##_make( \
		struct ear_text_input *input, const struct ear_reader_options *options);
#include "decoder/formats/logs/logs.def"
#undef LOG

#endif
