# The Verilog sources, for whoever verilates or synthesizes them.
set(EAR_SOC_DIR ${CMAKE_CURRENT_LIST_DIR}/../soc)
set(EAR_RTL_DIR ${CMAKE_CURRENT_LIST_DIR}/../rtl)
file(GLOB EAR_RTL_SOURCES CONFIGURE_DEPENDS ${EAR_RTL_DIR}/ear_*.v)
file(GLOB EAR_SOC_SOURCES CONFIGURE_DEPENDS ${EAR_SOC_DIR}/ear_demo_*.v)
# Where the headers are: ear_entry.vh beside the sources, ear_protocol.vh in protocol/
set(EAR_RTL_INCLUDE_DIRS ${EAR_RTL_DIR} ${CMAKE_CURRENT_LIST_DIR}/../../protocol)
