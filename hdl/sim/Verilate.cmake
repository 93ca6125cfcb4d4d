# How the RTL becomes C++: the same Verilator flags for the virtual board and the tests.
include_guard(GLOBAL)

# The package brings verilate(), which runs Verilator while CMake configures and compiles its run-time
# for every target; ear_verilate() below runs it when something has changed.
find_package(verilator 5.006 QUIET HINTS $ENV{VERILATOR_ROOT} /usr/share/verilator
	/usr/local/share/verilator)
if(NOT verilator_FOUND)
	message(FATAL_ERROR "Verilator is missing: install it, or configure with -DEAR_HDL=OFF")
endif()
find_program(EAR_VERILATOR verilator REQUIRED)
execute_process(COMMAND ${EAR_VERILATOR} --getenv VERILATOR_ROOT
	OUTPUT_VARIABLE EAR_VERILATOR_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE)

# Verilator's own run-time, once for all models.
set(verilator_include ${EAR_VERILATOR_ROOT}/include)
add_library(ear_verilated STATIC ${verilator_include}/verilated.cpp
	${verilator_include}/verilated_threads.cpp)
target_include_directories(ear_verilated SYSTEM PUBLIC ${verilator_include}
	${verilator_include}/vltstd)
target_compile_options(ear_verilated PRIVATE -w)
target_link_libraries(ear_verilated PUBLIC Threads::Threads)

# ear_verilate(<target> <top module> SOURCES file... [PARAMETERS NAME=value...]
#              [INCLUDE_DIRS folder...] [OPTIONS option...] [CLASS name] [RANDOM_X])
#
# Adds the class V<top module>, or the one named, to <target>. No tracing, and warnings are for the lint
# test, not for the build. Speed first: no X states. With RANDOM_X what is not reset begins with random
# values, and the model is compiled quickly instead of running quickly: for tests. OPT_FAST and OPT_SLOW
# stand behind all other flags; slow is what runs once, and as much code as the rest.
function(ear_verilate target top)
	cmake_parse_arguments(ARG "RANDOM_X" "CLASS" "SOURCES;PARAMETERS;INCLUDE_DIRS;OPTIONS" ${ARGN})
	if(NOT ARG_CLASS)
		set(ARG_CLASS V${top})
	endif()
	set(options --x-assign fast --x-initial fast --noassert)
	set(optimize OPT_FAST=-O2)
	if(ARG_RANDOM_X)
		set(options --x-assign unique --x-initial unique -Wno-fatal)
		set(optimize OPT_FAST=-O1)
	endif()
	if(EAR_CCACHE)
		string(APPEND optimize " OBJCACHE=${EAR_CCACHE}")
	endif()
	set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}.${ARG_CLASS})
	set(library ${folder}/${ARG_CLASS}__ALL.a)
	# What is installed knows its sources by their path in the tree, so that a build in another folder is
	# the same.
	set(home ${CMAKE_CURRENT_BINARY_DIR})
	set(named ${ARG_SOURCES})
	if(NOT ARG_RANDOM_X)
		set(home ${PROJECT_SOURCE_DIR})
		list(TRANSFORM ARG_INCLUDE_DIRS REPLACE "^${PROJECT_SOURCE_DIR}/" "")
		list(TRANSFORM named REPLACE "^${PROJECT_SOURCE_DIR}/" "")
	endif()
	list(TRANSFORM ARG_PARAMETERS PREPEND -G)
	list(TRANSFORM ARG_INCLUDE_DIRS PREPEND -I)
	add_custom_command(OUTPUT ${library} ${folder}/${ARG_CLASS}.h ${folder}/${ARG_CLASS}___024root.h
		COMMAND ${EAR_VERILATOR} --cc --build -j 1 -Mdir ${folder} --top-module ${top}
			--prefix ${ARG_CLASS}
			-O3 ${options} -Wno-lint -Wno-style -CFLAGS -std=c++17
			-MAKEFLAGS "-s CXX=${CMAKE_CXX_COMPILER} ${optimize} OPT_SLOW=-O0"
			${ARG_OPTIONS} ${ARG_INCLUDE_DIRS} ${ARG_PARAMETERS} ${named} > ${folder}.log
		WORKING_DIRECTORY ${home}
		DEPENDS ${ARG_SOURCES} ${EAR_RTL_HEADERS}
		COMMENT "Verilator: ${ARG_CLASS} for ${target}" VERBATIM)
	add_custom_target(${target}_${ARG_CLASS} DEPENDS ${library})
	add_dependencies(${target} ${target}_${ARG_CLASS})
	target_include_directories(${target} SYSTEM PUBLIC ${folder})
	target_link_libraries(${target} PUBLIC ${library} ear_verilated)
	# The library's file is what the program is linked from: link again when it changes.
	set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${library})
endfunction()
