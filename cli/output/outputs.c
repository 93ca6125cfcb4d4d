/* Capture files and texts that are written at once. An output that fails is reported once and left
 * out, so that a full disk does not end the capture into another file. A format that holds one
 * hart per file gets another file when a second hart comes.
 */
#include "cli/output/outputs.h"

#include <earshot/error.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/files.h"
#include "cli/base/progress.h"
#include "common/sync.h"
#include "decoder/formats/formats.h"
#include "library/shot/shot_format.h"

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), end_length = strlen(end);

	return length > end_length && strcmp(text + length - end_length, end) == 0;
}

/* The ending of a name, ".csv" of "a/t.csv.gz"; its length goes to *size, 0 if there is none. */
static const char *find_ending(const char *path, size_t *size)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t length = strlen(name);

	if (ear_text_output_packing(path) != EAR_TEXT_PLAIN)
		length = (size_t)(strrchr(name, '.') - name);
	size_t dot = length;
	while (dot > 0 && name[dot - 1] != '.')
		dot--;
	/* ".profile" and "name." have none. */
	*size = dot > 1 && dot < length ? length - dot + 1 : 0;
	return name + dot - 1;
}

static bool is_special(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

static bool refuse_ending(const char *path, const char *ending, size_t size)
{
	char known[256] = ".shot";

	for (const struct ear_writer_format *format = ear_writer_formats; format->name; format++) {
		size_t used = strlen(known);
		if (!format->extension[0])
			continue;
		snprintf(known + used, sizeof(known) - used, ", %s", format->extension);
	}
	if (size == strlen(".shot") && strncmp(ending, ".shot", size) == 0)
		cli_error("%s: which format? A capture file is compressed already: name it .shot",
			path);
	else if (size > 0)
		cli_error("%s: which format? None has the ending '%.*s'; give -f FORMAT, or one of "
			  "the endings %s; texts also with .gz or .zst",
			path, (int)size, ending, known);
	else
		cli_error("%s: which format? The name has no ending; give -f FORMAT, or one of the "
			  "endings %s; texts also with .gz or .zst",
			path, known);
	return false;
}

bool outputs_choose(const struct ear_writer_format **format, const char *path, const char *name,
	const char *nameless)
{
	size_t size;
	const char *ending = find_ending(path, &size);

	*format = NULL;
	if (name && strcmp(name, "shot") == 0)
		return true;
	if (name) {
		*format = ear_writer_find(name);
		if (!*format)
			cli_error("there is no format '%s'; 'earshot convert --help' lists them",
				name);
		return *format != NULL;
	}
	if (ends_with(path, ".shot"))
		return true;
	*format = ends_with(path, "/") ? ear_writer_find("qtrace") : ear_writer_find_by_path(path);
	if (!*format && (strcmp(path, "-") == 0 || (size == 0 && is_special(path))))
		*format = ear_writer_find("whisper");
	if (!*format && size == 0 && nameless)
		*format = ear_writer_find(nameless);
	return *format || refuse_ending(path, ending, size);
}

/* The folder of a trace is there before the command gives up the right to make one. */
static bool make_folder(const char *path)
{
	struct stat status;

	if (strcmp(path, "-") == 0) {
		cli_error("a trace of this format is a folder: give -o NAME");
		return false;
	}
	if (mkdir(path, 0777) != 0 && errno != EEXIST) {
		cli_error("%s: %s", path, strerror(errno));
		return false;
	}
	if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode)) {
		cli_error("%s: a trace of this format is a folder, and this is a file", path);
		return false;
	}
	return true;
}

bool outputs_add(struct outputs *outputs, const char *path, const char *format)
{
	struct output *output = &outputs->list[outputs->count];

	if (outputs->count == OUTPUT_COUNT_MAX) {
		cli_error("%s: more than %d outputs", path, OUTPUT_COUNT_MAX);
		return false;
	}
	*output = (struct output){.path = path, .fd = -1};
	if (!outputs_choose(&output->format, path, format, NULL))
		return false;
	if (output->format && output->format->folder && !make_folder(path))
		return false;
	if (!files_write("-o", path))
		return false;
	outputs->count++;
	return true;
}

bool outputs_alive(const struct outputs *outputs)
{
	for (size_t i = 0; i < outputs->count; i++)
		if (outputs->list[i].shot || outputs->list[i].writer)
			return true;
	return false;
}

static bool is_folder(const struct output *output)
{
	return output->format && output->format->folder;
}

