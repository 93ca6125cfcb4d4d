/* The front door to a trace: capture file, dump of the wire, or text.
 *
 * The first bytes decide. A capture file has a magic number; a dump has a frame whose checksum
 * fits; texts are asked one by one how sure they are. Other threads are added in front of the same
 * reader, so what comes out does not depend on their number.
 */
#include "library/source/source.h"

#include <earshot/error.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decoder/formats/base/lacks.h"
#include "decoder/formats/formats.h"
#include "decoder/record/field.h"
#include "decoder/text/text_clean.h"
#include "library/shot/shot_format.h"
#include "library/source/fingerprint.h"
#include "library/source/source_internal.h"

#define PREFIX_SIZE 4096 /* enough to see a frame of the wire */

_Static_assert(PREFIX_SIZE <= EAR_SHOT_PREFIX_MAX && PREFIX_SIZE <= EAR_TEXT_PREFIX_MAX,
	"both kinds of input take the prefix");

/* Is it a file, and does the source begin where it begins? */
static void look_at_file(struct ear_source *source, bool shared)
{
	struct stat status = {0};

	source->regular = fstat(source->fd, &status) == 0 && S_ISREG(status.st_mode);
	source->folder = S_ISDIR(status.st_mode);
	source->shared = source->regular && shared;
	source->anchored = source->regular && (shared || lseek(source->fd, 0, SEEK_CUR) == 0);
}

static int open_wire(struct ear_source *source, const uint8_t *prefix, size_t size)
{
	source->format = "shot";
	return ear_source_wire_init(
		&source->wire, source->fd, prefix, size, !source->regular, source->shared);
}

/* The format of which these bytes are: the one that is given, or any; NULL: of none. */
static const struct ear_reader_format *detect(
	const struct ear_reader_format *given, const char *bytes, size_t size)
{
	if (!given)
		return ear_reader_detect(bytes, size);
	return given->detect(bytes, size) > 0 ? given : NULL;
}

/* The same of bytes that were made of the file's, where a format of bytes cannot be. */
static const struct ear_reader_format *detect_text(
	const struct ear_reader_format *given, const char *bytes, size_t size)
{
	const struct ear_reader_format *found = detect(given, bytes, size);

	return found && !found->make_of_bytes ? found : NULL;
}

/* Without the prefix of most lines? Returns EAR_E_UNSUPPORTED if not. */
static int detect_without_prefix(struct ear_text_input *text,
	const struct ear_reader_format **format, const char *bytes, size_t size)
{
	const char *prefix = ear_text_clean_prefix(bytes, size);
	char *copy = prefix ? malloc(size) : NULL;
	struct ear_text_clean clean = {.on = false};

	if (!copy)
		return prefix ? EAR_E_NO_MEMORY : EAR_E_UNSUPPORTED;
	memcpy(copy, bytes, size);
	ear_text_clean_set_prefix(&clean, prefix);
	const struct ear_reader_format *found =
		detect_text(*format, copy, ear_text_clean_prefixes(&clean, copy, size));
	free(copy);
	if (!found)
		return EAR_E_UNSUPPORTED;
	ear_text_input_strip(text, prefix);
	*format = found;
	return 0;
}

/* Is it a text as it is? What looks like a colour in it may be data of a record, as of a CSV. */
static bool is_plain(struct ear_text_input *text, const struct ear_reader_format **format)
{
	struct ear_text_clean look = {.on = false};
	const char *bytes;
	size_t size;

	if (ear_text_input_peek(text, &bytes, &size) != 0)
		return false;
	ear_text_clean_look(&look, bytes, size);
	const struct ear_reader_format *found =
		look.mark || look.wide ? NULL : detect(*format, bytes, size);
	if (found)
		*format = found;
	return found != NULL;
}

int ear_source_look(
	struct ear_text_input *text, const struct ear_reader_format **format, bool whole)
{
	const struct ear_reader_format *given = *format;
	const char *bytes;
	size_t size;

