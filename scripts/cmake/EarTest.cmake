# Tests are registered in one way so that all of them run under the same rules.
#
# ear_add_test(<name> SOURCES file... LIBRARIES lib... [LABELS label...])
#
# Builds the cmocka program <name> and runs it in the build folder.
# EAR_TEST_DATA names tests/data, so a test finds its files wherever it runs. EAR_TEST_LESS divides counts of
# random trials: 4 in the gate, 1 in the night.
#
# A test belongs to a room: its folder below tests/unit, or below tests. The room is a label, so
# 'ctest -L decoder/formats/tarmac' runs its tests and 'ctest -L formats' those of all formats. It is also a
# target, tests_formats_tarmac, which builds them and no others.
# Builds the tests labelled "threads", for ThreadSanitizer.
add_custom_target(thread_tests)

# Test programs are many, and these linkers take half of the time, if they are there.
include(CheckLinkerFlag)
if(EAR_SANITIZE)
	set(EAR_TEST_LINKER -fuse-ld=lld) # gold does not know all names of a sanitizer
else()
	set(EAR_TEST_LINKER -fuse-ld=gold)
endif()
check_linker_flag(C ${EAR_TEST_LINKER} EAR_HAS_TEST_LINKER)
if(NOT EAR_HAS_TEST_LINKER)
	set(EAR_TEST_LINKER)
endif()

# ear_room(<variable>): the room of the current folder.
function(ear_room variable)
	file(RELATIVE_PATH room ${PROJECT_SOURCE_DIR}/tests ${CMAKE_CURRENT_SOURCE_DIR})
	string(REGEX REPLACE "^unit/" "" room ${room})
	set(${variable} ${room} PARENT_SCOPE)
endfunction()

# ear_add_to_room(<target> <room>): the rooms of a target are its folder and those around it. 'all' does not
# build it if EAR_TESTS_ELSEWHERE, a regular expression, matches its folder.
function(ear_add_to_room target room)
	if(EAR_TESTS_ELSEWHERE AND room MATCHES "${EAR_TESTS_ELSEWHERE}")
		set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
	endif()
	while(room)
		string(REPLACE "/" "_" name tests_${room})
		if(NOT TARGET ${name})
			add_custom_target(${name})
		endif()
		add_dependencies(${name} ${target})
		cmake_path(GET room PARENT_PATH room)
	endwhile()
endfunction()

function(ear_add_test name)
	cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES;LABELS" ${ARGN})
	add_executable(${name} ${ARG_SOURCES})
	target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES} PkgConfig::CMOCKA)
	target_link_options(${name} PRIVATE ${EAR_TEST_LINKER})
	target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support)
	target_compile_definitions(${name} PRIVATE EAR_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data"
		EAR_TEST_LESS=$<IF:$<BOOL:${EAR_NIGHT}>,1u,4u>)
	set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
	if("threads" IN_LIST ARG_LABELS)
		add_dependencies(thread_tests ${name})
	endif()
	ear_room(room)
	ear_add_to_room(${name} ${room})
	add_test(NAME ${name} COMMAND ${name})
	set_tests_properties(${name} PROPERTIES LABELS "${room};${ARG_LABELS}")
endfunction()