/* It gets nothing more. */
static void leave_out(struct outputs *outputs, struct output *output)
{
	outputs->failed = true;
	ear_shot_writer_free(output->shot);
	output->shot = NULL;
	/* What came before shall be a whole folder. */
	if (output->writer && output->format->folder)
		output->format->folder->finish(output->writer);
	ear_writer_free(output->writer);
	output->writer = NULL;
}

/* Why the writer of a folder could not go on, or what the error means in general. */
static const char *why(const struct output *output, int result, int number)
{
	const char *fault = output->writer && output->format->folder
				    ? output->format->folder->fault(output->writer)
				    : NULL;

	if (fault && result != EAR_E_IO)
		return fault;
	return result == EAR_E_IO ? strerror(number) : ear_error_text(result);
}

/* The first failure of an output is reported; then it is left out. result is what a function of its
 * writer returned, number errno if that is EAR_E_IO.
 */
static void fail(struct outputs *outputs, struct output *output, int result, int number)
{
	char cause[200];

	snprintf(cause, sizeof(cause), "%s", why(output, result, number));
	leave_out(outputs, output);
	if (result == EAR_E_IO && number == EPIPE && output->fd == STDOUT_FILENO)
		outputs->broken_pipe = true;
	else
		cli_error("%s: %s; what was written before is kept%s", output->path, cause,
			outputs_alive(outputs) ? "; the other outputs are not affected" : "");
}

/* A function of the writer of a capture file, or of a text, gave this. */
static void check_shot(struct outputs *outputs, struct output *output, int result)
{
	if (result)
		fail(outputs, output, result, errno);
}

static void check_text(struct outputs *outputs, struct output *output, int result)
{
	if (result)
		fail(outputs, output, result, output->text.error_number);
}

/* A folder, which is there; nothing goes to the text. */
static bool open_folder(struct output *output, const struct ear_writer_options *options)
{
	int result = ear_text_output_init_memory(&output->text);

	output->fd = open(output->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (output->fd < 0)
		result = EAR_E_IO;
	if (result == 0)
		result = output->format->folder->open(&output->writer, output->fd, options);
	if (result)
		cli_error("%s: %s", output->path,
			result == EAR_E_IO ? strerror(errno) : ear_error_text(result));
	return result == 0;
}

#define FAULT_MAX 256

/* Returns 0 or an error, with a sentence in fault or "". */
static int make_writer(struct output *output, const struct ear_writer_options *options, char *fault)
{
	if (output->format->make_of_bytes)
		return output->format->make_of_bytes(
			&output->writer, &output->text, options, fault, FAULT_MAX);
	output->writer = output->format->make(&output->text, options);
	return output->writer ? 0 : EAR_E_NO_MEMORY;
}

static bool open_one(struct output *output, const struct ear_writer_options *options,
	const struct ear_shot_states *states, const char *metadata, int level)
{
	char fault[FAULT_MAX] = "";
	int result = 0;

	if (output->format && output->format->folder)
		return open_folder(output, options);
	output->fd = files_open(output->path);
	if (output->fd < 0)
		return false;
	files_begin();
	bool binary = !output->format || output->format->make_of_bytes;
	if (output->fd == STDOUT_FILENO && binary && isatty(STDOUT_FILENO)) {
		cli_error("%s is binary: not written to a terminal",
			output->format ? "a branch trace" : "a capture file");
		return false;
	}
	if (output->fd == STDOUT_FILENO && isatty(STDOUT_FILENO))
		cli_progress_disable(); /* it would be among the lines of the text */
	if (!output->format) {
		output->states = *states;
		result = ear_shot_writer_new(&output->shot, output->fd, metadata, level);
	} else {
		result = ear_text_output_init(
			&output->text, output->fd, ear_text_output_packing(output->path));
		if (result == 0)
			result = make_writer(output, options, fault);
	}
	if (result)
		cli_error("%s: %s", output->path,
			fault[0]             ? fault
			: result == EAR_E_IO ? strerror(errno)
					     : ear_error_text(result));
	return result == 0;
}

bool outputs_open(struct outputs *outputs, const char *metadata, int level)
{
	outputs->writer_options.no_comments = outputs->comments.apart;
	for (size_t i = 0; i < outputs->count; i++)
		if (!open_one(&outputs->list[i], &outputs->writer_options, &outputs->states,
			    metadata, level))
			return false;
	return true;
}

void outputs_bytes(struct outputs *outputs, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < outputs->count; i++) {
		struct output *output = &outputs->list[i];
		if (output->shot)
			check_shot(
				outputs, output, ear_shot_writer_push(output->shot, bytes, size));
	}
}

