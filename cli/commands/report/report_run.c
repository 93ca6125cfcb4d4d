/* Runs the commands of the sections as processes, some at a time. What one prints goes to a file
 * without a name, so memory stays the same however long it is, and is packed when it has ended. A
 * command that fails leaves a section without data; the others run all the same.
 *
 * Sections that count what is in the records are a group: one process reads the trace for all of
 * them (cli/input/analysis_share.c).
 *
 * The commands that use the index wait for the one that makes it: two that find none would both
 * read the whole trace to make it.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/files.h"
#include "cli/base/process.h"
#include "cli/base/progress.h"
#include "cli/commands/report/report.h"
#include "cli/input/analysis_input.h"

/* A process, and the sections that it makes: one, or a group. */
struct slot {
	pid_t process; /* 0: free */
	struct report_section *sections[REPORT_GROUP_MAX];
	size_t count;
	/* Of a group: what each ended with, written by the process; NOT_RUN: it was not made. */
	volatile int *statuses;
};

#define NOT_RUN (-1)

struct running {
	struct report *report;
	struct slot slots[CLI_JOBS_MAX];
	unsigned count;
	bool failed;
};

static bool index_is_there(const struct report *report)
{
	for (size_t i = 0; i < report->section_count; i++)
		if (report->sections[i].makes_index && !report->sections[i].done)
			return false;
	return true;
}

static bool may_begin(const struct report_section *section, bool with_index)
{
	return !section->started && (with_index || !section->after_index);
}

static struct report_section *next_section(const struct running *running)
{
	struct report *report = running->report;
	const bool with_index = index_is_there(report);

	for (size_t i = 0; i < report->section_count; i++)
		if (may_begin(&report->sections[i], with_index))
			return &report->sections[i];
	return NULL;
}

static void close_files(struct report_section *section)
{
	FILE **files[] = {&section->output, &section->errors};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (*files[i]) {
			fclose(*files[i]);
			*files[i] = NULL;
		}
}

static bool open_files(struct report_section *section)
{
	section->started = true;
	close_files(section);
	section->output = process_file();
	section->errors = section->output ? process_file() : NULL;
	return section->errors;
}

/* The process of a group. */
static void run_group(const struct slot *slot)
{
	struct analysis_line lines[REPORT_GROUP_MAX];

	if (!process_detach())
		_exit(127);
	cli_progress_disable();
	for (size_t i = 0; i < slot->count; i++) {
		struct report_section *section = slot->sections[i];
		lines[i] = (struct analysis_line){.command = section->command,
			.argc = (int)section->word_count - 1,
			.argv = (char **)(uintptr_t)&section->words[1],
			.output = fileno(section->output),
			.errors = fileno(section->errors),
			.status = &slot->statuses[i]};
	}
	files_clear();
	analysis_share_run(lines, slot->count);
	(void)fflush(NULL);
	_exit(0);
}

/* Those of the group that count more, or the others. */
static void add_sections(struct report *report, struct slot *slot, int trace, bool counts_more)
{
	for (size_t i = 0; i < report->section_count && slot->count < REPORT_GROUP_MAX; i++) {
		struct report_section *section = &report->sections[i];
		if (section->shares && !section->started && section->trace == trace &&
			section->counts_more == counts_more)
			slot->sections[slot->count++] = section;
	}
}

