# Text formats of reference simulators, JSON lines, and the running state over records.
add_library(ear_test_records STATIC ${support}/record_trip.c)
target_link_libraries(ear_test_records PUBLIC ear_decoder PkgConfig::CMOCKA)
target_include_directories(ear_test_records PUBLIC ${support})
target_compile_definitions(ear_test_records PRIVATE EAR_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")

foreach(name json spike)
	ear_add_test(test_format_${name} SOURCES test_format_${name}.c LIBRARIES ear_test_records)
endforeach()
