# Links yaml-cpp, SQLite, zlib and fmt statically. A short command spent nine tenths of its time on resolving the symbols
# of these and of the C++ library at every start.
#
# Debian has no archive of fmt: fmt.cc makes it from fmt's headers.

# trainplan_self_contained(TARGET): also links the C++ library statically, and the C library if its archive is
# installed. With fixed addresses, a start relocates and resolves nothing.
function(trainplan_self_contained target)
  if(TRAINPLAN_SANITIZE)
    return()
  endif()
  find_library(trainplan_c_archive libc.a NO_CACHE)
  if(trainplan_c_archive)
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/no_dlopen.cc)
    target_link_options(${target} PRIVATE -static -no-pie LINKER:--wrap=dlopen)
  else()
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
endfunction()

if(TRAINPLAN_SANITIZE)
  return()
endif()

function(trainplan_take_in target archive)
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION "${archive}" IMPORTED_LOCATION_NONE "${archive}"
    IMPORTED_LOCATION_RELEASE "${archive}")
endfunction()

foreach(row yaml-cpp=libyaml-cpp.a ZLIB::ZLIB=libz.a SQLite::SQLite3=libsqlite3.a)
  string(REGEX MATCH "^(.+)=(.+)$" matched "${row}")
  find_library(trainplan_archive ${CMAKE_MATCH_2} NO_CACHE)
  if(trainplan_archive)
    trainplan_take_in(${CMAKE_MATCH_1} "${trainplan_archive}")
  endif()
  unset(trainplan_archive)
endforeach()

add_library(trainplan_fmt STATIC ${CMAKE_CURRENT_LIST_DIR}/fmt.cc)
target_compile_definitions(trainplan_fmt PRIVATE FMT_SHARED)  # as whoever calls it
set_target_properties(trainplan_fmt PROPERTIES ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
add_dependencies(fmt::fmt trainplan_fmt)
trainplan_take_in(fmt::fmt ${CMAKE_BINARY_DIR}/libtrainplan_fmt.a)
