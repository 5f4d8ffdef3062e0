# The package is in a folder of its own, which CMake does not search.
include("/usr/lib/millpond/share/cmake/Millpond/MillpondConfig.cmake")
