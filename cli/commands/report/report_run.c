/* Runs the commands of the sections as processes, some at a time. What one prints goes to a file
 * without a name, so memory stays the same however long it is, and is packed when it has ended. A
 * command that fails leaves a section without data; the others run all the same.
 *
 * The commands that use the index wait for the one that makes it: two that find none would both
 * read the whole trace to make it.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/process.h"
#include "cli/base/progress.h"
#include "cli/commands/report/report.h"

struct slot {
	pid_t process; /* 0: free */
	struct report_section *section;
};

struct running {
	struct report *report;
	struct slot slots[CLI_JOBS_MAX];
	unsigned count;
	double shown;
	bool failed;
};

static bool index_is_there(const struct report *report)
{
	for (size_t i = 0; i < report->section_count; i++)
		if (report->sections[i].makes_index && !report->sections[i].done)
			return false;
	return true;
}

static struct report_section *next_section(const struct running *running)
{
	struct report *report = running->report;
	const bool with_index = index_is_there(report);

	for (size_t i = 0; i < report->section_count; i++) {
		struct report_section *section = &report->sections[i];
		if (!section->started && (with_index || !section->after_index))
			return section;
	}
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

static void start(struct running *running, struct report_section *section)
{
	struct slot *slot = running->slots;

	while (slot->process)
		slot++;
	section->started = true;
	close_files(section);
	section->output = process_file();
	section->errors = section->output ? process_file() : NULL;
	const pid_t process = section->errors
				      ? process_start(running->report->program,
						(char *const *)(uintptr_t)section->words,
						fileno(section->output), fileno(section->errors))
				      : -1;
	running->failed |= process < 0;
	if (process < 0)
		return;
	*slot = (struct slot){process, section};
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

/* Its process ended, with this status. */
static bool finish(struct report_section *section, int status)
{
	section->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
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

static void show_progress(struct running *running)
{
	const struct report *report = running->report;
	size_t done = 0;

	for (size_t i = 0; i < report->section_count; i++)
		done += report->sections[i].done;
	if (cli_progress_due(&running->shown))
		cli_progress("%zu of %zu sections done", done, report->section_count);
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
		running->failed |= !cli_interrupted && !finish(slot->section, status);
	}
	if (process < 0)
		running->count = 0;
	show_progress(running);
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
