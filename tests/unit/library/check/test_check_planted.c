/* A bug in the predictor is found by the self-check, since library/check/semantics/ shares no code
 * with it: a stream of a true unit is decoded by a predictor with a bug (planted.h), and the first
 * record that is wrong then is the first violation.
 *
 * The stream is that of random programs on the simulator. In a real capture a CHECK message comes
 * from time to time with a digest of all that both sides know, so that the decoder notices a
 * difference too; but not where it began.
 */
#include "check.h"

#include <inttypes.h>
#include <stdio.h>

#include "decoder/codec/decoder.h"
#include "iss_bare.h"
#include "library/check/checker.h"
#include "mixed_program.h"
#include "planted.h"
#include "predict_stream.h"
#include "random.h"

#define ENTRIES  6000u
#define PROGRAMS 100u

enum planted_bug planted_bug;

static const char *const names[PLANTED_COUNT] = {"none", "add", "sub", "slt", "sra", "addw", "cpop",
	"sh2add", "mulh", "div", "rem", "auipc", "jal", "jalr", "blt", "lb", "amo"};

/* What came out of one decoding: a digest of each record. */
struct decoding {
	struct ear_checker *checker;
	const uint64_t *truth; /* of the decoding without a bug; NULL: this is it */
	uint64_t digests[ENTRIES];
	size_t count;
	size_t first_wrong; /* SIZE_MAX: none is */
	uint64_t violations, first_violation;
	char text[EAR_VIOLATION_TEXT_MAX];
};

static void mix(uint64_t *digest, uint64_t value)
{
	*digest = (*digest ^ value) * UINT64_C(0x100000001B3);
	*digest ^= *digest >> 29;
}

static uint64_t digest_of(const struct ear_record *record)
{
	uint64_t digest = record->kind;

	if (record->kind != EAR_RECORD_INSTRUCTION)
		return digest;
	mix(&digest, record->opcode);
	mix(&digest, record->pc);
	mix(&digest, record->next_pc);
	mix(&digest, record->flags);
	mix(&digest, record->cause);
	for (size_t i = 0; i < record->register_count; i++) {
		mix(&digest, record->registers[i].reg_class);
		mix(&digest, record->registers[i].number);
		mix(&digest, record->registers[i].value);
	}
	for (size_t i = 0; i < record->memory_count; i++) {
		mix(&digest, record->memory[i].address);
		mix(&digest, record->memory[i].value);
		mix(&digest, record->memory[i].size);
		mix(&digest, record->memory[i].write);
	}
	return digest;
}

static int note(void *context, const struct ear_violation *violation)
{
	struct decoding *decoding = context;

	if (decoding->violations++ == 0) {
		decoding->first_violation = violation->number;
		snprintf(decoding->text, sizeof(decoding->text), "%s", violation->text);
	}
	return 0;
}

static int take(void *context, const struct ear_record *record)
{
	struct decoding *decoding = context;
	size_t at = decoding->count;

	if (at == ENTRIES || decoding->first_wrong < at)
		return 1;
	decoding->digests[at] = digest_of(record);
	if (decoding->truth && decoding->truth[at] != decoding->digests[at])
		decoding->first_wrong = at;
	decoding->count++;
	return ear_checker_push(decoding->checker, record, at, at);
}

static void decode(struct decoding *decoding, const struct byte_buffer *stream,
	enum planted_bug bug, const uint64_t *truth)
{
	struct ear_checker_options options = {.captured = true, .found = note, .context = decoding};
	struct ear_decoder *decoder = malloc(sizeof(*decoder));
	size_t used;

	assert_non_null(decoder);
	memset(decoding, 0, sizeof(*decoding));
	decoding->truth = truth;
	decoding->first_wrong = SIZE_MAX;
	assert_int_equal(ear_checker_new(&decoding->checker, &options), 0);
	ear_decoder_init(decoder, take, decoding);
	decoder->with_reads = true;
	planted_bug = bug;
	ear_decoder_push(decoder, &used, stream->bytes, stream->size, true);
	planted_bug = PLANTED_NONE;
	ear_decoder_fini(decoder);
	free(decoder);
	ear_checker_free(decoding->checker);
}

/* What a true unit sends. */
static void encode(struct byte_buffer *stream, unsigned xlen, uint64_t seed)
{
	struct ear_unit unit = predict_unit(ear_geometry_get(EAR_GEOMETRY_LARGE), xlen, 64, false);
	struct predict_encoder encoder;
	struct random random = {seed * 77 + 5};
	struct ear_iss *iss = iss_bare_new(xlen, seed);

	mixed_program_write(iss, xlen, &random);
	predict_encoder_init(&encoder, &unit, stream);
	for (uint64_t i = 0; i < ENTRIES; i++) {
		struct ear_retire entry;

		assert_true(ear_iss_step(iss, &entry));
		entry.order = i;
		if (entry.csr_count > unit.csr_slots)
			entry.csr_count = unit.csr_slots;
		ear_encoder_push(&encoder.encoder, &entry, i);
	}
	ear_encoder_flush(&encoder.encoder);
	predict_encoder_fini(&encoder);
	ear_iss_free(iss);
}

static void a_bug_in_the_predictor_is_found(void **state)
{
	static struct decoding truth, decoding;
	unsigned found[PLANTED_COUNT] = {0};

	(void)state;
	for (unsigned program = 0; program < PROGRAMS; program++) {
		struct byte_buffer stream = {0};

		encode(&stream, program & 1 ? 32 : 64, program + 1);
		decode(&truth, &stream, PLANTED_NONE, NULL);
		if (truth.violations)
			fail_msg("program %u: a violation without a bug, record %" PRIu64 ": %s",
				program, truth.first_violation, truth.text);
		assert_at_least(truth.count, ENTRIES - 1);
		for (unsigned bug = 1; bug < PLANTED_COUNT; bug++) {
			decode(&decoding, &stream, (enum planted_bug)bug, truth.digests);
			if (decoding.first_wrong == SIZE_MAX)
				continue; /* the program has no operands for it */
			if (decoding.violations == 0 ||
				decoding.first_violation != decoding.first_wrong)
				fail_msg("program %u, bug %s: record %zu is wrong, the first "
					 "violation of %" PRIu64 " is record %" PRIu64 ": %s",
					program, names[bug], decoding.first_wrong,
					decoding.violations, decoding.first_violation,
					decoding.text);
			found[bug]++;
		}
		byte_buffer_free(&stream);
	}
	for (unsigned bug = 1; bug < PLANTED_COUNT; bug++)
		if (found[bug] == 0)
			fail_msg("no program shows the bug %s", names[bug]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bug_in_the_predictor_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
