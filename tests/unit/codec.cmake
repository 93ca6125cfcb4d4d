# The predictive codec (decoder/predict and what uses it): docs/predict.md.
foreach(name difference geometry operation predictor shadow trap)
	ear_add_test(test_predict_${name} SOURCES test_predict_${name}.c LIBRARIES ear_test_trace)
endforeach()
foreach(name checker stream)
	ear_add_test(test_predict_${name} SOURCES test_predict_${name}.c ${support}/iss_bare.c
		${support}/random_program.c
		LIBRARIES ear_test_trace ear_iss)
endforeach()

# Every hex example of docs/predict.md parses to what the test says.
ear_add_test(test_predict_document SOURCES test_predict_document.c ${support}/document.c
	${support}/iss_bare.c LIBRARIES ear_test_trace ear_iss)
target_compile_definitions(test_predict_document PRIVATE
	EAR_PREDICT_DOCUMENT="${PROJECT_SOURCE_DIR}/docs/predict.md")
