/* read_pid: events of processes as text. */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/android/model/mapped_path.h"
#include "cli/android/tools/tool_list.h"

static void print_text(FILE *out, const struct ear_qtrace_text *text)
{
	fwrite(text->bytes, 1, text->size, out);
}

static void print_exec(FILE *out, const struct ear_qtrace_pid_event *event)
{
	fprintf(out, "argc: %" PRIu64 "\n", event->numbers[0]);
	for (uint64_t i = 0; i < event->numbers[0]; i++) {
		fprintf(out, "  argv[%" PRIu64 "]: ", i);
		print_text(out, &event->texts[i]);
		if (i + 1 < event->numbers[0])
			fputc('\n', out);
	}
}

static void print_mmap(FILE *out, const struct ear_qtrace_pid_event *event)
{
	char *path = ear_android_mapped_path(event->texts);

	fprintf(out, "mmap %08" PRIx64 " - %08" PRIx64 ", offset %08" PRIx64 " '%s'",
		event->numbers[0], event->numbers[1], event->numbers[2], path ? path : "?");
	free(path);
}

static void print_event(
	FILE *out, const struct ear_android_tasks *tasks, const struct ear_qtrace_pid_event *event)
{
	const uint64_t *numbers = event->numbers;
	/* If they are pids. */
	uint64_t first = ear_android_tasks_own(tasks, numbers[0]),
		 second = ear_android_tasks_own(tasks, numbers[1]);

	switch (event->type) {
	case EAR_QTRACE_FORK:
	case EAR_QTRACE_CLONE:
		fprintf(out, "%s tgid %" PRIu64 " pid %" PRIu64,
			event->type == EAR_QTRACE_FORK ? "fork" : "clone", first, second);
		return;
	case EAR_QTRACE_SWITCH: fprintf(out, "switch %" PRIu64, first); return;
	case EAR_QTRACE_EXEC: print_exec(out, event); return;
	case EAR_QTRACE_MMAP: print_mmap(out, event); return;
	case EAR_QTRACE_EXIT: fprintf(out, "exit %" PRId64, (int64_t)numbers[0]); return;
	case EAR_QTRACE_KTHREAD:
		fprintf(out, "kthread tgid %" PRIu64 " pid %" PRIu64 " ", first, second);
		print_text(out, event->texts);
		return;
	case EAR_QTRACE_NAME:
		fprintf(out, "name %" PRIu64 " ", first);
		print_text(out, event->texts);
		return;
	case EAR_QTRACE_SYMBOL:
		fprintf(out, "add sym %08" PRIx64 " '", numbers[0]);
		print_text(out, event->texts);
		fputc('\'', out);
		return;
	case EAR_QTRACE_SYMBOL_GONE: fprintf(out, "remove %08" PRIx64, numbers[0]); return;
	case EAR_QTRACE_MUNMAP:
		fprintf(out, "munmap %08" PRIx64 " - %08" PRIx64, numbers[0], numbers[1]);
		return;
	case EAR_QTRACE_END: return;
	}
}

static int run(const struct ear_android_request *request)
{
	struct ear_qtrace_log *log = ear_android_trace_log(request->trace);
	const struct ear_qtrace_pid_event *event;
	int result;

	while ((result = ear_qtrace_log_pid(log, UINT64_MAX, &event)) == 1) {
		fprintf(request->out, "t%" PRIu64 " ", event->time);
		print_event(request->out, ear_android_trace_tasks(request->trace), event);
		fputc('\n', request->out);
	}
	return result < 0 ? ear_android_trace_fail(
				    request->trace, result, "%s", ear_qtrace_log_fault(log))
			  : 0;
}

const struct ear_android_tool ear_android_read_pid = {
	.name = "read_pid",
	.summary = "events of processes",
	.run = run,
};
