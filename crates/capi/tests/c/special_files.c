/* Files that are none: a pipe without a writer, and a device without an end. Whatever reads a path that the program
 * gives says so at once. */
#define MSTX_NO_IMPL
#include "models.h"

#include <fcntl.h>
#include <mstx/ms_tools_ext.h>
#include <sys/stat.h>
#include <unistd.h>

/* x + w, where w is 4 floats in the file w.bin beside it. */
static const char beside[] =
    "\x08\x09\x3a\x61\x0a\x0e\x0a\x01\x78\x0a\x01\x77\x12\x01\x79\x22\x03\x41\x64\x64\x12\x01\x67"
    "\x2a\x2a\x08\x04\x10\x01\x42\x01\x77\x6a\x11\x0a\x08\x6c\x6f\x63\x61\x74\x69\x6f\x6e\x12\x05"
    "\x77\x2e\x62\x69\x6e\x6a\x0c\x0a\x06\x6c\x65\x6e\x67\x74\x68\x12\x02\x31\x36\x70\x01\x5a\x0f"
    "\x0a\x01\x78\x12\x0a\x0a\x08\x08\x01\x12\x04\x0a\x02\x08\x04\x62\x0f\x0a\x01\x79\x12\x0a\x0a"
    "\x08\x08\x01\x12\x04\x0a\x02\x08\x04\x42\x04\x0a\x00\x10\x14";

static char folder[] = "/tmp/millpond-special-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void pipe_at(const char *name)
{
    CHECK(mkfifo(in_folder(name), 0600) == 0);
}

static void gone(const char *name)
{
    CHECK(unlink(in_folder(name)) == 0);
}

/* How the path of a model is refused, by every function that takes one. */
static void models(const char *path, const char *why)
{
    aclmdlDesc *desc = aclmdlCreateDesc();
    size_t work = 0, weights = 0;
    uint32_t model = 0;
    CODE(aclmdlLoadFromFile(path, &model), ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID);
    MENTIONS(why);
    CODE(aclmdlLoadFromFileWithMem(path, &model, NULL, 0, NULL, 0), ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID);
    CODE(aclmdlQuerySize(path, &work, &weights), ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID);
    CODE(aclmdlGetDescFromFile(desc, path), ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID);
    OK(aclmdlDestroyDesc(desc));
}

int main(void)
{
    uint32_t model = 0;
    FILE *file;

    CHECK(mkdtemp(folder) != NULL);
    pipe_at("pipe");
    CODE(aclInit(in_folder("pipe")), ACL_ERROR_INVALID_FILE);
    MENTIONS("pipe");
    CODE(aclInit("/dev/zero"), ACL_ERROR_INVALID_FILE);
    MENTIONS("device");
    CODE(aclInit("/tmp"), ACL_ERROR_INVALID_FILE);
    MENTIONS("folder");
    /* An endless file that is a regular one by its kind is bounded too. */
    CHECK((file = fopen(in_folder("long"), "wb")) != NULL);
    CHECK(ftruncate(fileno(file), (off_t)1 << 40) == 0);
    fclose(file);
    CODE(aclInit(in_folder("long")), ACL_ERROR_INVALID_FILE);
    MENTIONS("1099511627776");
    start();

    /* A tool that is none. */
    CHECK(setenv("MSTX_INJECTION_PATH", in_folder("pipe"), 1) == 0);
    mstxMarkA("m", NULL);

    models(in_folder("pipe"), "pipe");
    models("/dev/zero", "device");
    models("/tmp", "folder");
    models(in_folder("long"), "1099511627776");
    gone("long");
    gone("pipe");

    CHECK((file = fopen(in_folder("beside.onnx"), "wb")) != NULL);
    CHECK(fwrite(beside, 1, sizeof beside - 1, file) == sizeof beside - 1);
    fclose(file);
    pipe_at("w.bin");
    FAILS(aclmdlLoadFromFile(in_folder("beside.onnx"), &model));
    MENTIONS("pipe");
    gone("w.bin");
    CHECK((file = fopen(in_folder("w.bin"), "wb")) != NULL);
    CHECK(fwrite(beside, 1, 16, file) == 16);
    fclose(file);
    OK(aclmdlLoadFromFile(in_folder("beside.onnx"), &model));
    OK(aclmdlUnload(model));
    gone("w.bin");
    gone("beside.onnx");

    pipe_at("add.om");
    CODE(aclopSetModelDir(folder), ACL_ERROR_READ_MODEL_FAILURE);
    MENTIONS("pipe");
    gone("add.om");
    CHECK(symlink("/dev/zero", in_folder("add.om")) == 0);
    CODE(aclopSetModelDir(folder), ACL_ERROR_READ_MODEL_FAILURE);
    MENTIONS("device");
    gone("add.om");
    CODE(aclopSetModelDir("/dev/zero"), ACL_ERROR_READ_MODEL_FAILURE);
    CHECK(rmdir(folder) == 0);
    stop();
    return 0;
}
