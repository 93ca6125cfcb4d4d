/* 'earshot farm': one command over parts of a trace and over many traces, by Slurm or here. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/progress.h"
#include "cli/commands/cmd.h"
#include "cli/commands/farm/farm_capture.h"
#include "cli/commands/farm/farm_file.h"
#include "cli/commands/farm/farm_local.h"
#include "cli/commands/farm/farm_plan.h"
#include "cli/commands/farm/farm_slurm.h"
#include "cli/commands/farm/farm_step.h"
#include "cli/options/options.h"
#include "cli/show/json.h"

struct request {
	const char *folder, *devices;
	unsigned jobs, parts, at_once;
	bool local, dry_run, print_steps, no_wait, json;
	struct farm_slurm slurm;
};

static bool take_sbatch(void *value, const struct command_option *option, const char *argument)
{
	struct farm_slurm *slurm = value;

	if (slurm->option_count == sizeof(slurm->options) / sizeof(slurm->options[0]))
		return option_fail(option, argument, "one of the first 64");
	slurm->options[slurm->option_count++] = argument;
	return true;
}

static bool take_gres(void *value, const struct command_option *option, const char *argument)
{
	static char words[4][256];
	static size_t count;

	if (count == sizeof(words) / sizeof(words[0]) || strlen(argument) > 200)
		return option_fail(option, argument, "one of the first four, and shorter");
	snprintf(words[count], sizeof(words[0]), "--gres=%s", argument);
	return take_sbatch(value, option, words[count++]);
}

static const struct command_option table[] = {
	{"output", 'o', "DIR", VALUES_FOLDERS,
		.text = "Folder of the farm, on a file system that all machines share (default: farm-ID, "
			"which is removed after --local, but for captures). What is done there already is not done again.",
		OPTION_VALUE(struct request, folder)},
	{"local", 0, .text = "Run the steps here, as processes.",
		OPTION_VALUE(struct request, local)},
	{"jobs", 'j', "N",
		.text = "With --local: processes at a time (default: one for each core).",
		OPTION_VALUE(struct request, jobs), .min = 1, .max = CLI_JOBS_MAX},
	{"parts", 0, "N",
		.text = "Parts of each trace (default: one for 4 MiB of the largest, 2 to 16; "
			"of `convert` one).",
		OPTION_VALUE(struct request, parts), .min = 1, .max = 64},
	{"times", 0, "N", .text = "With `capture`: how often each FILE is captured (default 1).",
		OPTION_VALUE(struct request, parts), .min = 1, .max = 10000},
	{"devices", 0, "LIST", VALUES_FILES,
		.text = "With `capture`: each capture takes a device of its machine that is free. LIST "
			"has a line for each device: the name of the machine or `*`, a blank, and what "
			"`capture -d` takes.",
		OPTION_VALUE(struct request, devices)},
	{"gres", 0, "GRES",
		.text = "What Slurm gives a step, as `board:1`: the same as --sbatch=--gres=GRES.",
		OPTION_TAKEN(take_gres, struct request, slurm)},
	{"sbatch", 0, "OPTION",
		.text = "An option of sbatch for the steps, as `--sbatch=--partition=night`; repeat for "
			"more.",
		OPTION_TAKEN(take_sbatch, struct request, slurm)},
	{"at-once", 0, "N", .text = "At most N steps at a time.",
		OPTION_VALUE(struct request, at_once), .min = 1, .max = 1000000},
	{"no-wait", 0,
		.text = "Submit, and end: `earshot farm wait DIR` waits, whenever it is called.",
		OPTION_VALUE(struct request, no_wait)},
	{"dry-run", 0, .text = "Print what would be submitted to Slurm.",
		OPTION_VALUE(struct request, dry_run)},
	{"print-steps", 0,
		.text = "Print the steps, for another engine: one JSON line each, the merge last.",
		OPTION_VALUE(struct request, print_steps)},
	{"json", 0, .text = "With `status`: print it as JSON.", OPTION_VALUE(struct request, json)},
	QUIET_ALONE,
	{0},
};

static void print_step(const char *program, const char *verb, const char *folder, size_t number)
{
	printf("{\"command\": [");
	cli_print_json(program);
	printf(", \"farm\", \"%s\", ", verb);
	cli_print_json(folder);
	if (number)
		printf(", \"%zu\"], \"step\": %zu}\n", number, number);
	else
		printf("], \"after\": \"all\"}\n");
}

static int print_steps(const struct farm_plan *plan, const char *folder)
{
	char program[FARM_PATH] = "earshot";
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);

	if (length > 0)
		program[length] = '\0';
	for (size_t i = 1; i <= farm_plan_steps(plan); i++)
		print_step(program, "step", folder, i);
	print_step(program, "merge", folder, 0);
	return EAR_EXIT_DONE;
}

/* Captures are files: where they are, and what they are. */
static bool show_captures(const struct farm_plan *plan, const char *folder)
{
	char path[FARM_PATH], hash[FARM_HASH_SIZE];
	unsigned long long size;

	for (size_t i = 0; i < farm_plan_results(plan); i++) {
		if (!farm_result_path(path, folder, plan, i) ||
			!farm_hash(path, false, hash, &size)) {
			cli_error("%s: %s", path, strerror(errno));
			return false;
		}
		printf("%s  %s\n", hash, path);
	}
	return fflush(stdout) == 0;
}

