# The flight recorder.
ear_add_test(test_segments SOURCES test_segments.c LIBRARIES ear_test_trace)
ear_add_test(test_until SOURCES test_until.c ${PROJECT_SOURCE_DIR}/cli/until.c LIBRARIES ear_test_trace)
