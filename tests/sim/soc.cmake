# The demo system by itself: soc_trace runs a program and shows or checks the retire stream.
include(${PROJECT_SOURCE_DIR}/hdl/sim/Verilate.cmake)
include(${PROJECT_SOURCE_DIR}/hdl/sim/Sources.cmake)

set_source_files_properties(soc_trace.cpp retire_checker.cpp PROPERTIES
	COMPILE_OPTIONS "-Wall;-Wextra;-Wshadow")

# The configurations of hdl/configs with these names.
foreach(config soc_trace soc_trace_iterative soc_trace_small)
	add_executable(${config} soc_trace.cpp retire_checker.cpp)
	set_target_properties(${config} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
	target_link_libraries(${config} PRIVATE ear_sim)
	ear_config(${config} values)
	ear_verilate(${config} ear_demo_system PARAMETERS ${values} SOURCES ${EAR_SOC_SOURCES})
endforeach()

foreach(program alu clocks crc32 demo events list matrix misaligned nested polling recursion rtos sections sha256
		small software sort strings timer traps unwind)
	add_test(NAME test_soc_runs_${program} COMMAND soc_trace --check --quiet --summary
		${CMAKE_BINARY_DIR}/programs/${program}.elf)
endforeach()
add_test(NAME test_soc_runs_matrix_iterative COMMAND soc_trace_iterative --check --quiet --summary
	${CMAKE_BINARY_DIR}/programs/matrix.elf)
add_test(NAME test_soc_runs_small_rv32ic COMMAND soc_trace_small --check --quiet --summary
	${CMAKE_BINARY_DIR}/programs/small.elf)

find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME test_soc_behaviour COMMAND Python3::Interpreter
	${CMAKE_CURRENT_SOURCE_DIR}/test_soc_behaviour.py $<TARGET_FILE:soc_trace>
	${CMAKE_BINARY_DIR}/programs)
add_test(NAME test_soc_board COMMAND Python3::Interpreter
	${CMAKE_CURRENT_SOURCE_DIR}/test_soc_board.py $<TARGET_FILE:earshot-board>
	$<TARGET_FILE:soc_trace> ${CMAKE_BINARY_DIR}/programs)
set_tests_properties(test_soc_behaviour test_soc_board PROPERTIES ENVIRONMENT
	EARSHOT_NIGHT=$<BOOL:${EAR_NIGHT}>)
add_test(NAME test_soc_dump COMMAND Python3::Interpreter
	${CMAKE_CURRENT_SOURCE_DIR}/test_soc_dump.py $<TARGET_FILE:earshot-board>
	$<TARGET_FILE:soc_trace> ${CMAKE_BINARY_DIR}/programs)

# The iCE40 board's design at its pins, with the program in its block RAM.
add_executable(ice40_pins ice40_pins.cpp)
target_compile_options(ice40_pins PRIVATE -Wall -Wextra -Wshadow)
set_target_properties(ice40_pins PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
target_link_libraries(ice40_pins PRIVATE ear_common_protocol)
ear_verilate(ice40_pins ear_ice40_hx8k
	SOURCES ${EAR_BOARDS_DIR}/ice40_hx8k/ear_ice40_hx8k.v ${EAR_BOARD_SOURCES}
	INCLUDE_DIRS ${EAR_BOARD_INCLUDE_DIRS})
add_test(NAME test_board_ice40 COMMAND Python3::Interpreter
	${CMAKE_CURRENT_SOURCE_DIR}/test_board_ice40.py $<TARGET_FILE:ice40_pins>
	$<TARGET_FILE:soc_trace_small> $<TARGET_FILE:earshot>
	${PROJECT_SOURCE_DIR}/hdl/boards/program_hex.py ${CMAKE_BINARY_DIR}/programs/small.elf)

# The other boards, as hdl/boards/Makefile simulates and synthesises them.
if(EAR_NIGHT)
	foreach(board ulx3s icebreaker arty colorlight_i5 orangecrab tangnano20k)
		add_test(NAME test_board_${board} COMMAND Python3::Interpreter
			${CMAKE_CURRENT_SOURCE_DIR}/test_boards.py ${board} $<TARGET_FILE:earshot>
			${CMAKE_BINARY_DIR}/programs ${CMAKE_BINARY_DIR}/share/earshot/hdl)
		set_tests_properties(test_board_${board} PROPERTIES TIMEOUT 5400)
	endforeach()
	add_test(NAME test_new_board COMMAND Python3::Interpreter
		${CMAKE_CURRENT_SOURCE_DIR}/test_new_board.py $<TARGET_FILE:earshot>)
	set_tests_properties(test_new_board PROPERTIES TIMEOUT 5400)
endif()

add_test(NAME test_board_geometry COMMAND Python3::Interpreter
	${CMAKE_CURRENT_SOURCE_DIR}/test_board_geometry.py $<TARGET_FILE:earshot>
	$<TARGET_FILE:earshot-board> ${CMAKE_BINARY_DIR}/programs/small.elf
	${PROJECT_SOURCE_DIR}/tests/data/whisper/timer.csv)
