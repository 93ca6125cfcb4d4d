/* Strings that software passes to an event port where addresses are translated: never another
 * one's.
 */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "common/protocol/event_port.h"
#include "library/tasks/port_events.h"

#define PORT       0x10020000u
#define SW         0x00a2a023u
#define SFENCE_VMA 0x12000073u
#define SRET       0x10200073u
#define CSRW_SATP  0x18051073u
#define HSV_W      0x6a55c073u

/* The virtual page, and where two address spaces have it. */
#define PAGE  0x00401000u
#define FIRST 0x80001000u
#define OTHER 0x80002000u

struct run {
	struct ear_port_events *port;
	uint64_t index[2];
	uint16_t hart;
	uint8_t privilege;
	bool physical; /* the trace has physical addresses */
};

static void begin(struct run *run, bool physical)
{
	static const struct ear_port_options options = {
		.has_address = true, .address = PORT, .memory = {.captured = true}};

	*run = (struct run){.privilege = EAR_PRIVILEGE_S, .physical = physical};
	assert_int_equal(ear_port_events_new(&run->port, &options), 0);
}

static void end(struct run *run)
{
	ear_port_events_free(run->port);
}

static struct ear_record next(struct run *run, uint32_t opcode)
{
	return (struct ear_record){.kind = EAR_RECORD_INSTRUCTION,
		.hart = run->hart,
		.index = run->index[run->hart]++,
		.xlen = 64,
		.privilege = run->privilege,
		.opcode_size = 4,
		.opcode = opcode,
		.pc = 0x80000000,
		.next_pc = 0x80000000};
}

static void execute(struct run *run, uint32_t opcode)
{
	struct ear_record record = next(run, opcode);

	assert_int_equal(ear_port_events_push(run->port, &record), 1);
}

/* A store of size bytes at an address, which is at *to* in the memory. */
static void store(struct run *run, uint64_t address, uint64_t to, uint64_t value, uint8_t size)
{
	static struct ear_record_access access;
	static struct ear_record record;

	access = (struct ear_record_access){.address = address,
		.has_physical = run->physical,
		.physical = to,
		.size = size,
		.write = true,
		.has_value = true,
		.value = value};
	record = next(run, SW);
	record.memory = &access;
	record.memory_count = 1;
	assert_at_least(ear_port_events_push(run->port, &record), 1);
}

static void store_text(struct run *run, uint64_t address, uint64_t to, const char *text)
{
	for (size_t i = 0; i <= strlen(text); i++)
		store(run, address + i, to + i, (uint8_t)text[i], 1);
}

static void write_register(struct run *run, unsigned number, uint32_t value)
{
	store(run, PORT + 4 * number, PORT + 4 * number, value, 4);
}

static void check_text(const struct ear_record *event, const char *text)
{
	char shown[128];

	assert_int_equal(event->kind, EAR_RECORD_EVENT);
	snprintf(shown, sizeof(shown), "%.*s", (int)event->u.event.name.size,
		event->u.event.name.text ? event->u.event.name.text : "");
	assert_string_equal(shown, text);
}

/* The text that an address stands for; NULL: unknown. */
static void check_name(struct run *run, uint32_t address, const char *text)
{
	char unknown[64];

	snprintf(unknown, sizeof(unknown), "<string at 0x%x unknown>", address);
	write_register(run, EAR_PORT_NAME, address);
	check_text(ear_port_events_get(run->port, 0), text ? text : unknown);
}

/* As a unit with a port sends it: before its instruction. */
static void check_event(struct run *run, uint32_t address, const char *text)
{
	char unknown[64];
	struct ear_record event = {.kind = EAR_RECORD_EVENT,
		.hart = run->hart,
		.index = run->index[run->hart],
		.u.event = {.source = EAR_EVENT_REGISTER + EAR_PORT_NAME, .value = address}};

	snprintf(unknown, sizeof(unknown), "<string at 0x%x unknown>", address);
	assert_int_equal(ear_port_events_push(run->port, &event), 1);
	check_text(ear_port_events_get(run->port, 0), text ? text : unknown);
}

