# `cpack`: a Debian package of what `cmake --install` installs (the program, manual pages, completions), and of what Debian
# asks for beside it (debian_files.cmake). The program is static (static_libraries.cmake), so that the package depends on
# nothing. With SOURCE_DATE_EPOCH the same program gives the same bytes.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME trainplan)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The maintainers of trainplan <maintainers@trainplan.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "capacity planner for the training of large models")
set(CPACK_PACKAGE_DESCRIPTION "A small file says what is trained, on which machine and how it is laid out; trainplan says how long
a step takes, where the time goes, whether it fits into memory, and what the run costs.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
  WORLD_EXECUTE)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
if(CMAKE_SYSTEM_PROCESSOR STREQUAL aarch64)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)  # cpack would ask this machine's dpkg
endif()
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/cmake/debian_files.cmake")
include(CPack)
