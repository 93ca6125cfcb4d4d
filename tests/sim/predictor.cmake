# The predictor in RTL against the one in C, for several geometries and shapes of the retire port.
include(${PROJECT_SOURCE_DIR}/hdl/sim/Verilate.cmake)
include(${PROJECT_SOURCE_DIR}/hdl/sim/Sources.cmake)

set(rtl ${EAR_RTL_DIR}/predict)
set(EAR_PREDICTOR_SOURCES ${EAR_RTL_SOURCES})
list(FILTER EAR_PREDICTOR_SOURCES INCLUDE REGEX "/rtl/predict/")

# ear_predictor_test(<name> <program> NAME=value...): the test program for one configuration of
# ear_predictor, with a program of tests/programs/workloads, or none.
function(ear_predictor_test name program)
	set(values XLEN=32 CSR_SLOTS=5 FLEN=0 PADDR=0 OPERANDS=1 TIME=1 UNIFIED=0 MULTIPLY=1 DIVIDE=1
		CODE_WORDS_LOG2=13 CODE_WAYS_LOG2=2 CODE_LINE_LOG2=2 DATA_WORDS_LOG2=13
		DATA_WAYS_LOG2=2 DATA_LINE_LOG2=2 DICTIONARY_LOG2=9 CSR_LOG2=6 MULTIPLIER=1 PIPELINED=1 BASE=0)
	foreach(setting ${ARGN})
		string(REGEX REPLACE "=.*" "" parameter ${setting})
		list(FILTER values EXCLUDE REGEX "^${parameter}=")
		list(APPEND values ${setting})
	endforeach()
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
	if(program)
		set(elf ${CMAKE_BINARY_DIR}/programs/workloads/${program})
	endif()
	add_test(NAME ${name} COMMAND ${name} ${elf})
endfunction()

ear_predictor_test(test_predictor_small rv32imac/atomics.elf FLEN=64 PIPELINED=0 MULTIPLIER=0
	CODE_WORDS_LOG2=10 CODE_WAYS_LOG2=0 CODE_LINE_LOG2=0 DATA_WORDS_LOG2=9 DATA_WAYS_LOG2=0
	DATA_LINE_LOG2=0 DICTIONARY_LOG2=8 CSR_LOG2=4)
# So few lines that something is thrown out all the time.
ear_predictor_test(test_predictor_unified rv64imac/atomics.elf XLEN=64 FLEN=64 PADDR=1 CSR_SLOTS=3
	UNIFIED=1 CODE_WORDS_LOG2=6 CODE_WAYS_LOG2=1 CODE_LINE_LOG2=1 DICTIONARY_LOG2=5 CSR_LOG2=3)

if(EAR_NIGHT)
	ear_predictor_test(test_predictor_large rv32imac/tasks.elf)
	ear_predictor_test(test_predictor_xl rv64imac_zba_zbb_zbs/bits.elf XLEN=64 FLEN=64 CSR_SLOTS=5
		CODE_WORDS_LOG2=14 DATA_WORDS_LOG2=15)
	# tiny, and BASE with all that it does not exclude.
	ear_predictor_test(test_predictor_tiny rv32imac/tasks.elf CSR_SLOTS=0 OPERANDS=0 TIME=0 BASE=1
		UNIFIED=1 MULTIPLY=0 DIVIDE=0 CODE_WORDS_LOG2=10 CODE_WAYS_LOG2=0 CODE_LINE_LOG2=0
		DICTIONARY_LOG2=0 CSR_LOG2=0 MULTIPLIER=0 PIPELINED=0)
	ear_predictor_test(test_predictor_base rv32imac/tasks.elf FLEN=64 PADDR=1 BASE=1 MULTIPLY=0 DIVIDE=0
		CODE_WORDS_LOG2=8 DATA_WORDS_LOG2=8 DICTIONARY_LOG2=5 CSR_LOG2=3)
	# All that can be left out, pools of one set, and accesses over three lines.
	ear_predictor_test(test_predictor_least "" XLEN=64 FLEN=32 OPERANDS=0 CSR_SLOTS=0 CODE_WORDS_LOG2=5
		CODE_WAYS_LOG2=3 CODE_LINE_LOG2=2 DATA_WORDS_LOG2=5 DATA_WAYS_LOG2=3 DATA_LINE_LOG2=0
		DICTIONARY_LOG2=0 CSR_LOG2=0 MULTIPLIER=0 TIME=0)
endif()