static void set_satp(struct run *run, uint64_t value)
{
	struct ear_record_register satp = {
		.reg_class = EAR_REGISTER_CSR, .number = 0x180, .value = value};
	struct ear_record record = next(run, CSRW_SATP);

	record.registers = &satp;
	record.register_count = 1;
	assert_int_equal(ear_port_events_push(run->port, &record), 1);
}

/* The same virtual address in two spaces, and the same number as a physical address. */
static void begin_spaces(struct run *run)
{
	begin(run, true);
	run->privilege = EAR_PRIVILEGE_M;
	store(run, 0x80000000, 0x80000000, 0, 4);
	run->privilege = EAR_PRIVILEGE_S;
	store(run, PAGE + 0x800, FIRST + 0x800, 0, 4); /* from here on it is translated */
	run->privilege = EAR_PRIVILEGE_M;
	store_text(run, PAGE, PAGE, "bare");
	run->privilege = EAR_PRIVILEGE_S;
	store_text(run, PAGE, FIRST, "first");
}

static void a_virtual_address_is_that_of_its_space(void **state)
{
	struct run run;

	(void)state;
	begin_spaces(&run);
	check_name(&run, PAGE, "first");
	set_satp(&run, 2);
	check_name(&run, PAGE, NULL);
	store_text(&run, PAGE, OTHER, "other");
	check_name(&run, PAGE, "other");
	set_satp(&run, 1);
	check_name(&run, PAGE, NULL);
	store(&run, PAGE + 0x800, FIRST + 0x800, 0,
		4); /* any access of the page says where it is */
	check_name(&run, PAGE, "first");
	run.privilege = EAR_PRIVILEGE_U;
	check_name(&run, PAGE, "first");
	run.privilege = EAR_PRIVILEGE_M;
	check_name(&run, PAGE, "bare");
	run.privilege = EAR_PRIVILEGE_VS;
	check_name(&run, PAGE, NULL);
	end(&run);
}

static void a_physical_address_is_not_translated(void **state)
{
	struct run run;

	(void)state;
	begin_spaces(&run);
	write_register(&run, EAR_PORT_PHYSICAL, 1);
	check_name(&run, PAGE, "bare");
	check_name(&run, FIRST, "first");
	write_register(&run, EAR_PORT_PHYSICAL, 0);
	check_name(&run, FIRST, NULL);
	check_name(&run, PAGE, "first");
	end(&run);
}

static void what_may_change_translations_ends_them(void **state)
{
	struct ear_record gap = {.kind = EAR_RECORD_GAP, .u.gap = {.reason = EAR_GAP_UNIT_FIFO}};
	struct run run;

	(void)state;
	begin_spaces(&run);
	execute(&run, SFENCE_VMA);
	check_name(&run, PAGE, NULL);
	store(&run, PAGE + 0x800, FIRST + 0x800, 0, 4);
	check_name(&run, PAGE, "first");
	run.index[0] += 5; /* a filter suppressed some: memory is not known either */
	check_name(&run, PAGE, NULL);
	store_text(&run, PAGE, FIRST, "again");
	check_name(&run, PAGE, "again");
	assert_int_equal(ear_port_events_push(run.port, &gap), 1);
	check_name(&run, PAGE, NULL);
	end(&run);
}

/* hsv stores into the memory of a guest, which has pages of its own. */
static void what_is_stored_for_a_guest_says_nothing_of_the_host(void **state)
{
	struct ear_record_access access = {.address = PAGE,
		.has_physical = true,
		.physical = OTHER,
		.size = 4,
		.write = true,
		.has_value = true,
		.value = 0x78};
	struct ear_record record;
	struct run run;

	(void)state;
	begin_spaces(&run);
	record = next(&run, HSV_W);
	record.memory = &access;
	record.memory_count = 1;
	assert_int_equal(ear_port_events_push(run.port, &record), 1);
	check_name(&run, PAGE, "first");
	end(&run);
}

