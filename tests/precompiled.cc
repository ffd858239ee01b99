// Nothing: its library owns the headers that are parsed once for all tests (cmake/precompiled_tests.cmake).
