// SQLite can load extensions, which nobody asks it for. In a program without shared libraries there is nothing to load
// them with, and the linker would warn of every call of dlopen: it calls this instead (--wrap).
extern "C" void* __wrap_dlopen(const char* /*file*/, int /*mode*/) { return nullptr; }
