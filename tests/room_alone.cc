// Linked with a whole room and those before it: does not build where the room needs one behind it.
int main() {}
