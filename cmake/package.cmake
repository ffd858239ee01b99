# `cpack`: a Debian package of what `cmake --install` installs: the program, manual pages, completions. The program is
# static (static_libraries.cmake), so that the package depends on nothing.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME trainplan)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The maintainers of trainplan <maintainers@trainplan.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "capacity planner for the training of large models")
set(CPACK_PACKAGE_DESCRIPTION "A small file says what is trained, on which machine and how it is laid out; trainplan says how long
a step takes, where the time goes, whether it fits into memory, and what the run costs.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
include(CPack)
