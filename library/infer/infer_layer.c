/* The inference over a source: windows take its records, and hand them out with what was inferred.
 * An error of the source comes after all records before it, and then again and again.
 */
#include "library/infer/infer_layer.h"

#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "common/array.h"
#include "decoder/record/field.h"
#include "library/infer/infer_window.h"

bool infer_layer_shows_traps(struct ear_source *source)
{
	/* Others have no word for some. */
	static const char *const formats[] = {"shot", "whisper", "whisper-log", "sail"};
	const struct ear_reader_format *text = ear_source_text_format(source);
	const uint64_t needed = EAR_FIELD_BIT(EAR_FIELD_TRAP) | EAR_FIELD_BIT(EAR_FIELD_INTERRUPT);
	bool known = false;

	if (text && text->make_of_bytes)
		return true;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		known |= strcmp(formats[i], ear_source_format(source)) == 0;
	return known && (ear_source_carried(source) & needed) == needed;
}

struct infer_layer {
	struct ear_source_layer layer; /* the first member */
	const struct infer_layer_use *use;
	struct ear_infer_window *window;
	bool ended;
	int end; /* 0, or the error that ended it */

	/* The record that was handed out last. */
	struct ear_record record;
	struct ear_record_extra extra;
	struct ear_record_inferred inferred;
	struct ear_record_register *registers; /* merged */
	struct ear_record_access *accesses;
	size_t register_capacity, access_capacity;
};

/* Room for the record's own and what was inferred. */
static bool reserve(struct infer_layer *layer, size_t registers, size_t accesses)
{
	return EAR_ARRAY_RESERVE(layer->registers, &layer->register_capacity, registers) &&
	       EAR_ARRAY_RESERVE(layer->accesses, &layer->access_capacity, accesses);
}

/* The value of an access that the record has without one goes there; another one comes after. */
static void merge_access(struct infer_layer *layer, const struct ear_record_access *access)
{
	struct ear_record *record = &layer->record;

	for (size_t i = 0; i < record->memory_count; i++) {
		struct ear_record_access *own = &layer->accesses[i];
		if (own->write != access->write)
			continue;
		own->value = access->value;
		own->has_value = access->has_value;
		own->unknown = 0;
		return;
	}
	layer->accesses[record->memory_count++] = *access;
}

static int merge(struct infer_layer *layer, const struct ear_inferred *found)
{
	struct ear_record *record = &layer->record;

	if (!reserve(layer, record->register_count + found->register_count,
		    record->memory_count + found->memory_count))
		return EAR_E_NO_MEMORY;
	if (record->register_count > 0)
		memcpy(layer->registers, record->registers,
			record->register_count * sizeof(*layer->registers));
	if (record->memory_count > 0)
		memcpy(layer->accesses, record->memory,
			record->memory_count * sizeof(*layer->accesses));
	for (size_t i = 0; i < found->register_count; i++)
		layer->registers[record->register_count++] = found->registers[i];
	for (size_t i = 0; i < found->memory_count; i++)
		merge_access(layer, &found->memory[i]);
	record->registers = layer->registers;
	record->memory = layer->accesses;
	return 0;
}

/* What a record says was inferred before is inferred anew. */
static int hand_out(struct infer_layer *layer, const struct ear_record *record,
	const struct ear_inferred *found, const struct ear_record **out)
{
	bool any = found->register_count + found->memory_count > 0;

	layer->record = *record;
	*out = &layer->record;
	layer->extra = record->extra ? *record->extra : (struct ear_record_extra){.line = 0};
	layer->extra.inferred = any ? &layer->inferred : NULL;
	layer->inferred = (struct ear_record_inferred){
		found->register_count, found->registers, found->memory_count, found->memory};
	if (record->extra || any)
		layer->record.extra = &layer->extra;
	return any && layer->use->merged ? merge(layer, found) : 0;
}

/* More records into the window. Returns 1; at the end 0 or the error. */
static int fill(struct infer_layer *layer, struct ear_source *source)
{
	const struct ear_record *record;

	if (layer->ended)
		return layer->end;
	int result = ear_source_next_beneath(source, &record);
	layer->ended = result != 1;
	layer->end = layer->ended ? result : 0;
	result = layer->ended ? ear_infer_window_finish(layer->window)
			      : ear_infer_window_push(layer->window, record);
	if (layer->use->counts)
		*layer->use->counts = *ear_infer_window_counts(layer->window);
	return result < 0 ? result : 1;
}

static int next(
	struct ear_source_layer *asked, struct ear_source *source, const struct ear_record **record)
{
	struct infer_layer *layer = (struct infer_layer *)asked;
	const struct ear_record *read;
	const struct ear_inferred *found;

	while (!ear_infer_window_take(layer->window, &read, &found)) {
		int result = fill(layer, source);
		if (result <= 0)
			return result;
	}
	int result = hand_out(layer, read, found, record);
	return result ? result : 1;
}

static void free_layer(struct ear_source_layer *freed)
{
	struct infer_layer *layer = (struct infer_layer *)freed;

	ear_infer_window_free(layer->window);
	free(layer->registers);
	free(layer->accesses);
	free(layer);
}

int infer_layer_make(struct ear_source_layer **layer, const void *context)
{
	const struct infer_layer_use *use = context;
	struct infer_layer *made = calloc(1, sizeof(*made));

	if (!made)
		return EAR_E_NO_MEMORY;
	made->layer = (struct ear_source_layer){next, free_layer};
	made->use = use;
	int result = ear_infer_window_new(
		&made->window, use->options, EAR_INFER_WINDOW, EAR_INFER_ROUNDS);
	if (result) {
		free(made);
		return result;
	}
	*layer = &made->layer;
	return 0;
}
