/* Inferred values through the library: apart from what the trace has where records are read, and
 * marked where a moment knows them. */
#include "check.h"

#include <earshot/earshot.h>
#include <unistd.h>

#define TEXT \
	"core   0: 0x80000000 (0x00000297) auipc   t0, 0x0\n" \
	"core   0: 0x80000004 (0x10028293) addi    t0, t0, 256\n" \
	"core   0: 0x80000008 (0x0052a023) sw      t0, 0(t0)\n" \
	"core   0: 0x8000000c (0x0002a503) lw      a0, 0(t0)\n" \
	"core   0: 0x80000010 (0x00148493) addi    s1, s1, 1\n"
#define COUNT 5

static const struct ear_span ram = {0x80000000, 0x80000fff};
static const struct ear_infer_options ask = {.size = sizeof(ask), .ram = &ram, .ram_count = 1};

static struct ear_trace *open_text(void)
{
	struct ear_trace_options options = EAR_TRACE_DEFAULTS;
	char path[] = "infer-XXXXXX";
	struct ear_trace *trace;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, TEXT, sizeof(TEXT) - 1), sizeof(TEXT) - 1);
	close(fd);
	options.xlen = 32;
	assert_int_equal(ear_trace_open(&trace, path, &options), 0);
	unlink(path);
	return trace;
}

static void records_have_it_apart(void **state)
{
	struct ear_infer_counts counts = {.size = sizeof(counts)};
	struct ear_trace *trace = open_text();
	const struct ear_record *record;

	(void)state;
	assert_int_equal(ear_trace_infer_counts(trace, &counts), EAR_E_BAD_ARGUMENT);
	assert_int_equal(ear_trace_infer(trace, &ask), 0);
	for (unsigned i = 0; i < COUNT; i++) {
		assert_int_equal(ear_trace_position(trace), i);
		assert_int_equal(ear_trace_next(trace, &record), 1);
		assert_int_equal(record->index, i);
		assert_int_equal(record->register_count, 0);
		assert_int_equal(record->memory_count, 0);
		assert_int_equal(record->extra && record->extra->inferred, i < COUNT - 1);
	}
	assert_int_equal(ear_trace_next(trace, &record), 0);
	assert_int_equal(ear_trace_next(trace, &record), 0);
	assert_int_equal(ear_trace_infer_counts(trace, &counts), 0);
	assert_int_equal(counts.writes, 4);
	assert_int_equal(counts.writes_inferred, 3);
	assert_int_equal(counts.loads_inferred, 1);

	/* Back, and forth. */
	assert_int_equal(ear_trace_seek(trace, 3, NULL), 1);
	assert_int_equal(ear_trace_next(trace, &record), 1);
	assert_int_equal(record->extra->inferred->registers[0].value, 0x80000100);
	assert_int_equal(record->extra->inferred->memory[0].address, 0x80000100);
	assert_int_equal(record->register_count, 0);
	ear_trace_close(trace);
}

static void a_moment_knows_and_says_it(void **state)
{
	struct ear_trace *trace = open_text();
	struct ear_moment *moment;
	uint8_t bytes[8], known[8];
	uint64_t value = 0, position;

	(void)state;
	assert_int_equal(ear_trace_infer(trace, &ask), 0);
	assert_int_equal(ear_moment_new(&moment, trace, 4, NULL), 0);
	assert_true(ear_moment_register(moment, 0, EAR_REGISTER_X, 10, &value));
	assert_int_equal(value, 0x80000100);
	assert_true(ear_moment_inferred(moment, 0, EAR_REGISTER_X, 10));
	assert_false(ear_moment_inferred(moment, 0, EAR_REGISTER_X, 0));
	assert_false(ear_moment_inferred(moment, 0, EAR_REGISTER_X, 9));
	assert_int_equal(ear_moment_memory(moment, 0x800000fc, bytes, known, 8, NULL), 4);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(known[i], i < 4 ? EAR_BYTE_UNKNOWN : EAR_BYTE_INFERRED);
	assert_int_equal(bytes[7], 0x80);
	assert_non_null(ear_moment_record(moment));
	assert_int_equal(ear_moment_record(moment)->register_count, 0);
	assert_int_equal(ear_trace_last_write(trace, (struct ear_span){0x80000103, 0x80000103}, 4,
				 &position, NULL),
		1);
	assert_int_equal(position, 2);

	/* Earlier, where less is known. */
	assert_int_equal(ear_moment_move(moment, 1, NULL), 0);
	assert_false(ear_moment_register(moment, 0, EAR_REGISTER_X, 10, &value));
	assert_true(ear_moment_register(moment, 0, EAR_REGISTER_X, 5, &value));
	assert_int_equal(value, 0x80000000);
	assert_true(ear_moment_inferred(moment, 0, EAR_REGISTER_X, 5));
	ear_moment_free(moment);
	ear_trace_close(trace);
}

static void what_cannot_be_is_refused(void **state)
{
	struct ear_trace *trace = open_text();
	struct ear_infer_options options = ask;
	const struct ear_record *record;

	(void)state;
	options.core = "/dev/null";
	assert_int_equal(ear_trace_infer(trace, &options), EAR_E_BAD_FILE);
	assert_non_null(strstr(ear_trace_error(trace), "core dump"));
	assert_int_equal(ear_trace_next(trace, &record), 1); /* as before */
	assert_int_equal(ear_trace_infer(trace, &ask), EAR_E_BAD_ARGUMENT);
	options.size = 0;
	assert_int_equal(ear_trace_infer(trace, &options), EAR_E_BAD_ARGUMENT);
	ear_trace_close(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_have_it_apart),
		cmocka_unit_test(a_moment_knows_and_says_it),
		cmocka_unit_test(what_cannot_be_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