/* The results to standard output; of several traces each after its name. */
static bool show_results(const struct farm_plan *plan, const char *folder)
{
	char path[FARM_PATH], buffer[65536];
	size_t count;

	if (farm_is_capture(plan))
		return show_captures(plan, folder);

	for (size_t i = 0; i < plan->trace_count; i++) {
		FILE *file = farm_result_path(path, folder, plan, i) ? fopen(path, "re") : NULL;
		if (!file) {
			cli_error("%s: %s", path, strerror(errno));
			return false;
		}
		if (plan->trace_count > 1)
			printf("%s== %s ==\n", i ? "\n" : "", plan->traces[i].path);
		while ((count = fread(buffer, 1, sizeof(buffer), file)) > 0)
			(void)fwrite(buffer, 1, count, stdout);
		fclose(file);
	}
	return fflush(stdout) == 0;
}

static int finish(const struct farm_plan *plan, const char *folder, int status)
{
	int merged;

	cli_progress_clear();
	return farm_merge_look(folder, plan, &merged) && !show_results(plan, folder)
		       ? EAR_EXIT_FAILED
		       : status;
}

/* status ------------------------------------------------------------------------------------- */

static int show_status(const struct farm_plan *plan, const char *folder, bool json)
{
	size_t done = 0, failed = 0, total = farm_plan_steps(plan);
	int status;

	for (size_t i = 1; i <= total; i++) {
		enum farm_state state = farm_step_look(folder, i).state;
		done += state == FARM_DONE;
		failed += state == FARM_FAILED;
		if (state == FARM_FAILED && !json)
			printf("failed: step %zu, %s/log/%zu.txt\n", i, folder, i);
	}
	bool merged = farm_merge_look(folder, plan, &status);
	if (json)
		printf("{\"id\": \"%s\", \"steps\": %zu, \"done\": %zu, \"failed\": %zu, \"missing\": "
		       "%zu, \"merged\": %s}\n",
			plan->id, total, done, failed, total - done - failed,
			merged ? "true" : "false");
	else
		printf("id: %s\nsteps: %zu\ndone: %zu\nfailed: %zu\nmissing: %zu\nmerged: %s\n",
			plan->id, total, done, failed, total - done - failed,
			merged ? "yes" : "no");
	return merged ? status : failed ? EAR_EXIT_FAILED : EAR_EXIT_NO;
}

/* Verbs: what steps of an engine call, and people afterwards. */
static int run_verb(struct request *request, const char *verb, int argc, char **argv)
{
	struct farm_plan plan;
	int status = EAR_EXIT_FAILED;
	bool is_step = strcmp(verb, "step") == 0;
	uint64_t number = 0;

	if (argc != (is_step ? 2 : 1))
		return cli_usage("farm", "%s needs %s", verb, is_step ? "DIR and a number" : "DIR");
	/* The plan is read in its own folder. */
	char *folder = realpath(argv[0], NULL);
	if (!folder)
		cli_error("%s: %s", argv[0], strerror(errno));
	if (!folder || !farm_plan_read(&plan, folder)) {
		free(folder);
		return status;
	}
	if (is_step && (!cli_parse_count(&number, argv[1]) || number < 1 ||
			       number > farm_plan_steps(&plan))) {
		cli_error("%s: the farm has no step '%s'", folder, argv[1]);
	} else {
		cli_catch_signals(NULL);
		request->slurm.folder = folder;
		request->slurm.plan = &plan;
		request->slurm.at_once = request->at_once;
		if (is_step)
			status = farm_step_run(folder, &plan, number);
		else if (strcmp(verb, "merge") == 0)
			status = farm_merge_run(folder, &plan);
		else if (strcmp(verb, "status") == 0)
			status = show_status(&plan, folder, request->json);
		else
			status = finish(&plan, folder, farm_slurm_wait(&request->slurm));
	}
	farm_plan_free(&plan);
	free(folder);
	return status;
}

/* A farm -------------------------------------------------------------------------------------- */

static int run_slurm(struct request *request, const struct farm_plan *plan, const char *folder)
{
	request->slurm.folder = folder;
	request->slurm.plan = plan;
	request->slurm.at_once = request->at_once;
	if (request->dry_run)
		return farm_slurm_print(&request->slurm, stdout);
	/* What failed before may be tried again. */
	for (size_t i = 1; i <= farm_plan_steps(plan); i++)
		if (farm_step_look(folder, i).state == FARM_FAILED)
			farm_step_forgive(folder, i);
	int status = farm_slurm_submit(&request->slurm);
	if (status != EAR_EXIT_DONE || request->no_wait) {
		if (status == EAR_EXIT_DONE)
			printf("%s\n", folder);
		return status;
	}
	return finish(plan, folder, farm_slurm_wait(&request->slurm));
}

