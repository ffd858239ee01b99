# cpack runs it on the folder that it has filled with the installation, before it packs the folder (package.cmake): adds
# what Debian asks of a package and `cmake --install` does not make.
if(NOT CPACK_GENERATOR STREQUAL DEB)
  return()
endif()

# Everything below changes this folder alone.
set(share "${CPACK_TEMPORARY_DIRECTORY}/usr/share")
if(NOT share MATCHES "/_CPack_Packages/" OR NOT EXISTS "${share}/zsh/site-functions/_trainplan")
  message(FATAL_ERROR "expected a folder that cpack has filled, got '${CPACK_TEMPORARY_DIRECTORY}'")
endif()
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH sources)

# Debian's zsh looks into no site-functions below /usr.
file(MAKE_DIRECTORY "${share}/zsh/vendor-completions")
file(RENAME "${share}/zsh/site-functions/_trainplan" "${share}/zsh/vendor-completions/_trainplan")
file(REMOVE_RECURSE "${share}/zsh/site-functions")

file(COPY "${sources}/packaging/copyright" "${sources}/README.md" DESTINATION "${share}/doc/trainplan"
  FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
# The time is that of SOURCE_DATE_EPOCH, if there is one.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE "${share}/doc/trainplan/changelog"
  "trainplan (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n  * Version ${CPACK_PACKAGE_VERSION}.\n\n"
  " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
file(GLOB pages "${share}/man/man1/*.1")
execute_process(COMMAND gzip -9nf ${pages} "${share}/doc/trainplan/changelog" COMMAND_ERROR_IS_FATAL ANY)

# The same sources give the same package: what was just written has no time of its own.
if(DEFINED ENV{SOURCE_DATE_EPOCH})
  execute_process(COMMAND find "${CPACK_TEMPORARY_DIRECTORY}" -exec touch -hd "@$ENV{SOURCE_DATE_EPOCH}" {} +
    COMMAND_ERROR_IS_FATAL ANY)
endif()
