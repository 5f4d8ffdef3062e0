# find_package(Millpond) defines the imported targets Millpond::ascendcl, the runtime, and
# Millpond::plugin, the allocator for any AscendCL runtime.
#
# The folder may be moved: everything is found from the place of this file,
# which is <folder>/share/cmake/Millpond.

get_filename_component(Millpond_ROOT_DIR "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(Millpond_INCLUDE_DIR "${Millpond_ROOT_DIR}/include")
set(Millpond_LIBRARY "${Millpond_ROOT_DIR}/lib64/libascendcl.so")

if(NOT EXISTS "${Millpond_LIBRARY}")
    set(Millpond_FOUND FALSE)
    set(Millpond_NOT_FOUND_MESSAGE "${Millpond_LIBRARY} does not exist")
    return()
endif()

if(NOT TARGET Millpond::ascendcl)
    add_library(Millpond::ascendcl SHARED IMPORTED)
    set_target_properties(Millpond::ascendcl PROPERTIES
        IMPORTED_LOCATION "${Millpond_LIBRARY}"
        IMPORTED_SONAME "libascendcl.so"
        INTERFACE_INCLUDE_DIRECTORIES "${Millpond_INCLUDE_DIR}")
endif()

if(NOT TARGET Millpond::plugin)
    add_library(Millpond::plugin SHARED IMPORTED)
    set_target_properties(Millpond::plugin PROPERTIES
        IMPORTED_LOCATION "${Millpond_ROOT_DIR}/lib64/libmillpond_plugin.so"
        IMPORTED_SONAME "libmillpond_plugin.so"
        INTERFACE_INCLUDE_DIRECTORIES "${Millpond_INCLUDE_DIR}")
endif()

set(Millpond_FOUND TRUE)
