/* Can host memory of the program be registered, and is it pinned then? */
#include "check.h"

int main(void)
{
    char *memory = malloc(3 * 4096);
    void *address = NULL, *block, *pinned;
    aclrtPtrAttributes attributes;
    aclrtStream stream;
    size_t i;

    CHECK(memory != NULL);
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    OK(aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMallocHost(&pinned, 64));

    CODE(aclrtHostRegister(NULL, 4096, ACL_HOST_REGISTER_MAPPED, &address), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtHostRegister(memory, 0, ACL_HOST_REGISTER_MAPPED, &address), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtHostRegister(memory, 4096, ACL_HOST_REGISTER_MAPPED, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtHostRegister(memory, 4096, 1, &address), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CODE(aclrtHostRegister(block, 4096, ACL_HOST_REGISTER_MAPPED, &address), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtHostRegister(pinned, 64, ACL_HOST_REGISTER_MAPPED, &address), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtHostRegisterV2(memory, 4096, 0), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtHostRegisterV2(memory, 4096, 1), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtHostRegisterV2(NULL, 4096, ACL_HOST_REG_MAPPED), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtHostUnregister(memory), ACL_ERROR_HOST_MEMORY_NOT_REGISTERED);
    CODE(aclrtHostGetDevicePointer(memory, &address, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK(address == NULL);
    OK(aclrtPointerGetAttributes(memory, &attributes));
    EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_UNREGISTERED);

    OK(aclrtHostRegister(memory, 4096, ACL_HOST_REGISTER_MAPPED, &address));
    CHECK(address == memory);
    OK(aclrtHostRegisterV2(memory + 4096, 4096, ACL_HOST_REG_MAPPED | ACL_HOST_REG_PINNED));
    CODE(aclrtHostRegister(memory + 4000, 10, ACL_HOST_REGISTER_MAPPED, &address),
         ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    CODE(aclrtHostRegisterV2(memory, 3 * 4096, ACL_HOST_REG_MAPPED), ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    OK(aclrtPointerGetAttributes(memory + 100, &attributes));
    EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_HOST);
    OK(aclrtHostGetDevicePointer(memory + 5000, &address, 0));
    CHECK(address == memory + 5000);
    CODE(aclrtHostGetDevicePointer(memory, &address, 1), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtHostGetDevicePointer(memory, NULL, 0), ACL_ERROR_INVALID_PARAM);

    /* Asynchronous copies take it as pinned memory, from either side. */
    memset(memory, 7, 4096);
    OK(aclrtMemcpyAsync(block, 4096, memory, 4096, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    OK(aclrtMemcpyAsync(memory + 4096, 4096, block, 4096, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    OK(aclrtSynchronizeStream(stream));
    for (i = 0; i < 4096; i++) {
        EQ(memory[4096 + i], 7);
    }
    /* Its device address is a device's side of a copy. */
    OK(aclrtMemcpy(memory, 4096, block, 4096, ACL_MEMCPY_DEVICE_TO_DEVICE));

    /* Work that is queued is done before the registration ends. */
    OK(aclrtMemsetAsync(block, 4096, 9, 4096, stream));
    OK(aclrtMemcpyAsync(memory, 4096, block, 4096, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    OK(aclrtHostUnregister(memory));
    OK(aclrtSynchronizeStream(stream));
    EQ(memory[0], 9);
    EQ(memory[4095], 9);
    CODE(aclrtHostUnregister(memory), ACL_ERROR_HOST_MEMORY_NOT_REGISTERED);
    CODE(aclrtHostUnregister(memory + 5000), ACL_ERROR_HOST_MEMORY_NOT_REGISTERED);
    CODE(aclrtHostUnregister(NULL), ACL_ERROR_RT_PARAM_INVALID);
    OK(aclrtHostUnregister(memory + 4096));

    OK(aclrtFreeHost(pinned));
    OK(aclrtFree(block));
    OK(aclrtDestroyStream(stream));
    free(memory);
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    return 0;
}
