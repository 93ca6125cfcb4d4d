# The capture unit and its links by themselves, against the reference encoder and plain models.
include(${PROJECT_SOURCE_DIR}/hdl/sim/Verilate.cmake)
include(${PROJECT_SOURCE_DIR}/hdl/sim/Sources.cmake)

# ear_unit_bench(<config>): the library test_unit_<config>_bench, bench and model of a configuration of
# hdl/configs. What programs must know of it goes to them as UNIT_NAME.
function(ear_unit_bench config)
	set(name test_unit_${config}_bench)
	ear_config(${config} values)
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

# ear_unit_test(<config>): what every unit does, in one configuration.
function(ear_unit_test config)
	ear_unit_bench(${config})
	ear_unit_program(test_unit_${config} test_unit_${config}_bench test_unit.cpp)
	add_test(NAME test_unit_${config} COMMAND test_unit_${config})
endfunction()

# ear_unit_streams_test(<name> <config> elf...): what these workloads retire, and more, through a unit in
# predict mode.
function(ear_unit_streams_test name config)
	ear_unit_program(${name} test_unit_${config}_bench test_unit_predict.cpp retire_source.cpp
		../support/retire_random.c)
	target_link_libraries(${name} PRIVATE ear_iss)
	list(TRANSFORM ARGN REPLACE "(.+)" "\"workloads/\\1\"")
	list(JOIN ARGN "," programs)
	target_compile_definitions(${name} PRIVATE "UNIT_PROGRAMS=${programs}")
	add_test(NAME ${name} COMMAND ${name} ${CMAKE_BINARY_DIR}/programs)
endfunction()

# The widest and the plainest port, and predict mode in three geometries.
foreach(config rv32 rv64_dual predict_small predict_unified predict_tiny)
	ear_unit_test(${config})
endforeach()
ear_unit_streams_test(test_unit_predict_small_streams predict_small
	rv32imc/aes rv32imc/trap_storm rv32imc/rewrite)
ear_unit_streams_test(test_unit_predict_unified_streams predict_unified
	rv64imafdc_zba_zbb_zbs/fft rv64imafdc_zba_zbb_zbs/float_edges rv64imac/atomics rv64imac/rewrite)
ear_unit_streams_test(test_unit_predict_tiny_streams predict_tiny
	rv32imc/aes rv32imc/trap_storm rv32imc/rewrite)

if(EAR_NIGHT)
	foreach(config rv32_dual rv64_bare rv32_deep rv32_small rv64_small
			predict_medium predict_large predict_xl predict_edges)
		ear_unit_test(${config})
	endforeach()
	ear_unit_bench(predict_board)
	ear_unit_streams_test(test_unit_predict_medium_streams predict_medium
		rv32imc/aes rv32imc/sort rv32imac/packets)
	ear_unit_streams_test(test_unit_predict_large_streams predict_large
		rv32imc/tasks rv32imc/divide rv32imac/packets rv32imc/uart_timer)
	ear_unit_streams_test(test_unit_predict_board predict_board
		rv32imc/aes rv32imc/trap_storm rv32imc/rewrite)
	ear_unit_streams_test(test_unit_predict_xl_streams predict_xl
		rv64imac/tasks rv64imac/divide rv64imac/cold)
	ear_unit_streams_test(test_unit_predict_edges_streams predict_edges
		rv32imafdc/float_edges rv32imc/interpreter)
endif()

# What NORMALIZE makes of operands and accesses, for three shapes of the port.
foreach(config rv32 rv32f rv64)
	set(name test_normalize_${config})
	ear_config(normalize_${config} values)
	add_executable(${name} test_normalize.cpp normal_form.cpp)
	target_compile_options(${name} PRIVATE -O1)
	target_link_libraries(${name} PRIVATE ear_library)
	set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
	list(TRANSFORM values PREPEND NORMAL_ OUTPUT_VARIABLE definitions)
	target_compile_definitions(${name} PRIVATE ${definitions})
	ear_verilate(${name} ear_normalize_registers RANDOM_X PARAMETERS ${values}
		SOURCES ${EAR_RTL_DIR}/capture/ear_normalize_registers.v)
	list(FILTER values INCLUDE REGEX "^XLEN=")
	ear_verilate(${name} ear_normalize RANDOM_X PARAMETERS ${values} PADDR=1 OPCODE_READS=1
		SOURCES ${EAR_RTL_DIR}/capture/ear_normalize.v)
	add_test(NAME ${name} COMMAND ${name})
endforeach()

