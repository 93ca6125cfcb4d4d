/* Submits steps in rounds, and asks Slurm only one thing: which steps are waiting or running. A
 * step that is neither done nor there is submitted again. What Slurm forgets, repeats or runs twice
 * does no harm.
 */
#include "cli/commands/farm/farm_slurm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/process.h"
#include "cli/base/progress.h"
#include "cli/commands/farm/farm_file.h"
#include "cli/commands/farm/farm_step.h"

#define ARRAY_MOST    1000u /* below MaxArraySize of a Slurm without settings */
#define ROUNDS_MOST   50u
#define ANSWER_MAX    ((size_t)16 << 20)
#define WAIT_FIRST_MS 200u
#define WAIT_MOST_MS  10000u

/* A word of a shell. */
static void put_quoted(FILE *file, const char *word)
{
	fputc('\'', file);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", file);
		else
			fputc(*word, file);
	fputc('\'', file);
}

static bool write_script(const struct farm_slurm *slurm, FILE *file, unsigned round)
{
	char program[FARM_PATH];

	if (!process_self(program, sizeof(program)))
		return false;
	fputs("#!/bin/sh\n", file);
	if (round == 0) {
		fputs("exec ", file);
		put_quoted(file, program);
		fputs(" farm merge ", file);
		put_quoted(file, slurm->folder);
		fputc('\n', file);
		return true;
	}
	fputs("step=$(sed -n \"$((SLURM_ARRAY_TASK_ID + 1))p\" ", file);
	char list[FARM_PATH];
	if (!farm_path(list, slurm->folder, "round-%u.list", round))
		return false;
	put_quoted(file, list);
	fputs(")\nexec ", file);
	put_quoted(file, program);
	fputs(" farm step ", file);
	put_quoted(file, slurm->folder);
	fputs(" \"$step\"\n", file);
	return true;
}

static bool write_file(const struct farm_slurm *slurm, unsigned round)
{
	char path[FARM_PATH], temporary[FARM_PATH];

	if (!(round ? farm_path(path, slurm->folder, "round-%u.sh", round)
		    : farm_path(path, slurm->folder, "merge.sh")))
		return false;
	FILE *file = farm_file_begin(temporary, path);
	if (!file)
		return false;
	if (!write_script(slurm, file, round)) {
		fclose(file);
		(void)unlink(temporary);
		return false;
	}
	return farm_file_end(file, temporary, path);
}

/* sbatch's arguments. dependency: array that the merge waits for; NULL: it is a round of steps. */
struct submission {
	char name[64], comment[64], array[64], dependency[64], log[FARM_PATH], script[FARM_PATH];
	char *words[96];
};

static bool prepare(const struct farm_slurm *slurm, unsigned round, size_t steps,
	const char *array_id, struct submission *to)
{
	size_t count = 0;

	snprintf(to->name, sizeof(to->name), "--job-name=farm-%s", slurm->plan->id);
	snprintf(to->comment, sizeof(to->comment), "--comment=farm:%s:%s%u", slurm->plan->id,
		array_id ? "merge:" : "", round);
	snprintf(to->array, sizeof(to->array), "--array=0-%zu%s", steps - 1, "");
	if (slurm->at_once)
		snprintf(to->array, sizeof(to->array), "--array=0-%zu%%%u", steps - 1,
			slurm->at_once);
	snprintf(to->dependency, sizeof(to->dependency), "--dependency=afterany:%s",
		array_id ? array_id : "");
	char log[FARM_PATH];
	if (!farm_path(log, slurm->folder, array_id ? "log/merge-%%j.txt" : "log/%%A_%%a.txt") ||
		!(array_id ? farm_path(to->script, slurm->folder, "merge.sh")
			   : farm_path(to->script, slurm->folder, "round-%u.sh", round)))
		return false;
	snprintf(to->log, sizeof(to->log), "--output=%.*s", FARM_PATH - 16, log);
	static const char *const common[] = {
		"sbatch", "--parsable", "--requeue", "--open-mode=append"};
	for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++)
		to->words[count++] = (char *)(uintptr_t)common[i];
	to->words[count++] = to->name;
	to->words[count++] = to->comment;
	to->words[count++] = to->log;
	to->words[count++] = array_id ? to->dependency : to->array;
	for (size_t i = 0; i < slurm->option_count && !array_id; i++)
		to->words[count++] = (char *)(uintptr_t)slurm->options[i];
	to->words[count++] = to->script;
	to->words[count] = NULL;
	return true;
}

