# The driver's tests. The fakes stand in for devices.
set(EAR_FAKE_UNIT ${PROJECT_SOURCE_DIR}/tests/support/fake_unit.c)
set(EAR_FAKE_TRANSPORT ${PROJECT_SOURCE_DIR}/tests/support/fake_transport.c ${EAR_FAKE_UNIT})

ear_add_test(test_ring SOURCES test_ring.c LIBRARIES ear_driver LABELS threads)
ear_add_test(test_driver_feed SOURCES test_driver_feed.c LIBRARIES ear_driver LABELS threads)
ear_add_test(test_driver_scanner SOURCES test_driver_scanner.c ${EAR_FAKE_UNIT}
	LIBRARIES ear_driver)
ear_add_test(test_driver_control SOURCES test_driver_control.c LIBRARIES ear_driver)
ear_add_test(test_driver_session SOURCES test_driver_session.c ${EAR_FAKE_TRANSPORT}
	LIBRARIES ear_driver LABELS threads)
target_link_options(test_driver_session PRIVATE -Wl,--wrap=malloc,--wrap=calloc)
ear_add_test(test_driver_flush SOURCES test_driver_flush.c ${EAR_FAKE_TRANSPORT}
	LIBRARIES ear_driver LABELS threads)
ear_add_test(test_driver_link SOURCES test_driver_link.c ${EAR_FAKE_TRANSPORT}
	LIBRARIES ear_driver LABELS threads)
ear_add_test(test_driver_load SOURCES test_driver_load.c ${EAR_FAKE_TRANSPORT}
	LIBRARIES ear_driver LABELS threads)
ear_add_test(test_driver_file SOURCES test_driver_file.c ${EAR_FAKE_TRANSPORT}
	LIBRARIES ear_driver LABELS threads)

# A board without a simulation, for the tests of sim:.
add_executable(fake_board ${PROJECT_SOURCE_DIR}/tests/support/fake_board.c ${EAR_FAKE_UNIT})
target_link_libraries(fake_board PRIVATE ear_protocol)
target_include_directories(fake_board PRIVATE ${PROJECT_SOURCE_DIR}/tests/support)
set_target_properties(fake_board PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
ear_add_test(test_driver_sim SOURCES test_driver_sim.c LIBRARIES ear_driver LABELS threads)
add_dependencies(test_driver_sim fake_board)
target_compile_definitions(test_driver_sim PRIVATE EAR_FAKE_BOARD="$<TARGET_FILE:fake_board>")

ear_add_test(test_driver_uart SOURCES test_driver_uart.c ${EAR_FAKE_UNIT} LIBRARIES ear_driver
	LABELS threads)
ear_add_test(test_driver_server SOURCES test_driver_server.c ${EAR_FAKE_TRANSPORT}
	LIBRARIES ear_driver LABELS threads)

# What 'earshot selftest' makes of the stream of a link test.
ear_add_test(test_link_check SOURCES test_link_check.c ${PROJECT_SOURCE_DIR}/cli/link_check.c
	${EAR_FAKE_UNIT} LIBRARIES ear_decoder)