/* The sections of the group, and what its process writes. */
static void make_group(struct report *report, struct slot *slot, int trace)
{
	slot->count = 0;
	add_sections(report, slot, trace, true);
	add_sections(report, slot, trace, false);
	slot->statuses = mmap(NULL, REPORT_GROUP_MAX * sizeof(*slot->statuses),
		PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (slot->statuses == MAP_FAILED) { /* each by itself */
		slot->statuses = NULL;
		slot->count = 1;
	}
	for (size_t i = 0; slot->statuses && i < slot->count; i++)
		slot->statuses[i] = NOT_RUN;
}

static pid_t start_process(const struct running *running, const struct slot *slot)
{
	const struct report_section *section = slot->sections[0];

	for (size_t i = 0; i < slot->count; i++)
		if (!open_files(slot->sections[i]))
			return -1;
	if (slot->count == 1)
		return process_start(running->report->program,
			(char *const *)(uintptr_t)section->words, fileno(section->output),
			fileno(section->errors));
	const pid_t process = fork();
	if (process == 0)
		run_group(slot);
	if (process < 0)
		cli_error("a process: %s", strerror(errno));
	return process;
}

static void start(struct running *running, struct report_section *section)
{
	struct slot *slot = running->slots;

	while (slot->process)
		slot++;
	*slot = (struct slot){.sections = {section}, .count = 1};
	if (section->shares)
		make_group(running->report, slot, section->trace);
	const pid_t process = start_process(running, slot);
	running->failed |= process < 0;
	if (process < 0)
		return;
	slot->process = process;
	running->count++;
}

static void end_all(struct running *running)
{
	for (unsigned i = 0; i < running->report->jobs; i++)
		if (running->slots[i].process)
			(void)kill(running->slots[i].process, SIGTERM);
}

/* Is what it printed whole? The end says so: a document of JSON, or a line, is closed there. */
static bool is_whole(const struct report_section *section)
{
	char end[2], begin[8];
	const off_t size = lseek(fileno(section->output), 0, SEEK_END);

	if (size < 2 || section->status >= 127)
		return false;
	if (section->kind == REPORT_COLUMNS)
		return pread(fileno(section->output), begin, 8, 0) == 8 &&
		       memcmp(begin, "EARCOL1\n", 8) == 0;
	return pread(fileno(section->output), end, 2, size - 2) == 2 && end[0] == '}' &&
	       end[1] == '\n';
}

/* It is tried again with another word. */
static void take_other_word(struct report_section *section)
{
	for (size_t i = 0; i < section->word_count; i++)
		if (strncmp(section->words[i], "--from=end-", 11) == 0)
			section->words[i] = section->otherwise;
	section->otherwise = NULL;
}

/* It ended with this exit status. */
static bool finish(struct report_section *section, int status)
{
	section->status = status;
	if (!is_whole(section) && section->otherwise && section->status == EAR_EXIT_FAILED) {
		take_other_word(section);
		section->started = false;
		return true;
	}
	section->done = true;
	if (!is_whole(section)) {
		section->kind = REPORT_NONE;
		return true;
	}
	return report_pack(section);
}

/* Its process ended. What a group did not make is made by a process of its own. */
static bool finish_all(struct slot *slot, int status)
{
	const int exit = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	bool good = true;

	if (!slot->statuses)
		return finish(slot->sections[0], exit);
	for (size_t i = 0; i < slot->count; i++) {
		struct report_section *section = slot->sections[i];
		section->shares = false;
		if (slot->statuses[i] == NOT_RUN)
			section->started = false;
		else
			good = finish(section, slot->statuses[i]) && good;
	}
	(void)munmap((void *)(uintptr_t)slot->statuses, REPORT_GROUP_MAX * sizeof(*slot->statuses));
	slot->statuses = NULL;
	return good;
}

/* What is done, and the names of the commands that run. */
static void show_progress(const struct running *running)
{
	const struct report *report = running->report;
	char names[128] = "";
	size_t done = 0, length = 0;

	for (size_t i = 0; i < report->section_count; i++)
		done += report->sections[i].done;
	for (unsigned i = 0; i < report->jobs; i++) {
		const struct slot *slot = &running->slots[i];
		if (!slot->process || length >= sizeof(names))
			continue;
		length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s",
			length > 0 ? ", " : ": ", slot->sections[0]->name);
	}
	if (cli_progress_wanted())
		cli_progress("%zu of %zu sections done%s", done, report->section_count, names);
}

static void take_end(struct running *running)
{
	bool ended = false;
	pid_t process;
	int status;

	while ((process = waitpid(-1, &status, 0)) < 0 && errno == EINTR)
		if (cli_interrupted && !ended) {
			end_all(running);
			ended = true;
		}
	for (unsigned i = 0; i < running->report->jobs; i++) {
		struct slot *slot = &running->slots[i];
		if (slot->process != process || process <= 0)
			continue;
		slot->process = 0;
		running->count--;
		running->failed |= !cli_interrupted && !finish_all(slot, status);
	}
	if (process < 0)
		running->count = 0;
}

bool report_run(struct report *report)
{
	struct running running = {.report = report};
	struct report_section *section;

	while (!cli_interrupted && !running.failed) {
		while (running.count < report->jobs && !running.failed &&
			(section = next_section(&running)))
			start(&running, section);
		if (running.count == 0)
			break;
		show_progress(&running);
		take_end(&running);
	}
	while (running.count > 0) {
		end_all(&running);
		take_end(&running);
	}
	cli_progress_clear();
	if (cli_interrupted)
		cli_error("interrupted: no report was written");
	return !running.failed && !cli_interrupted;
}

void report_free(struct report *report)
{
	for (size_t i = 0; i < report->section_count; i++) {
		close_files(&report->sections[i]);
		if (report->sections[i].packed)
			fclose(report->sections[i].packed);
	}
}