# What the unit says of a port in simulation.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
find_program(IVERILOG iverilog REQUIRED)
find_program(VVP vvp REQUIRED)
add_test(NAME test_port_assert COMMAND Python3::Interpreter
	${CMAKE_CURRENT_SOURCE_DIR}/test_port_assert.py ${IVERILOG} ${VVP})

add_test(NAME test_crossing COMMAND Python3::Interpreter
	${CMAKE_CURRENT_SOURCE_DIR}/crossing/test_crossing.py ${IVERILOG} ${VVP})

add_test(NAME test_tops COMMAND Python3::Interpreter
	${CMAKE_CURRENT_SOURCE_DIR}/test_tops.py ${IVERILOG} ${VVP} $<TARGET_FILE:earshot>)

# The adapter for cores with RVFI, with CSR masks that are all ones and with those that say what is written.
foreach(masks 0 1)
	set(name test_rvfi_masks_${masks})
	add_executable(${name} test_rvfi.cpp)
	target_compile_options(${name} PRIVATE -O1)
	target_compile_definitions(${name} PRIVATE RVFI_MASKS=${masks})
	set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
	ear_verilate(${name} tb_rvfi RANDOM_X PARAMETERS MASKS=${masks}
		INCLUDE_DIRS ${EAR_RTL_INCLUDE_DIRS} ${EAR_ADAPTER_INCLUDE_DIRS}
		SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/tb_rvfi.v ${CMAKE_CURRENT_SOURCE_DIR}/tb_rvfi_core.v
		${EAR_ADAPTER_SOURCES} ${EAR_RTL_SOURCES})
	add_test(NAME ${name} COMMAND ${name})
endforeach()

add_executable(test_rvfi_next test_rvfi_next.cpp)
target_compile_options(test_rvfi_next PRIVATE -O1)
set_target_properties(test_rvfi_next PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
ear_verilate(test_rvfi_next ear_rvfi_next RANDOM_X PARAMETERS REST=32
	SOURCES ${PROJECT_SOURCE_DIR}/hdl/adapters/ear_rvfi_next.v)
add_test(NAME test_rvfi_next COMMAND test_rvfi_next)

# The adapters of cores that are not simulated here, with models of their ports.
ear_unit_program(test_core_ports ear_iss test_core_ports.cpp normal_form.cpp retire_source.cpp
	../support/retire_random.c)
target_link_libraries(test_core_ports PRIVATE ear_library)
ear_verilate(test_core_ports tb_core_ports RANDOM_X
	INCLUDE_DIRS ${EAR_RTL_INCLUDE_DIRS} ${EAR_ADAPTER_INCLUDE_DIRS} ${CMAKE_CURRENT_SOURCE_DIR}
	SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/tb_core_ports.v ${CMAKE_CURRENT_SOURCE_DIR}/tb_cv32e40x_rvfi.v
		${EAR_ADAPTER_SOURCES} ${EAR_RTL_SOURCES})
add_test(NAME test_core_ports COMMAND test_core_ports ${CMAKE_BINARY_DIR}/programs)

add_executable(test_unit_links test_unit_links.cpp)
target_compile_options(test_unit_links PRIVATE -O1)
set_target_properties(test_unit_links PROPERTIES
	RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
ear_verilate(test_unit_links tb_unit_links RANDOM_X INCLUDE_DIRS ${EAR_RTL_INCLUDE_DIRS}
	SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/tb_unit_links.v ${EAR_RTL_SOURCES})
add_test(NAME test_unit_links COMMAND test_unit_links)

# The encoder's predict mode for three shapes of the port.
set(configs rv64)
if(EAR_NIGHT)
	list(APPEND configs rv32 bare)
endif()
foreach(config ${configs})
	set(name test_encoder_predict_${config})
	ear_config(encoder_${config} values)
	add_executable(${name} test_encoder_predict.cpp retire_source.cpp ../support/retire_random.c)
	target_compile_options(${name} PRIVATE -O1)
	target_link_libraries(${name} PRIVATE ear_library ear_iss)
	set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
	list(TRANSFORM values PREPEND UNIT_ OUTPUT_VARIABLE definitions)
	target_compile_definitions(${name} PRIVATE ${definitions})
	ear_verilate(${name} tb_encoder RANDOM_X PARAMETERS ${values} INCLUDE_DIRS ${EAR_RTL_INCLUDE_DIRS}
		SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/tb_encoder.v ${EAR_RTL_SOURCES})
	add_test(NAME ${name} COMMAND ${name})
endforeach()
