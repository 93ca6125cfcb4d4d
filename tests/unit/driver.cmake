# The driver's tests. The fakes stand in for devices.
set(EAR_FAKE_UNIT ${PROJECT_SOURCE_DIR}/tests/support/fake_unit.c)
set(EAR_FAKE_TRANSPORT ${PROJECT_SOURCE_DIR}/tests/support/fake_transport.c ${EAR_FAKE_UNIT})

ear_add_test(test_ring SOURCES test_ring.c LIBRARIES ear_driver)
ear_add_test(test_driver_feed SOURCES test_driver_feed.c LIBRARIES ear_driver)
ear_add_test(test_driver_scanner SOURCES test_driver_scanner.c ${EAR_FAKE_UNIT}
	LIBRARIES ear_driver)
ear_add_test(test_driver_control SOURCES test_driver_control.c LIBRARIES ear_driver)
ear_add_test(test_driver_session SOURCES test_driver_session.c ${EAR_FAKE_TRANSPORT}
	LIBRARIES ear_driver)
target_link_options(test_driver_session PRIVATE -Wl,--wrap=malloc,--wrap=calloc)
