# Text formats of ARM's simulators and their relatives.
foreach(name armulator tarmac)
	ear_add_test(test_format_${name} SOURCES test_format_${name}.c LIBRARIES ear_test_records
		TIMEOUT 300)
endforeach()
ear_add_test(test_disassembly SOURCES test_disassembly.c LIBRARIES ear_decoder)
