/*
 * Types, status codes and small objects that every part of the interface uses.
 *
 * Conventions of the whole interface: a function returns ACL_SUCCESS or a code that says what went
 * wrong; out parameters are written only on success; a handle is an opaque value that is never
 * dereferenced. After a failure aclGetRecentErrMsg() has the reason in words.
 */
#ifndef MILLPOND_ACL_ACL_BASE_RT_H
#define MILLPOND_ACL_ACL_BASE_RT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Marks a symbol as exported. Programs use it for their own plugins. */
#ifndef ACL_FUNC_VISIBILITY
#if defined(__GNUC__)
#define ACL_FUNC_VISIBILITY __attribute__((visibility("default")))
#else
#define ACL_FUNC_VISIBILITY
#endif
#endif

/*
 * Stands before each deprecated function. It expands to nothing, so that old programs build with
 * -Werror; define it before the first include to be warned.
 */
#ifndef ACL_DEPRECATED_MESSAGE
#define ACL_DEPRECATED_MESSAGE(message)
#endif

/* A status code: 0, one of ACL_ERROR_* below, or one of error_codes/. */
typedef int aclError;

/* The bits of an IEEE 754 half-precision number. */
typedef uint16_t aclFloat16;

/* Handles. NULL as a stream means the default stream of the current context, where allowed. */
typedef void *aclrtContext;
/* MSTX has this type too. C99 allows it only once. */
#ifndef MILLPOND_ACLRT_STREAM
#define MILLPOND_ACLRT_STREAM
typedef void *aclrtStream;
#endif
typedef void *aclrtEvent;

/* An address and a length. It never owns the memory it names. */
typedef struct aclDataBuffer aclDataBuffer;

/* Element type of a tensor. */
typedef enum aclDataType {
    ACL_DT_UNDEFINED = -1,
    ACL_FLOAT = 0,
    ACL_FLOAT16 = 1,
    ACL_INT8 = 2,
    ACL_INT32 = 3,
    ACL_UINT8 = 4,
    ACL_INT16 = 6,
    ACL_UINT16 = 7,
    ACL_UINT32 = 8,
    ACL_INT64 = 9,
    ACL_UINT64 = 10,
    ACL_DOUBLE = 11,
    ACL_BOOL = 12,
    ACL_STRING = 13,
    ACL_COMPLEX64 = 16,
    ACL_COMPLEX128 = 17,
    ACL_BF16 = 27,
    ACL_INT4 = 29,
    ACL_UINT1 = 30,
    ACL_COMPLEX32 = 33,
    ACL_HIFLOAT8 = 34,
    ACL_FLOAT8_E5M2 = 35,
    ACL_FLOAT8_E4M3FN = 36,
    ACL_FLOAT8_E8M0 = 37,
    ACL_FLOAT6_E3M2 = 38,
    ACL_FLOAT6_E2M3 = 39,
    ACL_FLOAT4_E2M1 = 40,
    ACL_FLOAT4_E1M2 = 41
} aclDataType;

/* Order of a tensor's dimensions in memory. */
typedef enum aclFormat {
    ACL_FORMAT_UNDEFINED = -1,
    ACL_FORMAT_NCHW = 0,
    ACL_FORMAT_NHWC = 1,
    ACL_FORMAT_ND = 2,
    ACL_FORMAT_NC1HWC0 = 3,
    ACL_FORMAT_FRACTAL_Z = 4,
    ACL_FORMAT_NC1HWC0_C04 = 12,
    ACL_FORMAT_HWCN = 16,
    ACL_FORMAT_NDHWC = 27,
    ACL_FORMAT_FRACTAL_NZ = 29,
    ACL_FORMAT_NCDHW = 30,
    ACL_FORMAT_NDC1HWC0 = 32,
    ACL_FRACTAL_Z_3D = 33,
    ACL_FORMAT_NC = 35,
    ACL_FORMAT_NCL = 47,
    ACL_FORMAT_FRACTAL_NZ_C0_16 = 50,
    ACL_FORMAT_FRACTAL_NZ_C0_32 = 51,
    ACL_FORMAT_FRACTAL_NZ_C0_2 = 52,
    ACL_FORMAT_FRACTAL_NZ_C0_4 = 53,
    ACL_FORMAT_FRACTAL_NZ_C0_8 = 54
} aclFormat;

