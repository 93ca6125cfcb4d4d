# What another project takes from here, in one folder without subfolders, so that -y and -I of it are
# enough: the capture unit, its adapters and links, and the link of a simulation. `earshot --hdl-path` prints it,
# in an installation and in a build folder. The lists for tools are written from the one below: ear_unit.F,
# FuseSoC's ear_unit.core, Bender.yml, and Tcl for Vivado and Quartus.
include(sim/Sources.cmake)

set(folder ${CMAKE_BINARY_DIR}/share/earshot/hdl)
set(unit ${EAR_RTL_SOURCES} ${EAR_ADAPTER_SOURCES})
file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/rtl/*.vh
	${CMAKE_CURRENT_SOURCE_DIR}/adapters/*.vh
	${PROJECT_SOURCE_DIR}/common/protocol/*.vh)
file(GLOB others CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/sim/link/*.v
	${CMAKE_CURRENT_SOURCE_DIR}/sim/link/*.h ${CMAKE_CURRENT_SOURCE_DIR}/sim/link/*.cpp
	${CMAKE_CURRENT_SOURCE_DIR}/constraints/ear_crossing.*)
set(installed "")
foreach(file ${unit} ${headers} ${others})
	get_filename_component(name ${file} NAME)
	configure_file(${file} ${folder}/${name} COPYONLY)
	list(APPEND installed ${folder}/${name})
	if(file IN_LIST unit)
		list(APPEND EAR_SOURCES ${name})
	elseif(file IN_LIST headers)
		list(APPEND EAR_HEADERS ${name})
	endif()
endforeach()

# A line with @SOURCE@ or @HEADER@ becomes one line a file. No line ends with a backslash: CMake takes it away.
foreach(list ear_unit.F ear_unit.core Bender.yml ear_unit_vivado.tcl ear_unit_quartus.tcl)
	set(from ${CMAKE_CURRENT_SOURCE_DIR}/lists/${list}.in)
	set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${from})
	file(STRINGS ${from} lines)
	set(text "")
	foreach(line IN LISTS lines)
		set(names "-")
		if(line MATCHES "@SOURCE@")
			set(names ${EAR_SOURCES})
		elseif(line MATCHES "@HEADER@")
			set(names ${EAR_HEADERS})
		endif()
		foreach(name ${names})
			string(REGEX REPLACE "@SOURCE@|@HEADER@" ${name} row "${line}")
			string(REPLACE "@VERSION@" ${PROJECT_VERSION} row "${row}")
			string(APPEND text "${row}\n")
		endforeach()
	endforeach()
	file(WRITE ${folder}/${list} "${text}")
	list(APPEND installed ${folder}/${list})
endforeach()
install(FILES ${installed} DESTINATION ${CMAKE_INSTALL_DATADIR}/earshot/hdl)