	if (given && given->make_of_bytes)
		return 0;
	if ((whole || !given) && is_plain(text, format))
		return 0;
	ear_text_input_clean(text);
	if (given && !whole)
		return 0;
	int result = ear_text_input_peek(text, &bytes, &size);
	if (result == 0 && !(*format = detect_text(given, bytes, size))) {
		*format = given;
		result = detect_without_prefix(text, format, bytes, size);
	}
	return given && result != EAR_E_NO_MEMORY ? 0 : result;
}

int ear_source_make_reader(struct ear_reader **reader, struct ear_text_input *input,
	const struct ear_reader_format *format, const struct ear_reader_options *options,
	char fault[EAR_FINGERPRINT_SIZE])
{
	if (format->make) {
		*reader = format->make(input, options);
		return *reader ? 0 : EAR_E_NO_MEMORY;
	}
	if (options->code)
		return format->make_of_bytes(reader, input, options, fault, EAR_FINGERPRINT_SIZE);
	snprintf(fault, EAR_FINGERPRINT_SIZE,
		"this is a branch trace: it needs the program that ran (--elf)");
	return EAR_E_NO_PROGRAM;
}

static int open_text(struct ear_source *source, const struct ear_source_options *options,
	const uint8_t *prefix, size_t size)
{
	const struct ear_reader_format *format = NULL;

	int result = ear_text_input_new(&source->text, source->fd, prefix, size);
	if (result)
		return result;
	if (source->shared)
		ear_text_input_use_offsets(source->text);
	const char *pattern = options->reader.pattern;
	const char *name = options->format ? options->format : pattern ? "pattern" : NULL;
	if (name) {
		format = ear_reader_find(name);
		if (!format || (pattern && strcmp(name, "pattern") != 0))
			return EAR_E_BAD_ARGUMENT;
		source->text_format = format;
		if (format->open || (!pattern && strcmp(name, "pattern") == 0))
			return EAR_E_BAD_FILE;
	}
	result = ear_source_look(source->text, &format, source->regular);
	if (result)
		return result;
	source->format = format->name;
	source->text_format = format;
	return ear_source_make_reader(
		&source->reader, source->text, format, &options->reader, source->fault);
}

/* A folder: the first bytes of its files are its reader's. */
static int open_folder(struct ear_source *source, const struct ear_source_options *options)
{
	const struct ear_reader_format *format = ear_reader_find_folder();
	char unwanted[1];

	if (options->format && strcmp(options->format, format->name) != 0)
		return ear_reader_find(options->format) || strcmp(options->format, "shot") == 0
			       ? EAR_E_UNSUPPORTED
			       : EAR_E_BAD_ARGUMENT;
	source->format = format->name;
	source->text_format = format;
	int result = ear_text_input_new_empty(&source->text);
	if (result)
		return result;
	return format->open(&source->reader, source->fd, source->text, &options->reader,
		options->fault ? options->fault : unwanted,
		options->fault ? options->fault_size : sizeof(unwanted));
}

/* As much of the beginning as one frame of the wire may need, or all that there is. */
static int read_prefix(const struct ear_source *source, uint8_t *prefix, size_t *size)
{
	*size = 0;
	while (*size < EAR_FRAME_SIZE_MAX) {
		size_t room = PREFIX_SIZE - *size;
		ssize_t got = source->shared ? pread(source->fd, prefix + *size, room, (off_t)*size)
					     : read(source->fd, prefix + *size, room);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return EAR_E_IO;
		if (got == 0)
			return 0;
		*size += (size_t)got;
	}
	return 0;
}

/* A capture file says so in its first bytes; a dump has a whole frame soon, for nothing else
 * has a right CRC by chance.
 */
static bool is_wire(const uint8_t *prefix, size_t size)
{
	struct ear_frame frame;

	if (ear_shot_is_capture(prefix, size))
		return true;
	for (size_t at = ear_frame_find(prefix, size); at < size;) {
		if (ear_frame_parse(&frame, prefix + at, size - at) > 0)
			return true;
		at++;
		at += ear_frame_find(prefix + at, size - at);
	}
	return false;
}

