# The capture unit and its links by themselves, against the reference encoder and plain models.
include(${PROJECT_SOURCE_DIR}/hdl/sim/Verilate.cmake)
include(${PROJECT_SOURCE_DIR}/hdl/sim/Sources.cmake)


# ear_unit_bench(<name> NAME=value...): the library of bench and model for one configuration of the
# unit. What programs must know of the configuration goes to them as UNIT_NAME.
function(ear_unit_bench name)
	set(values XLEN=32 NRET=1 CSR_SLOTS=0 FLEN=0 PADDR=0 ORDER_BITS=64 OPERANDS=1 NORMALIZE=0
		OPCODE_READS=0 CAUSES=1 HELD=1 ENDED_CLOCKS=64 FILTER=1 TRIGGER=1 TIME=1 STALL=1 CORE=1 TEST=1 LOAD=0
		RECORD_FIFO=16 LOSS=1 OWN_ORDER=0 EVENTS=1 EVENT_PORT=0 EVENT_STRINGS=1 EVENT_WAIT=4 FLUSH_REGISTER=1
		PAYLOAD_BYTES=1024 RESET_HOLD=0 COUNTER_BITS=64 SNAPSHOT=1
		ONE_CLOCK=0 NARROW=0 STALL_SLACK=0 ${EAR_GEOMETRY_SMALL} MULTIPLIER=1 PIPELINED=1)
	list(REMOVE_ITEM values PREDICT=1) # the geometry's; without another word the unit is raw
	list(APPEND values PREDICT=0)
	foreach(setting ${ARGN})
		string(REGEX REPLACE "=.*" "" parameter ${setting})
		list(FILTER values EXCLUDE REGEX "^${parameter}=")
		list(APPEND values ${setting})
	endforeach()
	add_library(${name} STATIC tb_unit.cpp unit_model.cpp normal_form.cpp)
	target_compile_options(${name} PRIVATE -O1)
	target_link_libraries(${name} PUBLIC ear_library)
	list(TRANSFORM values PREPEND UNIT_ OUTPUT_VARIABLE definitions)
	target_compile_definitions(${name} PUBLIC ${definitions})
	ear_verilate(${name} tb_unit RANDOM_X PARAMETERS ${values} INCLUDE_DIRS ${EAR_RTL_INCLUDE_DIRS}
		SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/tb_unit.v ${EAR_RTL_SOURCES})
endfunction()

function(ear_unit_program name bench)
	add_executable(${name} ${ARGN})
	target_compile_options(${name} PRIVATE -O1)
	target_link_libraries(${name} PRIVATE ${bench})
	set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
endfunction()

# ear_unit_test(<name> NAME=value...): what every unit does, for one configuration.
function(ear_unit_test name)
	ear_unit_bench(${name}_bench ${ARGN})
	ear_unit_program(${name} ${name}_bench test_unit.cpp)
	add_test(NAME ${name} COMMAND ${name})
endfunction()

# ear_unit_streams_test(<name> <bench> elf...): what these programs retire, and more, through a unit in
# predict mode.
function(ear_unit_streams_test name bench)
	ear_unit_program(${name} ${bench} test_unit_predict.cpp retire_source.cpp
		../support/retire_random.c)
	target_link_libraries(${name} PRIVATE ear_iss)
	list(TRANSFORM ARGN REPLACE "(.+)" "\"\\1\"")
	list(JOIN ARGN "," programs)
	target_compile_definitions(${name} PRIVATE "UNIT_PROGRAMS=${programs}")
	add_test(NAME ${name} COMMAND ${name} ${CMAKE_BINARY_DIR}/programs)
endfunction()

# ear_unit_predict_test(<name> PROGRAMS elf... WITH NAME=value...): what every unit does, for one in
# predict mode, and <name>_streams.
function(ear_unit_predict_test name)
	cmake_parse_arguments(ARG "" "" "PROGRAMS;WITH" ${ARGN})
	ear_unit_test(${name} ${ARG_WITH})
	ear_unit_streams_test(${name}_streams ${name}_bench ${ARG_PROGRAMS})