/* Where the data of a tensor is expected. */
typedef enum aclMemType {
    ACL_MEMTYPE_DEVICE = 0,
    ACL_MEMTYPE_HOST = 1,
    ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT = 2
} aclMemType;

/* Severity of a log line. */
typedef enum aclLogLevel {
    ACL_DEBUG = 0,
    ACL_INFO = 1,
    ACL_WARNING = 2,
    ACL_ERROR = 3
} aclLogLevel;

/* Options of a context or of the process: aclrtCtxSetSysParamOpt, aclrtSetSysParamOpt. */
typedef enum aclSysParamOpt {
    ACL_OPT_DETERMINISTIC = 0,
    ACL_OPT_ENABLE_DEBUG_KERNEL = 1,
    ACL_OPT_STRONG_CONSISTENCY = 2,
    ACL_OPT_ENABLE_KERNEL_EARLY_START = 3
} aclSysParamOpt;

/* Features of the software that aclGetCannAttribute reports. */
typedef enum aclCannAttr {
    ACL_CANN_ATTR_UNDEFINED = -1,
    ACL_CANN_ATTR_INF_NAN = 0,
    ACL_CANN_ATTR_BF16 = 1,
    ACL_CANN_ATTR_JIT_COMPILE = 2
} aclCannAttr;

/* Numbers of a device that aclGetDeviceCapability reports. */
typedef enum aclDeviceInfo {
    ACL_DEVICE_INFO_UNDEFINED = -1,
    ACL_DEVICE_INFO_AI_CORE_NUM = 0,
    ACL_DEVICE_INFO_VECTOR_CORE_NUM = 1,
    ACL_DEVICE_INFO_L2_SIZE = 2
} aclDeviceInfo;

/* Success, under its two names. */
#define ACL_SUCCESS    0
#define ACL_ERROR_NONE 0

/* Mistakes of the caller. */
#define ACL_ERROR_INVALID_PARAM                   100000
#define ACL_ERROR_UNINITIALIZE                    100001
#define ACL_ERROR_REPEAT_INITIALIZE               100002
#define ACL_ERROR_INVALID_FILE                    100003
#define ACL_ERROR_WRITE_FILE                      100004
#define ACL_ERROR_INVALID_FILE_SIZE               100005
#define ACL_ERROR_PARSE_FILE                      100006
#define ACL_ERROR_FILE_MISSING_ATTR               100007
#define ACL_ERROR_FILE_ATTR_INVALID               100008
#define ACL_ERROR_INVALID_DUMP_CONFIG             100009
#define ACL_ERROR_INVALID_PROFILING_CONFIG        100010
#define ACL_ERROR_INVALID_MODEL_ID                100011
#define ACL_ERROR_DESERIALIZE_MODEL               100012
#define ACL_ERROR_PARSE_MODEL                     100013
#define ACL_ERROR_READ_MODEL_FAILURE              100014
#define ACL_ERROR_MODEL_SIZE_INVALID              100015
#define ACL_ERROR_MODEL_MISSING_ATTR              100016
#define ACL_ERROR_MODEL_INPUT_NOT_MATCH           100017
#define ACL_ERROR_MODEL_OUTPUT_NOT_MATCH          100018
#define ACL_ERROR_MODEL_NOT_DYNAMIC               100019
#define ACL_ERROR_OP_TYPE_NOT_MATCH               100020
#define ACL_ERROR_OP_INPUT_NOT_MATCH              100021
#define ACL_ERROR_OP_OUTPUT_NOT_MATCH             100022
#define ACL_ERROR_OP_ATTR_NOT_MATCH               100023
#define ACL_ERROR_OP_NOT_FOUND                    100024
#define ACL_ERROR_OP_LOAD_FAILED                  100025
#define ACL_ERROR_UNSUPPORTED_DATA_TYPE           100026
#define ACL_ERROR_FORMAT_NOT_MATCH                100027
#define ACL_ERROR_BIN_SELECTOR_NOT_REGISTERED     100028
#define ACL_ERROR_KERNEL_NOT_FOUND                100029
#define ACL_ERROR_BIN_SELECTOR_ALREADY_REGISTERED 100030
#define ACL_ERROR_KERNEL_ALREADY_REGISTERED       100031
#define ACL_ERROR_INVALID_QUEUE_ID                100032
#define ACL_ERROR_REPEAT_SUBSCRIBE                100033
#define ACL_ERROR_STREAM_NOT_SUBSCRIBE            100034
#define ACL_ERROR_THREAD_NOT_SUBSCRIBE            100035
#define ACL_ERROR_WAIT_CALLBACK_TIMEOUT           100036
#define ACL_ERROR_REPEAT_FINALIZE                 100037
#define ACL_ERROR_NOT_STATIC_AIPP                 100038
#define ACL_ERROR_COMPILING_STUB_MODE             100039
#define ACL_ERROR_GROUP_NOT_SET                   100040
#define ACL_ERROR_GROUP_NOT_CREATE                100041
#define ACL_ERROR_PROF_ALREADY_RUN                100042
#define ACL_ERROR_PROF_NOT_RUN                    100043
#define ACL_ERROR_DUMP_ALREADY_RUN                100044
#define ACL_ERROR_DUMP_NOT_RUN                    100045
#define ACL_ERROR_PROF_REPEAT_SUBSCRIBE           148046
#define ACL_ERROR_PROF_API_CONFLICT               148047
#define ACL_ERROR_INVALID_MAX_OPQUEUE_NUM_CONFIG  148048
#define ACL_ERROR_INVALID_OPP_PATH                148049
#define ACL_ERROR_OP_UNSUPPORTED_DYNAMIC          148050
#define ACL_ERROR_RELATIVE_RESOURCE_NOT_CLEARED   148051
#define ACL_ERROR_UNSUPPORTED_JPEG                148052
#define ACL_ERROR_INVALID_BUNDLE_MODEL_ID         148053

