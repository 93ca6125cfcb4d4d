/* The user page of the event port, with a file in its place: it keeps the last value of each
 * register. That the stores come in order is seen in the virtual machine (tests/linux). */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "earshot_user.h"

#define PAGE_BYTES 4096

struct page {
	struct ear_user_port port;
	char path[32];
	int file;
};

static void open_page(struct page *page)
{
	*page = (struct page){.path = "/tmp/earshot-port-XXXXXX"};
	page->file = mkstemp(page->path);
	assert_true(page->file >= 0);
	assert_int_equal(ftruncate(page->file, PAGE_BYTES), 0);
	assert_int_equal(ear_user_open(&page->port, page->path), 0);
}

static uint32_t read_register(const struct page *page, uint32_t number)
{
	uint32_t value;

	assert_int_equal(
		pread(page->file, &value, sizeof(value), (off_t)(4 * (number - EAR_PORT_USER))), 4);
	return value;
}

static void close_page(struct page *page)
{
	ear_user_close(&page->port);
	close(page->file);
	unlink(page->path);
}

static void without_a_device_everything_does_nothing(void **state)
{
	struct ear_user_port port = EAR_USER_CLOSED;

	(void)state;
	assert_int_equal(ear_user_open(&port, "/nowhere/earshot"), ENOENT);
	ear_user_mark(&port, 1);
	ear_user_mark_text(&port, 1, "text");
	ear_user_count(&port, 1, 2);
	ear_user_method_enter(&port, 1);
	ear_user_native_unwind(&port, UINT64_MAX);
	ear_user_close(&port);
}

static void what_cannot_be_mapped_is_an_error(void **state)
{
	struct ear_user_port port = EAR_USER_CLOSED;

	(void)state;
	assert_int_equal(ear_user_open(&port, "/dev/null"), ENODEV);
	assert_null(port.page);
}

static void each_call_stores_to_its_register(void **state)
{
	struct page page;
	struct {
		void (*call)(struct ear_user_port *port, uint64_t address);
		uint32_t number;
	} calls[] = {
		{ear_user_method_enter, EAR_PORT_METHOD_ENTRY},
		{ear_user_method_exit, EAR_PORT_METHOD_EXIT},
		{ear_user_method_unwind, EAR_PORT_METHOD_EXCEPTION},
		{ear_user_native_enter, EAR_PORT_NATIVE_ENTRY},
		{ear_user_native_exit, EAR_PORT_NATIVE_EXIT},
		{ear_user_native_unwind, EAR_PORT_NATIVE_EXCEPTION},
	};

	(void)state;
	open_page(&page);
	for (uint32_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		calls[i].call(&page.port, 0x100 + i);
		assert_int_equal(read_register(&page, calls[i].number), 0x100 + i);
	}
	assert_int_equal(read_register(&page, EAR_PORT_USER_HIGH), 0); /* not needed so far */
	ear_user_method_enter(&page.port, 0x123400005678);
	assert_int_equal(read_register(&page, EAR_PORT_USER_HIGH), 0x1234);
	assert_int_equal(read_register(&page, EAR_PORT_METHOD_ENTRY), 0x5678);
	ear_user_mark(&page.port, 77);
	assert_int_equal(read_register(&page, EAR_PORT_MARK), 77);
	ear_user_count(&page.port, 5, 1000);
	assert_int_equal(read_register(&page, EAR_PORT_COUNTER), 5);
	assert_int_equal(read_register(&page, EAR_PORT_COUNT), 1000);
	close_page(&page);
}

static void a_text_ends_with_a_zero_byte(void **state)
{
	struct page page;

	(void)state;
	open_page(&page);
	ear_user_mark_text(&page.port, 8, "abcde");
	assert_int_equal(read_register(&page, EAR_PORT_USER_STRING), 'e');
	assert_int_equal(read_register(&page, EAR_PORT_MARK), 8);
	ear_user_mark_text(&page.port, 9, "abcd"); /* a word of its own */
	assert_int_equal(read_register(&page, EAR_PORT_USER_STRING), 0);
	ear_user_mark_text(&page.port, 9, "\xC3\xBC");
	assert_int_equal(read_register(&page, EAR_PORT_USER_STRING), 0xBCC3);
	close_page(&page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_device_everything_does_nothing),
		cmocka_unit_test(what_cannot_be_mapped_is_an_error),
		cmocka_unit_test(each_call_stores_to_its_register),
		cmocka_unit_test(a_text_ends_with_a_zero_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
