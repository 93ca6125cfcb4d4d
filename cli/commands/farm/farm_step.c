/* Runs steps and the merge. What counts is a record beside a result: it has the size and the hash
 * of the result, so that half a result, or one of another run, is none.
 */
#include "cli/commands/farm/farm_step.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/process.h"
#include "cli/commands/farm/farm_capture.h"
#include "cli/commands/farm/farm_file.h"

/* A record: "earshot-step 1 STATUS SIZE HASH". Returns whether it is there and whole. */
static bool read_record(const char *path, int *status, unsigned long long *size, char hash[65])
{
	FILE *file = fopen(path, "re");
	int end = 0;

	if (!file)
		return false;
	bool good = fscanf(file, "earshot-step 1 %d %llu %64[0-9a-f] %n", status, size, hash,
			    &end) == 3;
	fclose(file);
	return good && *status >= EAR_EXIT_DONE && *status <= EAR_EXIT_FAILED;
}

static bool write_record(const char *path, int status, unsigned long long size, const char *hash)
{
	char temporary[FARM_PATH];
	FILE *file = farm_file_begin(temporary, path);

	if (!file)
		return false;
	fprintf(file, "earshot-step 1 %d %llu %s\n", status, size, hash);
	return farm_file_end(file, temporary, path);
}

/* Is the result the one that its record says? */
static bool is_done(const char *record, const char *result, int *status)
{
	char hash[65], found[65];
	unsigned long long size, found_size;

	return read_record(record, status, &size, hash) &&
	       farm_hash(result, false, found, &found_size) && size == found_size &&
	       strcmp(hash, found) == 0;
}

static bool paths_of(const char *folder, size_t number, char *record, char *result)
{
	return farm_path(record, folder, "steps/%zu.done", number) &&
	       farm_path(result, folder, "steps/%zu.out", number);
}

static unsigned count_tries(const char *folder, size_t number)
{
	char path[FARM_PATH];
	unsigned tries = 0;

	while (tries < FARM_TRIES &&
		farm_path(path, folder, "steps/%zu.failed.%u", number, tries + 1) &&
		farm_exists(path))
		tries++;
	return tries;
}

struct farm_record farm_step_look(const char *folder, size_t number)
{
	struct farm_record found = {.state = FARM_MISSING};
	char record[FARM_PATH], result[FARM_PATH];

	found.tries = count_tries(folder, number);
	if (paths_of(folder, number, record, result) && is_done(record, result, &found.status))
		found.state = FARM_DONE;
	else if (found.tries == FARM_TRIES)
		found.state = FARM_FAILED;
	return found;
}

void farm_step_forgive(const char *folder, size_t number)
{
	char path[FARM_PATH];

	for (unsigned i = 1; i <= FARM_TRIES; i++)
		if (farm_path(path, folder, "steps/%zu.failed.%u", number, i))
			(void)unlink(path);
}

/* The try failed: say so for those that look, with the log beside it. */
static void note_failure(const char *folder, size_t number)
{
	char path[FARM_PATH];

	for (unsigned i = 1; i <= FARM_TRIES; i++) {
		if (!farm_path(path, folder, "steps/%zu.failed.%u", number, i))
			return;
		int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0)
			close(fd);
		if (fd >= 0 || errno != EEXIST)
			return;
	}
}

/* A result and its record. If there is one already, from another run of the step, it must be equal.
 */
static bool keep(FILE *file, const char *temporary, const char *result, const char *record,
	int status, bool captures)
{
	char hash[65], other[65];
	unsigned long long size, other_size;
	int other_status;

	if (fflush(file) != 0 || !farm_hash(temporary, false, hash, &size)) {
		cli_error("%s: %s", temporary, strerror(errno));
		fclose(file);
		(void)unlink(temporary);
		return false;
	}
	/* Two captures of one thing differ; that which was first is the one. */
	if (captures && read_record(record, &other_status, &other_size, other)) {
		fclose(file);
		(void)unlink(temporary);
		return true;
	}
	if (read_record(record, &other_status, &other_size, other) &&
		(other_size != size || strcmp(hash, other) != 0 || other_status != status)) {
		cli_error("%s: two runs of the step gave different results", record);
		fclose(file);
		(void)unlink(temporary);
		return false;
	}
	return farm_file_end(file, temporary, result) && write_record(record, status, size, hash);
}

/* Run this program into a file, which is new. Returns its exit status. */
static int run_once(char *const arguments[], FILE *file, int log)
{
	char program[FARM_PATH];
	pid_t process = process_self(program, sizeof(program))
				? process_start(program, arguments, fileno(file), log)
				: -1;
	int status = process < 0 ? -1 : process_wait(process);

	return status < 0 ? EAR_EXIT_FAILED : status;
}

/* Did a run that failed print something, and a second one the same? Then that is the answer: of a
 * trace that is damaged, what is known of it. One that printed nothing may do better elsewhere. */