int farm_slurm_print(const struct farm_slurm *slurm, FILE *to)
{
	struct submission *submission = calloc(1, sizeof(*submission));
	size_t steps = farm_plan_steps(slurm->plan);
	int status = EAR_EXIT_FAILED;

	if (!submission)
		return status;
	for (size_t first = 0, round = 1; first < steps; first += ARRAY_MOST, round++) {
		size_t count = steps - first < ARRAY_MOST ? steps - first : ARRAY_MOST;
		if (!prepare(slurm, (unsigned)round, count, NULL, submission))
			goto out;
		fprintf(to, "# round-%zu.list: steps %zu to %zu, one a line\n# round-%zu.sh:\n",
			round, first + 1, first + count, round);
		if (!write_script(slurm, to, (unsigned)round))
			goto out;
		for (char **word = submission->words; *word; word++)
			fprintf(to, "%s%s", word == submission->words ? "" : " ", *word);
		fputs("\n\n", to);
	}
	if (!prepare(slurm, 1, 1, "JOB", submission))
		goto out;
	fputs("# merge.sh:\n", to);
	if (!write_script(slurm, to, 0))
		goto out;
	for (char **word = submission->words; *word; word++)
		fprintf(to, "%s%s", word == submission->words ? "" : " ", *word);
	fputc('\n', to);
	status = EAR_EXIT_DONE;
out:
	free(submission);
	return status;
}

/* Which steps Slurm has, waiting or running. */
struct alive {
	bool *steps; /* by number */
	bool merge;
};

/* One line of squeue: "COMMENT INDEX STATE REASON". */
static void take_job(const struct farm_slurm *slurm, struct alive *alive, char *line)
{
	static const char *const lives[] = {"PENDING", "CONFIGURING", "RUNNING", "COMPLETING",
		"SUSPENDED", "REQUEUED", "REQUEUE_HOLD", "RESIZING", "SIGNALING", "STAGE_OUT"};
	char id[32], task[32], state[32], reason[128] = "", path[FARM_PATH];
	unsigned round;
	bool lives_on = false;

	if (sscanf(line, "farm:%31[^:]:%127[^|]|%31[^|]|%31[^|]|", id, reason, task, state) != 4 ||
		strcmp(id, slurm->plan->id) != 0)
		return;
	for (size_t i = 0; i < sizeof(lives) / sizeof(lives[0]); i++)
		lives_on |= strcmp(state, lives[i]) == 0;
	lives_on &= !strstr(line, "DependencyNeverSatisfied");
	if (!lives_on)
		return;
	if (strncmp(reason, "merge:", 6) == 0) {
		alive->merge = true;
		return;
	}
	if (sscanf(reason, "%u", &round) != 1 ||
		!farm_path(path, slurm->folder, "round-%u.list", round))
		return;
	FILE *list = fopen(path, "re");
	size_t wanted = strtoull(task, NULL, 10), step = 0;
	bool found = list != NULL;
	for (size_t i = 0; found && i <= wanted; i++)
		found = fscanf(list, "%zu", &step) == 1;
	if (list)
		fclose(list);
	if (found && step >= 1 && step <= farm_plan_steps(slurm->plan))
		alive->steps[step] = true;
}

/* Returns false if Slurm does not answer: then nothing is known. */
static bool ask_alive(const struct farm_slurm *slurm, struct alive *alive)
{
	char name[64], *text = malloc(ANSWER_MAX);
	char *words[] = {(char *)(uintptr_t) "squeue", (char *)(uintptr_t) "-h",
		(char *)(uintptr_t) "-r", name, (char *)(uintptr_t) "-o",
		(char *)(uintptr_t) "%k|%K|%T|%r", NULL};

	*alive = (struct alive){.steps = calloc(farm_plan_steps(slurm->plan) + 1, 1)};
	snprintf(name, sizeof(name), "--name=farm-%s", slurm->plan->id);
	bool good = text && alive->steps && process_ask(words, text, ANSWER_MAX) == 0;
	for (char *line = good ? strtok(text, "\n") : NULL; line; line = strtok(NULL, "\n"))
		take_job(slurm, alive, line);
	free(text);
	if (!good) {
		free(alive->steps);
		alive->steps = NULL;
	}
	return good;
}

/* The first number of a round that is free. The list is written before Slurm hears of it. */
static unsigned new_round(const struct farm_slurm *slurm, const size_t *steps, size_t count)
{
	char path[FARM_PATH], temporary[FARM_PATH];
	unsigned round = 1;

	while (farm_path(path, slurm->folder, "round-%u.list", round) && farm_exists(path))
		round++;
	if (round > ROUNDS_MOST + farm_plan_steps(slurm->plan) / ARRAY_MOST) {
		cli_error("%s: steps were lost in %u rounds; is the engine in order?",
			slurm->folder, round - 1);
		return 0;
	}
	FILE *file = farm_file_begin(temporary, path);
	if (!file)
		return 0;
	for (size_t i = 0; i < count; i++)
		fprintf(file, "%zu\n", steps[i]);
	return farm_file_end(file, temporary, path) ? round : 0;
}

static bool run_sbatch(struct submission *submission, char id[32])
{
	char answer[4096];
	int status = process_ask(submission->words, answer, sizeof(answer));

	if (status == 0 && sscanf(answer, "%31[0-9]", id) == 1)
		return true;
	answer[strcspn(answer, "\n")] = '\0';
	cli_error("sbatch: %s", status < 0 ? "could not be started: is Slurm installed?" : answer);
	return false;
}

