# The predictive codec (decoder/predict and what uses it): docs/predict.md.
foreach(name geometry operation shadow)
	ear_add_test(test_predict_${name} SOURCES test_predict_${name}.c LIBRARIES ear_test_trace)
endforeach()
ear_add_test(test_predict_checker SOURCES test_predict_checker.c ${support}/iss_bare.c
	LIBRARIES ear_test_trace ear_iss)
