# Text formats of reference simulators, JSON lines, and the running state over records.
add_library(ear_test_records STATIC ${support}/record_trip.c)
target_link_libraries(ear_test_records PUBLIC ear_decoder PkgConfig::CMOCKA)
target_include_directories(ear_test_records PUBLIC ${support})
target_compile_definitions(ear_test_records PRIVATE EAR_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")

foreach(name ibex json riscv_dv sail spike tracerv)
	ear_add_test(test_format_${name} SOURCES test_format_${name}.c LIBRARIES ear_test_records)
endforeach()

ear_add_test(test_state SOURCES test_state.c LIBRARIES ear_test_records)

# The example of the documentation is built and run.
add_executable(example_registers ${PROJECT_SOURCE_DIR}/docs/examples/registers.c)
target_link_libraries(example_registers PRIVATE ear_decoder)
set_target_properties(example_registers PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
add_test(NAME example_registers COMMAND example_registers
	${PROJECT_SOURCE_DIR}/tests/data/spike/rv64.log
	${PROJECT_SOURCE_DIR}/tests/data/spike/initial.state)
set_tests_properties(example_registers PROPERTIES PASS_REGULAR_EXPRESSION
	"hart 0 pc 80000004: sw       x10, 0x8\\(x2\\)  x10=0 x2=80002000  \\[80002008\\] = 0\n.*x5 = 80000000\n")
