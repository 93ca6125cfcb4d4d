/* 'earshot infer': from a trace through the inference to the output. */
#include "cli/commands/infer/infer_run.h"

#include <earshot/error.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "cli/base/cli.h"
#include "cli/base/confine.h"
#include "common/plural.h"
#include "decoder/formats/formats.h"

static bool run_records(struct infer_request *request)
{
	const struct ear_record *record;
	int result = 1;

	while (!cli_interrupted && !request->outputs.failed &&
		(result = source_input_next(&request->input, &record)) == 1)
		outputs_record(&request->outputs, record);
	return result >= 0 && !cli_interrupted;
}

/* Tenths of a percent, rounded down: what is not all is not 100. */
static void print_part(const char *what, uint64_t part, uint64_t all, uint64_t shown)
{
	uint64_t wanted = all - shown, tenths = wanted ? part * 1000 / wanted : 0;

	if (wanted == 0)
		fprintf(stderr, "  %s: %s\n", what, all ? "all in the trace" : "none");
	else
		fprintf(stderr, "  %s: %" PRIu64 " of %" PRIu64 " (%" PRIu64 ".%" PRIu64 " %%)\n",
			what, part, wanted, tenths / 10, tenths % 10);
}

static void print_summary(
	const struct infer_request *request, const struct ear_infer_counts *counts)
{
	fprintf(stderr, "%s: %" PRIu64 " instructions; inferred of what the trace does not have:\n",
		request->input.name, counts->instructions);
	print_part(
		"registers written", counts->writes_inferred, counts->writes, counts->writes_shown);
	print_part("values loaded", counts->loads_inferred, counts->loads, counts->loads_shown);
	print_part("addresses stored to", counts->stores_inferred, counts->stores,
		counts->stores_shown);
	fprintf(stderr,
		"  all became unknown %" PRIu64 " times, memory %" PRIu64
		" times by a store to an unknown address\n",
		counts->forgotten, counts->overwritten);
}

/* Returns EAR_EXIT_NO if the core dump was not used. */
static int judge_core(const struct infer_request *request, const struct ear_infer_counts *counts)
{
	if (counts->core == EAR_INFER_CORE_AT_TRAP && !request->no_summary)
		fprintf(stderr,
			"  %s: registers of the last trap; its memory is later, and not used\n",
			request->options.core);
	if (counts->core != EAR_INFER_CORE_UNUSED || !request->options.core)
		return EAR_EXIT_DONE;
	cli_warning("%s is not of the end of %s, and is not used", request->options.core,
		request->input.name);
	return EAR_EXIT_NO;
}

/* Returns EAR_EXIT_NO if something that was inferred is in doubt. */
static int judge(const struct infer_request *request, const struct ear_infer_counts *counts)
{
	int status = judge_core(request, counts);

	if (counts->loads_unshared > 0)
		cli_warning("%s: %" PRIu64 " load%s inferred before a second hart came at index "
			    "%" PRIu64 ", which may have written there: give --shared",
			request->input.name, counts->loads_unshared,
			ear_plural(counts->loads_unshared), counts->shared_from);
	if (counts->contradictions == 0)
		return counts->loads_unshared > 0 ? EAR_EXIT_NO : status;
	cli_warning("%s: %" PRIu64 " time%s the trace shows something else than what was inferred, "
		    "first at index %" PRIu64 ": what was inferred before may be wrong. A device, "
		    "another hart or another program writes to memory (--device, --shared, --elf)",
		request->input.name, counts->contradictions, ear_plural(counts->contradictions),
		counts->first_contradiction);
	return EAR_EXIT_NO;
}

static struct ear_names *find_names(struct infer_request *request)
{
	struct symbol_file *symbols = &request->symbols;

	symbol_file_of_source(symbols, request->input.source, request->input.path);
	return symbols->elf ? symbol_file_names(symbols) : symbol_file_own_names(symbols);
}

static bool open_inference(struct infer_request *request)
{
	struct ear_names *names = find_names(request);
	struct ear_infer_options *options = &request->options;
	char fault[EAR_INFERENCE_FAULT];

	if (request->symbols.elf && !names)
		return false;
	if (!names && !request->input.quiet)
		cli_warning("%s: no program is known: nothing of memory is known before the trace "
			    "shows it (--elf)",
			request->input.name);
	options->names = names;
	options->ram = request->ram;
	options->traps = options->traps || infer_layer_shows_traps(request->input.source);
	int result = ear_inference_new(
		&request->inference, options, request->devices, request->device_count, fault);
	if (result)
		cli_error("%s", fault);
	return result == 0;
}

static int run_infer(struct infer_request *request)
{
	const struct ear_infer_counts *counts = &request->inference->counts;
	int result = ear_source_set_layers(request->input.source, &request->inference->reading);

	if (result) {
		cli_error("%s", ear_error_text(result));
		return EAR_EXIT_FAILED;
	}
	ear_source_writer_options(request->input.source, &request->outputs.writer_options);
	if (!outputs_open(&request->outputs, "", 0))
		return EAR_EXIT_FAILED;
	int status = run_records(request) ? EAR_EXIT_DONE : EAR_EXIT_FAILED;
	outputs_close(&request->outputs, "");
	if (request->outputs.failed && !request->outputs.broken_pipe)
		status = EAR_EXIT_FAILED;
	if (source_input_judge(&request->input) != EAR_EXIT_DONE)
		status = EAR_EXIT_FAILED;
	if (!request->no_summary)
		print_summary(request, counts);
	source_input_close(&request->input); /* before what its layer uses ends */
	return status == EAR_EXIT_DONE ? judge(request, counts) : status;
}

int infer_run(struct infer_request *request)
{
	int status = EAR_EXIT_FAILED;

	if (!(request->outputs.list[0].format &&
		    request->outputs.list[0].format->fields & EAR_FIELD_BIT(EAR_FIELD_INFERRED)))
		return cli_usage("infer", "a format that says which values are inferred is needed: "
					  "-o NAME.jsonl");
	request->symbols.image_suffices = true;
	symbol_file_prepare(&request->symbols);
	/* The program may be the one that a capture names. */
	confine_trace(request->input.path);
	confine_files(
		(const char *const[]){"/", NULL}, (const char *const[]){request->output, NULL});
	cli_catch_signals(NULL);
	if (source_input_open(&request->input) && open_inference(request))
		status = run_infer(request);
	source_input_close(&request->input);
	ear_inference_free(request->inference);
	symbol_file_close(&request->symbols);
	return status;
}