/* The folder of --local that nobody asked for. */
static void remove_folder(const struct farm_plan *plan, const char *folder)
{
	static const char *const forms[] = {"steps/%zu.out", "steps/%zu.done", "log/%zu.txt"};
	static const char *const folders[] = {"steps", "log", "result"};
	char path[FARM_PATH];

	for (size_t i = 1; i <= farm_plan_steps(plan); i++) {
		for (size_t form = 0; form < sizeof(forms) / sizeof(forms[0]); form++) {
			char name[64];
			/* NOLINTNEXTLINE(clang-diagnostic-format-nonliteral) */
			snprintf(name, sizeof(name), forms[form], i);
			if (farm_path(path, folder, "%s", name))
				(void)unlink(path);
		}
		farm_step_forgive(folder, i);
	}
	for (size_t i = 0; i < plan->trace_count; i++) {
		if (farm_result_path(path, folder, plan, i))
			(void)unlink(path);
		if (farm_path(path, folder, "result/%04zu.done", i + 1))
			(void)unlink(path);
	}
	static const char *const files[] = {"plan", "log/merge.txt"};
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (farm_path(path, folder, "%s", files[i]))
			(void)unlink(path);
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (farm_path(path, folder, "%s", folders[i]))
			(void)rmdir(path);
	(void)rmdir(folder);
}

static int run_farm(struct request *request, const struct farm_plan *plan)
{
	char name[32], given[FARM_PATH], folder[FARM_PATH];

	snprintf(name, sizeof(name), "farm-%s", plan->id);
	snprintf(given, sizeof(given), "%s", request->folder ? request->folder : name);
	if (!farm_plan_write(plan, given))
		return EAR_EXIT_FAILED;
	/* Steps run in other folders. */
	if (!realpath(given, folder)) {
		cli_error("%s: %s", given, strerror(errno));
		return EAR_EXIT_FAILED;
	}
	if (request->print_steps)
		return print_steps(plan, folder);
	if (!request->local)
		return run_slurm(request, plan, folder);
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned jobs = request->jobs                       ? request->jobs
			: cores > 0 && cores < CLI_JOBS_MAX ? (unsigned)cores
							    : 2;
	int status = finish(plan, folder, farm_local_run(folder, plan, jobs));
	int merged;
	if (!request->folder && !farm_is_capture(plan) && farm_merge_look(folder, plan, &merged))
		remove_folder(plan, folder);
	return status;
}

static int run(int argc, char **argv)
{
	static const char *const verbs[] = {"step", "merge", "status", "wait"};
	static struct request request;
	struct farm_plan plan;
	int status;
	const int first = farm_first_word(&cmd_farm, argc, argv);

	if (options_parse(&cmd_farm, first, argv, &request, &status) < 0)
		return status;
	if (first == argc)
		return cli_usage("farm", "which command?");
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (strcmp(argv[first], verbs[i]) == 0) {
			/* Options may come behind the verb, too. */
			int rest = options_parse(
				&cmd_farm, argc - first, argv + first, &request, &status);
			return rest < 0 ? status
					: run_verb(&request, verbs[i], argc - first - rest,
						  argv + first + rest);
		}
	if (!farm_plan_make(&plan, argc - first, argv + first, request.parts, request.devices))
		return EAR_EXIT_FAILED;
	const char *wrong = farm_is_capture(&plan) ? farm_capture_check(&plan) : NULL;
	if (wrong) {
		farm_plan_free(&plan);
		return cli_usage("farm", "%s", wrong);
	}
	cli_catch_signals(NULL);
	status = run_farm(&request, &plan);
	farm_plan_free(&plan);
	return status;
}

const struct command cmd_farm = {
	.name = "farm",
	.arguments = "[OPTION]... COMMAND [ARGUMENT]... FILE...\n"
		     "step DIR NUMBER\n"
		     "merge DIR\n"
		     "status DIR\n"
		     "wait DIR",
	.summary = "run a command over parts of a trace, by Slurm or here",
	.about =
		"Run COMMAND over the parts of a long trace, or over many traces, as an array of Slurm and a "
		"job that puts the results together; with --local as processes of this machine. It prints "
		"what COMMAND prints for each FILE.",
	.options = table,
	.notes =
		"profile, coverage, branches, calls, memory and stat have parts, and so has convert, "
		"which is split with --parts only, to the text formats of its --part. check, grep, "
		"index, info and why run once for each FILE; what they write goes to standard output.\n"
		"\n"
		"capture runs once for each FILE, which is `{}` in its options, as in `farm --devices boards "
		"capture --load {} a.elf b.elf`, or --times N; without a FILE it is captured what runs on the "
		"device. It prints the SHA-256 and the path of each capture.\n"
		"\n"
		"`step` and `merge` are what an engine calls: plan, results and their checksums are files in "
		"DIR, and a step that is done is not done again. `status` says what is missing, `wait` submits "
		"it again.",
	.exit_status =
		"the worst of COMMAND: 0 done, 1 the answer is no; 2 it could not be done. `status`: 1 "
		"if the farm is still at work.",
	.run = run,
};
