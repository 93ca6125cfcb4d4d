# What everything stands on.
ear_add_test(test_printable SOURCES test_printable.c LIBRARIES ear_common)
