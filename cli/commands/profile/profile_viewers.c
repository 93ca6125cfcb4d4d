#include "cli/commands/profile/profile_viewers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/cli.h"

#include "pprof.pb-c.h"

static bool fail_memory(void)
{
	cli_error("out of memory");
	return false;
}

/* ---- speedscope ---- */

static void print_frames(const struct profile_view *view)
{
	char name[PROFILE_NAME_MAX];

	printf("\"shared\": {\"frames\": [");
	for (size_t i = 0; i < ear_profile_function_count(view->profile); i++) {
		const struct ear_profile_function *function =
			ear_profile_function(view->profile, i);
		struct ear_line line;
		profile_name(view, function, name);
		printf(i > 0 ? ",\n  {\"name\": " : "\n  {\"name\": ");
		cli_print_json(name);
		if (profile_begin_of(view, function, &line)) {
			printf(", \"file\": ");
			cli_print_json(line.path);
			if (line.line > 0)
				printf(", \"line\": %" PRIu32, line.line);
		}
		printf("}");
	}
	printf("\n]}");
}

static uint64_t weight_of(const struct ear_profile_node *node, bool clocks)
{
	return clocks ? node->self.clocks : node->self.records;
}

static void print_profile(
	const struct profile_view *view, const char *trace, bool clocks, uint32_t *stack)
{
	const struct ear_profile_counts total = ear_profile_total(view->profile);
	const size_t count = ear_profile_node_count(view->profile);
	const char *divider = "";

	printf("{\"type\": \"sampled\", \"name\": ");
	cli_print_json(trace);
	printf(", \"unit\": \"none\", \"startValue\": 0, \"endValue\": %" PRIu64
	       ",\n\"samples\": [",
		clocks ? total.clocks : total.records);
	for (uint32_t i = 0; i < count; i++) {
		const struct ear_profile_node *node = ear_profile_node(view->profile, i);
		size_t depth = 0;
		if (weight_of(node, clocks) == 0)
			continue;
		for (uint32_t at = i; at != UINT32_MAX;
			at = ear_profile_node(view->profile, at)->parent)
			stack[depth++] = ear_profile_node(view->profile, at)->function;
		printf("%s\n  [", divider);
		for (; depth > 0; depth--)
			printf(depth > 1 ? "%" PRIu32 "," : "%" PRIu32 "]", stack[depth - 1]);
		divider = ",";
	}
	printf("\n],\n\"weights\": [");
	divider = "";
	for (uint32_t i = 0; i < count; i++) {
		const struct ear_profile_node *node = ear_profile_node(view->profile, i);
		if (weight_of(node, clocks) > 0)
			printf("%s%" PRIu64, divider, weight_of(node, clocks));
		divider = weight_of(node, clocks) > 0 ? "," : divider;
	}
	printf("]}");
}

bool profile_speedscope(const struct profile_view *view, const char *trace)
{
	uint32_t *stack = calloc(ear_profile_node_count(view->profile) + 1, sizeof(*stack));
	char name[4096];

	if (!stack)
		return fail_memory();
	printf("{\"$schema\": \"https://www.speedscope.app/file-format-schema.json\",\n");
	printf("\"exporter\": \"earshot\", \"name\": ");
	cli_print_json(trace);
	printf(",\n");
	print_frames(view);
	printf(",\n\"profiles\": [\n");
	if (ear_profile_has_time(view->profile)) {
		snprintf(name, sizeof(name), "%s, clocks", trace);
		print_profile(view, name, true, stack);
		printf(",\n");
	}
	snprintf(name, sizeof(name), "%s, instructions", trace);
	print_profile(view, name, false, stack);
	printf("\n]}\n");
	free(stack);
	return true;
}

/* ---- pprof ---- */

/* What a message points to, in arrays of one size each. */
struct building {
	const struct profile_view *view;
	Ear__Pprof__Profile profile;
	Ear__Pprof__ValueType types[2];
	Ear__Pprof__ValueType *type_list[2];
	Ear__Pprof__Function *functions, **function_list;
	Ear__Pprof__Location *locations, **location_list;
	Ear__Pprof__Line *lines, **line_list;
	Ear__Pprof__Sample *samples, **sample_list;
	int64_t *values;    /* two of each sample */
	uint64_t *stacks;   /* of all samples */
	size_t stack_count; /* numbers in it */
	char **strings;
	size_t string_count;
};

static int64_t add_string(struct building *building, const char *text)
{
	char *copy = strdup(text);

	if (copy)
		building->strings[building->string_count++] = copy;
	return copy ? (int64_t)building->string_count - 1 : 0;
}

/* Nodes that are samples, and how deep they all are. */
static size_t count_samples(const struct profile_view *view, size_t *depths)
{
	const size_t count = ear_profile_node_count(view->profile);
	size_t samples = 0;

	*depths = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (ear_profile_node(view->profile, i)->self.records == 0)
			continue;
		samples++;
		for (uint32_t at = i; at != UINT32_MAX;
			at = ear_profile_node(view->profile, at)->parent)
			++*depths;
	}
	return samples;
}

