# The predictor in RTL against the one in C, for several geometries and shapes of the retire port.
include(${PROJECT_SOURCE_DIR}/hdl/sim/Verilate.cmake)
include(${PROJECT_SOURCE_DIR}/hdl/sim/Sources.cmake)

set(rtl ${EAR_RTL_DIR}/predict)
set(EAR_PREDICTOR_SOURCES ${EAR_RTL_SOURCES})
list(FILTER EAR_PREDICTOR_SOURCES INCLUDE REGEX "/rtl/predict/")

# ear_predictor_test(<config> [<program>]): the test program for predictor_<config> of hdl/configs, with a
# program of tests/programs/workloads, or none.
function(ear_predictor_test config)
	set(name test_predictor_${config})
	ear_config(predictor_${config} values)
	add_executable(${name} test_predictor.cpp retire_source.cpp ../support/retire_random.c)
	target_compile_options(${name} PRIVATE -O1)
	target_link_libraries(${name} PRIVATE ear_library ear_iss)
	set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
	list(TRANSFORM values PREPEND PREDICT_ OUTPUT_VARIABLE definitions)
	target_compile_definitions(${name} PRIVATE ${definitions})
	set(decode ${values})
	list(FILTER decode INCLUDE REGEX "^(XLEN|FLEN|BASE)=")
	ear_verilate(${name} ear_predictor RANDOM_X PARAMETERS ${values}
		SOURCES ${EAR_PREDICTOR_SOURCES} INCLUDE_DIRS ${EAR_RTL_INCLUDE_DIRS})
	ear_verilate(${name} ear_predict_decode RANDOM_X PARAMETERS ${decode}
		SOURCES ${rtl}/ear_predict_decode.v ${rtl}/ear_predict_expand.v INCLUDE_DIRS ${EAR_RTL_INCLUDE_DIRS})
	set(elf "")
	if(ARGN)
		set(elf ${CMAKE_BINARY_DIR}/programs/workloads/${ARGN})
	endif()
	add_test(NAME ${name} COMMAND ${name} ${elf})
endfunction()

ear_predictor_test(small rv32imac/atomics.elf)
ear_predictor_test(unified rv64imac/atomics.elf)
if(EAR_NIGHT)
	ear_predictor_test(large rv32imac/tasks.elf)
	ear_predictor_test(xl rv64imac_zba_zbb_zbs/bits.elf)
	ear_predictor_test(tiny rv32imac/tasks.elf)
	ear_predictor_test(base rv32imac/tasks.elf)
	ear_predictor_test(least)
endif()
