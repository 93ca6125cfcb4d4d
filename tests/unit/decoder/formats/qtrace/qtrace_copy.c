#include "qtrace_copy.h"

#include <earshot/error.h>
#include <stdint.h>
#include <stdio.h>

#include "decoder/formats/qtrace/qtrace_log.h"
#include "decoder/formats/qtrace/qtrace_save.h"

/* pid: that runs at the time of a block, which the counts need. */
struct copier {
	struct ear_qtrace_log *log;
	struct ear_qtrace_save *save;
	uint32_t pid;
	uint64_t time;
};

static int copy_events(struct copier *copier, uint64_t limit)
{
	const struct ear_qtrace_pid_event *event;
	const struct ear_qtrace_method_event *method;
	struct ear_qtrace_access access;
	int result, saved = 0;

	while (saved == 0 && (result = ear_qtrace_log_pid(copier->log, limit, &event)) == 1) {
		if (event->type == EAR_QTRACE_SWITCH)
			copier->pid = (uint32_t)event->numbers[0];
		saved = ear_qtrace_save_pid(copier->save, event);
	}
	while (saved == 0 && result == 0 &&
		(result = ear_qtrace_log_method(copier->log, limit, &method)) == 1) {
		saved = ear_qtrace_save_method(copier->save, method);
		result = 0;
	}
	for (int store = 0; store < 2; store++)
		while (saved == 0 && result == 0 &&
			(result = ear_qtrace_log_access(copier->log, store, limit, &access)) == 1) {
			saved = ear_qtrace_save_access(copier->save, store, &access);
			result = 0;
		}
	return saved ? saved : result;
}

static int copy_blocks(struct copier *copier)
{
	int result = 0;

	for (uint64_t i = 1; i < ear_qtrace_log_block_count(copier->log) && result == 0; i++) {
		struct ear_qtrace_block block = ear_qtrace_log_block(copier->log, i);
		uint64_t number;
		result = ear_qtrace_save_block(
			copier->save, &number, block.address, block.entries, block.count);
	}
	return result;
}

static int copy_execution(struct copier *copier, const struct ear_qtrace_execution *run)
{
	uint64_t times[EAR_QTRACE_BLOCK_MAX];
	int result = ear_qtrace_save_execution(copier->save, run->number, run->time, copier->pid);

	for (uint32_t i = 0; i < run->entries && result >= 0; i++) {
		result = ear_qtrace_log_time(copier->log, &times[i]);
		copier->time = result > 0 ? times[i] : copier->time;
	}
	if (result >= 0)
		result = ear_qtrace_save_times(copier->save, times, run->entries);
	if (result == 0 && run->exception)
		result = ear_qtrace_save_exception(copier->save, run->exception->time,
			run->exception->pc, run->exception->target, run->exception->entries);
	return result;
}

static int copy_all(struct copier *copier)
{
	struct ear_qtrace_execution run;
	int result = copy_blocks(copier);

	if (result)
		return result;
	while ((result = ear_qtrace_log_next(copier->log, &run)) == 1) {
		result = copy_events(copier, run.time);
		copier->time = run.time;
		if (result == 0 && run.number != 0)
			result = copy_execution(copier, &run);
		if (result)
			return result;
	}
	if (result == 0)
		result = copy_events(copier, UINT64_MAX);
	if (result)
		return result;
	return ear_qtrace_save_finish(copier->save, copier->time,
		ear_qtrace_log_header(copier->log)->elapsed_microseconds);
}

const char *qtrace_copy(int to, int from, bool raw)
{
	static char fault[300];
	struct copier copier = {0};
	int result;

	if (ear_qtrace_log_open(&copier.log, from, fault, sizeof(fault)) != 0)
		return fault;
	const struct ear_qtrace_save_options options = {
		.header = *ear_qtrace_log_header(copier.log), .raw = raw};
	result = ear_qtrace_save_new(&copier.save, to, &options);
	if (result == 0)
		result = copy_all(&copier);
	const char *cause = ear_qtrace_log_fault(copier.log);
	if (!cause && copier.save)
		cause = ear_qtrace_save_fault(copier.save);
	snprintf(fault, sizeof(fault), "%s", cause ? cause : ear_error_text(result));
	ear_qtrace_save_free(copier.save);
	ear_qtrace_log_close(copier.log);
	return result ? fault : NULL;
}