/* What is wrong with a file that was not opened, or "". */
static void find_fault(char text[EAR_FINGERPRINT_SIZE], const struct ear_source *source, int result,
	const uint8_t *prefix, size_t size)
{
	const char *fault = source->text ? ear_text_input_fault(source->text) : NULL, *bytes;

	if (source->fault[0])
		fault = source->fault;

	if (!fault && result == EAR_E_UNSUPPORTED && size == 0)
		fault = "there is nothing in it";
	if (!fault && result == EAR_E_BAD_FILE && source->text_format)
		fault = source->text_format->open ? "a trace of this format is a folder"
						  : "the form of its lines is missing (--pattern)";
	snprintf(text, EAR_FINGERPRINT_SIZE, "%s", fault ? fault : "");
	if (fault || result != EAR_E_UNSUPPORTED)
		return;
	ear_fingerprint(text, prefix, size);
	if (!text[0] && source->text) { /* it may be packed */
		ear_text_input_glance(source->text, &bytes, &size);
		ear_fingerprint(
			text, (const uint8_t *)bytes, size < PREFIX_SIZE ? size : PREFIX_SIZE);
	}
}

int ear_source_new(struct ear_source **source, int fd, const struct ear_source_options *options)
{
	uint8_t prefix[PREFIX_SIZE];
	size_t size;
	struct ear_source *made = calloc(1, sizeof(*made));
	if (!made)
		return EAR_E_NO_MEMORY;

	made->fd = fd;
	look_at_file(made, options->shared);
	if (made->folder) {
		int opened = open_folder(made, options);
		if (opened) {
			ear_source_free(made);
			return opened;
		}
		*source = made;
		return 0;
	}
	int result = read_prefix(made, prefix, &size);
	bool wire = options->format           ? strcmp(options->format, "shot") == 0
		    : options->reader.pattern ? false
					      : options->ftdi_status || is_wire(prefix, size);
	if (result == 0)
		result = wire ? open_wire(made, prefix, size)
			      : open_text(made, options, prefix, size);
	if (result == 0 && wire && options->ftdi_status)
		ear_shot_reader_strip_ftdi(made->wire.window.reader);
	if (result) {
		char fault[EAR_FINGERPRINT_SIZE];
		find_fault(fault, made, result, prefix, size);
		if (options->fault)
			snprintf(options->fault, options->fault_size, "%s", fault);
		ear_source_free(made);
		return result;
	}
	*source = made;
	return 0;
}

void ear_source_free(struct ear_source *source)
{
	if (!source)
		return;
	ear_source_stop(source);
	if (source->layer)
		source->layer->free(source->layer);
	ear_reader_free(source->reader);
	ear_text_input_free(source->text);
	ear_source_wire_fini(&source->wire);
	free(source);
}

int ear_source_take_block(struct ear_source *source, struct ear_text_block *block)
{
	if (!source->reader)
		return EAR_E_UNSUPPORTED;
	return ear_text_input_take_block(source->text, block);
}

const struct ear_reader_format *ear_source_text_format(const struct ear_source *source)
{
	return source->text_format;
}

const struct ear_reader *ear_source_reader(const struct ear_source *source)
{
	return source->reader;
}

const struct ear_reader_options *ear_source_reader_options(const struct ear_source *source)
{
	return &source->reader->options;
}

void ear_source_set_line_diff_sink(
	struct ear_source *source, ear_source_line_diff_sink *sink, void *context)
{
	source->wire.line_diff_sink = sink;
	source->wire.line_diff_context = context;
}

static int next_record(struct ear_source *source, const struct ear_record **record)
{
	if (source->reader)
		return ear_reader_next(source->reader, record);
	if (source->looked) {
		source->looked = false;
		*record = source->first;
		return source->first_result;
	}
	return ear_source_wire_next(&source->wire, record);
}

/* The position of a record is asked for much later: it must be in the record. */
static int next_ahead(void *context, const struct ear_record **record)
{
	struct ear_source *source = context;
	int result = next_record(source, record);

	if (result <= 0 || !source->reader || ((*record)->extra && (*record)->extra->line))
		return result;
	source->numbered_extra = (struct ear_record_extra){0};
	if ((*record)->extra)
		source->numbered_extra = *(*record)->extra;
	source->numbered_extra.line = ear_text_input_line_number(source->text);
	source->numbered = **record;
	source->numbered.extra = &source->numbered_extra;
	*record = &source->numbered;
	return result;
}