static bool allocate(struct building *building, size_t functions, size_t samples, size_t depths)
{
	building->functions = calloc(functions + 1, sizeof(*building->functions));
	building->function_list = calloc(functions + 1, sizeof(*building->function_list));
	building->locations = calloc(functions + 1, sizeof(*building->locations));
	building->location_list = calloc(functions + 1, sizeof(*building->location_list));
	building->lines = calloc(functions + 1, sizeof(*building->lines));
	building->line_list = calloc(functions + 1, sizeof(*building->line_list));
	building->samples = calloc(samples + 1, sizeof(*building->samples));
	building->sample_list = calloc(samples + 1, sizeof(*building->sample_list));
	building->values = calloc(2 * samples + 1, sizeof(*building->values));
	building->stacks = calloc(depths + 1, sizeof(*building->stacks));
	building->strings = calloc(3 * functions + 8, sizeof(*building->strings));
	return building->functions && building->function_list && building->locations &&
	       building->location_list && building->lines && building->line_list &&
	       building->samples && building->sample_list && building->values && building->stacks &&
	       building->strings;
}

static void release(struct building *building)
{
	for (size_t i = 0; i < building->string_count; i++)
		free(building->strings[i]);
	free(building->strings);
	free(building->functions);
	free(building->function_list);
	free(building->locations);
	free(building->location_list);
	free(building->lines);
	free(building->line_list);
	free(building->samples);
	free(building->sample_list);
	free(building->values);
	free(building->stacks);
}

static void add_types(struct building *building, bool timed)
{
	ear__pprof__value_type__init(&building->types[0]);
	ear__pprof__value_type__init(&building->types[1]);
	building->types[0].type = add_string(building, "instructions");
	building->types[0].unit = add_string(building, "count");
	building->types[1].type = add_string(building, "clocks");
	building->types[1].unit = building->types[0].unit;
	for (unsigned i = 0; i < 2; i++)
		building->type_list[i] = &building->types[i];
	building->profile.n_sample_type = timed ? 2 : 1;
	building->profile.sample_type = building->type_list;
	building->profile.period_type = &building->types[0];
	building->profile.period = 1;
}

/* Numbers of functions and locations are those of the profile + 1. */
static void add_function(struct building *building, size_t number)
{
	const struct profile_view *view = building->view;
	const struct ear_profile_function *own = ear_profile_function(view->profile, number);
	Ear__Pprof__Function *function = &building->functions[number];
	Ear__Pprof__Location *location = &building->locations[number];
	Ear__Pprof__Line *line = &building->lines[number];
	char name[PROFILE_NAME_MAX];
	struct ear_line place;

	profile_name(view, own, name);
	ear__pprof__function__init(function);
	function->id = number + 1;
	function->name = add_string(building, name);
	function->system_name = add_string(building, own->name);
	ear__pprof__line__init(line);
	line->function_id = number + 1;
	if (profile_begin_of(view, own, &place)) {
		function->filename = add_string(building, place.path);
		function->start_line = line->line = place.line;
	}
	ear__pprof__location__init(location);
	location->id = number + 1;
	location->address = own->entry;
	building->line_list[number] = line;
	location->line = &building->line_list[number];
	location->n_line = 1;
	building->function_list[number] = function;
	building->location_list[number] = location;
}

static void add_samples(struct building *building, bool timed)
{
	const struct profile_view *view = building->view;
	const size_t count = ear_profile_node_count(view->profile);
	size_t made = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct ear_profile_node *node = ear_profile_node(view->profile, i);
		Ear__Pprof__Sample *sample = &building->samples[made];
		if (node->self.records == 0)
			continue;
		ear__pprof__sample__init(sample);
		sample->location_id = &building->stacks[building->stack_count];
		for (uint32_t at = i; at != UINT32_MAX;
			at = ear_profile_node(view->profile, at)->parent) {
			building->stacks[building->stack_count++] =
				ear_profile_node(view->profile, at)->function + 1;
			sample->n_location_id++;
		}
		sample->value = &building->values[2 * made];
		sample->n_value = timed ? 2 : 1;
		sample->value[0] = (int64_t)node->self.records;
		sample->value[1] = (int64_t)node->self.clocks;
		building->sample_list[made++] = sample;
	}
	building->profile.n_sample = made;
	building->profile.sample = building->sample_list;
}

static bool write_message(const Ear__Pprof__Profile *profile, int fd)
{
	const size_t size = ear__pprof__profile__get_packed_size(profile);
	uint8_t *bytes = malloc(size + 1);

	if (!bytes)
		return fail_memory();
	ear__pprof__profile__pack(profile, bytes);
	for (size_t done = 0; done < size;) {
		ssize_t wrote = write(fd, bytes + done, size - done);
		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote < 0) {
			cli_error("the profile cannot be written: %s", strerror(errno));
			free(bytes);
			return false;
		}
		done += (size_t)wrote;
	}
	free(bytes);
	return true;
}

bool profile_pprof(const struct profile_view *view, int fd)
{
	struct building building = {.view = view};
	const size_t functions = ear_profile_function_count(view->profile);
	const bool timed = ear_profile_has_time(view->profile);
	size_t depths, samples = count_samples(view, &depths);
	bool good = allocate(&building, functions, samples, depths);

	ear__pprof__profile__init(&building.profile);
	if (good) {
		add_string(&building, "");
		add_types(&building, timed);
		for (size_t i = 0; i < functions; i++)
			add_function(&building, i);
		add_samples(&building, timed);
		building.profile.function = building.function_list;
		building.profile.n_function = functions;
		building.profile.location = building.location_list;
		building.profile.n_location = functions;
		building.profile.string_table = building.strings;
		building.profile.n_string_table = building.string_count;
	}
	good = good ? write_message(&building.profile, fd) : fail_memory();
	release(&building);
	return good;
}
