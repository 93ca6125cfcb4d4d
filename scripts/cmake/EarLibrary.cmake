# Each folder of the tree is one library, made in one way.
#
# ear_add_library(<name> SOURCES file... [LIBRARIES lib...] [PRIVATE lib...])
#
# Only what the public headers declare is seen outside of libearshot: they say so themselves.
# LIBRARIES are what its headers or its callers need as well; PRIVATE is what only its sources use.
# Which folders it may include is written in scripts/includes.txt.
function(ear_add_library name)
	cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES;PRIVATE" ${ARGN})
	add_library(${name} STATIC ${ARG_SOURCES})
	set_target_properties(${name} PROPERTIES C_VISIBILITY_PRESET hidden)
	target_link_libraries(${name} PUBLIC ear_options ${ARG_LIBRARIES} PRIVATE ${ARG_PRIVATE})
endfunction()

# A library of the system that is loaded when it is needed (common/load.h), not linked: its headers,
# and its name at run time as the macro EAR_<prefix>_LIBRARY. prefix: that of pkg_check_modules.
function(ear_load_late target prefix)
	list(GET ${prefix}_LINK_LIBRARIES 0 file)
	execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${file} OUTPUT_VARIABLE found ERROR_VARIABLE ignored)
	if(NOT found MATCHES "SONAME +([^ \n]+)")
		message(FATAL_ERROR "${file} is no shared library: it has no SONAME")
	endif()
	target_include_directories(${target} SYSTEM PRIVATE ${${prefix}_INCLUDE_DIRS})
	target_compile_definitions(${target} PRIVATE EAR_${prefix}_LIBRARY="${CMAKE_MATCH_1}")
endfunction()
