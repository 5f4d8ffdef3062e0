/* Short forms for programs that run models and operators. */
#ifndef MILLPOND_TESTS_MODELS_H
#define MILLPOND_TESTS_MODELS_H

#include "check.h"

/* The path of one of the models that the harness has written. */
static inline const char *model_path(const char *name)
{
    static __thread char path[4096];
    const char *folder = getenv("TEST_MODELS");
    CHECK(folder != NULL);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static inline uint32_t load(const char *name)
{
    uint32_t model = 0;
    OK(aclmdlLoadFromFile(model_path(name), &model));
    CHECK(model != 0);
    return model;
}

/* The bytes of one of the models; the caller frees them. */
static inline void *model_bytes(const char *name, size_t *size)
{
    FILE *file = fopen(model_path(name), "rb");
    char *bytes = malloc(1 << 20);
    CHECK(file != NULL && bytes != NULL);
    *size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

/* Device memory with these contents. */
static inline void *to_device(const void *host, size_t size)
{
    void *device = NULL;
    OK(aclrtMalloc(&device, size, ACL_MEM_MALLOC_HUGE_FIRST));
    if (host != NULL) {
        OK(aclrtMemcpy(device, size, host, size, ACL_MEMCPY_HOST_TO_DEVICE));
    } else {
        OK(aclrtMemset(device, size, 0xab, size));
    }
    return device;
}

static inline void from_device(void *host, const void *device, size_t size)
{
    OK(aclrtMemcpy(host, size, device, size, ACL_MEMCPY_DEVICE_TO_HOST));
}

/* Adds a buffer to a dataset. */
static inline aclDataBuffer *add_buffer(aclmdlDataset *dataset, void *data, size_t size)
{
    aclDataBuffer *buffer = aclCreateDataBuffer(data, size);
    CHECK(buffer != NULL);
    OK(aclmdlAddDatasetBuffer(dataset, buffer));
    return buffer;
}

/* Says which shape comes at a place of a dataset. */
static inline void set_shape(aclmdlDataset *dataset, size_t index, aclDataType type, int count,
                             const int64_t *dims)
{
    aclTensorDesc *desc = aclCreateTensorDesc(type, count, dims, ACL_FORMAT_ND);
    OK(aclmdlSetDatasetTensorDesc(dataset, desc, index));
    aclDestroyTensorDesc(desc);
}

/* Ends a dataset with its buffers and their memory. */
static inline void drop_dataset(aclmdlDataset *dataset)
{
    size_t i;
    for (i = 0; i < aclmdlGetDatasetNumBuffers(dataset); i++) {
        aclDataBuffer *buffer = aclmdlGetDatasetBuffer(dataset, i);
        if (aclGetDataBufferAddr(buffer) != NULL) {
            OK(aclrtFree(aclGetDataBufferAddr(buffer)));
        }
        OK(aclDestroyDataBuffer(buffer));
    }
    OK(aclmdlDestroyDataset(dataset));
}

static inline void start(void)
{
    OPEN_DEVICE();
}

static inline void stop(void)
{
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
}

#endif
