# What works on records of any format.
foreach(name test_compare test_compare_gaps test_field_table test_text_input)
	ear_add_test(${name} SOURCES ${name}.c LIBRARIES ear_decoder)
endforeach()
ear_add_test(test_parallel SOURCES test_parallel.c LIBRARIES ear_test_records LABELS threads)
ear_add_test(test_compare_harts SOURCES test_compare_harts.c LIBRARIES ear_test_records LABELS threads)
