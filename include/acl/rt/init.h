/* Starting and ending the runtime, what went wrong last, and versions. */
#ifndef MILLPOND_ACL_RT_INIT_H
#define MILLPOND_ACL_RT_INIT_H

#include <stddef.h>
#include <stdint.h>

#include "../acl_base_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the interface that these headers declare. */
#define ACL_MAJOR_VERSION 1
#define ACL_MINOR_VERSION 17
#define ACL_PATCH_VERSION 0

/* Sizes of the texts in aclCANNPackageVersion, terminator included. */
#define ACL_PKG_VERSION_MAX_SIZE       128
#define ACL_PKG_VERSION_PARTS_MAX_SIZE 64

/* Whose last error is meant. */
typedef enum aclrtLastErrLevel {
    ACL_RT_THREAD_LEVEL = 0
} aclrtLastErrLevel;

/* A package of the installation, each with its own version. */
typedef enum aclCANNPackageName {
    ACL_PKG_NAME_CANN = 0,
    ACL_PKG_NAME_RUNTIME = 1,
    ACL_PKG_NAME_COMPILER = 2,
    ACL_PKG_NAME_HCCL = 3,
    ACL_PKG_NAME_TOOLKIT = 4,
    ACL_PKG_NAME_OPP = 5,
    ACL_PKG_NAME_OPP_KERNEL = 6,
    ACL_PKG_NAME_DRIVER = 7
} aclCANNPackageName;

/* Version of one part, as text. */
typedef struct aclCANNPackageVersion {
    char version[ACL_PKG_VERSION_MAX_SIZE];
    char majorVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
    char minorVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
    char releaseVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
    char patchVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
    char reserved[ACL_PKG_VERSION_MAX_SIZE];
} aclCANNPackageVersion;

/*
 * aclInit takes the path of a JSON file, or NULL. Further calls count and return
 * ACL_ERROR_REPEAT_INITIALIZE. aclFinalize ends the runtime regardless of the count;
 * aclFinalizeReference decrements the count and returns what is left.
 */
aclError aclInit(const char *configPath);
aclError aclFinalize(void);
aclError aclFinalizeReference(uint64_t *refCount);

/*
 * The last failure. aclGetRecentErrMsg returns the text of this thread's last failure and forgets
 * it; NULL when there is none. A later call that begins something new and succeeds forgets it too. The text is valid
 * until the next call on this thread.
 * aclrtGetLastError returns the code and clears it, aclrtPeekAtLastError leaves it.
 */
const char *aclGetRecentErrMsg(void);
aclError aclrtPeekAtLastError(aclrtLastErrLevel level);
aclError aclrtGetLastError(aclrtLastErrLevel level);

/* Versions. The caller provides room for ACL_PKG_VERSION_MAX_SIZE characters. */
ACL_DEPRECATED_MESSAGE("use aclsysGetVersionStr")
aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion *version);
aclError aclsysGetVersionStr(char *pkgName, char *versionStr);
aclError aclsysGetVersionNum(char *pkgName, int32_t *versionNum);
ACL_DEPRECATED_MESSAGE("use aclsysGetVersionNum")
aclError aclrtGetVersion(int32_t *majorVersion, int32_t *minorVersion, int32_t *patchVersion);

#ifdef __cplusplus
}
#endif

#endif
