/* A farm of one machine: the steps as processes, as a batch engine would start them. */
#include "cli/commands/farm/farm_local.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "cli/base/cli.h"
#include "cli/base/process.h"
#include "cli/base/progress.h"
#include "cli/commands/farm/farm_step.h"

struct slot {
	pid_t process; /* 0: free */
	size_t step;
};

struct local {
	const char *folder;
	const struct farm_plan *plan;
	char program[4096];
	struct slot slots[CLI_JOBS_MAX];
	unsigned jobs, running;
	size_t next; /* step that was not looked at yet */
	size_t done;
	double shown;
	bool failed;
};

static void start(struct local *local, size_t step)
{
	char number[32];
	char *arguments[] = {(char *)(uintptr_t) "earshot", (char *)(uintptr_t) "farm",
		(char *)(uintptr_t) "step", (char *)(uintptr_t)local->folder, number, NULL};
	struct slot *slot = local->slots;

	while (slot->process)
		slot++;
	snprintf(number, sizeof(number), "%zu", step);
	pid_t process = process_start(local->program, arguments, -1, -1);
	local->failed |= process < 0;
	if (process < 0)
		return;
	*slot = (struct slot){process, step};
	local->running++;
}

/* The next step that is not done; those that are done are passed. */
static void start_next(struct local *local)
{
	size_t steps = farm_plan_steps(local->plan);

	while (local->next <= steps && local->running < local->jobs && !local->failed) {
		size_t step = local->next++;
		enum farm_state state = farm_step_look(local->folder, step).state;
		if (state == FARM_DONE)
			local->done++;
		else
			start(local, step);
	}
}

static void end_all(struct local *local)
{
	for (unsigned i = 0; i < local->jobs; i++)
		if (local->slots[i].process)
			(void)kill(local->slots[i].process, SIGTERM);
}

/* One step ended. It is tried again if it failed and has tries left. */
static void take_end(struct local *local)
{
	bool ended = false;
	pid_t process;

	while ((process = waitpid(-1, NULL, 0)) < 0 && errno == EINTR)
		if (cli_interrupted && !ended) {
			end_all(local);
			ended = true;
		}
	for (unsigned i = 0; i < local->jobs; i++) {
		struct slot *slot = &local->slots[i];
		if (slot->process != process || process <= 0)
			continue;
		slot->process = 0;
		local->running--;
		enum farm_state state = farm_step_look(local->folder, slot->step).state;
		local->done += state == FARM_DONE;
		local->failed |= state == FARM_FAILED;
		if (state == FARM_MISSING && !cli_interrupted)
			start(local, slot->step);
	}
	if (process < 0)
		local->running = 0;
	if (cli_progress_due(&local->shown))
		cli_progress("%zu of %zu steps done", local->done, farm_plan_steps(local->plan));
}

int farm_local_run(const char *folder, const struct farm_plan *plan, unsigned jobs)
{
	struct local *local = calloc(1, sizeof(*local));
	int status;

	if (!local)
		return EAR_EXIT_FAILED;
	local->folder = folder;
	local->plan = plan;
	local->jobs = jobs;
	local->next = 1;
	local->failed = !process_self(local->program, sizeof(local->program));
	for (size_t i = 1; i <= farm_plan_steps(plan); i++)
		if (farm_step_look(folder, i).state == FARM_FAILED)
			farm_step_forgive(folder, i);
	while (!cli_interrupted) {
		start_next(local);
		if (local->running == 0)
			break;
		take_end(local);
	}
	while (local->running > 0) {
		end_all(local);
		take_end(local);
	}
	cli_progress_clear();
	bool failed = local->failed;
	free(local);
	if (cli_interrupted) {
		cli_error("interrupted; what is done is kept in %s", folder);
		return EAR_EXIT_FAILED;
	}
	if (failed) {
		cli_error("a step failed %u times: %s/log has what it said", FARM_TRIES, folder);
		return EAR_EXIT_FAILED;
	}
	status = farm_merge_run(folder, plan);
	return status;
}