void outputs_loss(struct outputs *outputs, uint64_t size)
{
	for (size_t i = 0; i < outputs->count; i++) {
		struct output *output = &outputs->list[i];
		if (output->shot)
			check_shot(outputs, output, ear_shot_writer_loss(output->shot, size));
	}
}

void outputs_state(struct outputs *outputs, const struct ear_decoder *decoder)
{
	for (size_t i = 0; i < outputs->count; i++) {
		struct output *output = &outputs->list[i];
		if (output->shot)
			check_shot(outputs, output,
				ear_shot_states_write_whole(
					&output->states, output->shot, decoder));
	}
}

void outputs_decoded(struct outputs *outputs, const struct ear_decoder *decoder)
{
	for (size_t i = 0; i < outputs->count; i++) {
		struct output *output = &outputs->list[i];
		if (output->shot && ear_shot_states_due(&output->states, decoder))
			check_shot(outputs, output,
				ear_shot_states_write(&output->states, output->shot, decoder));
	}
}

size_t outputs_step(const struct outputs *outputs, const struct ear_decoder *decoder)
{
	for (size_t i = 0; i < outputs->count; i++)
		if (outputs->list[i].shot &&
			(decoder->statistics.hart_count == 0 ||
				ear_shot_states_end_frames(&outputs->states, decoder)))
			return EAR_SHOT_STATES_STEP;
	return EAR_SHOT_CHUNK_SIZE / 16;
}

bool outputs_want_records(const struct outputs *outputs)
{
	for (size_t i = 0; i < outputs->count; i++)
		if (outputs->list[i].format)
			return true;
	return false;
}

bool outputs_want_tasks(const struct outputs *outputs)
{
	for (size_t i = 0; i < outputs->count; i++)
		if (is_folder(&outputs->list[i]))
			return true;
	return false;
}

bool outputs_want_reads(const struct outputs *outputs)
{
	for (size_t i = 0; i < outputs->count; i++)
		if (outputs->list[i].format && ear_writer_has_reads(outputs->list[i].format))
			return true;
	return false;
}

/* "t.tarmac" and hart 1 make "t.h1.tarmac". NULL if memory is short. */
static char *hart_path(const char *path, unsigned hart)
{
	const char *slash = strrchr(path, '/');
	const char *dot = strchr(slash ? slash + 1 : path, '.');
	size_t stem = dot ? (size_t)(dot - path) : strlen(path);
	size_t size = strlen(path) + 16;
	char *made = malloc(size);

	if (made)
		snprintf(made, size, "%.*s.h%u%s", (int)stem, path, hart, path + stem);
	return made;
}

/* The format holds one hart in a file, and this record is of another one: have a file for it, which
 * then takes its part of all records by itself.
 */
static void add_hart(struct outputs *outputs, struct output *first, uint16_t hart)
{
	for (size_t i = 0; i < outputs->count; i++)
		if (outputs->list[i].first == first && outputs->list[i].hart == hart)
			return;
	if (first->format->folder) {
		cli_error("%s: a folder of this format holds one hart, and there is hart %u, too: "
			  "write one for each with 'earshot convert --hart'",
			first->path, hart);
		leave_out(outputs, first);
		return;
	}
	if (first->fd == STDOUT_FILENO || outputs->count == OUTPUT_COUNT_MAX) {
		cli_error("%s: this format holds one hart in a file; with -o NAME there is a file "
			  "for each hart, %d at the most",
			first->path, OUTPUT_COUNT_MAX);
		leave_out(outputs, first);
		return;
	}

	struct output *output = &outputs->list[outputs->count++];
	struct ear_writer_options options = outputs->writer_options;
	char *path = hart_path(first->path, hart);
	*output = (struct output){.path = path ? path : first->path,
		.own_path = path,
		.format = first->format,
		.fd = -1,
		.first = first,
		.hart = hart};
	options.one_hart = true;
	options.hart = hart;
	if (!path || !files_write("-o", path) ||
		!open_one(output, &options, &outputs->states, "", 1))
		outputs->failed = true;
	else
		cli_warning("hart %u is written to %s", hart, path);
}

/* What a text without comment lines does not hold: shown once, whatever the number of texts. */
static void take_comment(struct outputs *outputs, const struct ear_record *record)
{
	for (size_t i = 0; i < outputs->count; i++) {
		const struct output *output = &outputs->list[i];
		if (output->writer && ear_writer_lacks_without_comments(output->format, record)) {
			comments_show(&outputs->comments, record);
			return;
		}
	}
}

