# Each folder of the tree is one library, made in one way.
#
# ear_add_library(<name> SOURCES file... [LIBRARIES lib...] [PRIVATE lib...])
#
# Only what the public headers declare is seen outside of libearshot: they say so themselves.
# LIBRARIES are what its headers or its callers need as well; PRIVATE is what only its sources use.
# Which folders it may include is written in scripts/includes.txt.
function(ear_add_library name)
	cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES;PRIVATE" ${ARGN})
	add_library(${name} STATIC ${ARG_SOURCES})
	set_target_properties(${name} PROPERTIES C_VISIBILITY_PRESET hidden)
	target_link_libraries(${name} PUBLIC ear_options ${ARG_LIBRARIES} PRIVATE ${ARG_PRIVATE})
endfunction()
