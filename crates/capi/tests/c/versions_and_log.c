/* What does the library say about itself? The interface version, the name of the
 * SoC that the profile stands for, and a log function with variable arguments. */
#include "check.h"

int main(void)
{
    int32_t major = -1, minor = -1, patch = -1;
    aclCANNPackageVersion version;
    const char *soc;

    OK(aclInit(NULL));

    OK(aclrtGetVersion(&major, &minor, &patch));
    EQ(major, ACL_MAJOR_VERSION);
    EQ(minor, ACL_MINOR_VERSION);
    EQ(patch, ACL_PATCH_VERSION);
    CODE(aclrtGetVersion(NULL, &minor, &patch), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtGetVersion(&major, NULL, &patch), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtGetVersion(&major, &minor, NULL), ACL_ERROR_INVALID_PARAM);

    /* Package versions: either a string that ends, or an error that explains itself. */
    memset(&version, 'x', sizeof version);
    if (RETURNS(aclsysGetCANNVersion(ACL_PKG_NAME_CANN, &version)) == 0) {
        CHECK(memchr(version.version, 0, sizeof version.version) != NULL);
        CHECK(version.version[0] != '\0');
    }
    FAILS(aclsysGetCANNVersion(ACL_PKG_NAME_CANN, NULL));
    FAILS(aclsysGetCANNVersion((aclCANNPackageName)99, &version));
    {
        char package[] = "runtime";
        char text[ACL_PKG_VERSION_MAX_SIZE];
        int32_t number = -1;
        memset(text, 'x', sizeof text);
        if (RETURNS(aclsysGetVersionStr(package, text)) == 0) {
            CHECK(memchr(text, 0, sizeof text) != NULL);
        }
        if (RETURNS(aclsysGetVersionNum(package, &number)) == 0) {
            CHECK(number > 0);
        }
        FAILS(aclsysGetVersionStr(NULL, text));
        FAILS(aclsysGetVersionStr(package, NULL));
        FAILS(aclsysGetVersionNum(NULL, &number));
        FAILS(aclsysGetVersionNum(package, NULL));
    }

    /* Runs with MILLPOND_PROFILE=ascend910b4. */
    OK(aclrtSetDevice(0));
    soc = aclrtGetSocName();
    CHECK(soc != NULL);
    CHECK(strcasestr(soc, "910B4") != NULL);

    /* All kinds of arguments, more than registers can hold, every level, and nonsense. */
    aclAppLog(ACL_ERROR, __func__, __FILE__, __LINE__, "%s %d %f %c %zu %p %d %d %d %f %f", "text", -1, 2.5,
              'c', (size_t)7, (void *)soc, 1, 2, 3, 4.0, 5.0);
    aclAppLog(ACL_DEBUG, __func__, __FILE__, __LINE__, "plain");
    aclAppLog(ACL_INFO, __func__, __FILE__, __LINE__, "%1024d", 1);
    aclAppLog(ACL_WARNING, NULL, NULL, 0, "no place");
    aclAppLog((aclLogLevel)42, __func__, __FILE__, __LINE__, "no such level");
    aclAppLog(ACL_ERROR, __func__, __FILE__, __LINE__, NULL);

    CLOSE_DEVICE();
    return 0;
}
