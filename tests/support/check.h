#ifndef EAR_TEST_CHECK_H
#define EAR_TEST_CHECK_H

/* cmocka wants these four in front of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Comparisons that show both values when they fail: assert_at_least(count, 3) instead of
 * assert_true(count >= 3). Any integers or pointers; the first one is evaluated once.
 */
#define assert_at_least(value, least) assert_compare(value, >=, least)
#define assert_at_most(value, most)   assert_compare(value, <=, most)
#define assert_above(value, limit)    assert_compare(value, >, limit)
#define assert_below(value, limit)    assert_compare(value, <, limit)

/* Equal or not, whatever the types: also of pointers into one text, and of flags. */
#define assert_same(value, other)      assert_compare(value, ==, other)
#define assert_different(value, other) assert_compare(value, !=, other)

/* value + 0: a bit-field has no type of its own, and a small integer is compared as an int. abort:
 * fail_msg does not return, which the compiler does not know.
 */
#define assert_compare(value, relation, other) \
	do { \
		__typeof__((value) + 0) found_ = (value); \
		if (!(found_ relation(other))) { \
			fail_msg("%s is %lld, not %s %s, which is %lld", #value, \
				(long long)found_, #relation, #other, (long long)(other)); \
			abort(); \
		} \
	} while (0)

/* Does the text hold the part? Shows both if it does not. */
#define assert_contains(text, part) \
	do { \
		const char *text_ = (text), *part_ = (part); \
		if (!strstr(text_, part_)) \
			fail_msg("\"%s\" does not contain \"%s\"", text_, part_); \
	} while (0)

#endif