static int note_ahead(void *context, uint64_t line_number, uint64_t offset, const char *cause,
	enum ear_line_kind kind)
{
	struct ear_source *source = context;

	return ear_read_ahead_report(source->ahead, line_number, offset, cause, kind);
}

static int report_ahead(void *context, uint64_t line_number, uint64_t offset, const char *cause,
	enum ear_line_kind kind)
{
	struct ear_source *source = context;
	const struct ear_reader_options *given = &source->given;

	return given->report ? given->report(given->context, line_number, offset, cause, kind) : 0;
}

static int start_ahead(struct ear_source *source)
{
	const struct ear_read_ahead_use use = {source, next_ahead, report_ahead};

	if (source->reader) {
		source->given = source->reader->options;
		source->reader->options.report = note_ahead;
		source->reader->options.context = source;
	}
	return ear_read_ahead_new(&source->ahead, &use);
}

static int start_threads(struct ear_source *source)
{
	unsigned jobs = source->jobs;

	source->jobs = 1;
	source->position = ear_source_position(source);
	source->number = ear_source_number(source);
	source->threaded = true;
	if (jobs > 2 && source->reader && !source->read && ear_parallel_reader_can(source->reader))
		return ear_ordered_reader_new(
			&source->ordered, source->reader, source->text_format, jobs - 1);
	return start_ahead(source);
}

void ear_source_set_jobs(struct ear_source *source, unsigned jobs)
{
	source->jobs = jobs;
}

int ear_source_read_chunks(struct ear_source *source, struct ear_parallel_reader **parallel,
	const struct ear_parallel_options *options)
{
	if (!source->reader)
		return EAR_E_UNSUPPORTED;
	return ear_parallel_reader_new(parallel, source->reader, source->text_format, options);
}

size_t ear_source_skip_equal(struct ear_source *source, struct ear_source *other,
	struct ear_equal_lines *harts, size_t keep)
{
	if (!source->reader || !other->reader || source->layer || other->layer || source->ahead ||
		other->ahead || source->ordered || other->ordered || source->jobs > 1 ||
		other->jobs > 1)
		return 0;
	size_t count = ear_reader_skip_equal(source->reader, other->reader, harts, keep);
	if (count == 0 && source->equal)
		count = ear_equal_ahead_skip(source->equal, harts, keep);
	source->skipped |= count > 0;
	other->skipped |= count > 0;
	return count;
}

int ear_source_compare_ahead(struct ear_source *source, struct ear_source *other, unsigned jobs)
{
	if (!source->reader || !other->reader)
		return EAR_E_UNSUPPORTED;
	return ear_equal_ahead_new(&source->equal, source->reader, other->reader, jobs);
}

void ear_source_stop(struct ear_source *source)
{
	ear_read_ahead_free(source->ahead);
	ear_ordered_reader_free(source->ordered);
	ear_equal_ahead_free(source->equal);
	source->ahead = NULL;
	source->ordered = NULL;
	source->equal = NULL;
}

static int next_of_any(struct ear_source *source, const struct ear_record **record)
{
	if (source->jobs > 1) {
		int result = start_threads(source);
		if (result)
			return result;
	}
	source->read = true;
	if (source->ahead)
		return ear_read_ahead_next(source->ahead, record);
	if (source->ordered)
		return ear_ordered_reader_next(source->ordered, record);
	return next_record(source, record);
}

/* Is the record that the wire gave last the one that was handed out last? */
static inline bool is_direct(const struct ear_source *source)
{
	return !source->reader && !source->looked && !source->threaded && !source->layer;
}

int ear_source_next(struct ear_source *source, const struct ear_record **record)
{
	if (is_direct(source) && source->jobs <= 1) { /* the wire counts */
		source->read = true;
		return ear_source_wire_next(&source->wire, record);
	}
	int result = source->layer ? source->layer->next(source->layer, source, record)
				   : next_of_any(source, record);

	if (result == 1) {
		source->position++;
		source->number += (*record)->kind == EAR_RECORD_INSTRUCTION;
	}
	return result;
}

