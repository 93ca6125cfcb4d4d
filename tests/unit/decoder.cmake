# Bytes to records to text (decoder).
foreach(name test_encoder test_decoder_loss test_decoder_order test_decoder_memory test_verdict test_held test_no_causes test_record_run
	test_writer_whisper
	test_writer_samples)
	ear_add_test(${name} SOURCES ${name}.c LIBRARIES ear_test_trace)
endforeach()
foreach(name test_shot test_shot_damage)
	ear_add_test(${name} SOURCES ${name}.c
		LIBRARIES ear_test_trace PkgConfig::ZSTD Threads::Threads)
endforeach()

# Streams with what they mean: tests/vectors.
ear_add_test(test_decoder_vectors SOURCES test_decoder_vectors.c LIBRARIES ear_test_trace)
target_compile_definitions(test_decoder_vectors PRIVATE
	EAR_TEST_VECTORS="${PROJECT_SOURCE_DIR}/tests/vectors")
add_executable(make_vectors ../vectors/make_vectors.c)
target_link_libraries(make_vectors PRIVATE ear_test_trace ZLIB::ZLIB)
set_target_properties(make_vectors PROPERTIES
	RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
