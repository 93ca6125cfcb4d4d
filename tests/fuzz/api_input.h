#ifndef EAR_FUZZ_API_INPUT_H
#define EAR_FUZZ_API_INPUT_H

#include <earshot/earshot.h>

#include "api_sample.h"

/* What the calls of fuzz_api share: two handles of one trace, and arguments, which come from the
 * input. When it ends, each byte is 0. */

struct handle {
	struct ear_trace *trace;
	struct ear_moment *moment;
	struct ear_history *history;
	struct ear_calls *calls;
	struct ear_tasks *tasks;
	bool calls_ended;
	uint64_t place; /* where reading is; UNPLACED: at any place */
};
#define UNPLACED UINT64_MAX

struct api {
	const uint8_t *at;
	size_t left;
	const struct api_sample *sample;
	struct handle handles[2];
	bool has_image, images_differ; /* has_image: one was given */
	unsigned stop_after;           /* reports until one of them ends the call; 0: none does */
};

_Noreturn void api_fail(const char *file, int line);
#define demand(holds) ((holds) ? (void)0 : api_fail(__FILE__, __LINE__))

/* ---- Arguments, most of them good. ---- */

unsigned api_take(struct api *api);
uint64_t api_take_bytes(struct api *api, unsigned count);
uint64_t api_take_position(struct api *api);
uint64_t api_take_address(struct api *api);
size_t api_take_size(struct api *api);
struct ear_span api_take_span(struct api *api);
uint16_t api_take_hart(struct api *api);

/* A name that something has, or nothing. */
const char *api_take_name(struct api *api);

/* ---- Handles. ---- */

/* The handle of this number, opened if it was not: 1 has an index, 0 has none. */
struct handle *api_handle_of(struct api *api, unsigned number);
void api_close_handle(struct handle *handle);

/* A call that failed, though nothing was wrong with it: its report function wanted that. */
bool api_cancelled(struct handle *handle, int64_t result);

/* A record is the one of the sample at this position. */
void api_check_record(struct api *api, const struct ear_record *record, uint64_t position);

#endif
