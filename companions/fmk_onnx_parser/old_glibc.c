/* The C++ headers of newer systems read this variable of glibc 2.32 before they count references. With one of our own the
 * library loads on older systems, too; zero means that other threads may be there, so every count is atomic. */
__attribute__((visibility("hidden"))) char __libc_single_threaded = 0;
