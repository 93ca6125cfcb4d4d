# The wire (protocol), and what tests of the whole way of a trace share.
set(support ${PROJECT_SOURCE_DIR}/tests/support)
add_library(ear_test_trace STATIC
	${support}/byte_buffer.c ${support}/decode_run.c ${support}/describe.c
	${support}/predict_stream.c ${support}/retire_random.c ${support}/sample_stream.c ${support}/shot_files.c)
target_link_libraries(ear_test_trace PUBLIC ear_decoder)
target_include_directories(ear_test_trace PUBLIC ${support})

foreach(name frame message raw control)
	ear_add_test(test_protocol_${name} SOURCES test_protocol_${name}.c
		LIBRARIES ear_test_trace ZLIB::ZLIB)
endforeach()

# The generated headers and tables are those of protocol/protocol.table.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME test_protocol_generated
	COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/protocol/generate.py --check)

# Every hex example of docs/protocol.md parses to what the test says.
ear_add_test(test_protocol_document SOURCES test_protocol_document.c ${support}/document.c
	LIBRARIES ear_test_trace)
target_compile_definitions(test_protocol_document PRIVATE
	EAR_PROTOCOL_DOCUMENT="${PROJECT_SOURCE_DIR}/docs/protocol.md")
