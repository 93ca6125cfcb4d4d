#include "check.h"

#include "why_trace.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void why_trace_begin(struct why_trace *trace)
{
	*trace = (struct why_trace){.pc = 0x80000000};
	strcpy(trace->path, "/tmp/earshot-why-XXXXXX");
	int fd = mkstemp(trace->path);
	assert_at_least(fd, 0);
	trace->file = fdopen(fd, "w");
	assert_non_null(trace->file);
}

uint64_t why_trace_add(struct why_trace *trace, uint32_t opcode, const char *more, ...)
{
	va_list list;

	fprintf(trace->file,
		"{\"kind\":\"instruction\",\"schema\":2,\"hart\":%u,\"index\":%" PRIu64
		",\"isa\":\"riscv\",\"xlen\":32,\"pc\":\"0x%" PRIx64 "\",\"opcode\":\"0x%" PRIx32
		"\",\"opcode_size\":%u,\"privilege\":\"m\"",
		trace->hart, trace->index, trace->pc, opcode,
		opcode != 0 && opcode <= UINT16_MAX && (opcode & 3) != 3 ? 2 : 4);
	if (!strstr(more, "next_pc"))
		fprintf(trace->file, ",\"next_pc\":\"0x%" PRIx64 "\"", trace->pc + 4);
	va_start(list, more);
	vfprintf(trace->file, more, list);
	va_end(list);
	fprintf(trace->file, "}\n");
	trace->pc += 4;
	return trace->index++;
}

void why_trace_line(struct why_trace *trace, const char *line)
{
	fprintf(trace->file, "%s\n", line);
}

struct ear_trace *why_trace_open(struct why_trace *trace, const struct ear_trace_options *options)
{
	char error[EAR_TRACE_ERROR_MAX] = "";
	struct ear_trace_options own = EAR_TRACE_DEFAULTS;
	struct ear_trace *opened;

	if (options)
		own = *options;
	own.error = error;
	own.index = EAR_INDEX_NONE;
	if (trace->file)
		fclose(trace->file);
	trace->file = NULL;
	if (ear_trace_open(&opened, trace->path, &own))
		fail_msg("%s", error);
	unlink(trace->path);
	return opened;
}
