# A toolchain: the program for aarch64 Linux, compiled on another Debian by g++-aarch64-linux-gnu (the preset aarch64).
# `./dev release` makes what it needs:
#
# - build/aarch64-packages/root: the unpacked -dev packages of arm64, for their archives. Debian cannot install
#   libyaml-cpp-dev of two architectures side by side.
# - build/release: its tools run while this build is made (TRAINPLAN_HOST).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH trainplan_sources)
set(CMAKE_FIND_ROOT_PATH ${trainplan_sources}/build/aarch64-packages/root /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
# Headers are the same for every machine. CMake's descriptions of packages differ in shared libraries alone, in whose
# place static_libraries.cmake puts archives.
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE NEVER)
set(CMAKE_PREFIX_PATH /usr/lib/${CMAKE_HOST_SYSTEM_PROCESSOR}-linux-gnu/cmake)