endfunction()

# The widest and the plainest port, and predict mode in three geometries.
ear_unit_test(test_unit_rv32 CSR_SLOTS=5 LOAD=1 EVENT_PORT=2 EVENT_WAIT=0)
ear_unit_test(test_unit_rv64_dual XLEN=64 NRET=2 CSR_SLOTS=3 FLEN=64 PADDR=1 NORMALIZE=1
	RECORD_FIFO=32 PAYLOAD_BYTES=2048 STALL_SLACK=3 RESET_HOLD=1 EVENT_PORT=2 EVENT_WAIT=4)
ear_unit_predict_test(test_unit_predict_small
	PROGRAMS workloads/rv32imc/aes workloads/rv32imc/trap_storm workloads/rv32imc/rewrite
	WITH CSR_SLOTS=5 ${EAR_GEOMETRY_SMALL} MULTIPLIER=0 PIPELINED=0 ONE_CLOCK=1 NARROW=1 EVENT_PORT=1
		EVENT_WAIT=0)
ear_unit_predict_test(test_unit_predict_unified
	PROGRAMS workloads/rv64imafdc_zba_zbb_zbs/fft workloads/rv64imafdc_zba_zbb_zbs/float_edges
		workloads/rv64imac/atomics workloads/rv64imac/rewrite
	WITH XLEN=64 NRET=2 CSR_SLOTS=3 FLEN=64 PADDR=1 NORMALIZE=1 OPCODE_READS=1 RECORD_FIFO=32
		STALL_SLACK=3
		${EAR_GEOMETRY_UNIFIED})
ear_unit_predict_test(test_unit_predict_tiny
	PROGRAMS workloads/rv32imc/aes workloads/rv32imc/trap_storm workloads/rv32imc/rewrite
	WITH ${EAR_GEOMETRY_TINY} OPERANDS=0 CSR_SLOTS=0 FILTER=0 TRIGGER=0 TIME=0 PIPELINED=0 NARROW=2
		TEST=0)

if(EAR_NIGHT)
	ear_unit_test(test_unit_rv32_dual NRET=2 CSR_SLOTS=8 FLEN=32 PADDR=1 NORMALIZE=1 OPCODE_READS=1 FILTER=0
		RECORD_FIFO=32)
	ear_unit_test(test_unit_rv64_bare XLEN=64 CAUSES=0 FILTER=0 TRIGGER=0 TIME=0 STALL=0 CORE=0 TEST=0
		PAYLOAD_BYTES=512 EVENT_PORT=1 EVENT_WAIT=1)
	# Much more between encoder and link than between core and encoder.
	ear_unit_test(test_unit_rv32_deep PAYLOAD_BYTES=8192)
	# As on the iCE40 board, and everything that makes a unit small on RV64.
	ear_unit_test(test_unit_rv32_small ORDER_BITS=40 OPERANDS=0 NORMALIZE=1 ENDED_CLOCKS=0 FILTER=0 TRIGGER=0 TIME=0 PAYLOAD_BYTES=512
		RECORD_FIFO=1 LOSS=0 RESET_HOLD=1 COUNTER_BITS=40 SNAPSHOT=0 ONE_CLOCK=1 NARROW=1 LOAD=1)
	ear_unit_test(test_unit_rv64_small XLEN=64 CSR_SLOTS=1 FLEN=32 PADDR=1 ORDER_BITS=32 OPERANDS=0
		NORMALIZE=1 OPCODE_READS=1 HELD=0
		PAYLOAD_BYTES=512 COUNTER_BITS=32 SNAPSHOT=0 NARROW=1)
	ear_unit_predict_test(test_unit_predict_large
		PROGRAMS workloads/rv32imc/tasks workloads/rv32imc/divide workloads/rv32imac/packets
			workloads/rv32imc/uart_timer
		WITH CSR_SLOTS=5 NORMALIZE=1 OPCODE_READS=1 EVENT_PORT=2 EVENT_STRINGS=0 EVENT_WAIT=3
			${EAR_GEOMETRY_LARGE})
	# As on the iCE40 board: one record stands between core and predictor.
	ear_unit_bench(test_unit_predict_board_bench ${EAR_GEOMETRY_TINY} OPERANDS=0 CSR_SLOTS=0 FILTER=0
		TRIGGER=0 TIME=0 PIPELINED=0 MULTIPLIER=0 NARROW=2 TEST=0 ORDER_BITS=40 OWN_ORDER=1
		HELD=0 ENDED_CLOCKS=0
		PAYLOAD_BYTES=512 RECORD_FIFO=1 LOSS=0 EVENTS=0 FLUSH_REGISTER=0 RESET_HOLD=1 COUNTER_BITS=40
		SNAPSHOT=0 ONE_CLOCK=1)
	ear_unit_streams_test(test_unit_predict_board test_unit_predict_board_bench
		workloads/rv32imc/aes workloads/rv32imc/trap_storm workloads/rv32imc/rewrite)
	ear_unit_predict_test(test_unit_predict_xl
		PROGRAMS workloads/rv64imac/tasks workloads/rv64imac/divide workloads/rv64imac/cold
		WITH XLEN=64 CSR_SLOTS=8 OPERANDS=0 ${EAR_GEOMETRY_XL})
	ear_unit_predict_test(test_unit_predict_edges
		PROGRAMS workloads/rv32imafdc/float_edges workloads/rv32imc/interpreter
		WITH FLEN=32 FILTER=0 TRIGGER=0 TIME=0 STALL=0 PREDICT=1 MULTIPLY=0 DIVIDE=0
			CODE_WORDS_LOG2=6 CODE_WAYS_LOG2=1 CODE_LINE_LOG2=3 DATA_WORDS_LOG2=7 DATA_WAYS_LOG2=3
			DATA_LINE_LOG2=1 DICTIONARY_LOG2=0 CSR_LOG2=0)
