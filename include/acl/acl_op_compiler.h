/* Compiling operators, and the options of the compiler. */
#ifndef MILLPOND_ACL_ACL_OP_COMPILER_H
#define MILLPOND_ACL_ACL_OP_COMPILER_H

#include <stddef.h>
#include <stdint.h>

#include "acl_op.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Options of aclGenGraphAndDumpForOp. */
typedef struct aclGraphDumpOption aclGraphDumpOption;

/* Whether an operator is in the compiler's own set. */
typedef enum aclopCompileType {
    ACL_COMPILE_SYS = 0,
    ACL_COMPILE_UNREGISTERED = 1
} aclopCompileType;

/* Options of the compiler. Their values are texts. */
typedef enum aclCompileOpt {
    ACL_PRECISION_MODE = 0,
    ACL_AICORE_NUM = 1,
    ACL_AUTO_TUNE_MODE = 2,
    ACL_OP_SELECT_IMPL_MODE = 3,
    ACL_OPTYPELIST_FOR_IMPLMODE = 4,
    ACL_OP_DEBUG_LEVEL = 5,
    ACL_DEBUG_DIR = 6,
    ACL_OP_COMPILER_CACHE_MODE = 7,
    ACL_OP_COMPILER_CACHE_DIR = 8,
    ACL_OP_PERFORMANCE_MODE = 9,
    ACL_OP_JIT_COMPILE = 10,
    ACL_OP_DETERMINISTIC = 11,
    ACL_CUSTOMIZE_DTYPES = 12,
    ACL_OP_PRECISION_MODE = 13,
    ACL_ALLOW_HF32 = 14,
    ACL_PRECISION_MODE_V2 = 15,
    ACL_OP_DEBUG_OPTION = 16
} aclCompileOpt;

/* Whether compiled operators serve one shape or many. */
typedef enum aclOpCompileFlag {
    ACL_OP_COMPILE_DEFAULT = 0,
    ACL_OP_COMPILE_FUZZ = 1
} aclOpCompileFlag;

/* Compiling; and compiling and queueing in one call. */
aclError aclopCompile(const char *opType, int numInputs, const aclTensorDesc *const inputDesc[],
    int numOutputs, const aclTensorDesc *const outputDesc[], const aclopAttr *attr,
    aclopEngineType engineType, aclopCompileType compileFlag, const char *opPath);
aclError aclopCompileAndExecute(const char *opType, int numInputs,
    const aclTensorDesc *const inputDesc[], const aclDataBuffer *const inputs[], int numOutputs,
    const aclTensorDesc *const outputDesc[], aclDataBuffer *const outputs[], const aclopAttr *attr,
    aclopEngineType engineType, aclopCompileType compileFlag, const char *opPath,
    aclrtStream stream);
aclError aclopCompileAndExecuteV2(const char *opType, int numInputs, aclTensorDesc *inputDesc[],
    aclDataBuffer *inputs[], int numOutputs, aclTensorDesc *outputDesc[], aclDataBuffer *outputs[],
    aclopAttr *attr, aclopEngineType engineType, aclopCompileType compileFlag, const char *opPath,
    aclrtStream stream);

/* Options. The caller provides room for aclGetCompileoptSize characters, terminator included. */
aclError aclSetCompileopt(aclCompileOpt opt, const char *value);
size_t aclGetCompileoptSize(aclCompileOpt opt);
aclError aclGetCompileopt(aclCompileOpt opt, char *value, size_t length);
aclError aclopSetCompileFlag(aclOpCompileFlag flag);

/* Writing the graph of one operator to a file. */
aclError aclGenGraphAndDumpForOp(const char *opType, int numInputs,
    const aclTensorDesc *const inputDesc[], const aclDataBuffer *const inputs[], int numOutputs,
    const aclTensorDesc *const outputDesc[], aclDataBuffer *const outputs[], const aclopAttr *attr,
    aclopEngineType engineType, const char *graphDumpPath, const aclGraphDumpOption *graphDumpOpt);
aclGraphDumpOption *aclCreateGraphDumpOpt(void);
aclError aclDestroyGraphDumpOpt(const aclGraphDumpOption *graphDumpOpt);

#ifdef __cplusplus
}
#endif

#endif
