# Text formats of the simulator Whisper.
foreach(name whisper whisper_log)
	ear_add_test(test_format_${name} SOURCES test_format_${name}.c LIBRARIES ear_test_records
		TIMEOUT 600)
endforeach()
ear_add_test(test_hex_scan SOURCES test_hex_scan.c LIBRARIES ear_decoder)
ear_add_test(test_remark SOURCES test_remark.c LIBRARIES ear_decoder)
