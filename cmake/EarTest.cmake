# Tests are registered in one way so that all of them run under the same rules.
#
# ear_add_test(<name> SOURCES file... LIBRARIES lib... [LABELS label...] [TIMEOUT seconds])
#
# Builds the cmocka program <name> and runs it in the build folder.
# EAR_TEST_DATA names tests/data, so a test finds its files wherever it runs.
# Builds the tests labelled "threads", for ThreadSanitizer.
add_custom_target(thread_tests)

function(ear_add_test name)
	cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LIBRARIES;LABELS" ${ARGN})
	if(NOT ARG_TIMEOUT)
		set(ARG_TIMEOUT 120)
	endif()
	add_executable(${name} ${ARG_SOURCES})
	target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES} PkgConfig::CMOCKA)
	target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support)
	target_compile_definitions(${name} PRIVATE EAR_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
	set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
	if("threads" IN_LIST ARG_LABELS)
		add_dependencies(thread_tests ${name})
	endif()
	add_test(NAME ${name} COMMAND ${name})
	set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}")
endfunction()