int ear_source_next_beneath(struct ear_source *source, const struct ear_record **record)
{
	source->read = true;
	return next_ahead(source, record);
}

int ear_source_renew_layer(struct ear_source *source)
{
	if (source->layer)
		source->layer->free(source->layer);
	source->layer = NULL;
	return source->layers ? source->layers->make(&source->layer, source->layers->context) : 0;
}

int ear_source_set_layers(struct ear_source *source, const struct ear_source_layers *layers)
{
	source->layers = layers;
	source->jobs = 1;
	return ear_source_renew_layer(source);
}

static int next_run_of_reader(struct ear_source *source, struct ear_source_run *run)
{
	source->read = true;
	int result = ear_reader_next_run(source->reader, &run->run, &run->compacts, &run->record);
	if (result != 1)
		return result;
	source->position += run->run ? run->run->count : 1;
	source->number +=
		run->run ? run->run->count : (size_t)(run->record->kind == EAR_RECORD_INSTRUCTION);
	return 1;
}

int ear_source_next_run(struct ear_source *source, struct ear_source_run *run)
{
	const struct ear_decoder *decoder = &source->wire.decoder;

	run->operands = NULL;
	if (source->reader && source->reader->next_run && !source->threaded && source->jobs <= 1 &&
		!source->layer)
		return next_run_of_reader(source, run);
	if (!is_direct(source) || source->jobs > 1 ||
		(decoder->with_reads && !decoder->with_operands)) {
		run->run = NULL;
		return ear_source_next(source, &run->record);
	}
	int result =
		ear_source_wire_next_run(&source->wire, &run->run, &run->compacts, &run->record);
	if (result == 1 && decoder->with_operands && run->run)
		run->operands = ear_decoder_operands(decoder);
	return result;
}

void ear_source_add_ordinary(struct ear_source *source, struct ear_compact_run *run,
	struct ear_compact_record *compacts, size_t max)
{
	size_t count = run->count;

	if (!source->reader || !source->reader->add_ordinary || source->threaded || source->layer ||
		source->jobs > 1 || !ear_reader_is_settled(source->reader))
		return;
	source->reader->add_ordinary(source->reader, run, compacts, max);
	source->position += run->count - count;
	source->number += run->count - count;
}

/* The wire counts for itself, which is faster. */
uint64_t ear_source_position(const struct ear_source *source)
{
	return is_direct(source) ? source->wire.position : source->position;
}

uint64_t ear_source_number(const struct ear_source *source)
{
	return is_direct(source) ? source->wire.number : source->number;
}

const char *ear_source_format(const struct ear_source *source)
{
	return source->format;
}

void ear_source_writer_options(const struct ear_source *source, struct ear_writer_options *options)
{
	options->walks = source->reader && source->reader->has_walks;
	options->no_hart = source->reader && source->reader->no_hart;
}

int ear_source_fact(struct ear_source *source, const char *key, char *text, size_t size)
{
	if (source->reader)
		return EAR_E_BAD_ARGUMENT;
	int result = ear_source_wire_begin(&source->wire);
	return result ? result : ear_shot_reader_fact(source->wire.window.reader, key, text, size);
}

const struct ear_decoder_statistics *ear_source_statistics(const struct ear_source *source)
{
	return source->reader ? NULL : &source->wire.decoder.statistics;
}

void ear_source_with_reads(struct ear_source *source)
{
	if (!source->reader)
		source->wire.decoder.with_reads = true;
}

void ear_source_with_operands(struct ear_source *source)
{
	ear_source_with_reads(source);
	if (!source->reader)
		source->wire.decoder.with_operands = true;
}

static uint64_t lacks_of_text(struct ear_source *source)
{
	const char *bytes;
	size_t size;

	if (source->text_format->make_of_bytes)
		return source->reader->lacks;
	if (source->folder || ear_text_input_peek(source->text, &bytes, &size) != 0)
		return 0;
	return ear_reader_lacks(source->text_format, &source->reader->options, bytes, size);
}

