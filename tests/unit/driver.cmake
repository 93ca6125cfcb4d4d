# The driver's tests. EAR_DRIVER_FAKES stands in for devices.
set(EAR_DRIVER_FAKES ${PROJECT_SOURCE_DIR}/tests/support/fake_unit.c)

ear_add_test(test_ring SOURCES test_ring.c LIBRARIES ear_driver)
ear_add_test(test_driver_feed SOURCES test_driver_feed.c LIBRARIES ear_driver)
ear_add_test(test_driver_scanner SOURCES test_driver_scanner.c ${EAR_DRIVER_FAKES}
	LIBRARIES ear_driver)
