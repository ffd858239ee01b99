# trainplan_room(NAME [COLD] [LINKS ...] [PRECOMPILE ...]): the library trainplan_NAME of every .cc file below the current
# folder's NAME/. COLD: cmake/cold.cmake. PRECOMPILE: headers of the project that most of its files include.
#
# Rooms are declared from the first to the last: each links the one declared before it, and so all before it. LINKS are
# third-party libraries of this room alone. `trainplan_rooms` lists the rooms so far.
function(trainplan_room name)
  cmake_parse_arguments(room "COLD" "" "LINKS;PRECOMPILE" ${ARGN})
  string(REPLACE "/" "_" library "trainplan_${name}")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cc")
  add_library(${library} STATIC ${sources})
  target_include_directories(${library} PUBLIC ${PROJECT_SOURCE_DIR})
  if(trainplan_rooms)
    list(GET trainplan_rooms -1 before)
  else()
    set(before trainplan_calibrate)
  endif()
  target_link_libraries(${library} PUBLIC ${before} PRIVATE fmt::fmt ${room_LINKS})
  if(room_COLD)
    target_compile_options(${library} PRIVATE ${trainplan_cold})
  endif()
  trainplan_precompile(${library} ${room_PRECOMPILE})
  trainplan_unity(${library} ${trainplan_unity_most})
  set(trainplan_rooms ${trainplan_rooms} ${library} PARENT_SCOPE)
endfunction()