static void a_string_goes_on_in_the_next_page_where_that_is_known(void **state)
{
	struct run run;

	(void)state;
	begin_spaces(&run);
	store_text(&run, PAGE + 0xffd, FIRST + 0xffd, "abc");
	store_text(&run, PAGE + 0x1000, OTHER, "def"); /* over the zero byte: elsewhere */
	check_name(&run, PAGE + 0xffd, "abcdef");
	execute(&run, SFENCE_VMA);
	store(&run, PAGE + 0x800, FIRST + 0x800, 0, 4);
	check_name(&run, PAGE + 0xffd, "abc<string at 0x402000 unknown>");
	end(&run);
}

/* The event comes before its instruction: whose address is it after a return from a trap? */
static void an_event_is_of_the_privilege_before_its_instruction(void **state)
{
	struct run run;

	(void)state;
	begin_spaces(&run);
	check_event(&run, PAGE, "first");
	run.privilege = EAR_PRIVILEGE_M;
	store(&run, 0x80000000, 0x80000000, 0, 4);
	check_event(&run, PAGE, "bare");
	execute(&run, SRET);
	check_event(&run, PAGE, NULL);
	run.privilege = EAR_PRIVILEGE_S;
	store(&run, 0x80000000, 0x80000000, 0, 4);
	check_event(&run, PAGE, "first");
	run.hart = 1;
	check_event(&run, PAGE, NULL); /* of which nothing is known */
	end(&run);
}

static void after_a_loss_it_must_be_said_again_which_addresses_they_are(void **state)
{
	struct ear_record lost = {
		.kind = EAR_RECORD_EVENT, .u.event = {.source = EAR_EVENT_PORT_LOST, .value = 1}};
	struct run run;

	(void)state;
	begin_spaces(&run);
	assert_int_equal(ear_port_events_push(run.port, &lost), 1);
	check_name(&run, PAGE, "first"); /* nobody ever wrote PHYSICAL */
	write_register(&run, EAR_PORT_PHYSICAL, 0);
	assert_int_equal(ear_port_events_push(run.port, &lost), 1);
	check_name(&run, PAGE, NULL);
	run.privilege = EAR_PRIVILEGE_M;
	check_name(&run, PAGE, "bare"); /* is both */
	run.privilege = EAR_PRIVILEGE_S;
	write_register(&run, EAR_PORT_PHYSICAL, 0);
	check_name(&run, PAGE, "first");
	end(&run);
}

static void without_physical_addresses_virtual_ones_are_known(void **state)
{
	struct run run;

	(void)state;
	begin(&run, false);
	store(&run, PAGE + 0x800, 0, 0, 4);
	store_text(&run, PAGE, 0, "first");
	check_name(&run, PAGE, "first");
	write_register(&run, EAR_PORT_PHYSICAL, 1);
	check_name(&run, PAGE, NULL);
	write_register(&run, EAR_PORT_PHYSICAL, 0);
	set_satp(&run, 2);
	check_name(&run, PAGE, NULL);
	store_text(&run, PAGE, 0, "other");
	check_name(&run, PAGE, "other");
	run.hart = 1; /* whose address space may be another one */
	check_name(&run, PAGE, NULL);
	run.hart = 0;
	store_text(&run, PAGE, 0, "other");
	check_name(&run, PAGE, NULL);
	end(&run);
}

static void where_nothing_is_translated_both_are_the_same(void **state)
{
	struct run run;

	(void)state;
	begin(&run, false);
	run.privilege = EAR_PRIVILEGE_M;
	store_text(&run, PAGE, 0, "bare");
	check_name(&run, PAGE, "bare");
	write_register(&run, EAR_PORT_PHYSICAL, 1);
	check_name(&run, PAGE, "bare");
	end(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_virtual_address_is_that_of_its_space),
		cmocka_unit_test(a_physical_address_is_not_translated),
		cmocka_unit_test(what_may_change_translations_ends_them),
		cmocka_unit_test(what_is_stored_for_a_guest_says_nothing_of_the_host),
		cmocka_unit_test(a_string_goes_on_in_the_next_page_where_that_is_known),
		cmocka_unit_test(an_event_is_of_the_privilege_before_its_instruction),
		cmocka_unit_test(after_a_loss_it_must_be_said_again_which_addresses_they_are),
		cmocka_unit_test(without_physical_addresses_virtual_ones_are_known),
		cmocka_unit_test(where_nothing_is_translated_both_are_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
