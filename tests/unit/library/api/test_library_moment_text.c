/* Moments as people write them: X + N is the N-th instruction after X, by the numbers of all
 * records; and the words mean what a look at every record finds.
 */
#include "check.h"

#include <inttypes.h>
#include <stdio.h>

#include "library_truth.h"
#include "random.h"

#define ROUNDS 12

static int find(struct ear_trace *trace, const char *text, struct ear_moment_place *place)
{
	*place = (struct ear_moment_place){.size = sizeof(*place)};
	return ear_trace_find_moment(trace, text, NULL, UINT64_MAX, place, NULL);
}

/* Position of the instruction with this number. */
static uint64_t position_of(const struct truth *truth, uint64_t number)
{
	uint64_t position = 0;

	while (truth->records[position]->kind != EAR_RECORD_INSTRUCTION ||
		truth->numbers[position] != number)
		position++;
	return position;
}

/* text names a place: what is so many instructions from there? */
static void check_offset(const struct truth *truth, struct ear_trace *trace, const char *text,
	const struct ear_moment_place *place, struct random *random)
{
	const uint64_t end = truth->count, total = truth->numbers[truth->count];
	const uint64_t before = truth->numbers[place->before < end ? place->before : end];
	const uint64_t after = truth->numbers[place->after < end ? place->after : end];
	const uint64_t offset = 1 + random_below(random, 9);
	struct ear_moment_place moved;
	char longer[64];

	snprintf(longer, sizeof(longer), "%s+%" PRIu64, text, offset);
	const bool has_later = after + offset - 1 < total;
	assert_int_equal(find(trace, longer, &moved), has_later ? 1 : EAR_E_BAD_ARGUMENT);
	if (has_later) {
		assert_int_equal(moved.before, position_of(truth, after + offset - 1));
		assert_int_equal(moved.after, moved.before + 1);
	}
	snprintf(longer, sizeof(longer), "%s-%" PRIu64, text, offset);
	assert_int_equal(find(trace, longer, &moved), offset <= before ? 1 : EAR_E_BAD_ARGUMENT);
	if (offset <= before)
		assert_int_equal(moved.before, position_of(truth, before - offset));
}

static bool is_trap(const struct ear_record *record)
{
	return record->kind == EAR_RECORD_INSTRUCTION &&
	       record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT);
}

static bool is_event(const struct ear_record *record)
{
	return record->kind == EAR_RECORD_EVENT;
}

static bool is_gap(const struct ear_record *record)
{
	return record->kind == EAR_RECORD_GAP;
}

static void check_word(const struct truth *truth, struct ear_trace *trace, struct random *random)
{
	static const struct {
		const char *word;
		bool (*is)(const struct ear_record *record);
	} words[] = {{"trap", is_trap}, {"event", is_event}, {"gap", is_gap}};
	const size_t word = random_below(random, 3);
	const uint64_t which = 1 + random_below(random, 4);
	const bool from_end = random_once_in(random, 2);
	struct ear_moment_place place;
	uint64_t count = 0, position = 0;
	char text[32];

	for (size_t i = 0; i < truth->count && count < which; i++) {
		position = from_end ? truth->count - 1 - i : i;
		count += words[word].is(truth->records[position]);
	}
	snprintf(text, sizeof(text), "%s%s%c%s%" PRIu64, random_once_in(random, 2) ? "@" : "",
		words[word].word, random_once_in(random, 2) ? '#' : ':', from_end ? "-" : "",
		which);
	assert_int_equal(find(trace, text, &place), count == which);
	if (count < which)
		return;
	assert_int_equal(place.before, position);
	assert_int_equal(place.after, position + (word != 2));
	check_offset(truth, trace, text, &place, random);
}

static void check_number(const struct truth *truth, struct ear_trace *trace, struct random *random)
{
	const uint64_t total = truth->numbers[truth->count];
	const uint64_t number = random_below(random, total + 2);
	struct ear_moment_place place;
	char text[32];

	snprintf(text, sizeof(text), random_once_in(random, 2) ? "#%" PRIu64 : "%" PRIu64, number);
	assert_int_equal(find(trace, text, &place), number < total ? 1 : EAR_E_BAD_ARGUMENT);
	if (number >= total)
		return;
	assert_int_equal(place.before, position_of(truth, number));
	check_offset(truth, trace, text, &place, random);
}

static void check_all(const struct truth *truth, struct ear_trace *trace, struct random *random)
{
	struct ear_moment_place place;

	assert_int_equal(find(trace, "begin", &place), 1);
	check_offset(truth, trace, "begin", &place, random);
	assert_int_equal(find(trace, "end", &place), 1);
	check_offset(truth, trace, "end", &place, random);
	for (unsigned i = 0; i < ROUNDS; i++) {
		check_word(truth, trace, random);
		check_number(truth, trace, random);
	}
}

static void moments_are_what_all_records_show(void **state)
{
	struct random random = {5};
	struct truth *truth;

	(void)state;
	for (size_t i = 0; (truth = truth_of(i)); i++) {
		struct ear_trace *trace = truth_open(truth);
		if (truth->count > 0)
			check_all(truth, trace, &random);
		ear_trace_close(trace);
		truth_free(truth);
	}
}

static void from_where_the_caller_is(void **state)
{
	struct truth *truth = truth_of(0);
	struct ear_trace *trace = truth_open(truth);
	struct ear_moment_place place = {.size = sizeof(place)};

	(void)state;
	assert_int_equal(ear_trace_find_moment(trace, "+3", NULL, 5, &place, NULL), 1);
	assert_int_equal(place.before, position_of(truth, 8));
	assert_int_equal(ear_trace_find_moment(trace, "-5", NULL, 5, &place, NULL), 1);
	assert_int_equal(place.before, position_of(truth, 0));
	assert_int_equal(
		ear_trace_find_moment(trace, "-6", NULL, 5, &place, NULL), EAR_E_BAD_ARGUMENT);
	assert_int_equal(find(trace, "+3", &place), EAR_E_BAD_ARGUMENT);
	place.size = 0;
	assert_int_equal(
		ear_trace_find_moment(trace, "begin", NULL, 0, &place, NULL), EAR_E_BAD_ARGUMENT);
	ear_trace_close(trace);
	truth_free(truth);
}

static void forms_that_are_no_moment(void **state)
{
	static const char *const texts[] = {"", "@", "12x", "+5", "-5", "trap#0", "trap:", "trap=x",
		"gap=1", "event=", "#", "#x", ":1", "=", "=1:", "@crc", "463#2", "end:return",
		"5:3", "x#", "5+5+5", "mark=", "mark=5", "mark=a b", "mark=crash#2",
		"mark=crash:return"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (ear_moment_text_check(texts[i], false))
			fail_msg("'%s' is not a moment", texts[i]);
	assert_true(ear_moment_text_check("+5", true));
	assert_true(ear_moment_text_check("mark=end-of.boot+5", false));
	assert_true(ear_moment_text_check("mark", false)); /* a function may be called that */
	assert_true(ear_moment_text_check("ns::f(int)#2:return-5", false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(moments_are_what_all_records_show),
		cmocka_unit_test(from_where_the_caller_is),
		cmocka_unit_test(forms_that_are_no_moment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
