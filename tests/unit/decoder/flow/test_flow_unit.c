/* Parameters of a trace unit from JSON: numbers, words, objects inside, and what is refused. */
#include "check.h"

#include <earshot/error.h>

#include "decoder/flow/flow_unit.h"

struct parameters {
	uint32_t xlen, generation, srcid_bits, compressed;
	uint64_t keys, values;
};

static bool add_vector(void *to, struct ear_text key, uint64_t value)
{
	struct parameters *parameters = to;

	parameters->keys += key.size;
	parameters->values += value;
	return value != 99;
}

static const char *const generations[] = {"PT10", "ET20", NULL};

static const struct ear_flow_parameter table[] = {
	{.key = "xlen", .offset = offsetof(struct parameters, xlen), .min = 32, .max = 64},
	{.key = "generation",
		.offset = offsetof(struct parameters, generation),
		.max = 1,
		.words = generations},
	{.key = "srcid_bits", .offset = offsetof(struct parameters, srcid_bits), .max = 16},
	{.key = "compressed", .offset = offsetof(struct parameters, compressed), .max = 1},
	{.key = "vectors", .member = add_vector},
	{.key = NULL},
};

static void a_table_describes_the_object(void **state)
{
	(void)state;
	struct parameters parameters = {.compressed = 7};
	char fault[EAR_FLOW_FAULT_SIZE];

	assert_int_equal(ear_flow_parameters_read(&parameters, table,
				 "{\n \"how\": \"an encoder\", \"xlen\":\t64,\r\n"
				 " \"list\": [{\"xlen\": 5}], \"generation\": \"ET20\",\n"
				 " \"encapsulation\": {\"srcid_bits\": \"0x8\", \"other\": {}},\n"
				 " \"vectors\": {\"0:1\": 5, \"1:11\": 6}\n}\n",
				 fault),
		0);
	assert_string_equal(fault, "");
	assert_int_equal(parameters.xlen, 64);
	assert_int_equal(parameters.generation, 1);
	assert_int_equal(parameters.srcid_bits, 8);
	assert_int_equal(parameters.compressed, 7);
	assert_int_equal(parameters.keys, 7);
	assert_int_equal(parameters.values, 11);
	assert_int_equal(
		ear_flow_parameters_read(&parameters, table,
			"{\"generation\": 0, \"compressed\": false, \"vectors\": {}}", fault),
		0);
	assert_int_equal(parameters.generation, 0);
	assert_int_equal(parameters.compressed, 0);
	assert_int_equal(ear_flow_parameters_read(&parameters, table, "{}", fault), 0);
}

static void what_does_not_fit_is_refused_with_a_reason(void **state)
{
	(void)state;
	static const struct {
		const char *json, *fault;
	} refused[] = {
		{"", "an object is missing"},
		{"[]", "an object is missing"},
		{"{\"xlen\": 32", "a comma is missing"},
		{"{\"xlen\": 32} x", "something follows"},
		{"{\"xlen\": 31}", "\"xlen\": not a number from 32 to 64"},
		{"{\"xlen\": 4294967328}", "\"xlen\": not a number from 32 to 64"},
		{"{\"xlen\": \"wide\"}", "\"xlen\": not a number"},
		{"{\"xlen\": true}", "\"xlen\": not a number from 32 to 64"},
		{"{\"xlen\": []}", "\"xlen\": not a number"},
		{"{\"generation\": \"ET30\"}", "\"generation\": not a number, or a word"},
		{"{\"encapsulation\": {\"srcid_bits\": 17}}", "\"srcid_bits\": not a number from"},
		{"{\"vectors\": {\"0:2\": 99}}", "\"0:2\": not understood"},
		{"{\"vectors\": 5}", "an object is missing"},
	};

	for (size_t i = 0; i < COUNT_OF(refused); i++) {
		struct parameters parameters = {0};
		char fault[EAR_FLOW_FAULT_SIZE];

		assert_int_equal(
			ear_flow_parameters_read(&parameters, table, refused[i].json, fault),
			EAR_E_BAD_ARGUMENT);
		assert_contains(fault, refused[i].fault);
	}
}

/* Each beginning of a good text is an error, or the text. */
static void every_proper_prefix_is_refused(void **state)
{
	(void)state;
	const char *json = "{\"xlen\": 64, \"a\": {\"srcid_bits\": 8}, \"vectors\": {\"0:1\": 5}}";
	char text[128], fault[EAR_FLOW_FAULT_SIZE];

	for (size_t size = 0; size < strlen(json); size++) {
		struct parameters parameters = {0};
		memcpy(text, json, size);
		text[size] = '\0';
		assert_int_equal(ear_flow_parameters_read(&parameters, table, text, fault),
			EAR_E_BAD_ARGUMENT);
		assert_true(fault[0]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table_describes_the_object),
		cmocka_unit_test(what_does_not_fit_is_refused_with_a_reason),
		cmocka_unit_test(every_proper_prefix_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
