# Texts kept in capture files, and states of the decoder in them.
ear_add_test(test_record_encoder SOURCES test_record_encoder.c LIBRARIES ear_test_trace)
foreach(name test_archive test_script test_decoder_state test_shot_states)
	ear_add_test(${name} SOURCES ${name}.c LIBRARIES ear_test_trace TIMEOUT 600)
endforeach()