static bool is_answer(
	char *const arguments[], FILE *file, const char *path, const char *result, int log)
{
	char again[FARM_PATH], hash[65], other[65];
	unsigned long long size, other_size;

	if (fflush(file) != 0 || !farm_hash(path, false, hash, &size) || size == 0)
		return false;
	FILE *second = farm_file_begin(again, result);
	if (!second)
		return false;
	if (log >= 0 && ftruncate(log, 0) == 0)
		(void)lseek(log, 0, SEEK_SET);
	bool same = run_once(arguments, second, log) == EAR_EXIT_FAILED &&
		    farm_hash(again, false, other, &other_size) && size == other_size &&
		    strcmp(hash, other) == 0;
	fclose(second);
	(void)unlink(again);
	return same;
}

/* Run this program into a result. Returns its exit status, or 2 if there is none. *done: the result
 * is kept. */
static int run_into(char *const arguments[], const char *result, const char *record, int log,
	bool captures, bool *done)
{
	char temporary[FARM_PATH];
	FILE *file = arguments ? farm_file_begin(temporary, result) : NULL;

	*done = false;
	if (!file)
		return EAR_EXIT_FAILED;
	int status = run_once(arguments, file, log);
	if (status <= EAR_EXIT_NO || (status == EAR_EXIT_FAILED && !cli_interrupted && !captures &&
					     is_answer(arguments, file, temporary, result, log))) {
		*done = keep(file, temporary, result, record, status, captures);
		return *done ? status : EAR_EXIT_FAILED;
	}
	fclose(file);
	(void)unlink(temporary);
	return status;
}

/* What the command said goes to our errors, and so into the log of the batch engine, and to the
 * step's own log, or the merge's (0). */