uint64_t ear_source_absent(const struct ear_source *source)
{
	const struct ear_unit *unit = &source->wire.decoder.statistics.unit;

	uint64_t fields = source->wire.absent.fields;

	if (source->reader)
		return 0;
	if (unit->control & EAR_UNIT_CONTROL_NO_RESULTS)
		fields |= EAR_FIELD_BIT(EAR_FIELD_X_WRITE);
	if (unit->control & EAR_UNIT_CONTROL_NO_ACCESSES)
		fields |= EAR_FIELD_BIT(EAR_FIELD_LOAD_ADDRESS) |
			  EAR_FIELD_BIT(EAR_FIELD_LOAD_VALUE) |
			  EAR_FIELD_BIT(EAR_FIELD_STORE_ADDRESS) |
			  EAR_FIELD_BIT(EAR_FIELD_STORE_VALUE) |
			  EAR_FIELD_BIT(EAR_FIELD_ACCESS_SIZE);
	return fields;
}

uint64_t ear_source_carried(struct ear_source *source)
{
	const struct ear_unit *unit = &source->wire.decoder.statistics.unit;
	uint64_t fields = EAR_FIELDS_ALL;

	if (source->reader)
		return fields & ~lacks_of_text(source);
	if (!source->looked)
		source->first_result = ear_source_wire_next(&source->wire, &source->first);
	source->looked = true;
	fields &= ~ear_source_absent(source);
	fields &= ~(EAR_FIELD_BIT(EAR_FIELD_V_WRITE) | EAR_FIELD_BIT(EAR_FIELD_MASKED) |
		    EAR_FIELD_BIT(EAR_FIELD_INFERRED));
	if (!source->wire.decoder.statistics.unit_known)
		return fields;
	if (unit->csr_slots == 0)
		fields &= ~EAR_FIELD_BIT(EAR_FIELD_CSR_WRITE);
	if (unit->flen == 0)
		fields &= ~(EAR_FIELD_BIT(EAR_FIELD_F_WRITE) | EAR_FIELD_BIT(EAR_FIELD_FFLAGS));
	if (!(unit->features & EAR_REG_FEATURES_PADDR_MASK))
		fields &= ~(EAR_FIELD_BIT(EAR_FIELD_PC_PHYSICAL) |
			    EAR_FIELD_BIT(EAR_FIELD_DATA_PHYSICAL));
	return fields;
}

/* A capture file that was read to its end says whether it is whole. */
static const char *wire_fault(const struct ear_window *window)
{
	const char *fault = ear_shot_reader_fault(window->reader);

	if (!fault && window->final && ear_shot_reader_is_shot(window->reader) &&
		!ear_shot_reader_complete(window->reader) && !ear_shot_reader_grows(window->reader))
		fault = "it was cut off, is still written, or what wrote it failed";
	return fault;
}

const char *ear_source_fault(const struct ear_source *source)
{
	const struct ear_reader *reader = source->reader;
	const char *fault = reader && reader->fault ? reader->fault(reader) : NULL;

	if (fault)
		return fault;
	return reader ? ear_text_input_fault(source->text) : wire_fault(&source->wire.window);
}

bool ear_source_is_cleaned(const struct ear_source *source)
{
	return source->text && ear_text_input_is_cleaned(source->text);
}

const char *ear_source_mended(const struct ear_source *source)
{
	return source->reader ? NULL : ear_shot_reader_mended(source->wire.window.reader);
}

void ear_source_place(
	const struct ear_source *source, const struct ear_record *record, char *text, size_t size)
{
	if (source->folder)
		snprintf(text, size, "index %" PRIu64, record->index);
	else if (source->reader && record->extra && record->extra->line)
		snprintf(text, size, "line %" PRIu64, record->extra->line);
	else if (source->reader && !source->text_format->make_of_bytes)
		snprintf(text, size, "line %" PRIu64, ear_text_input_line_number(source->text));
	else
		snprintf(text, size, "stream byte %" PRIu64, record->stream_offset);
}
