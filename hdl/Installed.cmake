# What another project takes from here, in one folder without subfolders, so that -y and -I of it are
# enough: the capture unit, its adapters and links, and the link of a simulation. `earshot --hdl-path` prints it,
# in an installation and in a build folder.
include(sim/Sources.cmake)

set(folder ${CMAKE_BINARY_DIR}/share/earshot/hdl)
set(unit ${EAR_RTL_SOURCES} ${EAR_ADAPTER_SOURCES})
file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/rtl/*.vh
	${CMAKE_CURRENT_SOURCE_DIR}/adapters/*.vh
	${PROJECT_SOURCE_DIR}/common/protocol/*.vh)
file(GLOB link CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/sim/link/*.v
	${CMAKE_CURRENT_SOURCE_DIR}/sim/link/*.h ${CMAKE_CURRENT_SOURCE_DIR}/sim/link/*.cpp)
set(copies "")
set(list "// The capture unit, its adapters and links: verilator -F, and -F of other simulators\n+incdir+.\n")
foreach(file ${unit} ${headers} ${link})
	get_filename_component(name ${file} NAME)
	configure_file(${file} ${folder}/${name} COPYONLY)
	list(APPEND copies ${folder}/${name})
	if(file IN_LIST unit)
		string(APPEND list "${name}\n")
	endif()
endforeach()
file(WRITE ${folder}/ear_unit.F "${list}")
install(FILES ${copies} ${folder}/ear_unit.F DESTINATION ${CMAKE_INSTALL_DATADIR}/earshot/hdl)