static bool submit_round(
	const struct farm_slurm *slurm, const size_t *steps, size_t count, char id[32])
{
	struct submission *submission = calloc(1, sizeof(*submission));
	unsigned round = submission ? new_round(slurm, steps, count) : 0;
	bool good = round && write_file(slurm, round) &&
		    prepare(slurm, round, count, NULL, submission) && run_sbatch(submission, id);

	free(submission);
	return good;
}

static bool submit_merge(const struct farm_slurm *slurm, const char *id)
{
	struct submission *submission = calloc(1, sizeof(*submission));
	char merge[32];
	bool good = submission && write_file(slurm, 0) && prepare(slurm, 1, 1, id, submission) &&
		    run_sbatch(submission, merge);

	free(submission);
	return good;
}

int farm_slurm_submit(const struct farm_slurm *slurm)
{
	size_t total = farm_plan_steps(slurm->plan), count = 0;
	size_t *steps = calloc(total, sizeof(*steps));
	struct alive alive;
	char id[32] = "1";
	bool good = steps != NULL;

	if (good && !ask_alive(slurm, &alive)) {
		cli_error(
			"squeue does not answer: what Slurm has is not known, and nothing is submitted");
		free(steps);
		return EAR_EXIT_FAILED;
	}
	for (size_t i = 1; good && i <= total; i++)
		if (!alive.steps[i] && farm_step_look(slurm->folder, i).state == FARM_MISSING)
			steps[count++] = i;
	for (size_t first = 0; good && first < count; first += ARRAY_MOST) {
		size_t some = count - first < ARRAY_MOST ? count - first : ARRAY_MOST;
		good = submit_round(slurm, steps + first, some, id);
	}
	if (good && count > 0 && !alive.merge)
		good = submit_merge(slurm, id);
	if (good)
		free(alive.steps);
	free(steps);
	return good ? EAR_EXIT_DONE : EAR_EXIT_FAILED;
}

static void pause_ms(unsigned ms)
{
	const struct timespec time = {ms / 1000, (long)(ms % 1000) * 1000000};

	nanosleep(&time, NULL);
}

struct progress {
	bool *done; /* by step: that it is done is asked once */
	size_t count, failed;
};

/* Looks at the steps that are not done. Returns whether one is missing that Slurm does not have. */
static bool look(
	const struct farm_slurm *slurm, struct progress *progress, const struct alive *alive)
{
	bool lost = false;

	for (size_t i = 1; i <= farm_plan_steps(slurm->plan); i++) {
		if (progress->done[i])
			continue;
		enum farm_state state = farm_step_look(slurm->folder, i).state;
		progress->done[i] = state == FARM_DONE;
		progress->count += state == FARM_DONE;
		if (state == FARM_FAILED && !progress->failed)
			progress->failed = i;
		lost |= state == FARM_MISSING && alive->steps && !alive->steps[i];
	}
	return lost;
}

static int wait_for(const struct farm_slurm *slurm, struct progress *progress)
{
	size_t total = farm_plan_steps(slurm->plan);
	unsigned pause = WAIT_FIRST_MS;
	int status;

	while (!cli_interrupted) {
		struct alive alive;
		size_t before = progress->count;
		/* First Slurm, then the files: a step writes its files before it ends. */
		if (!ask_alive(slurm, &alive))
			alive.steps = NULL;
		bool lost = look(slurm, progress, &alive);
		free(alive.steps);
		if (progress->failed) {
			cli_progress_clear();
			cli_error("step %zu failed %u times: %s/log/%zu.txt has what it said",
				progress->failed, FARM_TRIES, slurm->folder, progress->failed);
			return EAR_EXIT_FAILED;
		}
		/* The job that merges may be lost; it does no harm to do it twice. */
		if (progress->count == total)
			return farm_merge_look(slurm->folder, slurm->plan, &status)
				       ? status
				       : farm_merge_run(slurm->folder, slurm->plan);
		if (cli_progress_wanted())
			cli_progress("%zu of %zu steps done", progress->count, total);
		if (lost && farm_slurm_submit(slurm) != EAR_EXIT_DONE)
			cli_warning("%s: the steps that are missing are submitted later",
				slurm->folder);
		pause = progress->count > before   ? WAIT_FIRST_MS
			: pause * 2 < WAIT_MOST_MS ? pause * 2
						   : WAIT_MOST_MS;
		pause_ms(pause);
	}
	cli_progress_clear();
	cli_error("interrupted; the farm works on: 'earshot farm wait %s'", slurm->folder);
	return EAR_EXIT_FAILED;
}

int farm_slurm_wait(const struct farm_slurm *slurm)
{
	struct progress progress = {.done = calloc(farm_plan_steps(slurm->plan) + 1, 1)};
	int status = progress.done ? wait_for(slurm, &progress) : EAR_EXIT_FAILED;

	cli_progress_clear();
	free(progress.done);
	return status;
}