/* A resource is exhausted, or a feature is not supported. */
#define ACL_ERROR_BAD_ALLOC                200000
#define ACL_ERROR_API_NOT_SUPPORT          200001
#define ACL_ERROR_INVALID_DEVICE           200002
#define ACL_ERROR_MEMORY_ADDRESS_UNALIGNED 200003
#define ACL_ERROR_RESOURCE_NOT_MATCH       200004
#define ACL_ERROR_INVALID_RESOURCE_HANDLE  200005
#define ACL_ERROR_FEATURE_UNSUPPORTED      200006
#define ACL_ERROR_PROF_MODULES_UNSUPPORTED 200007

/* Limits of storage. */
#define ACL_ERROR_STORAGE_OVER_LIMIT 300000

/* Failures inside the runtime or below it. */
#define ACL_ERROR_INTERNAL_ERROR    500000
#define ACL_ERROR_FAILURE           500001
#define ACL_ERROR_GE_FAILURE        500002
#define ACL_ERROR_RT_FAILURE        500003
#define ACL_ERROR_DRV_FAILURE       500004
#define ACL_ERROR_PROFILING_FAILURE 500005

/* Half precision. The conversions saturate: what does not fit becomes the largest finite value. */
float aclFloat16ToFloat(aclFloat16 value);
aclFloat16 aclFloatToFloat16(float value);

/*
 * Data buffers. The caller keeps ownership of the memory; destroying a buffer frees only the
 * buffer. Creating accepts NULL and 0; the getters of a NULL buffer return NULL or 0.
 */
aclDataBuffer *aclCreateDataBuffer(void *data, size_t size);
aclError aclDestroyDataBuffer(const aclDataBuffer *dataBuffer);
aclError aclUpdateDataBuffer(aclDataBuffer *dataBuffer, void *data, size_t size);
void *aclGetDataBufferAddr(const aclDataBuffer *dataBuffer);
ACL_DEPRECATED_MESSAGE("use aclGetDataBufferSizeV2")
uint32_t aclGetDataBufferSize(const aclDataBuffer *dataBuffer);
size_t aclGetDataBufferSizeV2(const aclDataBuffer *dataBuffer);

/* Bytes of one element; 0 for types without a fixed size. */
size_t aclDataTypeSize(aclDataType dataType);

/*
 * What the software and the devices offer. The list and the name are owned by the runtime and live
 * as long as the process.
 */
const char *aclrtGetSocName(void);
aclError aclGetCannAttributeList(const aclCannAttr **cannAttrList, size_t *num);
aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t *value);
aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t *value);

/* Writes one line to the application's log; fmt is that of printf. */
void aclAppLog(aclLogLevel logLevel, const char *func, const char *file, uint32_t line,
    const char *fmt, ...);

/* aclAppLog with the place of the call filled in. */
#define ACL_APP_LOG(level, ...) \
    aclAppLog((level), __func__, __FILE__, (uint32_t)__LINE__, __VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif
