/* May a library clean up in its own destructor? PLUGIN is one that is opened, or was loaded before everything else,
 * and is not linked with the runtime: it finds the functions that the program has. So nothing says that its
 * destructor has to run before the runtime's. */
#include "check.h"
#include <dlfcn.h>

int main(void)
{
    void *plugin = dlopen(getenv("PLUGIN"), RTLD_NOW);
    void (*begin)(void);

    CHECK(plugin != NULL);
    *(void **)&begin = dlsym(plugin, "plugin_begin");
    CHECK(begin != NULL);
    if (getenv("CONSTRUCTS") == NULL) {
        begin();
    }
    return 0;
}