/* The list may grow on the way: the new file takes the record that made it grow. */
static void push_record(
	struct outputs *outputs, struct output *output, const struct ear_record *record)
{
	int result = output->writer ? ear_writer_push(output->writer, record) : 0;

	if (result == EAR_E_UNSUPPORTED)
		add_hart(outputs, output, record->hart);
	else if (is_folder(output) && result)
		fail(outputs, output, result, errno);
	else
		check_text(outputs, output, result);
}

/* What stores to the event port mean goes to folders, which have no place for the stores. */
static void push_tasks(struct outputs *outputs, const struct ear_record *record)
{
	int count = port_input_push(outputs->port, record);

	outputs->failed |= count < 0;
	for (int at = 0; at < count; at++)
		for (size_t i = 0; i < outputs->count; i++)
			if (is_folder(&outputs->list[i]))
				push_record(outputs, &outputs->list[i],
					port_input_get(outputs->port, at));
}

int outputs_record(struct outputs *outputs, const struct ear_record *record)
{
	if (outputs->comments.apart && record->kind != EAR_RECORD_INSTRUCTION)
		take_comment(outputs, record);
	for (size_t i = 0; i < outputs->count; i++)
		if (!outputs->port || !is_folder(&outputs->list[i]))
			push_record(outputs, &outputs->list[i], record);
	if (outputs->port)
		push_tasks(outputs, record);
	return 0;
}

void outputs_text(
	struct outputs *outputs, struct ear_writer_team *team, const struct ear_writer_chunk *chunk)
{
	struct output *output = &outputs->list[0];

	if (output->writer)
		check_text(outputs, output, ear_writer_team_take(team, chunk, &output->text));
}

void outputs_flush(struct outputs *outputs)
{
	for (size_t i = 0; i < outputs->count; i++) {
		struct output *output = &outputs->list[i];
		if (output->shot)
			check_shot(outputs, output, ear_shot_writer_flush(output->shot));
		if (output->writer)
			check_text(outputs, output, ear_text_output_flush(&output->text));
	}
}

/* To the disk. What failed before was reported then. */
static void sync_one(struct outputs *outputs, struct output *output)
{
	if ((output->shot || output->writer) && ear_sync_file(output->fd) != 0)
		fail(outputs, output, EAR_E_IO, errno);
}

void outputs_sync(struct outputs *outputs)
{
	for (size_t i = 0; i < outputs->count; i++)
		sync_one(outputs, &outputs->list[i]);
}

/* The last bytes of a folder, and what it says otherwise than the records. */
static void finish_folder(struct outputs *outputs, struct output *output)
{
	const char *note;

	int result = output->format->folder->finish(output->writer);
	if (result) {
		fail(outputs, output, result, errno);
		return;
	}
	while ((note = output->format->folder->note(output->writer)) != NULL)
		cli_warning("%s: %s", output->path, note);
}

static void finish_text(struct outputs *outputs, struct output *output)
{
	int result = ear_writer_finish(output->writer);
	int finished = ear_text_output_finish(&output->text);

	check_text(outputs, output, result ? result : finished);
}

/* Its last bytes, to the disk too if it is a capture file. */
static void finish_one(struct outputs *outputs, struct output *output, const char *metadata)
{
	if (output->shot)
		check_shot(outputs, output, ear_shot_writer_finish(output->shot, metadata));
	if (output->writer && output->format->folder)
		finish_folder(outputs, output);
	else if (output->writer)
		finish_text(outputs, output);
	if (!output->shot && !outputs->sync)
		return;
	sync_one(outputs, output);
	if ((output->shot || output->writer) && output->fd > STDERR_FILENO &&
		ear_sync_name(output->path) != 0)
		fail(outputs, output, EAR_E_IO, errno);
}

void outputs_close(struct outputs *outputs, const char *metadata)
{
	outputs_flush(outputs);
	for (size_t i = 0; i < outputs->count; i++) {
		struct output *output = &outputs->list[i];
		finish_one(outputs, output, metadata);
		ear_shot_writer_free(output->shot);
		ear_writer_free(output->writer);
		ear_text_output_fini(&output->text);
		if (output->fd > STDERR_FILENO && close(output->fd) != 0) {
			cli_error("%s: %s", output->path, strerror(errno));
			outputs->failed = true;
		}
		free(output->own_path);
		*output = (struct output){.path = "", .fd = -1};
	}
}
