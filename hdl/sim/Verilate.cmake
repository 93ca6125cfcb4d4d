# How the RTL becomes C++: the same Verilator flags for the virtual board and the tests.
include_guard(GLOBAL)
find_package(verilator 5.006 QUIET HINTS $ENV{VERILATOR_ROOT} /usr/share/verilator
	/usr/local/share/verilator)
if(NOT verilator_FOUND)
	message(FATAL_ERROR "Verilator is missing: install it, or configure with -DEAR_HDL=OFF")
endif()

# ear_verilate(<target> <top module> SOURCES file... [PARAMETERS NAME=value...])
#
# Adds the class V<top module> to <target>. Speed first: no tracing, no X states.
function(ear_verilate target top)
	cmake_parse_arguments(ARG "" "" "SOURCES;PARAMETERS" ${ARGN})
	list(TRANSFORM ARG_PARAMETERS PREPEND -G)
	verilate(${target} SOURCES ${ARG_SOURCES} TOP_MODULE ${top} PREFIX V${top}
		VERILATOR_ARGS -O3 --x-assign fast --x-initial fast --noassert -Wall
			${ARG_PARAMETERS})
endfunction()
