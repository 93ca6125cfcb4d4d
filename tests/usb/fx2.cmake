# The FX2LP: a model of the chip, and our firmware on it (docs/usb.md).
add_library(ear_fx2_chip STATIC
	fx2model/fx2_fifo.c fx2model/fx2_i2c.c fx2model/fx2_chip.c fx2model/fx2_pins.c
	fx2model/fx2_usb.c fx2model/mcs51.c)
target_link_libraries(ear_fx2_chip PRIVATE ear_options)
target_include_directories(ear_fx2_chip PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})

# Its 8051 core: alone, and instruction by instruction against s51.
ear_add_test(test_mcs51 SOURCES test_mcs51.c LIBRARIES ear_fx2_chip ear_options LABELS usb)
add_test(NAME test_mcs51_s51 COMMAND test_mcs51 s51)
set_tests_properties(test_mcs51_s51 PROPERTIES LABELS usb SKIP_RETURN_CODE 77)

# The compiled firmware on it.
if(TARGET fx2_firmware)
	get_property(image TARGET fx2_firmware PROPERTY EAR_IMAGE)
	foreach(part requests start stream)
		ear_add_test(test_fx2_${part} SOURCES test_fx2_${part}.c fx2_device.c
			LIBRARIES ear_fx2_chip ear_options LABELS usb)
		target_compile_definitions(test_fx2_${part} PRIVATE EAR_FX2_IMAGE="${image}")
		add_dependencies(test_fx2_${part} fx2_firmware)
	endforeach()
endif()

# And with the host's driver on the other side of an emulated bus.
if(TARGET fx2_firmware AND TARGET usb_emulation)
	foreach(part capture flash)
		ear_add_test(test_fx2_${part} SOURCES test_fx2_${part}.c fx2_board.c fx2_device.c
			LIBRARIES usb_emulation ear_fx2_chip LABELS usb threads)
		target_compile_definitions(test_fx2_${part} PRIVATE EAR_FX2_IMAGE="${image}")
		add_dependencies(test_fx2_${part} fx2_firmware)
	endforeach()
endif()