static int open_log(const char *folder, size_t number)
{
	char path[FARM_PATH];

	if (!(number ? farm_path(path, folder, "log/%zu.txt", number)
		     : farm_path(path, folder, "log/merge.txt")))
		return -1;
	return open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

static void show_log(int log)
{
	char text[4096];
	ssize_t count;

	for (off_t at = 0; (count = pread(log, text, sizeof(text), at)) > 0; at += count)
		(void)!write(STDERR_FILENO, text, (size_t)count);
}

/* A capture on a device that nobody else has meanwhile. */
static int run_capture(
	const char *folder, const struct farm_plan *plan, size_t number, int log, bool *done)
{
	const struct farm_step step = farm_plan_step(plan, number);
	char record[FARM_PATH], result[FARM_PATH], device[1024];
	int lock, status = EAR_EXIT_FAILED;

	if (!paths_of(folder, number, record, result) ||
		!farm_capture_take(
			device, sizeof(device), &lock, plan, number, count_tries(folder, number)))
		return status;
	if (device[0] && log >= 0)
		dprintf(log, "device: %s\n", device);
	char **arguments = farm_capture_arguments(plan, &step, number, device);
	if (arguments)
		status = run_into(arguments, result, record, log, true, done);
	farm_capture_arguments_free(arguments);
	if (lock >= 0)
		close(lock);
	return status;
}

int farm_step_run(const char *folder, const struct farm_plan *plan, size_t number)
{
	const struct farm_step step = farm_plan_step(plan, number);
	char record[FARM_PATH], result[FARM_PATH], part[32];

	if (!paths_of(folder, number, record, result))
		return EAR_EXIT_FAILED;
	if (farm_step_look(folder, number).state == FARM_DONE)
		return EAR_EXIT_DONE;
	if (!farm_trace_is_same(step.trace)) {
		note_failure(folder, number);
		return EAR_EXIT_FAILED;
	}
	const bool captures = farm_is_capture(plan);
	int log = open_log(folder, number), status = EAR_EXIT_FAILED;
	bool done = false;
	if (captures) {
		status = run_capture(folder, plan, number, log, &done);
	} else {
		char **arguments = farm_step_arguments(plan, &step, part);
		status = run_into(arguments, result, record, log, false, &done);
		free(arguments);
	}
	if (log >= 0) {
		show_log(log);
		close(log);
	}
	if (done)
		return EAR_EXIT_DONE;
	/* A batch engine that takes the machine away ends us: no fault of the step. */
	if (!cli_interrupted && status != 128 + 15)
		note_failure(folder, number);
	return cli_interrupted ? 143 : EAR_EXIT_FAILED;
}

/* The merge ----------------------------------------------------------------------------------- */

size_t farm_plan_results(const struct farm_plan *plan)
{
	return farm_is_capture(plan) ? farm_plan_steps(plan) : plan->trace_count;
}

/* "0003-sort.elf.shot", or without a file "0003.shot". */
static bool capture_path(
	char *path, const char *folder, const struct farm_plan *plan, size_t result)
{
	const char *file = farm_plan_step(plan, result + 1).trace->path;
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;

	if (strcmp(file, FARM_NO_FILE) == 0)
		return farm_path(path, folder, "result/%04zu.shot", result + 1);
	return farm_path(path, folder, "result/%04zu-%s.shot", result + 1, name);
}

bool farm_result_path(char *path, const char *folder, const struct farm_plan *plan, size_t trace)
{
	if (farm_is_capture(plan))
		return capture_path(path, folder, plan, trace);
	const char *name = strrchr(plan->traces[trace].path, '/');

	return farm_path(path, folder, "result/%04zu-%s.txt", trace + 1,
		name ? name + 1 : plan->traces[trace].path);
}

static bool record_of(char *path, const char *folder, size_t trace)
{
	return farm_path(path, folder, "result/%04zu.done", trace + 1);
}

/* All steps are done? Prints those that are not. */
static bool have_all(const char *folder, const struct farm_plan *plan)
{
	size_t missing = 0, steps = farm_plan_steps(plan);

	for (size_t i = 1; i <= steps; i++) {
		if (farm_step_look(folder, i).state == FARM_DONE)
			continue;
		if (missing++ < 10)
			cli_error("%s: step %zu is missing", folder, i);
	}
	if (missing > 10)
		cli_error("%s: and %zu more steps", folder, missing - 10);
	return missing == 0;
}

/* What a step printed to file. *worst: the worst status so far. */
static bool append_step(const char *folder, size_t number, FILE *file, int *worst)
{
	char from[FARM_PATH], step[FARM_PATH], buffer[65536];
	size_t count;
	int status;

	if (!paths_of(folder, number, step, from) || !is_done(step, from, &status))
		return false;
	FILE *input = fopen(from, "re");
	if (!input)
		return false;
	while ((count = fread(buffer, 1, sizeof(buffer), input)) > 0)
		(void)fwrite(buffer, 1, count, file);
	const bool good = !ferror(input);
	fclose(input);
	*worst = status > *worst ? status : *worst;
	return good;
}

/* The result of a trace that was one step is the step's; of texts, that of all steps. */
static int copy_steps(
	const char *folder, size_t first, size_t count, const char *result, const char *record)
{
	char temporary[FARM_PATH];
	FILE *file = farm_file_begin(temporary, result);
	int status = EAR_EXIT_DONE;
	bool good = file;

	for (size_t i = 0; good && i < count; i++)
		good = append_step(folder, first + i, file, &status);
	if (file && !good) {
		cli_error("%s: %s", result, strerror(errno));
		fclose(file);
		(void)unlink(temporary);
	}
	return good && keep(file, temporary, result, record, status, false) ? status
									    : EAR_EXIT_FAILED;
}

static int join_steps(const char *folder, const struct farm_plan *plan, size_t trace,
	const char *result, const char *record)
{
	char **inputs = calloc(plan->parts, sizeof(*inputs));
	int status = EAR_EXIT_FAILED;
	bool good = inputs;

	for (unsigned i = 0; good && i < plan->parts; i++) {
		char path[FARM_PATH];
		good = farm_path(path, folder, "steps/%zu.out", trace * plan->parts + i + 1);
		inputs[i] = good ? strdup(path) : NULL;
		good = inputs[i];
	}
	if (good) {
		char **arguments = farm_merge_arguments(plan, inputs, plan->parts);
		int log = open_log(folder, 0);
		bool done;
		status = run_into(arguments, result, record, log, false, &done);
		free(arguments);
		if (log >= 0) {
			show_log(log);
			close(log);
		}
	}
	for (unsigned i = 0; inputs && i < plan->parts; i++)
		free(inputs[i]);
	free(inputs);
	return status;
}

static int merge_trace(const char *folder, const struct farm_plan *plan, size_t trace)
{
	char result[FARM_PATH], record[FARM_PATH];
	int status;

	if (!farm_result_path(result, folder, plan, trace) || !record_of(record, folder, trace))
		return EAR_EXIT_FAILED;
	if (is_done(record, result, &status))
		return status;
	if (farm_is_capture(plan))
		return copy_steps(folder, trace + 1, 1, result, record);
	return plan->parts == 1 || farm_has_texts(plan)
		       ? copy_steps(folder, trace * plan->parts + 1, plan->parts, result, record)
		       : join_steps(folder, plan, trace, result, record);
}

int farm_merge_run(const char *folder, const struct farm_plan *plan)
{
	int worst = EAR_EXIT_DONE;

	if (!have_all(folder, plan))
		return EAR_EXIT_FAILED;
	for (size_t i = 0; i < farm_plan_results(plan) && !cli_interrupted; i++) {
		int status = merge_trace(folder, plan, i);
		if (status > worst)
			worst = status;
	}
	return cli_interrupted ? 143 : worst;
}

bool farm_merge_look(const char *folder, const struct farm_plan *plan, int *status)
{
	char result[FARM_PATH], record[FARM_PATH];

	*status = EAR_EXIT_DONE;
	for (size_t i = 0; i < farm_plan_results(plan); i++) {
		int one;
		if (!farm_result_path(result, folder, plan, i) || !record_of(record, folder, i) ||
			!is_done(record, result, &one))
			return false;
		if (one > *status)
			*status = one;
	}
	return true;
}