endif()

add_executable(test_unit_links test_unit_links.cpp)
target_compile_options(test_unit_links PRIVATE -O1)
set_target_properties(test_unit_links PROPERTIES
	RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
ear_verilate(test_unit_links tb_unit_links RANDOM_X INCLUDE_DIRS ${EAR_RTL_INCLUDE_DIRS}
	SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/tb_unit_links.v ${EAR_RTL_SOURCES})
add_test(NAME test_unit_links COMMAND test_unit_links)

# ear_encoder_test(<name> NAME=value...): the encoder's predict mode for one shape of the port.
function(ear_encoder_test name)
	set(values XLEN=32 CSR_SLOTS=5 FLEN=0 PADDR=0 OPERANDS=1 TIME=1)
	foreach(setting ${ARGN})
		string(REGEX REPLACE "=.*" "" parameter ${setting})
		list(FILTER values EXCLUDE REGEX "^${parameter}=")
		list(APPEND values ${setting})
	endforeach()
	add_executable(${name} test_encoder_predict.cpp retire_source.cpp ../support/retire_random.c)
	target_compile_options(${name} PRIVATE -O1)
	target_link_libraries(${name} PRIVATE ear_library ear_iss)
	set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
	list(TRANSFORM values PREPEND UNIT_ OUTPUT_VARIABLE definitions)
	target_compile_definitions(${name} PRIVATE ${definitions})
	ear_verilate(${name} tb_encoder RANDOM_X PARAMETERS ${values} INCLUDE_DIRS ${EAR_RTL_INCLUDE_DIRS}
		SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/tb_encoder.v ${EAR_RTL_SOURCES})
	add_test(NAME ${name} COMMAND ${name})
endfunction()

ear_encoder_test(test_encoder_predict_rv64 XLEN=64 CSR_SLOTS=3 FLEN=64 PADDR=1)
if(EAR_NIGHT)
	ear_encoder_test(test_encoder_predict_rv32)
	ear_encoder_test(test_encoder_predict_bare CSR_SLOTS=0 FLEN=32 OPERANDS=0 TIME=0)
endif()
