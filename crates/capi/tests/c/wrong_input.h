/* Generated from the headers and wrong_input.tsv by `cargo xtask generate`. */

#include <acl/acl_base_mdl.h>
#include <acl/acl_base_rt.h>
#include <acl/acl_mdl.h>
#include <acl/acl_op.h>
#include <acl/acl_op_compiler.h>
#include <acl/acl_prof.h>
#include <acl/acl_rt_allocator.h>
#include <acl/acl_rt_memory_soma.h>
#include <acl/acl_tdt.h>
#include <acl/ops/acl_cblas.h>
#include <acl/ops/acl_dvpp.h>
#include <acl/ops/dvpp/picture.h>
#include <acl/ops/dvpp/process.h>
#include <acl/ops/dvpp/video.h>
#include <acl/rt/cache.h>
#include <acl/rt/callback.h>
#include <acl/rt/context.h>
#include <acl/rt/copy.h>
#include <acl/rt/device.h>
#include <acl/rt/device_info.h>
#include <acl/rt/event.h>
#include <acl/rt/graph.h>
#include <acl/rt/host_memory.h>
#include <acl/rt/init.h>
#include <acl/rt/ipc.h>
#include <acl/rt/kernel.h>
#include <acl/rt/memory.h>
#include <acl/rt/notify.h>
#include <acl/rt/resource_limit.h>
#include <acl/rt/stream.h>
#include <acl/rt/virtual_memory.h>
#include <aclnn/acl_meta.h>
#include <aclnn/aclnn_base.h>
#include <driver/ascend_hal.h>
#include <hccl/hccl.h>
#include <mstx/ms_tools_ext.h>
#include <mstx/ms_tools_ext_mem.h>
#include <mstx/ms_tools_ext_tool.h>
#include <millpond/binding.h>
#include <millpond/check.h>
#include <millpond/compile.h>
#include <millpond/millpond.h>
#include <millpond/testing.h>

static long call_aclCreateTensorDesc(const struct variant *v)
{
    aclDataType a0;
    SET(v, a0, 0, 1);
    int a1;
    SET(v, a1, 1, 1);
    int64_t const * a2;
    SET(v, a2, 2, 0);
    aclFormat a3;
    SET(v, a3, 3, 1);
    (void)aclCreateTensorDesc(a0, a1, a2, a3);
    return NO_CODE;
}

static long call_aclDestroyTensorDesc(const struct variant *v)
{
    aclTensorDesc const * a0;
    SET(v, a0, 0, 0);
    (void)aclDestroyTensorDesc(a0);
    return NO_CODE;
}

static long call_aclSetTensorShapeRange(const struct variant *v)
{
    aclTensorDesc * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    void * a2;
    SET(v, a2, 2, 0);
    return (long)aclSetTensorShapeRange(a0, a1, a2);
}

static long call_aclSetTensorValueRange(const struct variant *v)
{
    aclTensorDesc * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    void * a2;
    SET(v, a2, 2, 0);
    return (long)aclSetTensorValueRange(a0, a1, a2);
}

static long call_aclGetTensorDescType(const struct variant *v)
{
    aclTensorDesc const * a0;
    SET(v, a0, 0, 0);
    (void)aclGetTensorDescType(a0);
    return NO_CODE;
}

static long call_aclGetTensorDescFormat(const struct variant *v)
{
    aclTensorDesc const * a0;
    SET(v, a0, 0, 0);
    (void)aclGetTensorDescFormat(a0);
    return NO_CODE;
}

static long call_aclGetTensorDescSize(const struct variant *v)
{
    aclTensorDesc const * a0;
    SET(v, a0, 0, 0);
    (void)aclGetTensorDescSize(a0);
    return NO_CODE;
}

static long call_aclGetTensorDescElementCount(const struct variant *v)
{
    aclTensorDesc const * a0;
    SET(v, a0, 0, 0);
    (void)aclGetTensorDescElementCount(a0);
    return NO_CODE;
}

static long call_aclGetTensorDescNumDims(const struct variant *v)
{
    aclTensorDesc const * a0;
    SET(v, a0, 0, 0);
    (void)aclGetTensorDescNumDims(a0);
    return NO_CODE;
}

static long call_aclGetTensorDescDim(const struct variant *v)
{
    aclTensorDesc const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    (void)aclGetTensorDescDim(a0, a1);
    return NO_CODE;
}

static long call_aclGetTensorDescDimV2(const struct variant *v)
{
    aclTensorDesc const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    int64_t * a2;
    SET(v, a2, 2, 0);
    return (long)aclGetTensorDescDimV2(a0, a1, a2);
}

static long call_aclGetTensorDescDimRange(const struct variant *v)
{
    aclTensorDesc const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    size_t a2;
    SET(v, a2, 2, 1);
    int64_t * a3;
    SET(v, a3, 3, 0);
    return (long)aclGetTensorDescDimRange(a0, a1, a2, a3);
}

static long call_aclSetTensorDescName(const struct variant *v)
{
    aclTensorDesc * a0;
    SET(v, a0, 0, 0);
    char const * a1;
    SET(v, a1, 1, 0);
    (void)aclSetTensorDescName(a0, a1);
    return NO_CODE;
}

static long call_aclGetTensorDescName(const struct variant *v)
{
    aclTensorDesc * a0;
    SET(v, a0, 0, 0);
    (void)aclGetTensorDescName(a0);
    return NO_CODE;
}

static long call_aclTransTensorDescFormat(const struct variant *v)
{
    aclTensorDesc const * a0;
    SET(v, a0, 0, 0);
    aclFormat a1;
    SET(v, a1, 1, 1);
    aclTensorDesc * * a2;
    SET(v, a2, 2, 0);
    return (long)aclTransTensorDescFormat(a0, a1, a2);
}

static long call_aclSetTensorStorageFormat(const struct variant *v)
{
    aclTensorDesc * a0;
    SET(v, a0, 0, 0);
    aclFormat a1;
    SET(v, a1, 1, 1);
    return (long)aclSetTensorStorageFormat(a0, a1);
}

static long call_aclSetTensorStorageShape(const struct variant *v)
{
    aclTensorDesc * a0;
    SET(v, a0, 0, 0);
    int a1;
    SET(v, a1, 1, 1);
    int64_t const * a2;
    SET(v, a2, 2, 0);
    return (long)aclSetTensorStorageShape(a0, a1, a2);
}

static long call_aclSetTensorFormat(const struct variant *v)
{
    aclTensorDesc * a0;
    SET(v, a0, 0, 0);
    aclFormat a1;
    SET(v, a1, 1, 1);
    return (long)aclSetTensorFormat(a0, a1);
}

static long call_aclSetTensorShape(const struct variant *v)
{
    aclTensorDesc * a0;
    SET(v, a0, 0, 0);
    int a1;
    SET(v, a1, 1, 1);
    int64_t const * a2;
    SET(v, a2, 2, 0);
    return (long)aclSetTensorShape(a0, a1, a2);
}

static long call_aclSetTensorOriginFormat(const struct variant *v)
{
    aclTensorDesc * a0;
    SET(v, a0, 0, 0);
    aclFormat a1;
    SET(v, a1, 1, 1);
    return (long)aclSetTensorOriginFormat(a0, a1);
}

static long call_aclSetTensorOriginShape(const struct variant *v)
{
    aclTensorDesc * a0;
    SET(v, a0, 0, 0);
    int a1;
    SET(v, a1, 1, 1);
    int64_t const * a2;
    SET(v, a2, 2, 0);
    return (long)aclSetTensorOriginShape(a0, a1, a2);
}

static long call_aclGetTensorDescByIndex(const struct variant *v)
{
    aclTensorDesc * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    (void)aclGetTensorDescByIndex(a0, a1);
    return NO_CODE;
}

static long call_aclGetTensorDescAddress(const struct variant *v)
{
    aclTensorDesc const * a0;
    SET(v, a0, 0, 0);
    (void)aclGetTensorDescAddress(a0);
    return NO_CODE;
}

static long call_aclSetTensorDynamicInput(const struct variant *v)
{
    aclTensorDesc * a0;
    SET(v, a0, 0, 0);
    char const * a1;
    SET(v, a1, 1, 0);
    return (long)aclSetTensorDynamicInput(a0, a1);
}

static long call_aclSetTensorConst(const struct variant *v)
{
    aclTensorDesc * a0;
    SET(v, a0, 0, 0);
    void * a1;
    SET(v, a1, 1, 0);
    size_t a2;
    SET(v, a2, 2, 1);
    return (long)aclSetTensorConst(a0, a1, a2);
}

static long call_aclSetTensorPlaceMent(const struct variant *v)
{
    aclTensorDesc * a0;
    SET(v, a0, 0, 0);
    aclMemType a1;
    SET(v, a1, 1, 1);
    return (long)aclSetTensorPlaceMent(a0, a1);
}

static long call_aclFloat16ToFloat(const struct variant *v)
{
    aclFloat16 a0;
    SET(v, a0, 0, 1);
    (void)aclFloat16ToFloat(a0);
    return NO_CODE;
}

static long call_aclFloatToFloat16(const struct variant *v)
{
    float a0;
    SET(v, a0, 0, 1);
    (void)aclFloatToFloat16(a0);
    return NO_CODE;
}

static long call_aclCreateDataBuffer(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    (void)aclCreateDataBuffer(a0, a1);
    return NO_CODE;
}

static long call_aclDestroyDataBuffer(const struct variant *v)
{
    aclDataBuffer const * a0;
    SET(v, a0, 0, 0);
    return (long)aclDestroyDataBuffer(a0);
}

static long call_aclUpdateDataBuffer(const struct variant *v)
{
    aclDataBuffer * a0;
    SET(v, a0, 0, 0);
    void * a1;
    SET(v, a1, 1, 0);
    size_t a2;
    SET(v, a2, 2, 1);
    return (long)aclUpdateDataBuffer(a0, a1, a2);
}

static long call_aclGetDataBufferAddr(const struct variant *v)
{
    aclDataBuffer const * a0;
    SET(v, a0, 0, 0);
    (void)aclGetDataBufferAddr(a0);
    return NO_CODE;
}

static long call_aclGetDataBufferSize(const struct variant *v)
{
    aclDataBuffer const * a0;
    SET(v, a0, 0, 0);
    (void)aclGetDataBufferSize(a0);
    return NO_CODE;
}

static long call_aclGetDataBufferSizeV2(const struct variant *v)
{
    aclDataBuffer const * a0;
    SET(v, a0, 0, 0);
    (void)aclGetDataBufferSizeV2(a0);
    return NO_CODE;
}

static long call_aclDataTypeSize(const struct variant *v)
{
    aclDataType a0;
    SET(v, a0, 0, 1);
    (void)aclDataTypeSize(a0);
    return NO_CODE;
}

static long call_aclrtGetSocName(const struct variant *v)
{
    (void)v;
    (void)aclrtGetSocName();
    return NO_CODE;
}

static long call_aclGetCannAttributeList(const struct variant *v)
{
    aclCannAttr const * * a0;
    SET(v, a0, 0, 0);
    size_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclGetCannAttributeList(a0, a1);
}

static long call_aclGetCannAttribute(const struct variant *v)
{
    aclCannAttr a0;
    SET(v, a0, 0, 1);
    int32_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclGetCannAttribute(a0, a1);
}

static long call_aclGetDeviceCapability(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    aclDeviceInfo a1;
    SET(v, a1, 1, 1);
    int64_t * a2;
    SET(v, a2, 2, 0);
    return (long)aclGetDeviceCapability(a0, a1, a2);
}

static long call_aclmdlCreateDesc(const struct variant *v)
{
    (void)v;
    (void)aclmdlCreateDesc();
    return NO_CODE;
}

static long call_aclmdlDestroyDesc(const struct variant *v)
{
    aclmdlDesc * a0;
    SET(v, a0, 0, 0);
    return (long)aclmdlDestroyDesc(a0);
}

static long call_aclmdlGetDesc(const struct variant *v)
{
    aclmdlDesc * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    return (long)aclmdlGetDesc(a0, a1);
}

static long call_aclmdlGetDescFromFile(const struct variant *v)
{
    aclmdlDesc * a0;
    SET(v, a0, 0, 0);
    char const * a1;
    SET(v, a1, 1, 0);
    return (long)aclmdlGetDescFromFile(a0, a1);
}

static long call_aclmdlGetDescFromMem(const struct variant *v)
{
    aclmdlDesc * a0;
    SET(v, a0, 0, 0);
    void const * a1;
    SET(v, a1, 1, 0);
    size_t a2;
    SET(v, a2, 2, 1);
    return (long)aclmdlGetDescFromMem(a0, a1, a2);
}

static long call_aclmdlGetNumInputs(const struct variant *v)
{
    aclmdlDesc * a0;
    SET(v, a0, 0, 0);
    (void)aclmdlGetNumInputs(a0);
    return NO_CODE;
}

static long call_aclmdlGetNumOutputs(const struct variant *v)
{
    aclmdlDesc * a0;
    SET(v, a0, 0, 0);
    (void)aclmdlGetNumOutputs(a0);
    return NO_CODE;
}

static long call_aclmdlGetInputSizeByIndex(const struct variant *v)
{
    aclmdlDesc * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    (void)aclmdlGetInputSizeByIndex(a0, a1);
    return NO_CODE;
}

static long call_aclmdlGetOutputSizeByIndex(const struct variant *v)
{
    aclmdlDesc * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    (void)aclmdlGetOutputSizeByIndex(a0, a1);
    return NO_CODE;
}

static long call_aclmdlGetInputDims(const struct variant *v)
{
    aclmdlDesc const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    aclmdlIODims * a2;
    SET(v, a2, 2, 0);
    return (long)aclmdlGetInputDims(a0, a1, a2);
}

static long call_aclmdlGetInputDimsV2(const struct variant *v)
{
    aclmdlDesc const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    aclmdlIODims * a2;
    SET(v, a2, 2, 0);
    return (long)aclmdlGetInputDimsV2(a0, a1, a2);
}

static long call_aclmdlGetInputDimsRange(const struct variant *v)
{
    aclmdlDesc const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    aclmdlIODimsRange * a2;
    SET(v, a2, 2, 0);
    return (long)aclmdlGetInputDimsRange(a0, a1, a2);
}

static long call_aclmdlGetOutputDims(const struct variant *v)
{
    aclmdlDesc const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    aclmdlIODims * a2;
    SET(v, a2, 2, 0);
    return (long)aclmdlGetOutputDims(a0, a1, a2);
}

static long call_aclmdlGetCurOutputDims(const struct variant *v)
{
    aclmdlDesc const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    aclmdlIODims * a2;
    SET(v, a2, 2, 0);
    return (long)aclmdlGetCurOutputDims(a0, a1, a2);
}

static long call_aclmdlGetInputNameByIndex(const struct variant *v)
{
    aclmdlDesc const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    (void)aclmdlGetInputNameByIndex(a0, a1);
    return NO_CODE;
}

static long call_aclmdlGetOutputNameByIndex(const struct variant *v)
{
    aclmdlDesc const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    (void)aclmdlGetOutputNameByIndex(a0, a1);
    return NO_CODE;
}

static long call_aclmdlGetInputIndexByName(const struct variant *v)
{
    aclmdlDesc const * a0;
    SET(v, a0, 0, 0);
    char const * a1;
    SET(v, a1, 1, 0);
    size_t * a2;
    SET(v, a2, 2, 0);
    return (long)aclmdlGetInputIndexByName(a0, a1, a2);
}

static long call_aclmdlGetOutputIndexByName(const struct variant *v)
{
    aclmdlDesc const * a0;
    SET(v, a0, 0, 0);
    char const * a1;
    SET(v, a1, 1, 0);
    size_t * a2;
    SET(v, a2, 2, 0);
    return (long)aclmdlGetOutputIndexByName(a0, a1, a2);
}

static long call_aclmdlGetInputFormat(const struct variant *v)
{
    aclmdlDesc const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    (void)aclmdlGetInputFormat(a0, a1);
    return NO_CODE;
}

static long call_aclmdlGetOutputFormat(const struct variant *v)
{
    aclmdlDesc const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    (void)aclmdlGetOutputFormat(a0, a1);
    return NO_CODE;
}

static long call_aclmdlGetInputDataType(const struct variant *v)
{
    aclmdlDesc const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    (void)aclmdlGetInputDataType(a0, a1);
    return NO_CODE;
}

static long call_aclmdlGetOutputDataType(const struct variant *v)
{
    aclmdlDesc const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    (void)aclmdlGetOutputDataType(a0, a1);
    return NO_CODE;
}

static long call_aclmdlGetTensorRealName(const struct variant *v)
{
    aclmdlDesc const * a0;
    SET(v, a0, 0, 0);
    char const * a1;
    SET(v, a1, 1, 0);
    (void)aclmdlGetTensorRealName(a0, a1);
    return NO_CODE;
}

static long call_aclmdlGetOpAttr(const struct variant *v)
{
    aclmdlDesc * a0;
    SET(v, a0, 0, 0);
    char const * a1;
    SET(v, a1, 1, 0);
    char const * a2;
    SET(v, a2, 2, 0);
    (void)aclmdlGetOpAttr(a0, a1, a2);
    return NO_CODE;
}

static long call_aclmdlCreateDataset(const struct variant *v)
{
    (void)v;
    (void)aclmdlCreateDataset();
    return NO_CODE;
}

static long call_aclmdlDestroyDataset(const struct variant *v)
{
    aclmdlDataset const * a0;
    SET(v, a0, 0, 0);
    return (long)aclmdlDestroyDataset(a0);
}

static long call_aclmdlAddDatasetBuffer(const struct variant *v)
{
    aclmdlDataset * a0;
    SET(v, a0, 0, 0);
    aclDataBuffer * a1;
    SET(v, a1, 1, 0);
    return (long)aclmdlAddDatasetBuffer(a0, a1);
}

static long call_aclmdlGetDatasetNumBuffers(const struct variant *v)
{
    aclmdlDataset const * a0;
    SET(v, a0, 0, 0);
    (void)aclmdlGetDatasetNumBuffers(a0);
    return NO_CODE;
}

static long call_aclmdlGetDatasetBuffer(const struct variant *v)
{
    aclmdlDataset const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    (void)aclmdlGetDatasetBuffer(a0, a1);
    return NO_CODE;
}

static long call_aclmdlSetDatasetTensorDesc(const struct variant *v)
{
    aclmdlDataset * a0;
    SET(v, a0, 0, 0);
    aclTensorDesc * a1;
    SET(v, a1, 1, 0);
    size_t a2;
    SET(v, a2, 2, 1);
    return (long)aclmdlSetDatasetTensorDesc(a0, a1, a2);
}

static long call_aclmdlGetDatasetTensorDesc(const struct variant *v)
{
    aclmdlDataset const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    (void)aclmdlGetDatasetTensorDesc(a0, a1);
    return NO_CODE;
}

static long call_aclmdlQuerySize(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    size_t * a1;
    SET(v, a1, 1, 0);
    size_t * a2;
    SET(v, a2, 2, 0);
    return (long)aclmdlQuerySize(a0, a1, a2);
}

static long call_aclmdlQuerySizeFromMem(const struct variant *v)
{
    void const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    size_t * a2;
    SET(v, a2, 2, 0);
    size_t * a3;
    SET(v, a3, 3, 0);
    return (long)aclmdlQuerySizeFromMem(a0, a1, a2, a3);
}

static long call_aclmdlQueryExeOMDesc(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    aclmdlExeOMDesc * a1;
    SET(v, a1, 1, 0);
    return (long)aclmdlQueryExeOMDesc(a0, a1);
}

static long call_aclmdlLoadFromFile(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    uint32_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclmdlLoadFromFile(a0, a1);
}

static long call_aclmdlLoadFromMem(const struct variant *v)
{
    void const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    uint32_t * a2;
    SET(v, a2, 2, 0);
    return (long)aclmdlLoadFromMem(a0, a1, a2);
}

static long call_aclmdlLoadFromFileWithMem(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    uint32_t * a1;
    SET(v, a1, 1, 0);
    void * a2;
    SET(v, a2, 2, 0);
    size_t a3;
    SET(v, a3, 3, 1);
    void * a4;
    SET(v, a4, 4, 0);
    size_t a5;
    SET(v, a5, 5, 1);
    return (long)aclmdlLoadFromFileWithMem(a0, a1, a2, a3, a4, a5);
}

static long call_aclmdlLoadFromMemWithMem(const struct variant *v)
{
    void const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    uint32_t * a2;
    SET(v, a2, 2, 0);
    void * a3;
    SET(v, a3, 3, 0);
    size_t a4;
    SET(v, a4, 4, 1);
    void * a5;
    SET(v, a5, 5, 0);
    size_t a6;
    SET(v, a6, 6, 1);
    return (long)aclmdlLoadFromMemWithMem(a0, a1, a2, a3, a4, a5, a6);
}

static long call_aclmdlLoadFromFileWithQ(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    uint32_t * a1;
    SET(v, a1, 1, 0);
    uint32_t const * a2;
    SET(v, a2, 2, 0);
    size_t a3;
    SET(v, a3, 3, 1);
    uint32_t const * a4;
    SET(v, a4, 4, 0);
    size_t a5;
    SET(v, a5, 5, 1);
    return (long)aclmdlLoadFromFileWithQ(a0, a1, a2, a3, a4, a5);
}

static long call_aclmdlLoadFromMemWithQ(const struct variant *v)
{
    void const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    uint32_t * a2;
    SET(v, a2, 2, 0);
    uint32_t const * a3;
    SET(v, a3, 3, 0);
    size_t a4;
    SET(v, a4, 4, 1);
    uint32_t const * a5;
    SET(v, a5, 5, 0);
    size_t a6;
    SET(v, a6, 6, 1);
    return (long)aclmdlLoadFromMemWithQ(a0, a1, a2, a3, a4, a5, a6);
}

static long call_aclmdlLoadFromModel(const struct variant *v)
{
    aclmdlModel const * a0;
    SET(v, a0, 0, 0);
    aclmdlConfigHandle const * a1;
    SET(v, a1, 1, 0);
    uint32_t * a2;
    SET(v, a2, 2, 0);
    return (long)aclmdlLoadFromModel(a0, a1, a2);
}

static long call_aclmdlUnload(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    return (long)aclmdlUnload(a0);
}

static long call_aclmdlCreateConfigHandle(const struct variant *v)
{
    (void)v;
    (void)aclmdlCreateConfigHandle();
    return NO_CODE;
}

static long call_aclmdlDestroyConfigHandle(const struct variant *v)
{
    aclmdlConfigHandle * a0;
    SET(v, a0, 0, 0);
    return (long)aclmdlDestroyConfigHandle(a0);
}

static long call_aclmdlSetConfigOpt(const struct variant *v)
{
    aclmdlConfigHandle * a0;
    SET(v, a0, 0, 0);
    aclmdlConfigAttr a1;
    SET(v, a1, 1, 1);
    void const * a2;
    SET(v, a2, 2, 0);
    size_t a3;
    SET(v, a3, 3, 1);
    return (long)aclmdlSetConfigOpt(a0, a1, a2, a3);
}

static long call_aclmdlSetExternalWeightAddress(const struct variant *v)
{
    aclmdlConfigHandle * a0;
    SET(v, a0, 0, 0);
    char const * a1;
    SET(v, a1, 1, 0);
    void * a2;
    SET(v, a2, 2, 0);
    size_t a3;
    SET(v, a3, 3, 1);
    return (long)aclmdlSetExternalWeightAddress(a0, a1, a2, a3);
}

static long call_aclmdlLoadWithConfig(const struct variant *v)
{
    aclmdlConfigHandle const * a0;
    SET(v, a0, 0, 0);
    uint32_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclmdlLoadWithConfig(a0, a1);
}

static long call_aclmdlExecute(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    aclmdlDataset const * a1;
    SET(v, a1, 1, 0);
    aclmdlDataset * a2;
    SET(v, a2, 2, 0);
    return (long)aclmdlExecute(a0, a1, a2);
}

static long call_aclmdlExecuteV2(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    aclmdlDataset const * a1;
    SET(v, a1, 1, 0);
    aclmdlDataset * a2;
    SET(v, a2, 2, 0);
    aclrtStream a3;
    SET(v, a3, 3, 1);
    aclmdlExecConfigHandle const * a4;
    SET(v, a4, 4, 0);
    return (long)aclmdlExecuteV2(a0, a1, a2, a3, a4);
}

static long call_aclmdlExecuteAsync(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    aclmdlDataset const * a1;
    SET(v, a1, 1, 0);
    aclmdlDataset * a2;
    SET(v, a2, 2, 0);
    aclrtStream a3;
    SET(v, a3, 3, 1);
    return (long)aclmdlExecuteAsync(a0, a1, a2, a3);
}

static long call_aclmdlExecuteAsyncV2(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    aclmdlDataset const * a1;
    SET(v, a1, 1, 0);
    aclmdlDataset * a2;
    SET(v, a2, 2, 0);
    aclrtStream a3;
    SET(v, a3, 3, 1);
    aclmdlExecConfigHandle const * a4;
    SET(v, a4, 4, 0);
    return (long)aclmdlExecuteAsyncV2(a0, a1, a2, a3, a4);
}

static long call_aclmdlCreateExecConfigHandle(const struct variant *v)
{
    (void)v;
    (void)aclmdlCreateExecConfigHandle();
    return NO_CODE;
}

static long call_aclmdlDestroyExecConfigHandle(const struct variant *v)
{
    aclmdlExecConfigHandle const * a0;
    SET(v, a0, 0, 0);
    return (long)aclmdlDestroyExecConfigHandle(a0);
}

static long call_aclmdlSetExecConfigOpt(const struct variant *v)
{
    aclmdlExecConfigHandle * a0;
    SET(v, a0, 0, 0);
    aclmdlExecConfigAttr a1;
    SET(v, a1, 1, 1);
    void const * a2;
    SET(v, a2, 2, 0);
    size_t a3;
    SET(v, a3, 3, 1);
    return (long)aclmdlSetExecConfigOpt(a0, a1, a2, a3);
}

static long call_aclmdlSetAttribute(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    aclmdlAttr a1;
    SET(v, a1, 1, 1);
    aclmdlAttrValue_t * a2;
    SET(v, a2, 2, 0);
    return (long)aclmdlSetAttribute(a0, a1, a2);
}

static long call_aclmdlGetAttribute(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    aclmdlAttr a1;
    SET(v, a1, 1, 1);
    aclmdlAttrValue_t * a2;
    SET(v, a2, 2, 0);
    return (long)aclmdlGetAttribute(a0, a1, a2);
}

static long call_aclmdlCreateAndGetOpDesc(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    uint32_t a1;
    SET(v, a1, 1, 1);
    uint32_t a2;
    SET(v, a2, 2, 1);
    char * a3;
    SET(v, a3, 3, 0);
    size_t a4;
    SET(v, a4, 4, 1);
    aclTensorDesc * * a5;
    SET(v, a5, 5, 0);
    size_t * a6;
    SET(v, a6, 6, 0);
    aclTensorDesc * * a7;
    SET(v, a7, 7, 0);
    size_t * a8;
    SET(v, a8, 8, 0);
    return (long)aclmdlCreateAndGetOpDesc(a0, a1, a2, a3, a4, a5, a6, a7, a8);
}

static long call_aclRecoverAllHcclTasks(const struct variant *v)
{
    int32_t a0;
    SET(v, a0, 0, 1);
    return (long)aclRecoverAllHcclTasks(a0);
}

static long call_aclmdlGetDynamicBatch(const struct variant *v)
{
    aclmdlDesc const * a0;
    SET(v, a0, 0, 0);
    aclmdlBatch * a1;
    SET(v, a1, 1, 0);
    return (long)aclmdlGetDynamicBatch(a0, a1);
}

static long call_aclmdlSetDynamicBatchSize(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    aclmdlDataset * a1;
    SET(v, a1, 1, 0);
    size_t a2;
    SET(v, a2, 2, 1);
    uint64_t a3;
    SET(v, a3, 3, 1);
    return (long)aclmdlSetDynamicBatchSize(a0, a1, a2, a3);
}

static long call_aclmdlGetDynamicHW(const struct variant *v)
{
    aclmdlDesc const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    aclmdlHW * a2;
    SET(v, a2, 2, 0);
    return (long)aclmdlGetDynamicHW(a0, a1, a2);
}

static long call_aclmdlSetDynamicHWSize(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    aclmdlDataset * a1;
    SET(v, a1, 1, 0);
    size_t a2;
    SET(v, a2, 2, 1);
    uint64_t a3;
    SET(v, a3, 3, 1);
    uint64_t a4;
    SET(v, a4, 4, 1);
    return (long)aclmdlSetDynamicHWSize(a0, a1, a2, a3, a4);
}

static long call_aclmdlGetInputDynamicGearCount(const struct variant *v)
{
    aclmdlDesc const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    size_t * a2;
    SET(v, a2, 2, 0);
    return (long)aclmdlGetInputDynamicGearCount(a0, a1, a2);
}

static long call_aclmdlGetInputDynamicDims(const struct variant *v)
{
    aclmdlDesc const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    aclmdlIODims * a2;
    SET(v, a2, 2, 0);
    size_t a3;
    SET(v, a3, 3, 1);
    return (long)aclmdlGetInputDynamicDims(a0, a1, a2, a3);
}

static long call_aclmdlSetInputDynamicDims(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    aclmdlDataset * a1;
    SET(v, a1, 1, 0);
    size_t a2;
    SET(v, a2, 2, 1);
    aclmdlIODims const * a3;
    SET(v, a3, 3, 0);
    return (long)aclmdlSetInputDynamicDims(a0, a1, a2, a3);
}

static long call_aclmdlCreateAIPP(const struct variant *v)
{
    uint64_t a0;
    SET(v, a0, 0, 1);
    (void)aclmdlCreateAIPP(a0);
    return NO_CODE;
}

static long call_aclmdlDestroyAIPP(const struct variant *v)
{
    aclmdlAIPP const * a0;
    SET(v, a0, 0, 0);
    return (long)aclmdlDestroyAIPP(a0);
}

static long call_aclmdlGetAippDataSize(const struct variant *v)
{
    uint64_t a0;
    SET(v, a0, 0, 1);
    size_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclmdlGetAippDataSize(a0, a1);
}

static long call_aclmdlSetAIPPInputFormat(const struct variant *v)
{
    aclmdlAIPP * a0;
    SET(v, a0, 0, 0);
    aclAippInputFormat a1;
    SET(v, a1, 1, 1);
    return (long)aclmdlSetAIPPInputFormat(a0, a1);
}

static long call_aclmdlSetAIPPCscParams(const struct variant *v)
{
    aclmdlAIPP * a0;
    SET(v, a0, 0, 0);
    int8_t a1;
    SET(v, a1, 1, 1);
    int16_t a2;
    SET(v, a2, 2, 1);
    int16_t a3;
    SET(v, a3, 3, 1);
    int16_t a4;
    SET(v, a4, 4, 1);
    int16_t a5;
    SET(v, a5, 5, 1);
    int16_t a6;
    SET(v, a6, 6, 1);
    int16_t a7;
    SET(v, a7, 7, 1);
    int16_t a8;
    SET(v, a8, 8, 1);
    int16_t a9;
    SET(v, a9, 9, 1);
    int16_t a10;
    SET(v, a10, 10, 1);
    uint8_t a11;
    SET(v, a11, 11, 1);
    uint8_t a12;
    SET(v, a12, 12, 1);
    uint8_t a13;
    SET(v, a13, 13, 1);
    uint8_t a14;
    SET(v, a14, 14, 1);
    uint8_t a15;
    SET(v, a15, 15, 1);
    uint8_t a16;
    SET(v, a16, 16, 1);
    return (long)aclmdlSetAIPPCscParams(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16);
}

static long call_aclmdlSetAIPPRbuvSwapSwitch(const struct variant *v)
{
    aclmdlAIPP * a0;
    SET(v, a0, 0, 0);
    int8_t a1;
    SET(v, a1, 1, 1);
    return (long)aclmdlSetAIPPRbuvSwapSwitch(a0, a1);
}

static long call_aclmdlSetAIPPAxSwapSwitch(const struct variant *v)
{
    aclmdlAIPP * a0;
    SET(v, a0, 0, 0);
    int8_t a1;
    SET(v, a1, 1, 1);
    return (long)aclmdlSetAIPPAxSwapSwitch(a0, a1);
}

static long call_aclmdlSetAIPPSrcImageSize(const struct variant *v)
{
    aclmdlAIPP * a0;
    SET(v, a0, 0, 0);
    int32_t a1;
    SET(v, a1, 1, 1);
    int32_t a2;
    SET(v, a2, 2, 1);
    return (long)aclmdlSetAIPPSrcImageSize(a0, a1, a2);
}

static long call_aclmdlSetAIPPScfParams(const struct variant *v)
{
    aclmdlAIPP * a0;
    SET(v, a0, 0, 0);
    int8_t a1;
    SET(v, a1, 1, 1);
    int32_t a2;
    SET(v, a2, 2, 1);
    int32_t a3;
    SET(v, a3, 3, 1);
    int32_t a4;
    SET(v, a4, 4, 1);
    int32_t a5;
    SET(v, a5, 5, 1);
    uint64_t a6;
    SET(v, a6, 6, 1);
    return (long)aclmdlSetAIPPScfParams(a0, a1, a2, a3, a4, a5, a6);
}

static long call_aclmdlSetAIPPCropParams(const struct variant *v)
{
    aclmdlAIPP * a0;
    SET(v, a0, 0, 0);
    int8_t a1;
    SET(v, a1, 1, 1);
    int32_t a2;
    SET(v, a2, 2, 1);
    int32_t a3;
    SET(v, a3, 3, 1);
    int32_t a4;
    SET(v, a4, 4, 1);
    int32_t a5;
    SET(v, a5, 5, 1);
    uint64_t a6;
    SET(v, a6, 6, 1);
    return (long)aclmdlSetAIPPCropParams(a0, a1, a2, a3, a4, a5, a6);
}

static long call_aclmdlSetAIPPPaddingParams(const struct variant *v)
{
    aclmdlAIPP * a0;
    SET(v, a0, 0, 0);
    int8_t a1;
    SET(v, a1, 1, 1);
    int32_t a2;
    SET(v, a2, 2, 1);
    int32_t a3;
    SET(v, a3, 3, 1);
    int32_t a4;
    SET(v, a4, 4, 1);
    int32_t a5;
    SET(v, a5, 5, 1);
    uint64_t a6;
    SET(v, a6, 6, 1);
    return (long)aclmdlSetAIPPPaddingParams(a0, a1, a2, a3, a4, a5, a6);
}

static long call_aclmdlSetAIPPDtcPixelMean(const struct variant *v)
{
    aclmdlAIPP * a0;
    SET(v, a0, 0, 0);
    int16_t a1;
    SET(v, a1, 1, 1);
    int16_t a2;
    SET(v, a2, 2, 1);
    int16_t a3;
    SET(v, a3, 3, 1);
    int16_t a4;
    SET(v, a4, 4, 1);
    uint64_t a5;
    SET(v, a5, 5, 1);
    return (long)aclmdlSetAIPPDtcPixelMean(a0, a1, a2, a3, a4, a5);
}

static long call_aclmdlSetAIPPDtcPixelMin(const struct variant *v)
{
    aclmdlAIPP * a0;
    SET(v, a0, 0, 0);
    float a1;
    SET(v, a1, 1, 1);
    float a2;
    SET(v, a2, 2, 1);
    float a3;
    SET(v, a3, 3, 1);
    float a4;
    SET(v, a4, 4, 1);
    uint64_t a5;
    SET(v, a5, 5, 1);
    return (long)aclmdlSetAIPPDtcPixelMin(a0, a1, a2, a3, a4, a5);
}

static long call_aclmdlSetAIPPPixelVarReci(const struct variant *v)
{
    aclmdlAIPP * a0;
    SET(v, a0, 0, 0);
    float a1;
    SET(v, a1, 1, 1);
    float a2;
    SET(v, a2, 2, 1);
    float a3;
    SET(v, a3, 3, 1);
    float a4;
    SET(v, a4, 4, 1);
    uint64_t a5;
    SET(v, a5, 5, 1);
    return (long)aclmdlSetAIPPPixelVarReci(a0, a1, a2, a3, a4, a5);
}

static long call_aclmdlSetInputAIPP(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    aclmdlDataset * a1;
    SET(v, a1, 1, 0);
    size_t a2;
    SET(v, a2, 2, 1);
    aclmdlAIPP const * a3;
    SET(v, a3, 3, 0);
    return (long)aclmdlSetInputAIPP(a0, a1, a2, a3);
}

static long call_aclmdlSetAIPPByInputIndex(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    aclmdlDataset * a1;
    SET(v, a1, 1, 0);
    size_t a2;
    SET(v, a2, 2, 1);
    aclmdlAIPP const * a3;
    SET(v, a3, 3, 0);
    return (long)aclmdlSetAIPPByInputIndex(a0, a1, a2, a3);
}

static long call_aclmdlGetAippType(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    size_t a1;
    SET(v, a1, 1, 1);
    aclmdlInputAippType * a2;
    SET(v, a2, 2, 0);
    size_t * a3;
    SET(v, a3, 3, 0);
    return (long)aclmdlGetAippType(a0, a1, a2, a3);
}

static long call_aclmdlGetFirstAippInfo(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    size_t a1;
    SET(v, a1, 1, 1);
    aclAippInfo * a2;
    SET(v, a2, 2, 0);
    return (long)aclmdlGetFirstAippInfo(a0, a1, a2);
}

static long call_aclmdlBundleLoadFromFile(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    uint32_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclmdlBundleLoadFromFile(a0, a1);
}

static long call_aclmdlBundleLoadFromMem(const struct variant *v)
{
    void const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    uint32_t * a2;
    SET(v, a2, 2, 0);
    return (long)aclmdlBundleLoadFromMem(a0, a1, a2);
}

static long call_aclmdlBundleUnload(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    return (long)aclmdlBundleUnload(a0);
}

static long call_aclmdlBundleGetModelNum(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    size_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclmdlBundleGetModelNum(a0, a1);
}

static long call_aclmdlBundleGetModelId(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    size_t a1;
    SET(v, a1, 1, 1);
    uint32_t * a2;
    SET(v, a2, 2, 0);
    return (long)aclmdlBundleGetModelId(a0, a1, a2);
}

static long call_aclmdlBundleCreateQueryInfo(const struct variant *v)
{
    (void)v;
    (void)aclmdlBundleCreateQueryInfo();
    return NO_CODE;
}

static long call_aclmdlBundleDestroyQueryInfo(const struct variant *v)
{
    aclmdlBundleQueryInfo * a0;
    SET(v, a0, 0, 0);
    return (long)aclmdlBundleDestroyQueryInfo(a0);
}

static long call_aclmdlBundleQueryInfoFromFile(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    aclmdlBundleQueryInfo * a1;
    SET(v, a1, 1, 0);
    return (long)aclmdlBundleQueryInfoFromFile(a0, a1);
}

static long call_aclmdlBundleQueryInfoFromMem(const struct variant *v)
{
    void const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    aclmdlBundleQueryInfo * a2;
    SET(v, a2, 2, 0);
    return (long)aclmdlBundleQueryInfoFromMem(a0, a1, a2);
}

static long call_aclmdlBundleGetQueryModelNum(const struct variant *v)
{
    aclmdlBundleQueryInfo const * a0;
    SET(v, a0, 0, 0);
    size_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclmdlBundleGetQueryModelNum(a0, a1);
}

static long call_aclmdlBundleGetVarWeightSize(const struct variant *v)
{
    aclmdlBundleQueryInfo const * a0;
    SET(v, a0, 0, 0);
    size_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclmdlBundleGetVarWeightSize(a0, a1);
}

static long call_aclmdlBundleGetSize(const struct variant *v)
{
    aclmdlBundleQueryInfo const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    size_t * a2;
    SET(v, a2, 2, 0);
    size_t * a3;
    SET(v, a3, 3, 0);
    return (long)aclmdlBundleGetSize(a0, a1, a2, a3);
}

static long call_aclmdlBundleInitFromFile(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    void * a1;
    SET(v, a1, 1, 0);
    size_t a2;
    SET(v, a2, 2, 1);
    uint32_t * a3;
    SET(v, a3, 3, 0);
    return (long)aclmdlBundleInitFromFile(a0, a1, a2, a3);
}

static long call_aclmdlBundleInitFromMem(const struct variant *v)
{
    void const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    void * a2;
    SET(v, a2, 2, 0);
    size_t a3;
    SET(v, a3, 3, 1);
    uint32_t * a4;
    SET(v, a4, 4, 0);
    return (long)aclmdlBundleInitFromMem(a0, a1, a2, a3, a4);
}

static long call_aclmdlBundleLoadModel(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    size_t a1;
    SET(v, a1, 1, 1);
    uint32_t * a2;
    SET(v, a2, 2, 0);
    return (long)aclmdlBundleLoadModel(a0, a1, a2);
}

static long call_aclmdlBundleLoadModelWithMem(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    size_t a1;
    SET(v, a1, 1, 1);
    void * a2;
    SET(v, a2, 2, 0);
    size_t a3;
    SET(v, a3, 3, 1);
    void * a4;
    SET(v, a4, 4, 0);
    size_t a5;
    SET(v, a5, 5, 1);
    uint32_t * a6;
    SET(v, a6, 6, 0);
    return (long)aclmdlBundleLoadModelWithMem(a0, a1, a2, a3, a4, a5, a6);
}

static long call_aclmdlBundleLoadModelWithConfig(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    size_t a1;
    SET(v, a1, 1, 1);
    aclmdlConfigHandle * a2;
    SET(v, a2, 2, 0);
    uint32_t * a3;
    SET(v, a3, 3, 0);
    return (long)aclmdlBundleLoadModelWithConfig(a0, a1, a2, a3);
}

static long call_aclmdlBundleUnloadModel(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    uint32_t a1;
    SET(v, a1, 1, 1);
    return (long)aclmdlBundleUnloadModel(a0, a1);
}

static long call_aclopSetModelDir(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    return (long)aclopSetModelDir(a0);
}

static long call_aclopLoad(const struct variant *v)
{
    void const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    return (long)aclopLoad(a0, a1);
}

static long call_aclopSetMaxOpQueueNum(const struct variant *v)
{
    uint64_t a0;
    SET(v, a0, 0, 1);
    return (long)aclopSetMaxOpQueueNum(a0);
}

static long call_aclopCreateAttr(const struct variant *v)
{
    (void)v;
    (void)aclopCreateAttr();
    return NO_CODE;
}

static long call_aclopDestroyAttr(const struct variant *v)
{
    aclopAttr const * a0;
    SET(v, a0, 0, 0);
    (void)aclopDestroyAttr(a0);
    return NO_CODE;
}

static long call_aclopSetAttrBool(const struct variant *v)
{
    aclopAttr * a0;
    SET(v, a0, 0, 0);
    char const * a1;
    SET(v, a1, 1, 0);
    uint8_t a2;
    SET(v, a2, 2, 1);
    return (long)aclopSetAttrBool(a0, a1, a2);
}

static long call_aclopSetAttrInt(const struct variant *v)
{
    aclopAttr * a0;
    SET(v, a0, 0, 0);
    char const * a1;
    SET(v, a1, 1, 0);
    int64_t a2;
    SET(v, a2, 2, 1);
    return (long)aclopSetAttrInt(a0, a1, a2);
}

static long call_aclopSetAttrFloat(const struct variant *v)
{
    aclopAttr * a0;
    SET(v, a0, 0, 0);
    char const * a1;
    SET(v, a1, 1, 0);
    float a2;
    SET(v, a2, 2, 1);
    return (long)aclopSetAttrFloat(a0, a1, a2);
}

static long call_aclopSetAttrString(const struct variant *v)
{
    aclopAttr * a0;
    SET(v, a0, 0, 0);
    char const * a1;
    SET(v, a1, 1, 0);
    char const * a2;
    SET(v, a2, 2, 0);
    return (long)aclopSetAttrString(a0, a1, a2);
}

static long call_aclopSetAttrDataType(const struct variant *v)
{
    aclopAttr * a0;
    SET(v, a0, 0, 0);
    char const * a1;
    SET(v, a1, 1, 0);
    aclDataType a2;
    SET(v, a2, 2, 1);
    return (long)aclopSetAttrDataType(a0, a1, a2);
}

static long call_aclopSetAttrListDataType(const struct variant *v)
{
    aclopAttr * a0;
    SET(v, a0, 0, 0);
    char const * a1;
    SET(v, a1, 1, 0);
    int a2;
    SET(v, a2, 2, 1);
    aclDataType const * a3;
    SET(v, a3, 3, 0);
    return (long)aclopSetAttrListDataType(a0, a1, a2, a3);
}

static long call_aclopSetAttrListBool(const struct variant *v)
{
    aclopAttr * a0;
    SET(v, a0, 0, 0);
    char const * a1;
    SET(v, a1, 1, 0);
    int a2;
    SET(v, a2, 2, 1);
    uint8_t const * a3;
    SET(v, a3, 3, 0);
    return (long)aclopSetAttrListBool(a0, a1, a2, a3);
}

static long call_aclopSetAttrListInt(const struct variant *v)
{
    aclopAttr * a0;
    SET(v, a0, 0, 0);
    char const * a1;
    SET(v, a1, 1, 0);
    int a2;
    SET(v, a2, 2, 1);
    int64_t const * a3;
    SET(v, a3, 3, 0);
    return (long)aclopSetAttrListInt(a0, a1, a2, a3);
}

static long call_aclopSetAttrListFloat(const struct variant *v)
{
    aclopAttr * a0;
    SET(v, a0, 0, 0);
    char const * a1;
    SET(v, a1, 1, 0);
    int a2;
    SET(v, a2, 2, 1);
    float const * a3;
    SET(v, a3, 3, 0);
    return (long)aclopSetAttrListFloat(a0, a1, a2, a3);
}

static long call_aclopSetAttrListString(const struct variant *v)
{
    aclopAttr * a0;
    SET(v, a0, 0, 0);
    char const * a1;
    SET(v, a1, 1, 0);
    int a2;
    SET(v, a2, 2, 1);
    char const * * a3;
    SET(v, a3, 3, 0);
    return (long)aclopSetAttrListString(a0, a1, a2, a3);
}

static long call_aclopSetAttrListListInt(const struct variant *v)
{
    aclopAttr * a0;
    SET(v, a0, 0, 0);
    char const * a1;
    SET(v, a1, 1, 0);
    int a2;
    SET(v, a2, 2, 1);
    int const * a3;
    SET(v, a3, 3, 0);
    int64_t const * const * a4;
    SET(v, a4, 4, 0);
    return (long)aclopSetAttrListListInt(a0, a1, a2, a3, a4);
}

static long call_aclopExecute(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    int a1;
    SET(v, a1, 1, 1);
    aclTensorDesc const * const * a2;
    SET(v, a2, 2, 0);
    aclDataBuffer const * const * a3;
    SET(v, a3, 3, 0);
    int a4;
    SET(v, a4, 4, 1);
    aclTensorDesc const * const * a5;
    SET(v, a5, 5, 0);
    aclDataBuffer * const * a6;
    SET(v, a6, 6, 0);
    aclopAttr const * a7;
    SET(v, a7, 7, 0);
    aclrtStream a8;
    SET(v, a8, 8, 1);
    return (long)aclopExecute(a0, a1, a2, a3, a4, a5, a6, a7, a8);
}

static long call_aclopExecuteV2(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    int a1;
    SET(v, a1, 1, 1);
    aclTensorDesc * * a2;
    SET(v, a2, 2, 0);
    aclDataBuffer * * a3;
    SET(v, a3, 3, 0);
    int a4;
    SET(v, a4, 4, 1);
    aclTensorDesc * * a5;
    SET(v, a5, 5, 0);
    aclDataBuffer * * a6;
    SET(v, a6, 6, 0);
    aclopAttr * a7;
    SET(v, a7, 7, 0);
    aclrtStream a8;
    SET(v, a8, 8, 1);
    return (long)aclopExecuteV2(a0, a1, a2, a3, a4, a5, a6, a7, a8);
}

static long call_aclopInferShape(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    int a1;
    SET(v, a1, 1, 1);
    aclTensorDesc * * a2;
    SET(v, a2, 2, 0);
    aclDataBuffer * * a3;
    SET(v, a3, 3, 0);
    int a4;
    SET(v, a4, 4, 1);
    aclTensorDesc * * a5;
    SET(v, a5, 5, 0);
    aclopAttr * a6;
    SET(v, a6, 6, 0);
    return (long)aclopInferShape(a0, a1, a2, a3, a4, a5, a6);
}

static long call_aclopCreateHandle(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    int a1;
    SET(v, a1, 1, 1);
    aclTensorDesc const * const * a2;
    SET(v, a2, 2, 0);
    int a3;
    SET(v, a3, 3, 1);
    aclTensorDesc const * const * a4;
    SET(v, a4, 4, 0);
    aclopAttr const * a5;
    SET(v, a5, 5, 0);
    aclopHandle * * a6;
    SET(v, a6, 6, 0);
    return (long)aclopCreateHandle(a0, a1, a2, a3, a4, a5, a6);
}

static long call_aclopDestroyHandle(const struct variant *v)
{
    aclopHandle * a0;
    SET(v, a0, 0, 0);
    (void)aclopDestroyHandle(a0);
    return NO_CODE;
}

static long call_aclopExecWithHandle(const struct variant *v)
{
    aclopHandle * a0;
    SET(v, a0, 0, 0);
    int a1;
    SET(v, a1, 1, 1);
    aclDataBuffer const * const * a2;
    SET(v, a2, 2, 0);
    int a3;
    SET(v, a3, 3, 1);
    aclDataBuffer * const * a4;
    SET(v, a4, 4, 0);
    aclrtStream a5;
    SET(v, a5, 5, 1);
    return (long)aclopExecWithHandle(a0, a1, a2, a3, a4, a5);
}

static long call_aclopCast(const struct variant *v)
{
    aclTensorDesc const * a0;
    SET(v, a0, 0, 0);
    aclDataBuffer const * a1;
    SET(v, a1, 1, 0);
    aclTensorDesc const * a2;
    SET(v, a2, 2, 0);
    aclDataBuffer * a3;
    SET(v, a3, 3, 0);
    uint8_t a4;
    SET(v, a4, 4, 1);
    aclrtStream a5;
    SET(v, a5, 5, 1);
    return (long)aclopCast(a0, a1, a2, a3, a4, a5);
}

static long call_aclopCreateHandleForCast(const struct variant *v)
{
    aclTensorDesc * a0;
    SET(v, a0, 0, 0);
    aclTensorDesc * a1;
    SET(v, a1, 1, 0);
    uint8_t a2;
    SET(v, a2, 2, 1);
    aclopHandle * * a3;
    SET(v, a3, 3, 0);
    return (long)aclopCreateHandleForCast(a0, a1, a2, a3);
}

static long call_aclopCreateKernel(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    char const * a1;
    SET(v, a1, 1, 0);
    char const * a2;
    SET(v, a2, 2, 0);
    void * a3;
    SET(v, a3, 3, 0);
    int a4;
    SET(v, a4, 4, 1);
    aclopEngineType a5;
    SET(v, a5, 5, 1);
    aclDataDeallocator a6;
    SET(v, a6, 6, 1);
    return (long)aclopCreateKernel(a0, a1, a2, a3, a4, a5, a6);
}

static long call_aclopRegisterCompileFunc(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    aclopCompileFunc a1;
    SET(v, a1, 1, 2);
    return (long)aclopRegisterCompileFunc(a0, a1);
}

static long call_aclopUnregisterCompileFunc(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    return (long)aclopUnregisterCompileFunc(a0);
}

static long call_aclopSetKernelArgs(const struct variant *v)
{
    aclopKernelDesc * a0;
    SET(v, a0, 0, 0);
    char const * a1;
    SET(v, a1, 1, 0);
    uint32_t a2;
    SET(v, a2, 2, 1);
    void const * a3;
    SET(v, a3, 3, 0);
    uint32_t a4;
    SET(v, a4, 4, 1);
    return (long)aclopSetKernelArgs(a0, a1, a2, a3, a4);
}

static long call_aclopSetKernelWorkspaceSizes(const struct variant *v)
{
    aclopKernelDesc * a0;
    SET(v, a0, 0, 0);
    int a1;
    SET(v, a1, 1, 1);
    size_t * a2;
    SET(v, a2, 2, 0);
    return (long)aclopSetKernelWorkspaceSizes(a0, a1, a2);
}

static long call_aclopUpdateParams(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    int a1;
    SET(v, a1, 1, 1);
    aclTensorDesc const * const * a2;
    SET(v, a2, 2, 0);
    int a3;
    SET(v, a3, 3, 1);
    aclTensorDesc const * const * a4;
    SET(v, a4, 4, 0);
    aclopAttr const * a5;
    SET(v, a5, 5, 0);
    return (long)aclopUpdateParams(a0, a1, a2, a3, a4, a5);
}

static long call_aclopCompile(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    int a1;
    SET(v, a1, 1, 1);
    aclTensorDesc const * const * a2;
    SET(v, a2, 2, 0);
    int a3;
    SET(v, a3, 3, 1);
    aclTensorDesc const * const * a4;
    SET(v, a4, 4, 0);
    aclopAttr const * a5;
    SET(v, a5, 5, 0);
    aclopEngineType a6;
    SET(v, a6, 6, 1);
    aclopCompileType a7;
    SET(v, a7, 7, 1);
    char const * a8;
    SET(v, a8, 8, 0);
    return (long)aclopCompile(a0, a1, a2, a3, a4, a5, a6, a7, a8);
}

static long call_aclopCompileAndExecute(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    int a1;
    SET(v, a1, 1, 1);
    aclTensorDesc const * const * a2;
    SET(v, a2, 2, 0);
    aclDataBuffer const * const * a3;
    SET(v, a3, 3, 0);
    int a4;
    SET(v, a4, 4, 1);
    aclTensorDesc const * const * a5;
    SET(v, a5, 5, 0);
    aclDataBuffer * const * a6;
    SET(v, a6, 6, 0);
    aclopAttr const * a7;
    SET(v, a7, 7, 0);
    aclopEngineType a8;
    SET(v, a8, 8, 1);
    aclopCompileType a9;
    SET(v, a9, 9, 1);
    char const * a10;
    SET(v, a10, 10, 0);
    aclrtStream a11;
    SET(v, a11, 11, 1);
    return (long)aclopCompileAndExecute(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11);
}

static long call_aclopCompileAndExecuteV2(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    int a1;
    SET(v, a1, 1, 1);
    aclTensorDesc * * a2;
    SET(v, a2, 2, 0);
    aclDataBuffer * * a3;
    SET(v, a3, 3, 0);
    int a4;
    SET(v, a4, 4, 1);
    aclTensorDesc * * a5;
    SET(v, a5, 5, 0);
    aclDataBuffer * * a6;
    SET(v, a6, 6, 0);
    aclopAttr * a7;
    SET(v, a7, 7, 0);
    aclopEngineType a8;
    SET(v, a8, 8, 1);
    aclopCompileType a9;
    SET(v, a9, 9, 1);
    char const * a10;
    SET(v, a10, 10, 0);
    aclrtStream a11;
    SET(v, a11, 11, 1);
    return (long)aclopCompileAndExecuteV2(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11);
}

static long call_aclSetCompileopt(const struct variant *v)
{
    aclCompileOpt a0;
    SET(v, a0, 0, 1);
    char const * a1;
    SET(v, a1, 1, 0);
    return (long)aclSetCompileopt(a0, a1);
}

static long call_aclGetCompileoptSize(const struct variant *v)
{
    aclCompileOpt a0;
    SET(v, a0, 0, 1);
    (void)aclGetCompileoptSize(a0);
    return NO_CODE;
}

static long call_aclGetCompileopt(const struct variant *v)
{
    aclCompileOpt a0;
    SET(v, a0, 0, 1);
    char * a1;
    SET(v, a1, 1, 0);
    size_t a2;
    SET(v, a2, 2, 1);
    return (long)aclGetCompileopt(a0, a1, a2);
}

static long call_aclopSetCompileFlag(const struct variant *v)
{
    aclOpCompileFlag a0;
    SET(v, a0, 0, 1);
    return (long)aclopSetCompileFlag(a0);
}

static long call_aclGenGraphAndDumpForOp(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    int a1;
    SET(v, a1, 1, 1);
    aclTensorDesc const * const * a2;
    SET(v, a2, 2, 0);
    aclDataBuffer const * const * a3;
    SET(v, a3, 3, 0);
    int a4;
    SET(v, a4, 4, 1);
    aclTensorDesc const * const * a5;
    SET(v, a5, 5, 0);
    aclDataBuffer * const * a6;
    SET(v, a6, 6, 0);
    aclopAttr const * a7;
    SET(v, a7, 7, 0);
    aclopEngineType a8;
    SET(v, a8, 8, 1);
    char const * a9;
    SET(v, a9, 9, 0);
    aclGraphDumpOption const * a10;
    SET(v, a10, 10, 0);
    return (long)aclGenGraphAndDumpForOp(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10);
}

static long call_aclCreateGraphDumpOpt(const struct variant *v)
{
    (void)v;
    (void)aclCreateGraphDumpOpt();
    return NO_CODE;
}

static long call_aclDestroyGraphDumpOpt(const struct variant *v)
{
    aclGraphDumpOption const * a0;
    SET(v, a0, 0, 0);
    return (long)aclDestroyGraphDumpOpt(a0);
}

static long call_aclprofInit(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    return (long)aclprofInit(a0, a1);
}

static long call_aclprofFinalize(const struct variant *v)
{
    (void)v;
    return (long)aclprofFinalize();
}

static long call_aclprofCreateConfig(const struct variant *v)
{
    uint32_t * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    aclprofAicoreMetrics a2;
    SET(v, a2, 2, 1);
    aclprofAicoreEvents const * a3;
    SET(v, a3, 3, 0);
    uint64_t a4;
    SET(v, a4, 4, 1);
    (void)aclprofCreateConfig(a0, a1, a2, a3, a4);
    return NO_CODE;
}

static long call_aclprofDestroyConfig(const struct variant *v)
{
    aclprofConfig const * a0;
    SET(v, a0, 0, 0);
    return (long)aclprofDestroyConfig(a0);
}

static long call_aclprofSetConfig(const struct variant *v)
{
    aclprofConfigType a0;
    SET(v, a0, 0, 1);
    char const * a1;
    SET(v, a1, 1, 0);
    size_t a2;
    SET(v, a2, 2, 1);
    return (long)aclprofSetConfig(a0, a1, a2);
}

static long call_aclprofWarmup(const struct variant *v)
{
    aclprofConfig const * a0;
    SET(v, a0, 0, 0);
    return (long)aclprofWarmup(a0);
}

static long call_aclprofStart(const struct variant *v)
{
    aclprofConfig const * a0;
    SET(v, a0, 0, 0);
    return (long)aclprofStart(a0);
}

static long call_aclprofStop(const struct variant *v)
{
    aclprofConfig const * a0;
    SET(v, a0, 0, 0);
    return (long)aclprofStop(a0);
}

static long call_aclprofCreateStepInfo(const struct variant *v)
{
    (void)v;
    (void)aclprofCreateStepInfo();
    return NO_CODE;
}

static long call_aclprofDestroyStepInfo(const struct variant *v)
{
    aclprofStepInfo * a0;
    SET(v, a0, 0, 0);
    (void)aclprofDestroyStepInfo(a0);
    return NO_CODE;
}

static long call_aclprofGetStepTimestamp(const struct variant *v)
{
    aclprofStepInfo * a0;
    SET(v, a0, 0, 0);
    aclprofStepTag a1;
    SET(v, a1, 1, 1);
    aclrtStream a2;
    SET(v, a2, 2, 1);
    return (long)aclprofGetStepTimestamp(a0, a1, a2);
}

static long call_aclprofCreateStamp(const struct variant *v)
{
    (void)v;
    (void)aclprofCreateStamp();
    return NO_CODE;
}

static long call_aclprofDestroyStamp(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    (void)aclprofDestroyStamp(a0);
    return NO_CODE;
}

static long call_aclprofSetStampTraceMessage(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    char const * a1;
    SET(v, a1, 1, 0);
    uint32_t a2;
    SET(v, a2, 2, 1);
    return (long)aclprofSetStampTraceMessage(a0, a1, a2);
}

static long call_aclprofMark(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    return (long)aclprofMark(a0);
}

static long call_aclprofPush(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    return (long)aclprofPush(a0);
}

static long call_aclprofPop(const struct variant *v)
{
    (void)v;
    return (long)aclprofPop();
}

static long call_aclprofRangeStart(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    uint32_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclprofRangeStart(a0, a1);
}

static long call_aclprofRangeStop(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    return (long)aclprofRangeStop(a0);
}

static long call_aclprofMarkEx(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    aclrtStream a2;
    SET(v, a2, 2, 1);
    return (long)aclprofMarkEx(a0, a1, a2);
}

static long call_aclprofCreateSubscribeConfig(const struct variant *v)
{
    int8_t a0;
    SET(v, a0, 0, 1);
    aclprofAicoreMetrics a1;
    SET(v, a1, 1, 1);
    void * a2;
    SET(v, a2, 2, 0);
    (void)aclprofCreateSubscribeConfig(a0, a1, a2);
    return NO_CODE;
}

static long call_aclprofDestroySubscribeConfig(const struct variant *v)
{
    aclprofSubscribeConfig const * a0;
    SET(v, a0, 0, 0);
    return (long)aclprofDestroySubscribeConfig(a0);
}

static long call_aclprofModelSubscribe(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    aclprofSubscribeConfig const * a1;
    SET(v, a1, 1, 0);
    return (long)aclprofModelSubscribe(a0, a1);
}

static long call_aclprofModelUnSubscribe(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    return (long)aclprofModelUnSubscribe(a0);
}

static long call_aclprofGetOpDescSize(const struct variant *v)
{
    size_t * a0;
    SET(v, a0, 0, 0);
    return (long)aclprofGetOpDescSize(a0);
}

static long call_aclprofGetOpNum(const struct variant *v)
{
    void const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    uint32_t * a2;
    SET(v, a2, 2, 0);
    return (long)aclprofGetOpNum(a0, a1, a2);
}

static long call_aclprofGetOpTypeLen(const struct variant *v)
{
    void const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    uint32_t a2;
    SET(v, a2, 2, 1);
    size_t * a3;
    SET(v, a3, 3, 0);
    return (long)aclprofGetOpTypeLen(a0, a1, a2, a3);
}

static long call_aclprofGetOpType(const struct variant *v)
{
    void const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    uint32_t a2;
    SET(v, a2, 2, 1);
    char * a3;
    SET(v, a3, 3, 0);
    size_t a4;
    SET(v, a4, 4, 1);
    return (long)aclprofGetOpType(a0, a1, a2, a3, a4);
}

static long call_aclprofGetOpNameLen(const struct variant *v)
{
    void const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    uint32_t a2;
    SET(v, a2, 2, 1);
    size_t * a3;
    SET(v, a3, 3, 0);
    return (long)aclprofGetOpNameLen(a0, a1, a2, a3);
}

static long call_aclprofGetOpName(const struct variant *v)
{
    void const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    uint32_t a2;
    SET(v, a2, 2, 1);
    char * a3;
    SET(v, a3, 3, 0);
    size_t a4;
    SET(v, a4, 4, 1);
    return (long)aclprofGetOpName(a0, a1, a2, a3, a4);
}

static long call_aclprofGetOpStart(const struct variant *v)
{
    void const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    uint32_t a2;
    SET(v, a2, 2, 1);
    (void)aclprofGetOpStart(a0, a1, a2);
    return NO_CODE;
}

static long call_aclprofGetOpEnd(const struct variant *v)
{
    void const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    uint32_t a2;
    SET(v, a2, 2, 1);
    (void)aclprofGetOpEnd(a0, a1, a2);
    return NO_CODE;
}

static long call_aclprofGetOpDuration(const struct variant *v)
{
    void const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    uint32_t a2;
    SET(v, a2, 2, 1);
    (void)aclprofGetOpDuration(a0, a1, a2);
    return NO_CODE;
}

static long call_aclprofGetModelId(const struct variant *v)
{
    void const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    uint32_t a2;
    SET(v, a2, 2, 1);
    (void)aclprofGetModelId(a0, a1, a2);
    return NO_CODE;
}

static long call_aclprofGetOpFlag(const struct variant *v)
{
    void const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    uint32_t a2;
    SET(v, a2, 2, 1);
    (void)aclprofGetOpFlag(a0, a1, a2);
    return NO_CODE;
}

static long call_aclprofGetOpAttriValue(const struct variant *v)
{
    void const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    uint32_t a2;
    SET(v, a2, 2, 1);
    aclprofSubscribeOpAttri a3;
    SET(v, a3, 3, 1);
    (void)aclprofGetOpAttriValue(a0, a1, a2, a3);
    return NO_CODE;
}

static long call_aclrtAllocatorCreateDesc(const struct variant *v)
{
    (void)v;
    (void)aclrtAllocatorCreateDesc();
    return NO_CODE;
}

static long call_aclrtAllocatorDestroyDesc(const struct variant *v)
{
    aclrtAllocatorDesc a0;
    SET(v, a0, 0, 1);
    return (long)aclrtAllocatorDestroyDesc(a0);
}

static long call_aclrtAllocatorSetObjToDesc(const struct variant *v)
{
    aclrtAllocatorDesc a0;
    SET(v, a0, 0, 1);
    aclrtAllocator a1;
    SET(v, a1, 1, 1);
    return (long)aclrtAllocatorSetObjToDesc(a0, a1);
}

static long call_aclrtAllocatorSetAllocFuncToDesc(const struct variant *v)
{
    aclrtAllocatorDesc a0;
    SET(v, a0, 0, 1);
    aclrtAllocatorAllocFunc a1;
    SET(v, a1, 1, 2);
    return (long)aclrtAllocatorSetAllocFuncToDesc(a0, a1);
}

static long call_aclrtAllocatorSetFreeFuncToDesc(const struct variant *v)
{
    aclrtAllocatorDesc a0;
    SET(v, a0, 0, 1);
    aclrtAllocatorFreeFunc a1;
    SET(v, a1, 1, 2);
    return (long)aclrtAllocatorSetFreeFuncToDesc(a0, a1);
}

static long call_aclrtAllocatorSetAllocAdviseFuncToDesc(const struct variant *v)
{
    aclrtAllocatorDesc a0;
    SET(v, a0, 0, 1);
    aclrtAllocatorAllocAdviseFunc a1;
    SET(v, a1, 1, 2);
    return (long)aclrtAllocatorSetAllocAdviseFuncToDesc(a0, a1);
}

static long call_aclrtAllocatorSetGetAddrFromBlockFuncToDesc(const struct variant *v)
{
    aclrtAllocatorDesc a0;
    SET(v, a0, 0, 1);
    aclrtAllocatorGetAddrFromBlockFunc a1;
    SET(v, a1, 1, 2);
    return (long)aclrtAllocatorSetGetAddrFromBlockFuncToDesc(a0, a1);
}

static long call_aclrtAllocatorRegister(const struct variant *v)
{
    aclrtStream a0;
    SET(v, a0, 0, 1);
    aclrtAllocatorDesc a1;
    SET(v, a1, 1, 1);
    return (long)aclrtAllocatorRegister(a0, a1);
}

static long call_aclrtAllocatorGetByStream(const struct variant *v)
{
    aclrtStream a0;
    SET(v, a0, 0, 1);
    aclrtAllocatorDesc * a1;
    SET(v, a1, 1, 0);
    aclrtAllocator * a2;
    SET(v, a2, 2, 0);
    aclrtAllocatorAllocFunc * a3;
    SET(v, a3, 3, 0);
    aclrtAllocatorFreeFunc * a4;
    SET(v, a4, 4, 0);
    aclrtAllocatorAllocAdviseFunc * a5;
    SET(v, a5, 5, 0);
    aclrtAllocatorGetAddrFromBlockFunc * a6;
    SET(v, a6, 6, 0);
    return (long)aclrtAllocatorGetByStream(a0, a1, a2, a3, a4, a5, a6);
}

static long call_aclrtAllocatorUnregister(const struct variant *v)
{
    aclrtStream a0;
    SET(v, a0, 0, 1);
    return (long)aclrtAllocatorUnregister(a0);
}

static long call_aclrtMemPoolCreate(const struct variant *v)
{
    aclrtMemPool * a0;
    SET(v, a0, 0, 0);
    aclrtMemPoolProps const * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtMemPoolCreate(a0, a1);
}

static long call_aclrtMemPoolDestroy(const struct variant *v)
{
    aclrtMemPool a0;
    SET(v, a0, 0, 1);
    return (long)aclrtMemPoolDestroy(a0);
}

static long call_aclrtMemPoolSetAttr(const struct variant *v)
{
    aclrtMemPool a0;
    SET(v, a0, 0, 1);
    aclrtMemPoolAttr a1;
    SET(v, a1, 1, 1);
    void * a2;
    SET(v, a2, 2, 0);
    return (long)aclrtMemPoolSetAttr(a0, a1, a2);
}

static long call_aclrtMemPoolGetAttr(const struct variant *v)
{
    aclrtMemPool a0;
    SET(v, a0, 0, 1);
    aclrtMemPoolAttr a1;
    SET(v, a1, 1, 1);
    void * a2;
    SET(v, a2, 2, 0);
    return (long)aclrtMemPoolGetAttr(a0, a1, a2);
}

static long call_aclrtMemPoolMallocAsync(const struct variant *v)
{
    void * * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    aclrtMemPool a2;
    SET(v, a2, 2, 1);
    aclrtStream a3;
    SET(v, a3, 3, 1);
    return (long)aclrtMemPoolMallocAsync(a0, a1, a2, a3);
}

static long call_aclrtMemPoolFreeAsync(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    aclrtStream a1;
    SET(v, a1, 1, 1);
    return (long)aclrtMemPoolFreeAsync(a0, a1);
}

static long call_aclrtMemPoolTrimTo(const struct variant *v)
{
    aclrtMemPool a0;
    SET(v, a0, 0, 1);
    size_t a1;
    SET(v, a1, 1, 1);
    return (long)aclrtMemPoolTrimTo(a0, a1);
}

static long call_acltdtCreateDataItem(const struct variant *v)
{
    acltdtTensorType a0;
    SET(v, a0, 0, 1);
    int64_t const * a1;
    SET(v, a1, 1, 0);
    size_t a2;
    SET(v, a2, 2, 1);
    aclDataType a3;
    SET(v, a3, 3, 1);
    void * a4;
    SET(v, a4, 4, 0);
    size_t a5;
    SET(v, a5, 5, 1);
    (void)acltdtCreateDataItem(a0, a1, a2, a3, a4, a5);
    return NO_CODE;
}

static long call_acltdtDestroyDataItem(const struct variant *v)
{
    acltdtDataItem * a0;
    SET(v, a0, 0, 0);
    return (long)acltdtDestroyDataItem(a0);
}

static long call_acltdtGetTensorTypeFromItem(const struct variant *v)
{
    acltdtDataItem const * a0;
    SET(v, a0, 0, 0);
    (void)acltdtGetTensorTypeFromItem(a0);
    return NO_CODE;
}

static long call_acltdtGetDataTypeFromItem(const struct variant *v)
{
    acltdtDataItem const * a0;
    SET(v, a0, 0, 0);
    (void)acltdtGetDataTypeFromItem(a0);
    return NO_CODE;
}

static long call_acltdtGetDataAddrFromItem(const struct variant *v)
{
    acltdtDataItem const * a0;
    SET(v, a0, 0, 0);
    (void)acltdtGetDataAddrFromItem(a0);
    return NO_CODE;
}

static long call_acltdtGetDataSizeFromItem(const struct variant *v)
{
    acltdtDataItem const * a0;
    SET(v, a0, 0, 0);
    (void)acltdtGetDataSizeFromItem(a0);
    return NO_CODE;
}

static long call_acltdtGetDimNumFromItem(const struct variant *v)
{
    acltdtDataItem const * a0;
    SET(v, a0, 0, 0);
    (void)acltdtGetDimNumFromItem(a0);
    return NO_CODE;
}

static long call_acltdtGetDimsFromItem(const struct variant *v)
{
    acltdtDataItem const * a0;
    SET(v, a0, 0, 0);
    int64_t * a1;
    SET(v, a1, 1, 0);
    size_t a2;
    SET(v, a2, 2, 1);
    return (long)acltdtGetDimsFromItem(a0, a1, a2);
}

static long call_acltdtGetSliceInfoFromItem(const struct variant *v)
{
    acltdtDataItem const * a0;
    SET(v, a0, 0, 0);
    size_t * a1;
    SET(v, a1, 1, 0);
    size_t * a2;
    SET(v, a2, 2, 0);
    return (long)acltdtGetSliceInfoFromItem(a0, a1, a2);
}

static long call_acltdtCreateDataset(const struct variant *v)
{
    (void)v;
    (void)acltdtCreateDataset();
    return NO_CODE;
}

static long call_acltdtDestroyDataset(const struct variant *v)
{
    acltdtDataset * a0;
    SET(v, a0, 0, 0);
    return (long)acltdtDestroyDataset(a0);
}

static long call_acltdtAddDataItem(const struct variant *v)
{
    acltdtDataset * a0;
    SET(v, a0, 0, 0);
    acltdtDataItem * a1;
    SET(v, a1, 1, 0);
    return (long)acltdtAddDataItem(a0, a1);
}

static long call_acltdtGetDataItem(const struct variant *v)
{
    acltdtDataset const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    (void)acltdtGetDataItem(a0, a1);
    return NO_CODE;
}

static long call_acltdtGetDatasetSize(const struct variant *v)
{
    acltdtDataset const * a0;
    SET(v, a0, 0, 0);
    (void)acltdtGetDatasetSize(a0);
    return NO_CODE;
}

static long call_acltdtGetDatasetName(const struct variant *v)
{
    acltdtDataset const * a0;
    SET(v, a0, 0, 0);
    (void)acltdtGetDatasetName(a0);
    return NO_CODE;
}

static long call_acltdtCreateChannel(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    char const * a1;
    SET(v, a1, 1, 0);
    (void)acltdtCreateChannel(a0, a1);
    return NO_CODE;
}

static long call_acltdtCreateChannelWithCapacity(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    char const * a1;
    SET(v, a1, 1, 0);
    size_t a2;
    SET(v, a2, 2, 1);
    (void)acltdtCreateChannelWithCapacity(a0, a1, a2);
    return NO_CODE;
}

static long call_acltdtDestroyChannel(const struct variant *v)
{
    acltdtChannelHandle * a0;
    SET(v, a0, 0, 0);
    return (long)acltdtDestroyChannel(a0);
}

static long call_acltdtStopChannel(const struct variant *v)
{
    acltdtChannelHandle * a0;
    SET(v, a0, 0, 0);
    return (long)acltdtStopChannel(a0);
}

static long call_acltdtCleanChannel(const struct variant *v)
{
    acltdtChannelHandle * a0;
    SET(v, a0, 0, 0);
    return (long)acltdtCleanChannel(a0);
}

static long call_acltdtSendTensor(const struct variant *v)
{
    acltdtChannelHandle const * a0;
    SET(v, a0, 0, 0);
    acltdtDataset const * a1;
    SET(v, a1, 1, 0);
    int32_t a2;
    SET(v, a2, 2, 1);
    return (long)acltdtSendTensor(a0, a1, a2);
}

static long call_acltdtReceiveTensor(const struct variant *v)
{
    acltdtChannelHandle const * a0;
    SET(v, a0, 0, 0);
    acltdtDataset * a1;
    SET(v, a1, 1, 0);
    int32_t a2;
    SET(v, a2, 2, 1);
    return (long)acltdtReceiveTensor(a0, a1, a2);
}

static long call_acltdtQueryChannelSize(const struct variant *v)
{
    acltdtChannelHandle const * a0;
    SET(v, a0, 0, 0);
    size_t * a1;
    SET(v, a1, 1, 0);
    return (long)acltdtQueryChannelSize(a0, a1);
}

static long call_aclblasGemvEx(const struct variant *v)
{
    aclTransType a0;
    SET(v, a0, 0, 1);
    int a1;
    SET(v, a1, 1, 1);
    int a2;
    SET(v, a2, 2, 1);
    void const * a3;
    SET(v, a3, 3, 0);
    void const * a4;
    SET(v, a4, 4, 0);
    int a5;
    SET(v, a5, 5, 1);
    aclDataType a6;
    SET(v, a6, 6, 1);
    void const * a7;
    SET(v, a7, 7, 0);
    int a8;
    SET(v, a8, 8, 1);
    aclDataType a9;
    SET(v, a9, 9, 1);
    void const * a10;
    SET(v, a10, 10, 0);
    void * a11;
    SET(v, a11, 11, 0);
    int a12;
    SET(v, a12, 12, 1);
    aclDataType a13;
    SET(v, a13, 13, 1);
    aclComputeType a14;
    SET(v, a14, 14, 1);
    aclrtStream a15;
    SET(v, a15, 15, 1);
    return (long)aclblasGemvEx(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15);
}

static long call_aclblasCreateHandleForGemvEx(const struct variant *v)
{
    aclTransType a0;
    SET(v, a0, 0, 1);
    int a1;
    SET(v, a1, 1, 1);
    int a2;
    SET(v, a2, 2, 1);
    aclDataType a3;
    SET(v, a3, 3, 1);
    aclDataType a4;
    SET(v, a4, 4, 1);
    aclDataType a5;
    SET(v, a5, 5, 1);
    aclComputeType a6;
    SET(v, a6, 6, 1);
    aclopHandle * * a7;
    SET(v, a7, 7, 0);
    return (long)aclblasCreateHandleForGemvEx(a0, a1, a2, a3, a4, a5, a6, a7);
}

static long call_aclblasHgemv(const struct variant *v)
{
    aclTransType a0;
    SET(v, a0, 0, 1);
    int a1;
    SET(v, a1, 1, 1);
    int a2;
    SET(v, a2, 2, 1);
    aclFloat16 const * a3;
    SET(v, a3, 3, 0);
    aclFloat16 const * a4;
    SET(v, a4, 4, 0);
    int a5;
    SET(v, a5, 5, 1);
    aclFloat16 const * a6;
    SET(v, a6, 6, 0);
    int a7;
    SET(v, a7, 7, 1);
    aclFloat16 const * a8;
    SET(v, a8, 8, 0);
    aclFloat16 * a9;
    SET(v, a9, 9, 0);
    int a10;
    SET(v, a10, 10, 1);
    aclComputeType a11;
    SET(v, a11, 11, 1);
    aclrtStream a12;
    SET(v, a12, 12, 1);
    return (long)aclblasHgemv(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12);
}

static long call_aclblasCreateHandleForHgemv(const struct variant *v)
{
    aclTransType a0;
    SET(v, a0, 0, 1);
    int a1;
    SET(v, a1, 1, 1);
    int a2;
    SET(v, a2, 2, 1);
    aclComputeType a3;
    SET(v, a3, 3, 1);
    aclopHandle * * a4;
    SET(v, a4, 4, 0);
    return (long)aclblasCreateHandleForHgemv(a0, a1, a2, a3, a4);
}

static long call_aclblasS8gemv(const struct variant *v)
{
    aclTransType a0;
    SET(v, a0, 0, 1);
    int a1;
    SET(v, a1, 1, 1);
    int a2;
    SET(v, a2, 2, 1);
    int32_t const * a3;
    SET(v, a3, 3, 0);
    int8_t const * a4;
    SET(v, a4, 4, 0);
    int a5;
    SET(v, a5, 5, 1);
    int8_t const * a6;
    SET(v, a6, 6, 0);
    int a7;
    SET(v, a7, 7, 1);
    int32_t const * a8;
    SET(v, a8, 8, 0);
    int32_t * a9;
    SET(v, a9, 9, 0);
    int a10;
    SET(v, a10, 10, 1);
    aclComputeType a11;
    SET(v, a11, 11, 1);
    aclrtStream a12;
    SET(v, a12, 12, 1);
    return (long)aclblasS8gemv(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12);
}

static long call_aclblasCreateHandleForS8gemv(const struct variant *v)
{
    aclTransType a0;
    SET(v, a0, 0, 1);
    int a1;
    SET(v, a1, 1, 1);
    int a2;
    SET(v, a2, 2, 1);
    aclComputeType a3;
    SET(v, a3, 3, 1);
    aclopHandle * * a4;
    SET(v, a4, 4, 0);
    return (long)aclblasCreateHandleForS8gemv(a0, a1, a2, a3, a4);
}

static long call_aclblasGemmEx(const struct variant *v)
{
    aclTransType a0;
    SET(v, a0, 0, 1);
    aclTransType a1;
    SET(v, a1, 1, 1);
    aclTransType a2;
    SET(v, a2, 2, 1);
    int a3;
    SET(v, a3, 3, 1);
    int a4;
    SET(v, a4, 4, 1);
    int a5;
    SET(v, a5, 5, 1);
    void const * a6;
    SET(v, a6, 6, 0);
    void const * a7;
    SET(v, a7, 7, 0);
    int a8;
    SET(v, a8, 8, 1);
    aclDataType a9;
    SET(v, a9, 9, 1);
    void const * a10;
    SET(v, a10, 10, 0);
    int a11;
    SET(v, a11, 11, 1);
    aclDataType a12;
    SET(v, a12, 12, 1);
    void const * a13;
    SET(v, a13, 13, 0);
    void * a14;
    SET(v, a14, 14, 0);
    int a15;
    SET(v, a15, 15, 1);
    aclDataType a16;
    SET(v, a16, 16, 1);
    aclComputeType a17;
    SET(v, a17, 17, 1);
    aclrtStream a18;
    SET(v, a18, 18, 1);
    return (long)aclblasGemmEx(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18);
}

static long call_aclblasCreateHandleForGemmEx(const struct variant *v)
{
    aclTransType a0;
    SET(v, a0, 0, 1);
    aclTransType a1;
    SET(v, a1, 1, 1);
    aclTransType a2;
    SET(v, a2, 2, 1);
    int a3;
    SET(v, a3, 3, 1);
    int a4;
    SET(v, a4, 4, 1);
    int a5;
    SET(v, a5, 5, 1);
    aclDataType a6;
    SET(v, a6, 6, 1);
    aclDataType a7;
    SET(v, a7, 7, 1);
    aclDataType a8;
    SET(v, a8, 8, 1);
    aclComputeType a9;
    SET(v, a9, 9, 1);
    aclopHandle * * a10;
    SET(v, a10, 10, 0);
    return (long)aclblasCreateHandleForGemmEx(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10);
}

static long call_aclblasHgemm(const struct variant *v)
{
    aclTransType a0;
    SET(v, a0, 0, 1);
    aclTransType a1;
    SET(v, a1, 1, 1);
    aclTransType a2;
    SET(v, a2, 2, 1);
    int a3;
    SET(v, a3, 3, 1);
    int a4;
    SET(v, a4, 4, 1);
    int a5;
    SET(v, a5, 5, 1);
    aclFloat16 const * a6;
    SET(v, a6, 6, 0);
    aclFloat16 const * a7;
    SET(v, a7, 7, 0);
    int a8;
    SET(v, a8, 8, 1);
    aclFloat16 const * a9;
    SET(v, a9, 9, 0);
    int a10;
    SET(v, a10, 10, 1);
    aclFloat16 const * a11;
    SET(v, a11, 11, 0);
    aclFloat16 * a12;
    SET(v, a12, 12, 0);
    int a13;
    SET(v, a13, 13, 1);
    aclComputeType a14;
    SET(v, a14, 14, 1);
    aclrtStream a15;
    SET(v, a15, 15, 1);
    return (long)aclblasHgemm(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15);
}

static long call_aclblasCreateHandleForHgemm(const struct variant *v)
{
    aclTransType a0;
    SET(v, a0, 0, 1);
    aclTransType a1;
    SET(v, a1, 1, 1);
    aclTransType a2;
    SET(v, a2, 2, 1);
    int a3;
    SET(v, a3, 3, 1);
    int a4;
    SET(v, a4, 4, 1);
    int a5;
    SET(v, a5, 5, 1);
    aclComputeType a6;
    SET(v, a6, 6, 1);
    aclopHandle * * a7;
    SET(v, a7, 7, 0);
    return (long)aclblasCreateHandleForHgemm(a0, a1, a2, a3, a4, a5, a6, a7);
}

static long call_aclblasS8gemm(const struct variant *v)
{
    aclTransType a0;
    SET(v, a0, 0, 1);
    aclTransType a1;
    SET(v, a1, 1, 1);
    aclTransType a2;
    SET(v, a2, 2, 1);
    int a3;
    SET(v, a3, 3, 1);
    int a4;
    SET(v, a4, 4, 1);
    int a5;
    SET(v, a5, 5, 1);
    int32_t const * a6;
    SET(v, a6, 6, 0);
    int8_t const * a7;
    SET(v, a7, 7, 0);
    int a8;
    SET(v, a8, 8, 1);
    int8_t const * a9;
    SET(v, a9, 9, 0);
    int a10;
    SET(v, a10, 10, 1);
    int32_t const * a11;
    SET(v, a11, 11, 0);
    int32_t * a12;
    SET(v, a12, 12, 0);
    int a13;
    SET(v, a13, 13, 1);
    aclComputeType a14;
    SET(v, a14, 14, 1);
    aclrtStream a15;
    SET(v, a15, 15, 1);
    return (long)aclblasS8gemm(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15);
}

static long call_aclblasCreateHandleForS8gemm(const struct variant *v)
{
    aclTransType a0;
    SET(v, a0, 0, 1);
    aclTransType a1;
    SET(v, a1, 1, 1);
    aclTransType a2;
    SET(v, a2, 2, 1);
    int a3;
    SET(v, a3, 3, 1);
    int a4;
    SET(v, a4, 4, 1);
    int a5;
    SET(v, a5, 5, 1);
    aclComputeType a6;
    SET(v, a6, 6, 1);
    aclopHandle * * a7;
    SET(v, a7, 7, 0);
    return (long)aclblasCreateHandleForS8gemm(a0, a1, a2, a3, a4, a5, a6, a7);
}

static long call_acldvppMalloc(const struct variant *v)
{
    void * * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    return (long)acldvppMalloc(a0, a1);
}

static long call_acldvppFree(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    return (long)acldvppFree(a0);
}

static long call_acldvppCreatePicDesc(const struct variant *v)
{
    (void)v;
    (void)acldvppCreatePicDesc();
    return NO_CODE;
}

static long call_acldvppDestroyPicDesc(const struct variant *v)
{
    acldvppPicDesc * a0;
    SET(v, a0, 0, 0);
    return (long)acldvppDestroyPicDesc(a0);
}

static long call_acldvppSetPicDescData(const struct variant *v)
{
    acldvppPicDesc * a0;
    SET(v, a0, 0, 0);
    void * a1;
    SET(v, a1, 1, 0);
    return (long)acldvppSetPicDescData(a0, a1);
}

static long call_acldvppSetPicDescSize(const struct variant *v)
{
    acldvppPicDesc * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    return (long)acldvppSetPicDescSize(a0, a1);
}

static long call_acldvppGetPicDescData(const struct variant *v)
{
    acldvppPicDesc const * a0;
    SET(v, a0, 0, 0);
    (void)acldvppGetPicDescData(a0);
    return NO_CODE;
}

static long call_acldvppGetPicDescSize(const struct variant *v)
{
    acldvppPicDesc const * a0;
    SET(v, a0, 0, 0);
    (void)acldvppGetPicDescSize(a0);
    return NO_CODE;
}

static long call_acldvppSetPicDescFormat(const struct variant *v)
{
    acldvppPicDesc * a0;
    SET(v, a0, 0, 0);
    acldvppPixelFormat a1;
    SET(v, a1, 1, 1);
    return (long)acldvppSetPicDescFormat(a0, a1);
}

static long call_acldvppGetPicDescFormat(const struct variant *v)
{
    acldvppPicDesc const * a0;
    SET(v, a0, 0, 0);
    (void)acldvppGetPicDescFormat(a0);
    return NO_CODE;
}

static long call_acldvppSetPicDescWidth(const struct variant *v)
{
    acldvppPicDesc * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    return (long)acldvppSetPicDescWidth(a0, a1);
}

static long call_acldvppSetPicDescHeight(const struct variant *v)
{
    acldvppPicDesc * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    return (long)acldvppSetPicDescHeight(a0, a1);
}

static long call_acldvppGetPicDescWidth(const struct variant *v)
{
    acldvppPicDesc const * a0;
    SET(v, a0, 0, 0);
    (void)acldvppGetPicDescWidth(a0);
    return NO_CODE;
}

static long call_acldvppGetPicDescHeight(const struct variant *v)
{
    acldvppPicDesc const * a0;
    SET(v, a0, 0, 0);
    (void)acldvppGetPicDescHeight(a0);
    return NO_CODE;
}

static long call_acldvppSetPicDescWidthStride(const struct variant *v)
{
    acldvppPicDesc * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    return (long)acldvppSetPicDescWidthStride(a0, a1);
}

static long call_acldvppSetPicDescHeightStride(const struct variant *v)
{
    acldvppPicDesc * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    return (long)acldvppSetPicDescHeightStride(a0, a1);
}

static long call_acldvppGetPicDescWidthStride(const struct variant *v)
{
    acldvppPicDesc const * a0;
    SET(v, a0, 0, 0);
    (void)acldvppGetPicDescWidthStride(a0);
    return NO_CODE;
}

static long call_acldvppGetPicDescHeightStride(const struct variant *v)
{
    acldvppPicDesc const * a0;
    SET(v, a0, 0, 0);
    (void)acldvppGetPicDescHeightStride(a0);
    return NO_CODE;
}

static long call_acldvppSetPicDescRetCode(const struct variant *v)
{
    acldvppPicDesc * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    return (long)acldvppSetPicDescRetCode(a0, a1);
}

static long call_acldvppGetPicDescRetCode(const struct variant *v)
{
    acldvppPicDesc const * a0;
    SET(v, a0, 0, 0);
    (void)acldvppGetPicDescRetCode(a0);
    return NO_CODE;
}

static long call_acldvppCreateBatchPicDesc(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    (void)acldvppCreateBatchPicDesc(a0);
    return NO_CODE;
}

static long call_acldvppGetPicDesc(const struct variant *v)
{
    acldvppBatchPicDesc * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    (void)acldvppGetPicDesc(a0, a1);
    return NO_CODE;
}

static long call_acldvppDestroyBatchPicDesc(const struct variant *v)
{
    acldvppBatchPicDesc * a0;
    SET(v, a0, 0, 0);
    return (long)acldvppDestroyBatchPicDesc(a0);
}

static long call_acldvppCreateRoiConfig(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    uint32_t a1;
    SET(v, a1, 1, 1);
    uint32_t a2;
    SET(v, a2, 2, 1);
    uint32_t a3;
    SET(v, a3, 3, 1);
    (void)acldvppCreateRoiConfig(a0, a1, a2, a3);
    return NO_CODE;
}

static long call_acldvppDestroyRoiConfig(const struct variant *v)
{
    acldvppRoiConfig * a0;
    SET(v, a0, 0, 0);
    return (long)acldvppDestroyRoiConfig(a0);
}

static long call_acldvppSetRoiConfigLeft(const struct variant *v)
{
    acldvppRoiConfig * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    return (long)acldvppSetRoiConfigLeft(a0, a1);
}

static long call_acldvppSetRoiConfigRight(const struct variant *v)
{
    acldvppRoiConfig * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    return (long)acldvppSetRoiConfigRight(a0, a1);
}

static long call_acldvppSetRoiConfigTop(const struct variant *v)
{
    acldvppRoiConfig * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    return (long)acldvppSetRoiConfigTop(a0, a1);
}

static long call_acldvppSetRoiConfigBottom(const struct variant *v)
{
    acldvppRoiConfig * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    return (long)acldvppSetRoiConfigBottom(a0, a1);
}

static long call_acldvppSetRoiConfig(const struct variant *v)
{
    acldvppRoiConfig * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    uint32_t a2;
    SET(v, a2, 2, 1);
    uint32_t a3;
    SET(v, a3, 3, 1);
    uint32_t a4;
    SET(v, a4, 4, 1);
    return (long)acldvppSetRoiConfig(a0, a1, a2, a3, a4);
}

static long call_acldvppCreateResizeConfig(const struct variant *v)
{
    (void)v;
    (void)acldvppCreateResizeConfig();
    return NO_CODE;
}

static long call_acldvppDestroyResizeConfig(const struct variant *v)
{
    acldvppResizeConfig * a0;
    SET(v, a0, 0, 0);
    return (long)acldvppDestroyResizeConfig(a0);
}

static long call_acldvppSetResizeConfigInterpolation(const struct variant *v)
{
    acldvppResizeConfig * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    return (long)acldvppSetResizeConfigInterpolation(a0, a1);
}

static long call_acldvppGetResizeConfigInterpolation(const struct variant *v)
{
    acldvppResizeConfig const * a0;
    SET(v, a0, 0, 0);
    (void)acldvppGetResizeConfigInterpolation(a0);
    return NO_CODE;
}

static long call_acldvppCreateChannelDesc(const struct variant *v)
{
    (void)v;
    (void)acldvppCreateChannelDesc();
    return NO_CODE;
}

static long call_acldvppDestroyChannelDesc(const struct variant *v)
{
    acldvppChannelDesc * a0;
    SET(v, a0, 0, 0);
    return (long)acldvppDestroyChannelDesc(a0);
}

static long call_acldvppGetChannelDescChannelId(const struct variant *v)
{
    acldvppChannelDesc const * a0;
    SET(v, a0, 0, 0);
    (void)acldvppGetChannelDescChannelId(a0);
    return NO_CODE;
}

static long call_acldvppSetChannelDescMode(const struct variant *v)
{
    acldvppChannelDesc * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    return (long)acldvppSetChannelDescMode(a0, a1);
}

static long call_acldvppSetChannelDescParam(const struct variant *v)
{
    acldvppChannelDesc * a0;
    SET(v, a0, 0, 0);
    acldvppChannelDescParamType a1;
    SET(v, a1, 1, 1);
    size_t a2;
    SET(v, a2, 2, 1);
    void const * a3;
    SET(v, a3, 3, 0);
    return (long)acldvppSetChannelDescParam(a0, a1, a2, a3);
}

static long call_acldvppGetChannelDescParam(const struct variant *v)
{
    acldvppChannelDesc const * a0;
    SET(v, a0, 0, 0);
    acldvppChannelDescParamType a1;
    SET(v, a1, 1, 1);
    size_t a2;
    SET(v, a2, 2, 1);
    size_t * a3;
    SET(v, a3, 3, 0);
    void * a4;
    SET(v, a4, 4, 0);
    return (long)acldvppGetChannelDescParam(a0, a1, a2, a3, a4);
}

static long call_acldvppCreateChannel(const struct variant *v)
{
    acldvppChannelDesc * a0;
    SET(v, a0, 0, 0);
    return (long)acldvppCreateChannel(a0);
}

static long call_acldvppDestroyChannel(const struct variant *v)
{
    acldvppChannelDesc * a0;
    SET(v, a0, 0, 0);
    return (long)acldvppDestroyChannel(a0);
}

static long call_acldvppVpcResizeAsync(const struct variant *v)
{
    acldvppChannelDesc * a0;
    SET(v, a0, 0, 0);
    acldvppPicDesc * a1;
    SET(v, a1, 1, 0);
    acldvppPicDesc * a2;
    SET(v, a2, 2, 0);
    acldvppResizeConfig * a3;
    SET(v, a3, 3, 0);
    aclrtStream a4;
    SET(v, a4, 4, 1);
    return (long)acldvppVpcResizeAsync(a0, a1, a2, a3, a4);
}

static long call_acldvppVpcCropAsync(const struct variant *v)
{
    acldvppChannelDesc * a0;
    SET(v, a0, 0, 0);
    acldvppPicDesc * a1;
    SET(v, a1, 1, 0);
    acldvppPicDesc * a2;
    SET(v, a2, 2, 0);
    acldvppRoiConfig * a3;
    SET(v, a3, 3, 0);
    aclrtStream a4;
    SET(v, a4, 4, 1);
    return (long)acldvppVpcCropAsync(a0, a1, a2, a3, a4);
}

static long call_acldvppVpcCropResizeAsync(const struct variant *v)
{
    acldvppChannelDesc * a0;
    SET(v, a0, 0, 0);
    acldvppPicDesc * a1;
    SET(v, a1, 1, 0);
    acldvppPicDesc * a2;
    SET(v, a2, 2, 0);
    acldvppRoiConfig * a3;
    SET(v, a3, 3, 0);
    acldvppResizeConfig * a4;
    SET(v, a4, 4, 0);
    aclrtStream a5;
    SET(v, a5, 5, 1);
    return (long)acldvppVpcCropResizeAsync(a0, a1, a2, a3, a4, a5);
}

static long call_acldvppVpcCropAndPasteAsync(const struct variant *v)
{
    acldvppChannelDesc * a0;
    SET(v, a0, 0, 0);
    acldvppPicDesc * a1;
    SET(v, a1, 1, 0);
    acldvppPicDesc * a2;
    SET(v, a2, 2, 0);
    acldvppRoiConfig * a3;
    SET(v, a3, 3, 0);
    acldvppRoiConfig * a4;
    SET(v, a4, 4, 0);
    aclrtStream a5;
    SET(v, a5, 5, 1);
    return (long)acldvppVpcCropAndPasteAsync(a0, a1, a2, a3, a4, a5);
}

static long call_acldvppVpcCropResizePasteAsync(const struct variant *v)
{
    acldvppChannelDesc * a0;
    SET(v, a0, 0, 0);
    acldvppPicDesc * a1;
    SET(v, a1, 1, 0);
    acldvppPicDesc * a2;
    SET(v, a2, 2, 0);
    acldvppRoiConfig * a3;
    SET(v, a3, 3, 0);
    acldvppRoiConfig * a4;
    SET(v, a4, 4, 0);
    acldvppResizeConfig * a5;
    SET(v, a5, 5, 0);
    aclrtStream a6;
    SET(v, a6, 6, 1);
    return (long)acldvppVpcCropResizePasteAsync(a0, a1, a2, a3, a4, a5, a6);
}

static long call_acldvppVpcConvertColorAsync(const struct variant *v)
{
    acldvppChannelDesc * a0;
    SET(v, a0, 0, 0);
    acldvppPicDesc * a1;
    SET(v, a1, 1, 0);
    acldvppPicDesc * a2;
    SET(v, a2, 2, 0);
    aclrtStream a3;
    SET(v, a3, 3, 1);
    return (long)acldvppVpcConvertColorAsync(a0, a1, a2, a3);
}

static long call_acldvppVpcBatchCropAsync(const struct variant *v)
{
    acldvppChannelDesc * a0;
    SET(v, a0, 0, 0);
    acldvppBatchPicDesc * a1;
    SET(v, a1, 1, 0);
    uint32_t * a2;
    SET(v, a2, 2, 0);
    uint32_t a3;
    SET(v, a3, 3, 1);
    acldvppBatchPicDesc * a4;
    SET(v, a4, 4, 0);
    acldvppRoiConfig * * a5;
    SET(v, a5, 5, 0);
    aclrtStream a6;
    SET(v, a6, 6, 1);
    return (long)acldvppVpcBatchCropAsync(a0, a1, a2, a3, a4, a5, a6);
}

static long call_acldvppVpcBatchCropResizeAsync(const struct variant *v)
{
    acldvppChannelDesc * a0;
    SET(v, a0, 0, 0);
    acldvppBatchPicDesc * a1;
    SET(v, a1, 1, 0);
    uint32_t * a2;
    SET(v, a2, 2, 0);
    uint32_t a3;
    SET(v, a3, 3, 1);
    acldvppBatchPicDesc * a4;
    SET(v, a4, 4, 0);
    acldvppRoiConfig * * a5;
    SET(v, a5, 5, 0);
    acldvppResizeConfig * a6;
    SET(v, a6, 6, 0);
    aclrtStream a7;
    SET(v, a7, 7, 1);
    return (long)acldvppVpcBatchCropResizeAsync(a0, a1, a2, a3, a4, a5, a6, a7);
}

static long call_acldvppVpcBatchCropAndPasteAsync(const struct variant *v)
{
    acldvppChannelDesc * a0;
    SET(v, a0, 0, 0);
    acldvppBatchPicDesc * a1;
    SET(v, a1, 1, 0);
    uint32_t * a2;
    SET(v, a2, 2, 0);
    uint32_t a3;
    SET(v, a3, 3, 1);
    acldvppBatchPicDesc * a4;
    SET(v, a4, 4, 0);
    acldvppRoiConfig * * a5;
    SET(v, a5, 5, 0);
    acldvppRoiConfig * * a6;
    SET(v, a6, 6, 0);
    aclrtStream a7;
    SET(v, a7, 7, 1);
    return (long)acldvppVpcBatchCropAndPasteAsync(a0, a1, a2, a3, a4, a5, a6, a7);
}

static long call_acldvppVpcBatchCropResizePasteAsync(const struct variant *v)
{
    acldvppChannelDesc * a0;
    SET(v, a0, 0, 0);
    acldvppBatchPicDesc * a1;
    SET(v, a1, 1, 0);
    uint32_t * a2;
    SET(v, a2, 2, 0);
    uint32_t a3;
    SET(v, a3, 3, 1);
    acldvppBatchPicDesc * a4;
    SET(v, a4, 4, 0);
    acldvppRoiConfig * * a5;
    SET(v, a5, 5, 0);
    acldvppRoiConfig * * a6;
    SET(v, a6, 6, 0);
    acldvppResizeConfig * a7;
    SET(v, a7, 7, 0);
    aclrtStream a8;
    SET(v, a8, 8, 1);
    return (long)acldvppVpcBatchCropResizePasteAsync(a0, a1, a2, a3, a4, a5, a6, a7, a8);
}

static long call_acldvppJpegGetImageInfo(const struct variant *v)
{
    void const * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    uint32_t * a2;
    SET(v, a2, 2, 0);
    uint32_t * a3;
    SET(v, a3, 3, 0);
    int32_t * a4;
    SET(v, a4, 4, 0);
    return (long)acldvppJpegGetImageInfo(a0, a1, a2, a3, a4);
}

static long call_acldvppJpegGetImageInfoV2(const struct variant *v)
{
    void const * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    uint32_t * a2;
    SET(v, a2, 2, 0);
    uint32_t * a3;
    SET(v, a3, 3, 0);
    int32_t * a4;
    SET(v, a4, 4, 0);
    acldvppJpegFormat * a5;
    SET(v, a5, 5, 0);
    return (long)acldvppJpegGetImageInfoV2(a0, a1, a2, a3, a4, a5);
}

static long call_acldvppJpegPredictDecSize(const struct variant *v)
{
    void const * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    acldvppPixelFormat a2;
    SET(v, a2, 2, 1);
    uint32_t * a3;
    SET(v, a3, 3, 0);
    return (long)acldvppJpegPredictDecSize(a0, a1, a2, a3);
}

static long call_acldvppJpegDecodeAsync(const struct variant *v)
{
    acldvppChannelDesc * a0;
    SET(v, a0, 0, 0);
    void const * a1;
    SET(v, a1, 1, 0);
    uint32_t a2;
    SET(v, a2, 2, 1);
    acldvppPicDesc * a3;
    SET(v, a3, 3, 0);
    aclrtStream a4;
    SET(v, a4, 4, 1);
    return (long)acldvppJpegDecodeAsync(a0, a1, a2, a3, a4);
}

static long call_acldvppCreateJpegeConfig(const struct variant *v)
{
    (void)v;
    (void)acldvppCreateJpegeConfig();
    return NO_CODE;
}

static long call_acldvppDestroyJpegeConfig(const struct variant *v)
{
    acldvppJpegeConfig * a0;
    SET(v, a0, 0, 0);
    return (long)acldvppDestroyJpegeConfig(a0);
}

static long call_acldvppSetJpegeConfigLevel(const struct variant *v)
{
    acldvppJpegeConfig * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    return (long)acldvppSetJpegeConfigLevel(a0, a1);
}

static long call_acldvppGetJpegeConfigLevel(const struct variant *v)
{
    acldvppJpegeConfig const * a0;
    SET(v, a0, 0, 0);
    (void)acldvppGetJpegeConfigLevel(a0);
    return NO_CODE;
}

static long call_acldvppJpegPredictEncSize(const struct variant *v)
{
    acldvppPicDesc const * a0;
    SET(v, a0, 0, 0);
    acldvppJpegeConfig const * a1;
    SET(v, a1, 1, 0);
    uint32_t * a2;
    SET(v, a2, 2, 0);
    return (long)acldvppJpegPredictEncSize(a0, a1, a2);
}

static long call_acldvppJpegEncodeAsync(const struct variant *v)
{
    acldvppChannelDesc * a0;
    SET(v, a0, 0, 0);
    acldvppPicDesc * a1;
    SET(v, a1, 1, 0);
    void const * a2;
    SET(v, a2, 2, 0);
    uint32_t * a3;
    SET(v, a3, 3, 0);
    acldvppJpegeConfig * a4;
    SET(v, a4, 4, 0);
    aclrtStream a5;
    SET(v, a5, 5, 1);
    return (long)acldvppJpegEncodeAsync(a0, a1, a2, a3, a4, a5);
}

static long call_acldvppPngGetImageInfo(const struct variant *v)
{
    void const * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    uint32_t * a2;
    SET(v, a2, 2, 0);
    uint32_t * a3;
    SET(v, a3, 3, 0);
    int32_t * a4;
    SET(v, a4, 4, 0);
    return (long)acldvppPngGetImageInfo(a0, a1, a2, a3, a4);
}

static long call_acldvppPngPredictDecSize(const struct variant *v)
{
    void const * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    acldvppPixelFormat a2;
    SET(v, a2, 2, 1);
    uint32_t * a3;
    SET(v, a3, 3, 0);
    return (long)acldvppPngPredictDecSize(a0, a1, a2, a3);
}

static long call_acldvppPngDecodeAsync(const struct variant *v)
{
    acldvppChannelDesc * a0;
    SET(v, a0, 0, 0);
    void const * a1;
    SET(v, a1, 1, 0);
    uint32_t a2;
    SET(v, a2, 2, 1);
    acldvppPicDesc * a3;
    SET(v, a3, 3, 0);
    aclrtStream a4;
    SET(v, a4, 4, 1);
    return (long)acldvppPngDecodeAsync(a0, a1, a2, a3, a4);
}

static long call_acldvppCreateStreamDesc(const struct variant *v)
{
    (void)v;
    (void)acldvppCreateStreamDesc();
    return NO_CODE;
}

static long call_acldvppDestroyStreamDesc(const struct variant *v)
{
    acldvppStreamDesc * a0;
    SET(v, a0, 0, 0);
    return (long)acldvppDestroyStreamDesc(a0);
}

static long call_acldvppSetStreamDescData(const struct variant *v)
{
    acldvppStreamDesc * a0;
    SET(v, a0, 0, 0);
    void * a1;
    SET(v, a1, 1, 0);
    return (long)acldvppSetStreamDescData(a0, a1);
}

static long call_acldvppSetStreamDescSize(const struct variant *v)
{
    acldvppStreamDesc * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    return (long)acldvppSetStreamDescSize(a0, a1);
}

static long call_acldvppSetStreamDescFormat(const struct variant *v)
{
    acldvppStreamDesc * a0;
    SET(v, a0, 0, 0);
    acldvppStreamFormat a1;
    SET(v, a1, 1, 1);
    return (long)acldvppSetStreamDescFormat(a0, a1);
}

static long call_acldvppSetStreamDescTimestamp(const struct variant *v)
{
    acldvppStreamDesc * a0;
    SET(v, a0, 0, 0);
    uint64_t a1;
    SET(v, a1, 1, 1);
    return (long)acldvppSetStreamDescTimestamp(a0, a1);
}

static long call_acldvppSetStreamDescRetCode(const struct variant *v)
{
    acldvppStreamDesc * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    return (long)acldvppSetStreamDescRetCode(a0, a1);
}

static long call_acldvppSetStreamDescEos(const struct variant *v)
{
    acldvppStreamDesc * a0;
    SET(v, a0, 0, 0);
    uint8_t a1;
    SET(v, a1, 1, 1);
    return (long)acldvppSetStreamDescEos(a0, a1);
}

static long call_aclvdecCreateChannelDesc(const struct variant *v)
{
    (void)v;
    (void)aclvdecCreateChannelDesc();
    return NO_CODE;
}

static long call_aclvdecDestroyChannelDesc(const struct variant *v)
{
    aclvdecChannelDesc * a0;
    SET(v, a0, 0, 0);
    return (long)aclvdecDestroyChannelDesc(a0);
}

static long call_aclvdecSetChannelDescChannelId(const struct variant *v)
{
    aclvdecChannelDesc * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    return (long)aclvdecSetChannelDescChannelId(a0, a1);
}

static long call_aclvdecSetChannelDescThreadId(const struct variant *v)
{
    aclvdecChannelDesc * a0;
    SET(v, a0, 0, 0);
    uint64_t a1;
    SET(v, a1, 1, 1);
    return (long)aclvdecSetChannelDescThreadId(a0, a1);
}

static long call_aclvdecSetChannelDescCallback(const struct variant *v)
{
    aclvdecChannelDesc * a0;
    SET(v, a0, 0, 0);
    aclvdecCallback a1;
    SET(v, a1, 1, 2);
    return (long)aclvdecSetChannelDescCallback(a0, a1);
}

static long call_aclvdecSetChannelDescEnType(const struct variant *v)
{
    aclvdecChannelDesc * a0;
    SET(v, a0, 0, 0);
    acldvppStreamFormat a1;
    SET(v, a1, 1, 1);
    return (long)aclvdecSetChannelDescEnType(a0, a1);
}

static long call_aclvdecSetChannelDescOutPicFormat(const struct variant *v)
{
    aclvdecChannelDesc * a0;
    SET(v, a0, 0, 0);
    acldvppPixelFormat a1;
    SET(v, a1, 1, 1);
    return (long)aclvdecSetChannelDescOutPicFormat(a0, a1);
}

static long call_aclvdecSetChannelDescOutPicWidth(const struct variant *v)
{
    aclvdecChannelDesc * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    return (long)aclvdecSetChannelDescOutPicWidth(a0, a1);
}

static long call_aclvdecSetChannelDescOutPicHeight(const struct variant *v)
{
    aclvdecChannelDesc * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    return (long)aclvdecSetChannelDescOutPicHeight(a0, a1);
}

static long call_aclvdecSetChannelDescRefFrameNum(const struct variant *v)
{
    aclvdecChannelDesc * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    return (long)aclvdecSetChannelDescRefFrameNum(a0, a1);
}

static long call_aclvdecSetChannelDescOutMode(const struct variant *v)
{
    aclvdecChannelDesc * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    return (long)aclvdecSetChannelDescOutMode(a0, a1);
}

static long call_aclvdecCreateFrameConfig(const struct variant *v)
{
    (void)v;
    (void)aclvdecCreateFrameConfig();
    return NO_CODE;
}

static long call_aclvdecDestroyFrameConfig(const struct variant *v)
{
    aclvdecFrameConfig * a0;
    SET(v, a0, 0, 0);
    return (long)aclvdecDestroyFrameConfig(a0);
}

static long call_aclvdecCreateChannel(const struct variant *v)
{
    aclvdecChannelDesc * a0;
    SET(v, a0, 0, 0);
    return (long)aclvdecCreateChannel(a0);
}

static long call_aclvdecDestroyChannel(const struct variant *v)
{
    aclvdecChannelDesc * a0;
    SET(v, a0, 0, 0);
    return (long)aclvdecDestroyChannel(a0);
}

static long call_aclvdecSendFrame(const struct variant *v)
{
    aclvdecChannelDesc * a0;
    SET(v, a0, 0, 0);
    acldvppStreamDesc * a1;
    SET(v, a1, 1, 0);
    acldvppPicDesc * a2;
    SET(v, a2, 2, 0);
    aclvdecFrameConfig * a3;
    SET(v, a3, 3, 0);
    void * a4;
    SET(v, a4, 4, 0);
    return (long)aclvdecSendFrame(a0, a1, a2, a3, a4);
}

static long call_aclvdecSendSkippedFrame(const struct variant *v)
{
    aclvdecChannelDesc * a0;
    SET(v, a0, 0, 0);
    acldvppStreamDesc * a1;
    SET(v, a1, 1, 0);
    aclvdecFrameConfig * a2;
    SET(v, a2, 2, 0);
    void * a3;
    SET(v, a3, 3, 0);
    return (long)aclvdecSendSkippedFrame(a0, a1, a2, a3);
}

static long call_aclvencCreateChannelDesc(const struct variant *v)
{
    (void)v;
    (void)aclvencCreateChannelDesc();
    return NO_CODE;
}

static long call_aclvencDestroyChannelDesc(const struct variant *v)
{
    aclvencChannelDesc * a0;
    SET(v, a0, 0, 0);
    return (long)aclvencDestroyChannelDesc(a0);
}

static long call_aclvencSetChannelDescThreadId(const struct variant *v)
{
    aclvencChannelDesc * a0;
    SET(v, a0, 0, 0);
    uint64_t a1;
    SET(v, a1, 1, 1);
    return (long)aclvencSetChannelDescThreadId(a0, a1);
}

static long call_aclvencSetChannelDescCallback(const struct variant *v)
{
    aclvencChannelDesc * a0;
    SET(v, a0, 0, 0);
    aclvencCallback a1;
    SET(v, a1, 1, 2);
    return (long)aclvencSetChannelDescCallback(a0, a1);
}

static long call_aclvencSetChannelDescEnType(const struct variant *v)
{
    aclvencChannelDesc * a0;
    SET(v, a0, 0, 0);
    acldvppStreamFormat a1;
    SET(v, a1, 1, 1);
    return (long)aclvencSetChannelDescEnType(a0, a1);
}

static long call_aclvencSetChannelDescPicFormat(const struct variant *v)
{
    aclvencChannelDesc * a0;
    SET(v, a0, 0, 0);
    acldvppPixelFormat a1;
    SET(v, a1, 1, 1);
    return (long)aclvencSetChannelDescPicFormat(a0, a1);
}

static long call_aclvencSetChannelDescPicWidth(const struct variant *v)
{
    aclvencChannelDesc * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    return (long)aclvencSetChannelDescPicWidth(a0, a1);
}

static long call_aclvencSetChannelDescPicHeight(const struct variant *v)
{
    aclvencChannelDesc * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    return (long)aclvencSetChannelDescPicHeight(a0, a1);
}

static long call_aclvencSetChannelDescKeyFrameInterval(const struct variant *v)
{
    aclvencChannelDesc * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    return (long)aclvencSetChannelDescKeyFrameInterval(a0, a1);
}

static long call_aclvencCreateFrameConfig(const struct variant *v)
{
    (void)v;
    (void)aclvencCreateFrameConfig();
    return NO_CODE;
}

static long call_aclvencDestroyFrameConfig(const struct variant *v)
{
    aclvencFrameConfig * a0;
    SET(v, a0, 0, 0);
    return (long)aclvencDestroyFrameConfig(a0);
}

static long call_aclvencSetFrameConfigForceIFrame(const struct variant *v)
{
    aclvencFrameConfig * a0;
    SET(v, a0, 0, 0);
    uint8_t a1;
    SET(v, a1, 1, 1);
    return (long)aclvencSetFrameConfigForceIFrame(a0, a1);
}

static long call_aclvencSetFrameConfigEos(const struct variant *v)
{
    aclvencFrameConfig * a0;
    SET(v, a0, 0, 0);
    uint8_t a1;
    SET(v, a1, 1, 1);
    return (long)aclvencSetFrameConfigEos(a0, a1);
}

static long call_aclvencCreateChannel(const struct variant *v)
{
    aclvencChannelDesc * a0;
    SET(v, a0, 0, 0);
    return (long)aclvencCreateChannel(a0);
}

static long call_aclvencDestroyChannel(const struct variant *v)
{
    aclvencChannelDesc * a0;
    SET(v, a0, 0, 0);
    return (long)aclvencDestroyChannel(a0);
}

static long call_aclvencSendFrame(const struct variant *v)
{
    aclvencChannelDesc * a0;
    SET(v, a0, 0, 0);
    acldvppPicDesc * a1;
    SET(v, a1, 1, 0);
    void * a2;
    SET(v, a2, 2, 0);
    aclvencFrameConfig * a3;
    SET(v, a3, 3, 0);
    void * a4;
    SET(v, a4, 4, 0);
    return (long)aclvencSendFrame(a0, a1, a2, a3, a4);
}

static long call_aclrtCmoAsync(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    aclrtCmoType a2;
    SET(v, a2, 2, 1);
    aclrtStream a3;
    SET(v, a3, 3, 1);
    return (long)aclrtCmoAsync(a0, a1, a2, a3);
}

static long call_aclrtCmoGetDescSize(const struct variant *v)
{
    size_t * a0;
    SET(v, a0, 0, 0);
    return (long)aclrtCmoGetDescSize(a0);
}

static long call_aclrtCmoSetDesc(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    void * a1;
    SET(v, a1, 1, 0);
    size_t a2;
    SET(v, a2, 2, 1);
    return (long)aclrtCmoSetDesc(a0, a1, a2);
}

static long call_aclrtCmoAsyncWithDesc(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    aclrtCmoType a1;
    SET(v, a1, 1, 1);
    aclrtStream a2;
    SET(v, a2, 2, 1);
    void const * a3;
    SET(v, a3, 3, 0);
    return (long)aclrtCmoAsyncWithDesc(a0, a1, a2, a3);
}

static long call_aclrtCmoAsyncWithBarrier(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    aclrtCmoType a2;
    SET(v, a2, 2, 1);
    uint32_t a3;
    SET(v, a3, 3, 1);
    aclrtStream a4;
    SET(v, a4, 4, 1);
    return (long)aclrtCmoAsyncWithBarrier(a0, a1, a2, a3, a4);
}

static long call_aclrtCmoWaitBarrier(const struct variant *v)
{
    aclrtBarrierTaskInfo * a0;
    SET(v, a0, 0, 0);
    aclrtStream a1;
    SET(v, a1, 1, 1);
    uint32_t a2;
    SET(v, a2, 2, 1);
    return (long)aclrtCmoWaitBarrier(a0, a1, a2);
}

static long call_aclrtLaunchCallback(const struct variant *v)
{
    aclrtCallback a0;
    SET(v, a0, 0, 2);
    void * a1;
    SET(v, a1, 1, 0);
    aclrtCallbackBlockType a2;
    SET(v, a2, 2, 2);
    aclrtStream a3;
    SET(v, a3, 3, 1);
    return (long)aclrtLaunchCallback(a0, a1, a2, a3);
}

static long call_aclrtLaunchHostFunc(const struct variant *v)
{
    aclrtStream a0;
    SET(v, a0, 0, 1);
    aclrtHostFunc a1;
    SET(v, a1, 1, 2);
    void * a2;
    SET(v, a2, 2, 0);
    return (long)aclrtLaunchHostFunc(a0, a1, a2);
}

static long call_aclrtSubscribeReport(const struct variant *v)
{
    uint64_t a0;
    SET(v, a0, 0, 1);
    aclrtStream a1;
    SET(v, a1, 1, 1);
    return (long)aclrtSubscribeReport(a0, a1);
}

static long call_aclrtProcessReport(const struct variant *v)
{
    int32_t a0;
    SET(v, a0, 0, 1);
    return (long)aclrtProcessReport(a0);
}

static long call_aclrtUnSubscribeReport(const struct variant *v)
{
    uint64_t a0;
    SET(v, a0, 0, 1);
    aclrtStream a1;
    SET(v, a1, 1, 1);
    return (long)aclrtUnSubscribeReport(a0, a1);
}

static long call_aclrtSubscribeHostFunc(const struct variant *v)
{
    uint64_t a0;
    SET(v, a0, 0, 1);
    aclrtStream a1;
    SET(v, a1, 1, 1);
    return (long)aclrtSubscribeHostFunc(a0, a1);
}

static long call_aclrtProcessHostFunc(const struct variant *v)
{
    int32_t a0;
    SET(v, a0, 0, 1);
    return (long)aclrtProcessHostFunc(a0);
}

static long call_aclrtUnSubscribeHostFunc(const struct variant *v)
{
    uint64_t a0;
    SET(v, a0, 0, 1);
    aclrtStream a1;
    SET(v, a1, 1, 1);
    return (long)aclrtUnSubscribeHostFunc(a0, a1);
}

static long call_aclrtRegStreamStateCallback(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    aclrtStreamStateCallback a1;
    SET(v, a1, 1, 2);
    void * a2;
    SET(v, a2, 2, 0);
    return (long)aclrtRegStreamStateCallback(a0, a1, a2);
}

static long call_aclrtRegDeviceStateCallback(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    aclrtDeviceStateCallback a1;
    SET(v, a1, 1, 2);
    void * a2;
    SET(v, a2, 2, 0);
    return (long)aclrtRegDeviceStateCallback(a0, a1, a2);
}

static long call_aclrtSetDeviceTaskAbortCallback(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    aclrtDeviceTaskAbortCallback a1;
    SET(v, a1, 1, 2);
    void * a2;
    SET(v, a2, 2, 0);
    return (long)aclrtSetDeviceTaskAbortCallback(a0, a1, a2);
}

static long call_aclInitCallbackRegister(const struct variant *v)
{
    aclRegisterCallbackType a0;
    SET(v, a0, 0, 2);
    aclInitCallbackFunc a1;
    SET(v, a1, 1, 2);
    void * a2;
    SET(v, a2, 2, 0);
    return (long)aclInitCallbackRegister(a0, a1, a2);
}

static long call_aclInitCallbackUnRegister(const struct variant *v)
{
    aclRegisterCallbackType a0;
    SET(v, a0, 0, 2);
    aclInitCallbackFunc a1;
    SET(v, a1, 1, 2);
    return (long)aclInitCallbackUnRegister(a0, a1);
}

static long call_aclFinalizeCallbackRegister(const struct variant *v)
{
    aclRegisterCallbackType a0;
    SET(v, a0, 0, 2);
    aclFinalizeCallbackFunc a1;
    SET(v, a1, 1, 2);
    void * a2;
    SET(v, a2, 2, 0);
    return (long)aclFinalizeCallbackRegister(a0, a1, a2);
}

static long call_aclFinalizeCallbackUnRegister(const struct variant *v)
{
    aclRegisterCallbackType a0;
    SET(v, a0, 0, 2);
    aclFinalizeCallbackFunc a1;
    SET(v, a1, 1, 2);
    return (long)aclFinalizeCallbackUnRegister(a0, a1);
}

static long call_aclrtSetExceptionInfoCallback(const struct variant *v)
{
    aclrtExceptionInfoCallback a0;
    SET(v, a0, 0, 2);
    return (long)aclrtSetExceptionInfoCallback(a0);
}

static long call_aclrtExceptionInfoCallbackRegister(const struct variant *v)
{
    aclrtExceptionInfoCallback a0;
    SET(v, a0, 0, 2);
    return (long)aclrtExceptionInfoCallbackRegister(a0);
}

static long call_aclrtExceptionInfoCallbackUnregister(const struct variant *v)
{
    aclrtExceptionInfoCallback a0;
    SET(v, a0, 0, 2);
    return (long)aclrtExceptionInfoCallbackUnregister(a0);
}

static long call_aclrtGetTaskIdFromExceptionInfo(const struct variant *v)
{
    aclrtExceptionInfo const * a0;
    SET(v, a0, 0, 0);
    (void)aclrtGetTaskIdFromExceptionInfo(a0);
    return NO_CODE;
}

static long call_aclrtGetStreamIdFromExceptionInfo(const struct variant *v)
{
    aclrtExceptionInfo const * a0;
    SET(v, a0, 0, 0);
    (void)aclrtGetStreamIdFromExceptionInfo(a0);
    return NO_CODE;
}

static long call_aclrtGetThreadIdFromExceptionInfo(const struct variant *v)
{
    aclrtExceptionInfo const * a0;
    SET(v, a0, 0, 0);
    (void)aclrtGetThreadIdFromExceptionInfo(a0);
    return NO_CODE;
}

static long call_aclrtGetDeviceIdFromExceptionInfo(const struct variant *v)
{
    aclrtExceptionInfo const * a0;
    SET(v, a0, 0, 0);
    (void)aclrtGetDeviceIdFromExceptionInfo(a0);
    return NO_CODE;
}

static long call_aclrtGetErrorCodeFromExceptionInfo(const struct variant *v)
{
    aclrtExceptionInfo const * a0;
    SET(v, a0, 0, 0);
    (void)aclrtGetErrorCodeFromExceptionInfo(a0);
    return NO_CODE;
}

static long call_aclrtCreateContext(const struct variant *v)
{
    aclrtContext * a0;
    SET(v, a0, 0, 0);
    int32_t a1;
    SET(v, a1, 1, 1);
    return (long)aclrtCreateContext(a0, a1);
}

static long call_aclrtDestroyContext(const struct variant *v)
{
    aclrtContext a0;
    SET(v, a0, 0, 1);
    return (long)aclrtDestroyContext(a0);
}

static long call_aclrtSetCurrentContext(const struct variant *v)
{
    aclrtContext a0;
    SET(v, a0, 0, 1);
    return (long)aclrtSetCurrentContext(a0);
}

static long call_aclrtGetCurrentContext(const struct variant *v)
{
    aclrtContext * a0;
    SET(v, a0, 0, 0);
    return (long)aclrtGetCurrentContext(a0);
}

static long call_aclrtCtxGetCurrentDefaultStream(const struct variant *v)
{
    aclrtStream * a0;
    SET(v, a0, 0, 0);
    return (long)aclrtCtxGetCurrentDefaultStream(a0);
}

static long call_aclrtGetPrimaryCtxState(const struct variant *v)
{
    int32_t a0;
    SET(v, a0, 0, 1);
    uint32_t * a1;
    SET(v, a1, 1, 0);
    int32_t * a2;
    SET(v, a2, 2, 0);
    return (long)aclrtGetPrimaryCtxState(a0, a1, a2);
}

static long call_aclrtMemcpy(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    void const * a2;
    SET(v, a2, 2, 0);
    size_t a3;
    SET(v, a3, 3, 1);
    aclrtMemcpyKind a4;
    SET(v, a4, 4, 1);
    return (long)aclrtMemcpy(a0, a1, a2, a3, a4);
}

static long call_aclrtMemcpyAsync(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    void const * a2;
    SET(v, a2, 2, 0);
    size_t a3;
    SET(v, a3, 3, 1);
    aclrtMemcpyKind a4;
    SET(v, a4, 4, 1);
    aclrtStream a5;
    SET(v, a5, 5, 1);
    return (long)aclrtMemcpyAsync(a0, a1, a2, a3, a4, a5);
}

static long call_aclrtMemcpyAsyncWithCondition(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    void const * a2;
    SET(v, a2, 2, 0);
    size_t a3;
    SET(v, a3, 3, 1);
    aclrtMemcpyKind a4;
    SET(v, a4, 4, 1);
    aclrtStream a5;
    SET(v, a5, 5, 1);
    return (long)aclrtMemcpyAsyncWithCondition(a0, a1, a2, a3, a4, a5);
}

static long call_aclrtMemcpy2d(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    void const * a2;
    SET(v, a2, 2, 0);
    size_t a3;
    SET(v, a3, 3, 1);
    size_t a4;
    SET(v, a4, 4, 1);
    size_t a5;
    SET(v, a5, 5, 1);
    aclrtMemcpyKind a6;
    SET(v, a6, 6, 1);
    return (long)aclrtMemcpy2d(a0, a1, a2, a3, a4, a5, a6);
}

static long call_aclrtMemcpy2dAsync(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    void const * a2;
    SET(v, a2, 2, 0);
    size_t a3;
    SET(v, a3, 3, 1);
    size_t a4;
    SET(v, a4, 4, 1);
    size_t a5;
    SET(v, a5, 5, 1);
    aclrtMemcpyKind a6;
    SET(v, a6, 6, 1);
    aclrtStream a7;
    SET(v, a7, 7, 1);
    return (long)aclrtMemcpy2dAsync(a0, a1, a2, a3, a4, a5, a6, a7);
}

static long call_aclrtMemcpyBatch(const struct variant *v)
{
    void * * a0;
    SET(v, a0, 0, 0);
    size_t * a1;
    SET(v, a1, 1, 0);
    void * * a2;
    SET(v, a2, 2, 0);
    size_t * a3;
    SET(v, a3, 3, 0);
    size_t a4;
    SET(v, a4, 4, 1);
    aclrtMemcpyBatchAttr * a5;
    SET(v, a5, 5, 0);
    size_t * a6;
    SET(v, a6, 6, 0);
    size_t a7;
    SET(v, a7, 7, 1);
    size_t * a8;
    SET(v, a8, 8, 0);
    return (long)aclrtMemcpyBatch(a0, a1, a2, a3, a4, a5, a6, a7, a8);
}

static long call_aclrtMemcpyBatchV2(const struct variant *v)
{
    void * * a0;
    SET(v, a0, 0, 0);
    size_t * a1;
    SET(v, a1, 1, 0);
    void * * a2;
    SET(v, a2, 2, 0);
    size_t * a3;
    SET(v, a3, 3, 0);
    size_t a4;
    SET(v, a4, 4, 1);
    aclrtMemcpyBatchAttr * a5;
    SET(v, a5, 5, 0);
    size_t * a6;
    SET(v, a6, 6, 0);
    size_t a7;
    SET(v, a7, 7, 1);
    return (long)aclrtMemcpyBatchV2(a0, a1, a2, a3, a4, a5, a6, a7);
}

static long call_aclrtMemcpyBatchAsync(const struct variant *v)
{
    void * * a0;
    SET(v, a0, 0, 0);
    size_t * a1;
    SET(v, a1, 1, 0);
    void * * a2;
    SET(v, a2, 2, 0);
    size_t * a3;
    SET(v, a3, 3, 0);
    size_t a4;
    SET(v, a4, 4, 1);
    aclrtMemcpyBatchAttr * a5;
    SET(v, a5, 5, 0);
    size_t * a6;
    SET(v, a6, 6, 0);
    size_t a7;
    SET(v, a7, 7, 1);
    size_t * a8;
    SET(v, a8, 8, 0);
    aclrtStream a9;
    SET(v, a9, 9, 1);
    return (long)aclrtMemcpyBatchAsync(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9);
}

static long call_aclrtMemcpyBatchAsyncV2(const struct variant *v)
{
    void * * a0;
    SET(v, a0, 0, 0);
    size_t * a1;
    SET(v, a1, 1, 0);
    void * * a2;
    SET(v, a2, 2, 0);
    size_t * a3;
    SET(v, a3, 3, 0);
    size_t a4;
    SET(v, a4, 4, 1);
    aclrtMemcpyBatchAttr * a5;
    SET(v, a5, 5, 0);
    size_t * a6;
    SET(v, a6, 6, 0);
    size_t a7;
    SET(v, a7, 7, 1);
    aclrtStream a8;
    SET(v, a8, 8, 1);
    return (long)aclrtMemcpyBatchAsyncV2(a0, a1, a2, a3, a4, a5, a6, a7, a8);
}

static long call_aclrtGetMemcpyDescSize(const struct variant *v)
{
    aclrtMemcpyKind a0;
    SET(v, a0, 0, 1);
    size_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtGetMemcpyDescSize(a0, a1);
}

static long call_aclrtSetMemcpyDesc(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    aclrtMemcpyKind a1;
    SET(v, a1, 1, 1);
    void * a2;
    SET(v, a2, 2, 0);
    void * a3;
    SET(v, a3, 3, 0);
    size_t a4;
    SET(v, a4, 4, 1);
    void * a5;
    SET(v, a5, 5, 0);
    return (long)aclrtSetMemcpyDesc(a0, a1, a2, a3, a4, a5);
}

static long call_aclrtMemcpyAsyncWithDesc(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    aclrtMemcpyKind a1;
    SET(v, a1, 1, 1);
    aclrtStream a2;
    SET(v, a2, 2, 1);
    return (long)aclrtMemcpyAsyncWithDesc(a0, a1, a2);
}

static long call_aclrtMemcpyAsyncWithOffset(const struct variant *v)
{
    void * * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    size_t a2;
    SET(v, a2, 2, 1);
    void const * * a3;
    SET(v, a3, 3, 0);
    size_t a4;
    SET(v, a4, 4, 1);
    size_t a5;
    SET(v, a5, 5, 1);
    aclrtMemcpyKind a6;
    SET(v, a6, 6, 1);
    aclrtStream a7;
    SET(v, a7, 7, 1);
    return (long)aclrtMemcpyAsyncWithOffset(a0, a1, a2, a3, a4, a5, a6, a7);
}

static long call_aclrtMemset(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    int32_t a2;
    SET(v, a2, 2, 1);
    size_t a3;
    SET(v, a3, 3, 1);
    return (long)aclrtMemset(a0, a1, a2, a3);
}

static long call_aclrtMemsetAsync(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    int32_t a2;
    SET(v, a2, 2, 1);
    size_t a3;
    SET(v, a3, 3, 1);
    aclrtStream a4;
    SET(v, a4, 4, 1);
    return (long)aclrtMemsetAsync(a0, a1, a2, a3, a4);
}

static long call_aclrtMemsetD32(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    uint32_t a2;
    SET(v, a2, 2, 1);
    size_t a3;
    SET(v, a3, 3, 1);
    return (long)aclrtMemsetD32(a0, a1, a2, a3);
}

static long call_aclrtMemsetD32Async(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    uint32_t a2;
    SET(v, a2, 2, 1);
    size_t a3;
    SET(v, a3, 3, 1);
    aclrtStream a4;
    SET(v, a4, 4, 1);
    return (long)aclrtMemsetD32Async(a0, a1, a2, a3, a4);
}

static long call_aclrtValueWrite(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    uint64_t a1;
    SET(v, a1, 1, 1);
    uint32_t a2;
    SET(v, a2, 2, 1);
    aclrtStream a3;
    SET(v, a3, 3, 1);
    return (long)aclrtValueWrite(a0, a1, a2, a3);
}

static long call_aclrtValueWait(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    uint64_t a1;
    SET(v, a1, 1, 1);
    uint32_t a2;
    SET(v, a2, 2, 1);
    aclrtStream a3;
    SET(v, a3, 3, 1);
    return (long)aclrtValueWait(a0, a1, a2, a3);
}

static long call_aclrtReduceAsync(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    void const * a1;
    SET(v, a1, 1, 0);
    uint64_t a2;
    SET(v, a2, 2, 1);
    aclrtReduceKind a3;
    SET(v, a3, 3, 1);
    aclDataType a4;
    SET(v, a4, 4, 1);
    aclrtStream a5;
    SET(v, a5, 5, 1);
    void * a6;
    SET(v, a6, 6, 0);
    return (long)aclrtReduceAsync(a0, a1, a2, a3, a4, a5, a6);
}

static long call_aclrtSetDevice(const struct variant *v)
{
    int32_t a0;
    SET(v, a0, 0, 1);
    return (long)aclrtSetDevice(a0);
}

static long call_aclrtGetDevice(const struct variant *v)
{
    int32_t * a0;
    SET(v, a0, 0, 0);
    return (long)aclrtGetDevice(a0);
}

static long call_aclrtGetDeviceCount(const struct variant *v)
{
    uint32_t * a0;
    SET(v, a0, 0, 0);
    return (long)aclrtGetDeviceCount(a0);
}

static long call_aclrtGetRunMode(const struct variant *v)
{
    aclrtRunMode * a0;
    SET(v, a0, 0, 0);
    return (long)aclrtGetRunMode(a0);
}

static long call_aclrtSetTsDevice(const struct variant *v)
{
    aclrtTsId a0;
    SET(v, a0, 0, 1);
    return (long)aclrtSetTsDevice(a0);
}

static long call_aclrtSynchronizeDevice(const struct variant *v)
{
    (void)v;
    return (long)aclrtSynchronizeDevice();
}

static long call_aclrtSynchronizeDeviceWithTimeout(const struct variant *v)
{
    int32_t a0;
    SET(v, a0, 0, 1);
    return (long)aclrtSynchronizeDeviceWithTimeout(a0);
}

static long call_aclrtDeviceTaskAbort(const struct variant *v)
{
    int32_t a0;
    SET(v, a0, 0, 1);
    uint32_t a1;
    SET(v, a1, 1, 1);
    return (long)aclrtDeviceTaskAbort(a0, a1);
}

static long call_aclrtDeviceCanAccessPeer(const struct variant *v)
{
    int32_t * a0;
    SET(v, a0, 0, 0);
    int32_t a1;
    SET(v, a1, 1, 1);
    int32_t a2;
    SET(v, a2, 2, 1);
    return (long)aclrtDeviceCanAccessPeer(a0, a1, a2);
}

static long call_aclrtDeviceEnablePeerAccess(const struct variant *v)
{
    int32_t a0;
    SET(v, a0, 0, 1);
    uint32_t a1;
    SET(v, a1, 1, 1);
    return (long)aclrtDeviceEnablePeerAccess(a0, a1);
}

static long call_aclrtDeviceDisablePeerAccess(const struct variant *v)
{
    int32_t a0;
    SET(v, a0, 0, 1);
    return (long)aclrtDeviceDisablePeerAccess(a0);
}

static long call_aclrtDevicePeerAccessStatus(const struct variant *v)
{
    int32_t a0;
    SET(v, a0, 0, 1);
    int32_t a1;
    SET(v, a1, 1, 1);
    int32_t * a2;
    SET(v, a2, 2, 0);
    return (long)aclrtDevicePeerAccessStatus(a0, a1, a2);
}

static long call_aclrtCtxGetSysParamOpt(const struct variant *v)
{
    aclSysParamOpt a0;
    SET(v, a0, 0, 1);
    int64_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtCtxGetSysParamOpt(a0, a1);
}

static long call_aclrtCtxSetSysParamOpt(const struct variant *v)
{
    aclSysParamOpt a0;
    SET(v, a0, 0, 1);
    int64_t a1;
    SET(v, a1, 1, 1);
    return (long)aclrtCtxSetSysParamOpt(a0, a1);
}

static long call_aclrtGetSysParamOpt(const struct variant *v)
{
    aclSysParamOpt a0;
    SET(v, a0, 0, 1);
    int64_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtGetSysParamOpt(a0, a1);
}

static long call_aclrtSetSysParamOpt(const struct variant *v)
{
    aclSysParamOpt a0;
    SET(v, a0, 0, 1);
    int64_t a1;
    SET(v, a1, 1, 1);
    return (long)aclrtSetSysParamOpt(a0, a1);
}

static long call_aclrtSetOpWaitTimeout(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    return (long)aclrtSetOpWaitTimeout(a0);
}

static long call_aclrtSetOpExecuteTimeOut(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    return (long)aclrtSetOpExecuteTimeOut(a0);
}

static long call_aclrtSetOpExecuteTimeOutWithMs(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    return (long)aclrtSetOpExecuteTimeOutWithMs(a0);
}

static long call_aclrtSetOpExecuteTimeOutV2(const struct variant *v)
{
    uint64_t a0;
    SET(v, a0, 0, 1);
    uint64_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtSetOpExecuteTimeOutV2(a0, a1);
}

static long call_aclrtGetOpExecuteTimeout(const struct variant *v)
{
    uint32_t * a0;
    SET(v, a0, 0, 0);
    return (long)aclrtGetOpExecuteTimeout(a0);
}

static long call_aclrtGetOpTimeOutInterval(const struct variant *v)
{
    uint64_t * a0;
    SET(v, a0, 0, 0);
    return (long)aclrtGetOpTimeOutInterval(a0);
}

static long call_aclrtSetDeviceSatMode(const struct variant *v)
{
    aclrtFloatOverflowMode a0;
    SET(v, a0, 0, 1);
    return (long)aclrtSetDeviceSatMode(a0);
}

static long call_aclrtGetDeviceSatMode(const struct variant *v)
{
    aclrtFloatOverflowMode * a0;
    SET(v, a0, 0, 0);
    return (long)aclrtGetDeviceSatMode(a0);
}

static long call_aclrtGetOverflowStatus(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    aclrtStream a2;
    SET(v, a2, 2, 1);
    return (long)aclrtGetOverflowStatus(a0, a1, a2);
}

static long call_aclrtResetOverflowStatus(const struct variant *v)
{
    aclrtStream a0;
    SET(v, a0, 0, 1);
    return (long)aclrtResetOverflowStatus(a0);
}

static long call_aclrtGetDeviceInfo(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    aclrtDevAttr a1;
    SET(v, a1, 1, 1);
    int64_t * a2;
    SET(v, a2, 2, 0);
    return (long)aclrtGetDeviceInfo(a0, a1, a2);
}

static long call_aclrtGetDeviceCapability(const struct variant *v)
{
    int32_t a0;
    SET(v, a0, 0, 1);
    aclrtDevFeatureType a1;
    SET(v, a1, 1, 1);
    int32_t * a2;
    SET(v, a2, 2, 0);
    return (long)aclrtGetDeviceCapability(a0, a1, a2);
}

static long call_aclrtQueryDeviceStatus(const struct variant *v)
{
    int32_t a0;
    SET(v, a0, 0, 1);
    aclrtDeviceStatus * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtQueryDeviceStatus(a0, a1);
}

static long call_aclrtGetDeviceUtilizationRate(const struct variant *v)
{
    int32_t a0;
    SET(v, a0, 0, 1);
    aclrtUtilizationInfo * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtGetDeviceUtilizationRate(a0, a1);
}

static long call_aclrtDeviceGetUuid(const struct variant *v)
{
    int32_t a0;
    SET(v, a0, 0, 1);
    aclrtUuid * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtDeviceGetUuid(a0, a1);
}

static long call_aclrtDeviceSetLimit(const struct variant *v)
{
    aclrtDeviceLimit a0;
    SET(v, a0, 0, 1);
    size_t a1;
    SET(v, a1, 1, 1);
    return (long)aclrtDeviceSetLimit(a0, a1);
}

static long call_aclrtDeviceGetLimit(const struct variant *v)
{
    aclrtDeviceLimit a0;
    SET(v, a0, 0, 1);
    size_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtDeviceGetLimit(a0, a1);
}

static long call_aclrtDeviceGetPCIBusId(const struct variant *v)
{
    int32_t a0;
    SET(v, a0, 0, 1);
    char * a1;
    SET(v, a1, 1, 0);
    int32_t a2;
    SET(v, a2, 2, 1);
    return (long)aclrtDeviceGetPCIBusId(a0, a1, a2);
}

static long call_aclrtDeviceGetByPCIBusId(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    int32_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtDeviceGetByPCIBusId(a0, a1);
}

static long call_aclrtGetDevicesTopo(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    uint32_t a1;
    SET(v, a1, 1, 1);
    uint64_t * a2;
    SET(v, a2, 2, 0);
    return (long)aclrtGetDevicesTopo(a0, a1, a2);
}

static long call_aclrtGetLogicDevIdByUserDevId(const struct variant *v)
{
    int32_t a0;
    SET(v, a0, 0, 1);
    int32_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtGetLogicDevIdByUserDevId(a0, a1);
}

static long call_aclrtGetUserDevIdByLogicDevId(const struct variant *v)
{
    int32_t a0;
    SET(v, a0, 0, 1);
    int32_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtGetUserDevIdByLogicDevId(a0, a1);
}

static long call_aclrtGetLogicDevIdByPhyDevId(const struct variant *v)
{
    int32_t a0;
    SET(v, a0, 0, 1);
    int32_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtGetLogicDevIdByPhyDevId(a0, a1);
}

static long call_aclrtGetPhyDevIdByLogicDevId(const struct variant *v)
{
    int32_t a0;
    SET(v, a0, 0, 1);
    int32_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtGetPhyDevIdByLogicDevId(a0, a1);
}

static long call_aclrtGetUserDevIdByPhyDevId(const struct variant *v)
{
    int32_t a0;
    SET(v, a0, 0, 1);
    int32_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtGetUserDevIdByPhyDevId(a0, a1);
}

static long call_aclrtGetPhyDevIdByUserDevId(const struct variant *v)
{
    int32_t a0;
    SET(v, a0, 0, 1);
    int32_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtGetPhyDevIdByUserDevId(a0, a1);
}

static long call_aclrtGetErrorVerbose(const struct variant *v)
{
    int32_t a0;
    SET(v, a0, 0, 1);
    aclrtErrorInfo * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtGetErrorVerbose(a0, a1);
}

static long call_aclrtRepairError(const struct variant *v)
{
    int32_t a0;
    SET(v, a0, 0, 1);
    aclrtErrorInfo const * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtRepairError(a0, a1);
}

static long call_aclrtGetMemUceInfo(const struct variant *v)
{
    int32_t a0;
    SET(v, a0, 0, 1);
    aclrtMemUceInfo * a1;
    SET(v, a1, 1, 0);
    size_t a2;
    SET(v, a2, 2, 1);
    size_t * a3;
    SET(v, a3, 3, 0);
    return (long)aclrtGetMemUceInfo(a0, a1, a2, a3);
}

static long call_aclrtMemUceRepair(const struct variant *v)
{
    int32_t a0;
    SET(v, a0, 0, 1);
    aclrtMemUceInfo * a1;
    SET(v, a1, 1, 0);
    size_t a2;
    SET(v, a2, 2, 1);
    return (long)aclrtMemUceRepair(a0, a1, a2);
}

static long call_aclrtCreateEvent(const struct variant *v)
{
    aclrtEvent * a0;
    SET(v, a0, 0, 0);
    return (long)aclrtCreateEvent(a0);
}

static long call_aclrtCreateEventWithFlag(const struct variant *v)
{
    aclrtEvent * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    return (long)aclrtCreateEventWithFlag(a0, a1);
}

static long call_aclrtCreateEventExWithFlag(const struct variant *v)
{
    aclrtEvent * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    return (long)aclrtCreateEventExWithFlag(a0, a1);
}

static long call_aclrtDestroyEvent(const struct variant *v)
{
    aclrtEvent a0;
    SET(v, a0, 0, 1);
    return (long)aclrtDestroyEvent(a0);
}

static long call_aclrtRecordEvent(const struct variant *v)
{
    aclrtEvent a0;
    SET(v, a0, 0, 1);
    aclrtStream a1;
    SET(v, a1, 1, 1);
    return (long)aclrtRecordEvent(a0, a1);
}

static long call_aclrtRecordEventWithFlag(const struct variant *v)
{
    aclrtEvent a0;
    SET(v, a0, 0, 1);
    aclrtStream a1;
    SET(v, a1, 1, 1);
    uint32_t a2;
    SET(v, a2, 2, 1);
    return (long)aclrtRecordEventWithFlag(a0, a1, a2);
}

static long call_aclrtResetEvent(const struct variant *v)
{
    aclrtEvent a0;
    SET(v, a0, 0, 1);
    aclrtStream a1;
    SET(v, a1, 1, 1);
    return (long)aclrtResetEvent(a0, a1);
}

static long call_aclrtQueryEvent(const struct variant *v)
{
    aclrtEvent a0;
    SET(v, a0, 0, 1);
    aclrtEventStatus * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtQueryEvent(a0, a1);
}

static long call_aclrtQueryEventStatus(const struct variant *v)
{
    aclrtEvent a0;
    SET(v, a0, 0, 1);
    aclrtEventRecordedStatus * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtQueryEventStatus(a0, a1);
}

static long call_aclrtQueryEventWaitStatus(const struct variant *v)
{
    aclrtEvent a0;
    SET(v, a0, 0, 1);
    aclrtEventWaitStatus * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtQueryEventWaitStatus(a0, a1);
}

static long call_aclrtSynchronizeEvent(const struct variant *v)
{
    aclrtEvent a0;
    SET(v, a0, 0, 1);
    return (long)aclrtSynchronizeEvent(a0);
}

static long call_aclrtSynchronizeEventWithTimeout(const struct variant *v)
{
    aclrtEvent a0;
    SET(v, a0, 0, 1);
    int32_t a1;
    SET(v, a1, 1, 1);
    return (long)aclrtSynchronizeEventWithTimeout(a0, a1);
}

static long call_aclrtEventElapsedTime(const struct variant *v)
{
    float * a0;
    SET(v, a0, 0, 0);
    aclrtEvent a1;
    SET(v, a1, 1, 1);
    aclrtEvent a2;
    SET(v, a2, 2, 1);
    return (long)aclrtEventElapsedTime(a0, a1, a2);
}

static long call_aclrtEventGetTimestamp(const struct variant *v)
{
    aclrtEvent a0;
    SET(v, a0, 0, 1);
    uint64_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtEventGetTimestamp(a0, a1);
}

static long call_aclrtGetEventId(const struct variant *v)
{
    aclrtEvent a0;
    SET(v, a0, 0, 1);
    uint32_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtGetEventId(a0, a1);
}

static long call_aclrtGetEventAvailNum(const struct variant *v)
{
    uint32_t * a0;
    SET(v, a0, 0, 0);
    return (long)aclrtGetEventAvailNum(a0);
}

static long call_aclmdlRICaptureBegin(const struct variant *v)
{
    aclrtStream a0;
    SET(v, a0, 0, 1);
    aclmdlRICaptureMode a1;
    SET(v, a1, 1, 1);
    return (long)aclmdlRICaptureBegin(a0, a1);
}

static long call_aclmdlRICaptureGetInfo(const struct variant *v)
{
    aclrtStream a0;
    SET(v, a0, 0, 1);
    aclmdlRICaptureStatus * a1;
    SET(v, a1, 1, 0);
    aclmdlRI * a2;
    SET(v, a2, 2, 0);
    return (long)aclmdlRICaptureGetInfo(a0, a1, a2);
}

static long call_aclmdlRICaptureEnd(const struct variant *v)
{
    aclrtStream a0;
    SET(v, a0, 0, 1);
    aclmdlRI * a1;
    SET(v, a1, 1, 0);
    return (long)aclmdlRICaptureEnd(a0, a1);
}

static long call_aclmdlRICaptureThreadExchangeMode(const struct variant *v)
{
    aclmdlRICaptureMode * a0;
    SET(v, a0, 0, 0);
    return (long)aclmdlRICaptureThreadExchangeMode(a0);
}

static long call_aclmdlRIExecuteAsync(const struct variant *v)
{
    aclmdlRI a0;
    SET(v, a0, 0, 1);
    aclrtStream a1;
    SET(v, a1, 1, 1);
    return (long)aclmdlRIExecuteAsync(a0, a1);
}

static long call_aclmdlRIExecute(const struct variant *v)
{
    aclmdlRI a0;
    SET(v, a0, 0, 1);
    int32_t a1;
    SET(v, a1, 1, 1);
    return (long)aclmdlRIExecute(a0, a1);
}

static long call_aclmdlRIDestroy(const struct variant *v)
{
    aclmdlRI a0;
    SET(v, a0, 0, 1);
    return (long)aclmdlRIDestroy(a0);
}

static long call_aclmdlRIGetId(const struct variant *v)
{
    aclmdlRI a0;
    SET(v, a0, 0, 1);
    uint32_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclmdlRIGetId(a0, a1);
}

static long call_aclmdlRICaptureTaskGrpBegin(const struct variant *v)
{
    aclrtStream a0;
    SET(v, a0, 0, 1);
    return (long)aclmdlRICaptureTaskGrpBegin(a0);
}

static long call_aclmdlRICaptureTaskGrpEnd(const struct variant *v)
{
    aclrtStream a0;
    SET(v, a0, 0, 1);
    aclrtTaskGrp * a1;
    SET(v, a1, 1, 0);
    return (long)aclmdlRICaptureTaskGrpEnd(a0, a1);
}

static long call_aclmdlRICaptureTaskUpdateBegin(const struct variant *v)
{
    aclrtStream a0;
    SET(v, a0, 0, 1);
    aclrtTaskGrp a1;
    SET(v, a1, 1, 1);
    return (long)aclmdlRICaptureTaskUpdateBegin(a0, a1);
}

static long call_aclmdlRICaptureTaskUpdateEnd(const struct variant *v)
{
    aclrtStream a0;
    SET(v, a0, 0, 1);
    return (long)aclmdlRICaptureTaskUpdateEnd(a0);
}

static long call_aclmdlRICondHandleCreate(const struct variant *v)
{
    aclmdlRI a0;
    SET(v, a0, 0, 1);
    uint32_t a1;
    SET(v, a1, 1, 1);
    uint32_t a2;
    SET(v, a2, 2, 1);
    aclmdlRICondHandle * a3;
    SET(v, a3, 3, 0);
    return (long)aclmdlRICondHandleCreate(a0, a1, a2, a3);
}

static long call_aclmdlRICondHandleGetCondPtr(const struct variant *v)
{
    aclmdlRICondHandle a0;
    SET(v, a0, 0, 1);
    uint64_t * * a1;
    SET(v, a1, 1, 0);
    return (long)aclmdlRICondHandleGetCondPtr(a0, a1);
}

static long call_aclmdlRIAddCondTask(const struct variant *v)
{
    aclmdlRICondTaskParams a0;
    SET(v, a0, 0, 1);
    aclrtStream a1;
    SET(v, a1, 1, 1);
    uint32_t a2;
    SET(v, a2, 2, 1);
    return (long)aclmdlRIAddCondTask(a0, a1, a2);
}

static long call_aclmdlRICaptureToModelRIBegin(const struct variant *v)
{
    aclrtStream a0;
    SET(v, a0, 0, 1);
    aclmdlRI a1;
    SET(v, a1, 1, 1);
    aclmdlRICaptureMode a2;
    SET(v, a2, 2, 1);
    return (long)aclmdlRICaptureToModelRIBegin(a0, a1, a2);
}

static long call_aclmdlRIDebugPrint(const struct variant *v)
{
    aclmdlRI a0;
    SET(v, a0, 0, 1);
    return (long)aclmdlRIDebugPrint(a0);
}

static long call_aclmdlRIDebugJsonPrint(const struct variant *v)
{
    aclmdlRI a0;
    SET(v, a0, 0, 1);
    char const * a1;
    SET(v, a1, 1, 0);
    uint32_t a2;
    SET(v, a2, 2, 1);
    return (long)aclmdlRIDebugJsonPrint(a0, a1, a2);
}

static long call_aclrtHostRegister(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    uint64_t a1;
    SET(v, a1, 1, 1);
    aclrtHostRegisterType a2;
    SET(v, a2, 2, 1);
    void * * a3;
    SET(v, a3, 3, 0);
    return (long)aclrtHostRegister(a0, a1, a2, a3);
}

static long call_aclrtHostRegisterV2(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    uint64_t a1;
    SET(v, a1, 1, 1);
    uint32_t a2;
    SET(v, a2, 2, 1);
    return (long)aclrtHostRegisterV2(a0, a1, a2);
}

static long call_aclrtHostGetDevicePointer(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    void * * a1;
    SET(v, a1, 1, 0);
    uint32_t a2;
    SET(v, a2, 2, 1);
    return (long)aclrtHostGetDevicePointer(a0, a1, a2);
}

static long call_aclrtHostUnregister(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    return (long)aclrtHostUnregister(a0);
}

static long call_aclrtHostMemMapCapabilities(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    aclrtHacType a1;
    SET(v, a1, 1, 1);
    aclrtHostMemMapCapability * a2;
    SET(v, a2, 2, 0);
    return (long)aclrtHostMemMapCapabilities(a0, a1, a2);
}

static long call_aclrtMemAllocManaged(const struct variant *v)
{
    void * * a0;
    SET(v, a0, 0, 0);
    uint64_t a1;
    SET(v, a1, 1, 1);
    uint32_t a2;
    SET(v, a2, 2, 1);
    return (long)aclrtMemAllocManaged(a0, a1, a2);
}

static long call_aclrtMemManagedAdvise(const struct variant *v)
{
    void const * a0;
    SET(v, a0, 0, 0);
    uint64_t a1;
    SET(v, a1, 1, 1);
    aclrtMemManagedAdviseType a2;
    SET(v, a2, 2, 1);
    aclrtMemManagedLocation a3;
    SET(v, a3, 3, 1);
    return (long)aclrtMemManagedAdvise(a0, a1, a2, a3);
}

static long call_aclrtMemManagedGetAttr(const struct variant *v)
{
    aclrtMemManagedRangeAttribute a0;
    SET(v, a0, 0, 1);
    void const * a1;
    SET(v, a1, 1, 0);
    size_t a2;
    SET(v, a2, 2, 1);
    void * a3;
    SET(v, a3, 3, 0);
    size_t a4;
    SET(v, a4, 4, 1);
    return (long)aclrtMemManagedGetAttr(a0, a1, a2, a3, a4);
}

static long call_aclrtMemManagedGetAttrs(const struct variant *v)
{
    aclrtMemManagedRangeAttribute * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    void const * a2;
    SET(v, a2, 2, 0);
    size_t a3;
    SET(v, a3, 3, 1);
    void * * a4;
    SET(v, a4, 4, 0);
    size_t * a5;
    SET(v, a5, 5, 0);
    return (long)aclrtMemManagedGetAttrs(a0, a1, a2, a3, a4, a5);
}

static long call_aclrtMemManagedPrefetchAsync(const struct variant *v)
{
    void const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    aclrtMemManagedLocation a2;
    SET(v, a2, 2, 1);
    uint32_t a3;
    SET(v, a3, 3, 1);
    aclrtStream a4;
    SET(v, a4, 4, 1);
    return (long)aclrtMemManagedPrefetchAsync(a0, a1, a2, a3, a4);
}

static long call_aclrtMemManagedPrefetchBatchAsync(const struct variant *v)
{
    void const * * a0;
    SET(v, a0, 0, 0);
    size_t * a1;
    SET(v, a1, 1, 0);
    size_t a2;
    SET(v, a2, 2, 1);
    aclrtMemManagedLocation * a3;
    SET(v, a3, 3, 0);
    size_t * a4;
    SET(v, a4, 4, 0);
    size_t a5;
    SET(v, a5, 5, 1);
    uint64_t a6;
    SET(v, a6, 6, 1);
    aclrtStream a7;
    SET(v, a7, 7, 1);
    return (long)aclrtMemManagedPrefetchBatchAsync(a0, a1, a2, a3, a4, a5, a6, a7);
}

static long call_aclInit(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    return (long)aclInit(a0);
}

static long call_aclGetRecentErrMsg(const struct variant *v)
{
    (void)v;
    (void)aclGetRecentErrMsg();
    return NO_CODE;
}

static long call_aclrtPeekAtLastError(const struct variant *v)
{
    aclrtLastErrLevel a0;
    SET(v, a0, 0, 1);
    return (long)aclrtPeekAtLastError(a0);
}

static long call_aclrtGetLastError(const struct variant *v)
{
    aclrtLastErrLevel a0;
    SET(v, a0, 0, 1);
    return (long)aclrtGetLastError(a0);
}

static long call_aclsysGetCANNVersion(const struct variant *v)
{
    aclCANNPackageName a0;
    SET(v, a0, 0, 1);
    aclCANNPackageVersion * a1;
    SET(v, a1, 1, 0);
    return (long)aclsysGetCANNVersion(a0, a1);
}

static long call_aclsysGetVersionStr(const struct variant *v)
{
    char * a0;
    SET(v, a0, 0, 0);
    char * a1;
    SET(v, a1, 1, 0);
    return (long)aclsysGetVersionStr(a0, a1);
}

static long call_aclsysGetVersionNum(const struct variant *v)
{
    char * a0;
    SET(v, a0, 0, 0);
    int32_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclsysGetVersionNum(a0, a1);
}

static long call_aclrtGetVersion(const struct variant *v)
{
    int32_t * a0;
    SET(v, a0, 0, 0);
    int32_t * a1;
    SET(v, a1, 1, 0);
    int32_t * a2;
    SET(v, a2, 2, 0);
    return (long)aclrtGetVersion(a0, a1, a2);
}

static long call_aclrtIpcMemGetExportKey(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    char * a2;
    SET(v, a2, 2, 0);
    size_t a3;
    SET(v, a3, 3, 1);
    uint64_t a4;
    SET(v, a4, 4, 1);
    return (long)aclrtIpcMemGetExportKey(a0, a1, a2, a3, a4);
}

static long call_aclrtIpcMemImportByKey(const struct variant *v)
{
    void * * a0;
    SET(v, a0, 0, 0);
    char const * a1;
    SET(v, a1, 1, 0);
    uint64_t a2;
    SET(v, a2, 2, 1);
    return (long)aclrtIpcMemImportByKey(a0, a1, a2);
}

static long call_aclrtIpcMemClose(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    return (long)aclrtIpcMemClose(a0);
}

static long call_aclrtIpcMemSetImportPid(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    int32_t * a1;
    SET(v, a1, 1, 0);
    size_t a2;
    SET(v, a2, 2, 1);
    return (long)aclrtIpcMemSetImportPid(a0, a1, a2);
}

static long call_aclrtIpcMemImportPidInterServer(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    aclrtServerPid * a1;
    SET(v, a1, 1, 0);
    size_t a2;
    SET(v, a2, 2, 1);
    return (long)aclrtIpcMemImportPidInterServer(a0, a1, a2);
}

static long call_aclrtIpcMemSetAttr(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    aclrtIpcMemAttrType a1;
    SET(v, a1, 1, 1);
    uint64_t a2;
    SET(v, a2, 2, 1);
    return (long)aclrtIpcMemSetAttr(a0, a1, a2);
}

static long call_aclrtIpcGetEventHandle(const struct variant *v)
{
    aclrtEvent a0;
    SET(v, a0, 0, 1);
    aclrtIpcEventHandle * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtIpcGetEventHandle(a0, a1);
}

static long call_aclrtIpcOpenEventHandle(const struct variant *v)
{
    aclrtIpcEventHandle a0;
    SET(v, a0, 0, 1);
    aclrtEvent * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtIpcOpenEventHandle(a0, a1);
}

static long call_aclrtCreateBinary(const struct variant *v)
{
    void const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    (void)aclrtCreateBinary(a0, a1);
    return NO_CODE;
}

static long call_aclrtDestroyBinary(const struct variant *v)
{
    aclrtBinary a0;
    SET(v, a0, 0, 1);
    return (long)aclrtDestroyBinary(a0);
}

static long call_aclrtBinaryLoad(const struct variant *v)
{
    aclrtBinary a0;
    SET(v, a0, 0, 1);
    aclrtBinHandle * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtBinaryLoad(a0, a1);
}

static long call_aclrtBinaryLoadFromFile(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    aclrtBinaryLoadOptions * a1;
    SET(v, a1, 1, 0);
    aclrtBinHandle * a2;
    SET(v, a2, 2, 0);
    return (long)aclrtBinaryLoadFromFile(a0, a1, a2);
}

static long call_aclrtBinaryLoadFromData(const struct variant *v)
{
    void const * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    aclrtBinaryLoadOptions const * a2;
    SET(v, a2, 2, 0);
    aclrtBinHandle * a3;
    SET(v, a3, 3, 0);
    return (long)aclrtBinaryLoadFromData(a0, a1, a2, a3);
}

static long call_aclrtBinaryUnLoad(const struct variant *v)
{
    aclrtBinHandle a0;
    SET(v, a0, 0, 1);
    return (long)aclrtBinaryUnLoad(a0);
}

static long call_aclrtBinaryGetDevAddress(const struct variant *v)
{
    aclrtBinHandle a0;
    SET(v, a0, 0, 1);
    void * * a1;
    SET(v, a1, 1, 0);
    size_t * a2;
    SET(v, a2, 2, 0);
    return (long)aclrtBinaryGetDevAddress(a0, a1, a2);
}

static long call_aclrtBinaryGetFunction(const struct variant *v)
{
    aclrtBinHandle a0;
    SET(v, a0, 0, 1);
    char const * a1;
    SET(v, a1, 1, 0);
    aclrtFuncHandle * a2;
    SET(v, a2, 2, 0);
    return (long)aclrtBinaryGetFunction(a0, a1, a2);
}

static long call_aclrtBinaryGetFunctionByEntry(const struct variant *v)
{
    aclrtBinHandle a0;
    SET(v, a0, 0, 1);
    uint64_t a1;
    SET(v, a1, 1, 1);
    aclrtFuncHandle * a2;
    SET(v, a2, 2, 0);
    return (long)aclrtBinaryGetFunctionByEntry(a0, a1, a2);
}

static long call_aclrtGetFunctionAddr(const struct variant *v)
{
    aclrtFuncHandle a0;
    SET(v, a0, 0, 2);
    void * * a1;
    SET(v, a1, 1, 0);
    void * * a2;
    SET(v, a2, 2, 0);
    return (long)aclrtGetFunctionAddr(a0, a1, a2);
}

static long call_aclrtGetFunctionName(const struct variant *v)
{
    aclrtFuncHandle a0;
    SET(v, a0, 0, 2);
    uint32_t a1;
    SET(v, a1, 1, 1);
    char * a2;
    SET(v, a2, 2, 0);
    return (long)aclrtGetFunctionName(a0, a1, a2);
}

static long call_aclrtRegisterCpuFunc(const struct variant *v)
{
    aclrtBinHandle a0;
    SET(v, a0, 0, 1);
    char const * a1;
    SET(v, a1, 1, 0);
    char const * a2;
    SET(v, a2, 2, 0);
    aclrtFuncHandle * a3;
    SET(v, a3, 3, 0);
    return (long)aclrtRegisterCpuFunc(a0, a1, a2, a3);
}

static long call_aclrtKernelArgsInit(const struct variant *v)
{
    aclrtFuncHandle a0;
    SET(v, a0, 0, 2);
    aclrtArgsHandle * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtKernelArgsInit(a0, a1);
}

static long call_aclrtKernelArgsGetHandleMemSize(const struct variant *v)
{
    aclrtFuncHandle a0;
    SET(v, a0, 0, 2);
    size_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtKernelArgsGetHandleMemSize(a0, a1);
}

static long call_aclrtKernelArgsGetMemSize(const struct variant *v)
{
    aclrtFuncHandle a0;
    SET(v, a0, 0, 2);
    size_t a1;
    SET(v, a1, 1, 1);
    size_t * a2;
    SET(v, a2, 2, 0);
    return (long)aclrtKernelArgsGetMemSize(a0, a1, a2);
}

static long call_aclrtKernelArgsInitByUserMem(const struct variant *v)
{
    aclrtFuncHandle a0;
    SET(v, a0, 0, 2);
    aclrtArgsHandle a1;
    SET(v, a1, 1, 1);
    void * a2;
    SET(v, a2, 2, 0);
    size_t a3;
    SET(v, a3, 3, 1);
    return (long)aclrtKernelArgsInitByUserMem(a0, a1, a2, a3);
}

static long call_aclrtKernelArgsAppend(const struct variant *v)
{
    aclrtArgsHandle a0;
    SET(v, a0, 0, 1);
    void * a1;
    SET(v, a1, 1, 0);
    size_t a2;
    SET(v, a2, 2, 1);
    aclrtParamHandle * a3;
    SET(v, a3, 3, 0);
    return (long)aclrtKernelArgsAppend(a0, a1, a2, a3);
}

static long call_aclrtKernelArgsAppendPlaceHolder(const struct variant *v)
{
    aclrtArgsHandle a0;
    SET(v, a0, 0, 1);
    aclrtParamHandle * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtKernelArgsAppendPlaceHolder(a0, a1);
}

static long call_aclrtKernelArgsGetPlaceHolderBuffer(const struct variant *v)
{
    aclrtArgsHandle a0;
    SET(v, a0, 0, 1);
    aclrtParamHandle a1;
    SET(v, a1, 1, 1);
    size_t a2;
    SET(v, a2, 2, 1);
    void * * a3;
    SET(v, a3, 3, 0);
    return (long)aclrtKernelArgsGetPlaceHolderBuffer(a0, a1, a2, a3);
}

static long call_aclrtKernelArgsParaUpdate(const struct variant *v)
{
    aclrtArgsHandle a0;
    SET(v, a0, 0, 1);
    aclrtParamHandle a1;
    SET(v, a1, 1, 1);
    void * a2;
    SET(v, a2, 2, 0);
    size_t a3;
    SET(v, a3, 3, 1);
    return (long)aclrtKernelArgsParaUpdate(a0, a1, a2, a3);
}

static long call_aclrtKernelArgsFinalize(const struct variant *v)
{
    aclrtArgsHandle a0;
    SET(v, a0, 0, 1);
    return (long)aclrtKernelArgsFinalize(a0);
}

static long call_aclrtLaunchKernel(const struct variant *v)
{
    aclrtFuncHandle a0;
    SET(v, a0, 0, 2);
    uint32_t a1;
    SET(v, a1, 1, 1);
    void const * a2;
    SET(v, a2, 2, 0);
    size_t a3;
    SET(v, a3, 3, 1);
    aclrtStream a4;
    SET(v, a4, 4, 1);
    return (long)aclrtLaunchKernel(a0, a1, a2, a3, a4);
}

static long call_aclrtLaunchKernelV2(const struct variant *v)
{
    aclrtFuncHandle a0;
    SET(v, a0, 0, 2);
    uint32_t a1;
    SET(v, a1, 1, 1);
    void const * a2;
    SET(v, a2, 2, 0);
    size_t a3;
    SET(v, a3, 3, 1);
    aclrtLaunchKernelCfg * a4;
    SET(v, a4, 4, 0);
    aclrtStream a5;
    SET(v, a5, 5, 1);
    return (long)aclrtLaunchKernelV2(a0, a1, a2, a3, a4, a5);
}

static long call_aclrtLaunchKernelWithConfig(const struct variant *v)
{
    aclrtFuncHandle a0;
    SET(v, a0, 0, 2);
    uint32_t a1;
    SET(v, a1, 1, 1);
    aclrtStream a2;
    SET(v, a2, 2, 1);
    aclrtLaunchKernelCfg * a3;
    SET(v, a3, 3, 0);
    aclrtArgsHandle a4;
    SET(v, a4, 4, 1);
    void * a5;
    SET(v, a5, 5, 0);
    return (long)aclrtLaunchKernelWithConfig(a0, a1, a2, a3, a4, a5);
}

static long call_aclrtLaunchKernelWithHostArgs(const struct variant *v)
{
    aclrtFuncHandle a0;
    SET(v, a0, 0, 2);
    uint32_t a1;
    SET(v, a1, 1, 1);
    aclrtStream a2;
    SET(v, a2, 2, 1);
    aclrtLaunchKernelCfg * a3;
    SET(v, a3, 3, 0);
    void * a4;
    SET(v, a4, 4, 0);
    size_t a5;
    SET(v, a5, 5, 1);
    aclrtPlaceHolderInfo * a6;
    SET(v, a6, 6, 0);
    size_t a7;
    SET(v, a7, 7, 1);
    return (long)aclrtLaunchKernelWithHostArgs(a0, a1, a2, a3, a4, a5, a6, a7);
}

static long call_aclrtCreateLabel(const struct variant *v)
{
    aclrtLabel * a0;
    SET(v, a0, 0, 0);
    return (long)aclrtCreateLabel(a0);
}

static long call_aclrtSetLabel(const struct variant *v)
{
    aclrtLabel a0;
    SET(v, a0, 0, 1);
    aclrtStream a1;
    SET(v, a1, 1, 1);
    return (long)aclrtSetLabel(a0, a1);
}

static long call_aclrtDestroyLabel(const struct variant *v)
{
    aclrtLabel a0;
    SET(v, a0, 0, 1);
    return (long)aclrtDestroyLabel(a0);
}

static long call_aclrtCreateLabelList(const struct variant *v)
{
    aclrtLabel * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    aclrtLabelList * a2;
    SET(v, a2, 2, 0);
    return (long)aclrtCreateLabelList(a0, a1, a2);
}

static long call_aclrtDestroyLabelList(const struct variant *v)
{
    aclrtLabelList a0;
    SET(v, a0, 0, 1);
    return (long)aclrtDestroyLabelList(a0);
}

static long call_aclrtSwitchLabelByIndex(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    aclrtLabelList a2;
    SET(v, a2, 2, 1);
    aclrtStream a3;
    SET(v, a3, 3, 1);
    return (long)aclrtSwitchLabelByIndex(a0, a1, a2, a3);
}

static long call_aclrtSetGroup(const struct variant *v)
{
    int32_t a0;
    SET(v, a0, 0, 1);
    return (long)aclrtSetGroup(a0);
}

static long call_aclrtGetGroupCount(const struct variant *v)
{
    uint32_t * a0;
    SET(v, a0, 0, 0);
    return (long)aclrtGetGroupCount(a0);
}

static long call_aclrtCreateGroupInfo(const struct variant *v)
{
    (void)v;
    (void)aclrtCreateGroupInfo();
    return NO_CODE;
}

static long call_aclrtDestroyGroupInfo(const struct variant *v)
{
    aclrtGroupInfo * a0;
    SET(v, a0, 0, 0);
    return (long)aclrtDestroyGroupInfo(a0);
}

static long call_aclrtGetAllGroupInfo(const struct variant *v)
{
    aclrtGroupInfo * a0;
    SET(v, a0, 0, 0);
    return (long)aclrtGetAllGroupInfo(a0);
}

static long call_aclrtGetGroupInfoDetail(const struct variant *v)
{
    aclrtGroupInfo const * a0;
    SET(v, a0, 0, 0);
    int32_t a1;
    SET(v, a1, 1, 1);
    aclrtGroupAttr a2;
    SET(v, a2, 2, 1);
    void * a3;
    SET(v, a3, 3, 0);
    size_t a4;
    SET(v, a4, 4, 1);
    size_t * a5;
    SET(v, a5, 5, 0);
    return (long)aclrtGetGroupInfoDetail(a0, a1, a2, a3, a4, a5);
}

static long call_aclrtMalloc(const struct variant *v)
{
    void * * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    aclrtMemMallocPolicy a2;
    SET(v, a2, 2, 1);
    return (long)aclrtMalloc(a0, a1, a2);
}

static long call_aclrtMallocAlign32(const struct variant *v)
{
    void * * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    aclrtMemMallocPolicy a2;
    SET(v, a2, 2, 1);
    return (long)aclrtMallocAlign32(a0, a1, a2);
}

static long call_aclrtMallocCached(const struct variant *v)
{
    void * * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    aclrtMemMallocPolicy a2;
    SET(v, a2, 2, 1);
    return (long)aclrtMallocCached(a0, a1, a2);
}

static long call_aclrtMallocWithCfg(const struct variant *v)
{
    void * * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    aclrtMemMallocPolicy a2;
    SET(v, a2, 2, 1);
    aclrtMallocConfig * a3;
    SET(v, a3, 3, 0);
    return (long)aclrtMallocWithCfg(a0, a1, a2, a3);
}

static long call_aclrtMallocForTaskScheduler(const struct variant *v)
{
    void * * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    aclrtMemMallocPolicy a2;
    SET(v, a2, 2, 1);
    aclrtMallocConfig * a3;
    SET(v, a3, 3, 0);
    return (long)aclrtMallocForTaskScheduler(a0, a1, a2, a3);
}

static long call_aclrtFree(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    return (long)aclrtFree(a0);
}

static long call_aclrtFreeWithDevSync(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    return (long)aclrtFreeWithDevSync(a0);
}

static long call_aclrtMallocHost(const struct variant *v)
{
    void * * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    return (long)aclrtMallocHost(a0, a1);
}

static long call_aclrtMallocHostWithCfg(const struct variant *v)
{
    void * * a0;
    SET(v, a0, 0, 0);
    uint64_t a1;
    SET(v, a1, 1, 1);
    aclrtMallocConfig * a2;
    SET(v, a2, 2, 0);
    return (long)aclrtMallocHostWithCfg(a0, a1, a2);
}

static long call_aclrtFreeHost(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    return (long)aclrtFreeHost(a0);
}

static long call_aclrtFreeHostWithDevSync(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    return (long)aclrtFreeHostWithDevSync(a0);
}

static long call_aclrtMemFlush(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    return (long)aclrtMemFlush(a0, a1);
}

static long call_aclrtMemInvalidate(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    return (long)aclrtMemInvalidate(a0, a1);
}

static long call_aclrtDeviceL2CacheFlush(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    return (long)aclrtDeviceL2CacheFlush(a0);
}

static long call_aclrtGetMemInfo(const struct variant *v)
{
    aclrtMemAttr a0;
    SET(v, a0, 0, 1);
    size_t * a1;
    SET(v, a1, 1, 0);
    size_t * a2;
    SET(v, a2, 2, 0);
    return (long)aclrtGetMemInfo(a0, a1, a2);
}

static long call_aclrtGetMemUsageInfo(const struct variant *v)
{
    int32_t a0;
    SET(v, a0, 0, 1);
    aclrtMemUsageInfo * a1;
    SET(v, a1, 1, 0);
    size_t a2;
    SET(v, a2, 2, 1);
    size_t * a3;
    SET(v, a3, 3, 0);
    return (long)aclrtGetMemUsageInfo(a0, a1, a2, a3);
}

static long call_aclrtPointerGetAttributes(const struct variant *v)
{
    void const * a0;
    SET(v, a0, 0, 0);
    aclrtPtrAttributes * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtPointerGetAttributes(a0, a1);
}

static long call_aclrtCheckMemType(const struct variant *v)
{
    void * * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    uint32_t a2;
    SET(v, a2, 2, 1);
    uint32_t * a3;
    SET(v, a3, 3, 0);
    uint32_t a4;
    SET(v, a4, 4, 1);
    return (long)aclrtCheckMemType(a0, a1, a2, a3, a4);
}

static long call_aclrtCreateNotify(const struct variant *v)
{
    aclrtNotify * a0;
    SET(v, a0, 0, 0);
    uint64_t a1;
    SET(v, a1, 1, 1);
    return (long)aclrtCreateNotify(a0, a1);
}

static long call_aclrtDestroyNotify(const struct variant *v)
{
    aclrtNotify a0;
    SET(v, a0, 0, 1);
    return (long)aclrtDestroyNotify(a0);
}

static long call_aclrtRecordNotify(const struct variant *v)
{
    aclrtNotify a0;
    SET(v, a0, 0, 1);
    aclrtStream a1;
    SET(v, a1, 1, 1);
    return (long)aclrtRecordNotify(a0, a1);
}

static long call_aclrtWaitAndResetNotify(const struct variant *v)
{
    aclrtNotify a0;
    SET(v, a0, 0, 1);
    aclrtStream a1;
    SET(v, a1, 1, 1);
    uint32_t a2;
    SET(v, a2, 2, 1);
    return (long)aclrtWaitAndResetNotify(a0, a1, a2);
}

static long call_aclrtGetNotifyId(const struct variant *v)
{
    aclrtNotify a0;
    SET(v, a0, 0, 1);
    uint32_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtGetNotifyId(a0, a1);
}

static long call_aclrtNotifyBatchReset(const struct variant *v)
{
    aclrtNotify * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    return (long)aclrtNotifyBatchReset(a0, a1);
}

static long call_aclrtNotifyGetExportKey(const struct variant *v)
{
    aclrtNotify a0;
    SET(v, a0, 0, 1);
    char * a1;
    SET(v, a1, 1, 0);
    size_t a2;
    SET(v, a2, 2, 1);
    uint64_t a3;
    SET(v, a3, 3, 1);
    return (long)aclrtNotifyGetExportKey(a0, a1, a2, a3);
}

static long call_aclrtNotifyImportByKey(const struct variant *v)
{
    aclrtNotify * a0;
    SET(v, a0, 0, 0);
    char const * a1;
    SET(v, a1, 1, 0);
    uint64_t a2;
    SET(v, a2, 2, 1);
    return (long)aclrtNotifyImportByKey(a0, a1, a2);
}

static long call_aclrtNotifySetImportPid(const struct variant *v)
{
    aclrtNotify a0;
    SET(v, a0, 0, 1);
    int32_t * a1;
    SET(v, a1, 1, 0);
    size_t a2;
    SET(v, a2, 2, 1);
    return (long)aclrtNotifySetImportPid(a0, a1, a2);
}

static long call_aclrtNotifySetImportPidInterServer(const struct variant *v)
{
    aclrtNotify a0;
    SET(v, a0, 0, 1);
    aclrtServerPid * a1;
    SET(v, a1, 1, 0);
    size_t a2;
    SET(v, a2, 2, 1);
    return (long)aclrtNotifySetImportPidInterServer(a0, a1, a2);
}

static long call_aclrtCntNotifyCreate(const struct variant *v)
{
    aclrtCntNotify * a0;
    SET(v, a0, 0, 0);
    uint64_t a1;
    SET(v, a1, 1, 1);
    return (long)aclrtCntNotifyCreate(a0, a1);
}

static long call_aclrtCntNotifyDestroy(const struct variant *v)
{
    aclrtCntNotify a0;
    SET(v, a0, 0, 1);
    return (long)aclrtCntNotifyDestroy(a0);
}

static long call_aclrtCntNotifyRecord(const struct variant *v)
{
    aclrtCntNotify a0;
    SET(v, a0, 0, 1);
    aclrtStream a1;
    SET(v, a1, 1, 1);
    aclrtCntNotifyRecordInfo * a2;
    SET(v, a2, 2, 0);
    return (long)aclrtCntNotifyRecord(a0, a1, a2);
}

static long call_aclrtCntNotifyWaitWithTimeout(const struct variant *v)
{
    aclrtCntNotify a0;
    SET(v, a0, 0, 1);
    aclrtStream a1;
    SET(v, a1, 1, 1);
    aclrtCntNotifyWaitInfo * a2;
    SET(v, a2, 2, 0);
    return (long)aclrtCntNotifyWaitWithTimeout(a0, a1, a2);
}

static long call_aclrtCntNotifyReset(const struct variant *v)
{
    aclrtCntNotify a0;
    SET(v, a0, 0, 1);
    aclrtStream a1;
    SET(v, a1, 1, 1);
    return (long)aclrtCntNotifyReset(a0, a1);
}

static long call_aclrtCntNotifyGetId(const struct variant *v)
{
    aclrtCntNotify a0;
    SET(v, a0, 0, 1);
    uint32_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtCntNotifyGetId(a0, a1);
}

static long call_aclrtGetDeviceResLimit(const struct variant *v)
{
    int32_t a0;
    SET(v, a0, 0, 1);
    aclrtDevResLimitType a1;
    SET(v, a1, 1, 1);
    uint32_t * a2;
    SET(v, a2, 2, 0);
    return (long)aclrtGetDeviceResLimit(a0, a1, a2);
}

static long call_aclrtSetDeviceResLimit(const struct variant *v)
{
    int32_t a0;
    SET(v, a0, 0, 1);
    aclrtDevResLimitType a1;
    SET(v, a1, 1, 1);
    uint32_t a2;
    SET(v, a2, 2, 1);
    return (long)aclrtSetDeviceResLimit(a0, a1, a2);
}

static long call_aclrtResetDeviceResLimit(const struct variant *v)
{
    int32_t a0;
    SET(v, a0, 0, 1);
    return (long)aclrtResetDeviceResLimit(a0);
}

static long call_aclrtGetStreamResLimit(const struct variant *v)
{
    aclrtStream a0;
    SET(v, a0, 0, 1);
    aclrtDevResLimitType a1;
    SET(v, a1, 1, 1);
    uint32_t * a2;
    SET(v, a2, 2, 0);
    return (long)aclrtGetStreamResLimit(a0, a1, a2);
}

static long call_aclrtSetStreamResLimit(const struct variant *v)
{
    aclrtStream a0;
    SET(v, a0, 0, 1);
    aclrtDevResLimitType a1;
    SET(v, a1, 1, 1);
    uint32_t a2;
    SET(v, a2, 2, 1);
    return (long)aclrtSetStreamResLimit(a0, a1, a2);
}

static long call_aclrtResetStreamResLimit(const struct variant *v)
{
    aclrtStream a0;
    SET(v, a0, 0, 1);
    return (long)aclrtResetStreamResLimit(a0);
}

static long call_aclrtUseStreamResInCurrentThread(const struct variant *v)
{
    aclrtStream a0;
    SET(v, a0, 0, 1);
    return (long)aclrtUseStreamResInCurrentThread(a0);
}

static long call_aclrtUnuseStreamResInCurrentThread(const struct variant *v)
{
    aclrtStream a0;
    SET(v, a0, 0, 1);
    return (long)aclrtUnuseStreamResInCurrentThread(a0);
}

static long call_aclrtGetResInCurrentThread(const struct variant *v)
{
    aclrtDevResLimitType a0;
    SET(v, a0, 0, 1);
    uint32_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtGetResInCurrentThread(a0, a1);
}

static long call_aclrtCreateStream(const struct variant *v)
{
    aclrtStream * a0;
    SET(v, a0, 0, 0);
    return (long)aclrtCreateStream(a0);
}

static long call_aclrtCreateStreamWithConfig(const struct variant *v)
{
    aclrtStream * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    uint32_t a2;
    SET(v, a2, 2, 1);
    return (long)aclrtCreateStreamWithConfig(a0, a1, a2);
}

static long call_aclrtDestroyStream(const struct variant *v)
{
    aclrtStream a0;
    SET(v, a0, 0, 1);
    return (long)aclrtDestroyStream(a0);
}

static long call_aclrtDestroyStreamForce(const struct variant *v)
{
    aclrtStream a0;
    SET(v, a0, 0, 1);
    return (long)aclrtDestroyStreamForce(a0);
}

static long call_aclrtSynchronizeStream(const struct variant *v)
{
    aclrtStream a0;
    SET(v, a0, 0, 1);
    return (long)aclrtSynchronizeStream(a0);
}

static long call_aclrtSynchronizeStreamWithTimeout(const struct variant *v)
{
    aclrtStream a0;
    SET(v, a0, 0, 1);
    int32_t a1;
    SET(v, a1, 1, 1);
    return (long)aclrtSynchronizeStreamWithTimeout(a0, a1);
}

static long call_aclrtStreamQuery(const struct variant *v)
{
    aclrtStream a0;
    SET(v, a0, 0, 1);
    aclrtStreamStatus * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtStreamQuery(a0, a1);
}

static long call_aclrtStreamGetId(const struct variant *v)
{
    aclrtStream a0;
    SET(v, a0, 0, 1);
    int32_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtStreamGetId(a0, a1);
}

static long call_aclrtStreamGetPriority(const struct variant *v)
{
    aclrtStream a0;
    SET(v, a0, 0, 1);
    uint32_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtStreamGetPriority(a0, a1);
}

static long call_aclrtStreamGetFlags(const struct variant *v)
{
    aclrtStream a0;
    SET(v, a0, 0, 1);
    uint32_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtStreamGetFlags(a0, a1);
}

static long call_aclrtGetStreamAvailableNum(const struct variant *v)
{
    uint32_t * a0;
    SET(v, a0, 0, 0);
    return (long)aclrtGetStreamAvailableNum(a0);
}

static long call_aclrtDeviceGetStreamPriorityRange(const struct variant *v)
{
    int32_t * a0;
    SET(v, a0, 0, 0);
    int32_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtDeviceGetStreamPriorityRange(a0, a1);
}

static long call_aclrtStreamWaitEvent(const struct variant *v)
{
    aclrtStream a0;
    SET(v, a0, 0, 1);
    aclrtEvent a1;
    SET(v, a1, 1, 1);
    return (long)aclrtStreamWaitEvent(a0, a1);
}

static long call_aclrtStreamWaitEventWithTimeout(const struct variant *v)
{
    aclrtStream a0;
    SET(v, a0, 0, 1);
    aclrtEvent a1;
    SET(v, a1, 1, 1);
    int32_t a2;
    SET(v, a2, 2, 1);
    return (long)aclrtStreamWaitEventWithTimeout(a0, a1, a2);
}

static long call_aclrtStreamWaitEventWithFlag(const struct variant *v)
{
    aclrtStream a0;
    SET(v, a0, 0, 1);
    aclrtEvent a1;
    SET(v, a1, 1, 1);
    uint32_t a2;
    SET(v, a2, 2, 1);
    uint32_t a3;
    SET(v, a3, 3, 1);
    return (long)aclrtStreamWaitEventWithFlag(a0, a1, a2, a3);
}

static long call_aclrtSetStreamFailureMode(const struct variant *v)
{
    aclrtStream a0;
    SET(v, a0, 0, 1);
    uint64_t a1;
    SET(v, a1, 1, 1);
    return (long)aclrtSetStreamFailureMode(a0, a1);
}

static long call_aclrtStreamAbort(const struct variant *v)
{
    aclrtStream a0;
    SET(v, a0, 0, 1);
    return (long)aclrtStreamAbort(a0);
}

static long call_aclrtStreamStop(const struct variant *v)
{
    aclrtStream a0;
    SET(v, a0, 0, 1);
    return (long)aclrtStreamStop(a0);
}

static long call_aclrtSetStreamAttribute(const struct variant *v)
{
    aclrtStream a0;
    SET(v, a0, 0, 1);
    aclrtStreamAttr a1;
    SET(v, a1, 1, 1);
    aclrtStreamAttrValue * a2;
    SET(v, a2, 2, 0);
    return (long)aclrtSetStreamAttribute(a0, a1, a2);
}

static long call_aclrtGetStreamAttribute(const struct variant *v)
{
    aclrtStream a0;
    SET(v, a0, 0, 1);
    aclrtStreamAttr a1;
    SET(v, a1, 1, 1);
    aclrtStreamAttrValue * a2;
    SET(v, a2, 2, 0);
    return (long)aclrtGetStreamAttribute(a0, a1, a2);
}

static long call_aclrtCreateStreamConfigHandle(const struct variant *v)
{
    (void)v;
    (void)aclrtCreateStreamConfigHandle();
    return NO_CODE;
}

static long call_aclrtDestroyStreamConfigHandle(const struct variant *v)
{
    aclrtStreamConfigHandle * a0;
    SET(v, a0, 0, 0);
    return (long)aclrtDestroyStreamConfigHandle(a0);
}

static long call_aclrtSetStreamConfigOpt(const struct variant *v)
{
    aclrtStreamConfigHandle * a0;
    SET(v, a0, 0, 0);
    aclrtStreamConfigAttr a1;
    SET(v, a1, 1, 1);
    void const * a2;
    SET(v, a2, 2, 0);
    size_t a3;
    SET(v, a3, 3, 1);
    return (long)aclrtSetStreamConfigOpt(a0, a1, a2, a3);
}

static long call_aclrtCreateStreamV2(const struct variant *v)
{
    aclrtStream * a0;
    SET(v, a0, 0, 0);
    aclrtStreamConfigHandle const * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtCreateStreamV2(a0, a1);
}

static long call_aclrtActiveStream(const struct variant *v)
{
    aclrtStream a0;
    SET(v, a0, 0, 1);
    aclrtStream a1;
    SET(v, a1, 1, 1);
    return (long)aclrtActiveStream(a0, a1);
}

static long call_aclrtSwitchStream(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    aclrtCondition a1;
    SET(v, a1, 1, 1);
    void * a2;
    SET(v, a2, 2, 0);
    aclrtCompareDataType a3;
    SET(v, a3, 3, 1);
    aclrtStream a4;
    SET(v, a4, 4, 1);
    aclrtStream a5;
    SET(v, a5, 5, 1);
    aclrtStream a6;
    SET(v, a6, 6, 1);
    return (long)aclrtSwitchStream(a0, a1, a2, a3, a4, a5, a6);
}

static long call_aclrtGetThreadLastTaskId(const struct variant *v)
{
    uint32_t * a0;
    SET(v, a0, 0, 0);
    return (long)aclrtGetThreadLastTaskId(a0);
}

static long call_aclrtSetStreamOverflowSwitch(const struct variant *v)
{
    aclrtStream a0;
    SET(v, a0, 0, 1);
    uint32_t a1;
    SET(v, a1, 1, 1);
    return (long)aclrtSetStreamOverflowSwitch(a0, a1);
}

static long call_aclrtGetStreamOverflowSwitch(const struct variant *v)
{
    aclrtStream a0;
    SET(v, a0, 0, 1);
    uint32_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtGetStreamOverflowSwitch(a0, a1);
}

static long call_aclrtPersistentTaskClean(const struct variant *v)
{
    aclrtStream a0;
    SET(v, a0, 0, 1);
    return (long)aclrtPersistentTaskClean(a0);
}

static long call_aclrtReserveMemAddress(const struct variant *v)
{
    void * * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    size_t a2;
    SET(v, a2, 2, 1);
    void * a3;
    SET(v, a3, 3, 0);
    uint64_t a4;
    SET(v, a4, 4, 1);
    return (long)aclrtReserveMemAddress(a0, a1, a2, a3, a4);
}

static long call_aclrtReserveMemAddressNoUCMemory(const struct variant *v)
{
    void * * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    size_t a2;
    SET(v, a2, 2, 1);
    void * a3;
    SET(v, a3, 3, 0);
    uint64_t a4;
    SET(v, a4, 4, 1);
    return (long)aclrtReserveMemAddressNoUCMemory(a0, a1, a2, a3, a4);
}

static long call_aclrtReleaseMemAddress(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    return (long)aclrtReleaseMemAddress(a0);
}

static long call_aclrtMallocPhysical(const struct variant *v)
{
    aclrtDrvMemHandle * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    aclrtPhysicalMemProp const * a2;
    SET(v, a2, 2, 0);
    uint64_t a3;
    SET(v, a3, 3, 1);
    return (long)aclrtMallocPhysical(a0, a1, a2, a3);
}

static long call_aclrtFreePhysical(const struct variant *v)
{
    aclrtDrvMemHandle a0;
    SET(v, a0, 0, 1);
    return (long)aclrtFreePhysical(a0);
}

static long call_aclrtMemGetAllocationGranularity(const struct variant *v)
{
    aclrtPhysicalMemProp * a0;
    SET(v, a0, 0, 0);
    aclrtMemGranularityOptions a1;
    SET(v, a1, 1, 1);
    size_t * a2;
    SET(v, a2, 2, 0);
    return (long)aclrtMemGetAllocationGranularity(a0, a1, a2);
}

static long call_aclrtMemRetainAllocationHandle(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    aclrtDrvMemHandle * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtMemRetainAllocationHandle(a0, a1);
}

static long call_aclrtMemGetAllocationPropertiesFromHandle(const struct variant *v)
{
    aclrtDrvMemHandle a0;
    SET(v, a0, 0, 1);
    aclrtPhysicalMemProp * a1;
    SET(v, a1, 1, 0);
    return (long)aclrtMemGetAllocationPropertiesFromHandle(a0, a1);
}

static long call_aclrtMapMem(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    size_t a2;
    SET(v, a2, 2, 1);
    aclrtDrvMemHandle a3;
    SET(v, a3, 3, 1);
    uint64_t a4;
    SET(v, a4, 4, 1);
    return (long)aclrtMapMem(a0, a1, a2, a3, a4);
}

static long call_aclrtMemMapNoAccess(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    size_t a2;
    SET(v, a2, 2, 1);
    aclrtDrvMemHandle a3;
    SET(v, a3, 3, 1);
    uint64_t a4;
    SET(v, a4, 4, 1);
    return (long)aclrtMemMapNoAccess(a0, a1, a2, a3, a4);
}

static long call_aclrtUnmapMem(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    return (long)aclrtUnmapMem(a0);
}

static long call_aclrtMemSetAccess(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    aclrtMemAccessDesc * a2;
    SET(v, a2, 2, 0);
    size_t a3;
    SET(v, a3, 3, 1);
    return (long)aclrtMemSetAccess(a0, a1, a2, a3);
}

static long call_aclrtMemGetAccess(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    aclrtMemLocation * a1;
    SET(v, a1, 1, 0);
    uint64_t * a2;
    SET(v, a2, 2, 0);
    return (long)aclrtMemGetAccess(a0, a1, a2);
}

static long call_aclrtMemGetAddressRange(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    void * * a1;
    SET(v, a1, 1, 0);
    size_t * a2;
    SET(v, a2, 2, 0);
    return (long)aclrtMemGetAddressRange(a0, a1, a2);
}

static long call_aclrtMemExportToShareableHandle(const struct variant *v)
{
    aclrtDrvMemHandle a0;
    SET(v, a0, 0, 1);
    aclrtMemHandleType a1;
    SET(v, a1, 1, 1);
    uint64_t a2;
    SET(v, a2, 2, 1);
    uint64_t * a3;
    SET(v, a3, 3, 0);
    return (long)aclrtMemExportToShareableHandle(a0, a1, a2, a3);
}

static long call_aclrtMemExportToShareableHandleV2(const struct variant *v)
{
    aclrtDrvMemHandle a0;
    SET(v, a0, 0, 1);
    uint64_t a1;
    SET(v, a1, 1, 1);
    aclrtMemSharedHandleType a2;
    SET(v, a2, 2, 1);
    void * a3;
    SET(v, a3, 3, 0);
    return (long)aclrtMemExportToShareableHandleV2(a0, a1, a2, a3);
}

static long call_aclrtMemImportFromShareableHandle(const struct variant *v)
{
    uint64_t a0;
    SET(v, a0, 0, 1);
    int32_t a1;
    SET(v, a1, 1, 1);
    aclrtDrvMemHandle * a2;
    SET(v, a2, 2, 0);
    return (long)aclrtMemImportFromShareableHandle(a0, a1, a2);
}

static long call_aclrtMemImportFromShareableHandleV2(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    aclrtMemSharedHandleType a1;
    SET(v, a1, 1, 1);
    uint64_t a2;
    SET(v, a2, 2, 1);
    aclrtDrvMemHandle * a3;
    SET(v, a3, 3, 0);
    return (long)aclrtMemImportFromShareableHandleV2(a0, a1, a2, a3);
}

static long call_aclrtMemSetPidToShareableHandle(const struct variant *v)
{
    uint64_t a0;
    SET(v, a0, 0, 1);
    int32_t * a1;
    SET(v, a1, 1, 0);
    size_t a2;
    SET(v, a2, 2, 1);
    return (long)aclrtMemSetPidToShareableHandle(a0, a1, a2);
}

static long call_aclrtMemSetPidToShareableHandleV2(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    aclrtMemSharedHandleType a1;
    SET(v, a1, 1, 1);
    int32_t * a2;
    SET(v, a2, 2, 0);
    size_t a3;
    SET(v, a3, 3, 1);
    return (long)aclrtMemSetPidToShareableHandleV2(a0, a1, a2, a3);
}

static long call_aclrtDeviceGetBareTgid(const struct variant *v)
{
    int32_t * a0;
    SET(v, a0, 0, 0);
    return (long)aclrtDeviceGetBareTgid(a0);
}

static long call_aclrtMemP2PMap(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    int32_t a2;
    SET(v, a2, 2, 1);
    uint64_t a3;
    SET(v, a3, 3, 1);
    return (long)aclrtMemP2PMap(a0, a1, a2, a3);
}

static long call_aclrtMemMapSelectedLink(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    void * a2;
    SET(v, a2, 2, 0);
    uint32_t a3;
    SET(v, a3, 3, 1);
    return (long)aclrtMemMapSelectedLink(a0, a1, a2, a3);
}

static long call_aclrtMemMapSetLink(const struct variant *v)
{
    aclrtDrvMemHandle a0;
    SET(v, a0, 0, 1);
    aclrtMemLinkType a1;
    SET(v, a1, 1, 1);
    return (long)aclrtMemMapSetLink(a0, a1);
}

static long call_aclCreateTensor(const struct variant *v)
{
    int64_t const * a0;
    SET(v, a0, 0, 0);
    uint64_t a1;
    SET(v, a1, 1, 1);
    aclDataType a2;
    SET(v, a2, 2, 1);
    int64_t const * a3;
    SET(v, a3, 3, 0);
    int64_t a4;
    SET(v, a4, 4, 1);
    aclFormat a5;
    SET(v, a5, 5, 1);
    int64_t const * a6;
    SET(v, a6, 6, 0);
    uint64_t a7;
    SET(v, a7, 7, 1);
    void * a8;
    SET(v, a8, 8, 0);
    (void)aclCreateTensor(a0, a1, a2, a3, a4, a5, a6, a7, a8);
    return NO_CODE;
}

static long call_aclInitTensor(const struct variant *v)
{
    aclTensor * a0;
    SET(v, a0, 0, 0);
    int64_t const * a1;
    SET(v, a1, 1, 0);
    uint64_t a2;
    SET(v, a2, 2, 1);
    aclDataType a3;
    SET(v, a3, 3, 1);
    int64_t const * a4;
    SET(v, a4, 4, 0);
    int64_t a5;
    SET(v, a5, 5, 1);
    aclFormat a6;
    SET(v, a6, 6, 1);
    int64_t const * a7;
    SET(v, a7, 7, 0);
    uint64_t a8;
    SET(v, a8, 8, 1);
    void * a9;
    SET(v, a9, 9, 0);
    return (long)aclInitTensor(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9);
}

static long call_aclDestroyTensor(const struct variant *v)
{
    aclTensor const * a0;
    SET(v, a0, 0, 0);
    return (long)aclDestroyTensor(a0);
}

static long call_aclCreateScalar(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    aclDataType a1;
    SET(v, a1, 1, 1);
    (void)aclCreateScalar(a0, a1);
    return NO_CODE;
}

static long call_aclDestroyScalar(const struct variant *v)
{
    aclScalar const * a0;
    SET(v, a0, 0, 0);
    return (long)aclDestroyScalar(a0);
}

static long call_aclCreateIntArray(const struct variant *v)
{
    int64_t const * a0;
    SET(v, a0, 0, 0);
    uint64_t a1;
    SET(v, a1, 1, 1);
    (void)aclCreateIntArray(a0, a1);
    return NO_CODE;
}

static long call_aclDestroyIntArray(const struct variant *v)
{
    aclIntArray const * a0;
    SET(v, a0, 0, 0);
    return (long)aclDestroyIntArray(a0);
}

static long call_aclCreateFloatArray(const struct variant *v)
{
    float const * a0;
    SET(v, a0, 0, 0);
    uint64_t a1;
    SET(v, a1, 1, 1);
    (void)aclCreateFloatArray(a0, a1);
    return NO_CODE;
}

static long call_aclDestroyFloatArray(const struct variant *v)
{
    aclFloatArray const * a0;
    SET(v, a0, 0, 0);
    return (long)aclDestroyFloatArray(a0);
}

static long call_aclCreateBoolArray(const struct variant *v)
{
    bool const * a0;
    SET(v, a0, 0, 0);
    uint64_t a1;
    SET(v, a1, 1, 1);
    (void)aclCreateBoolArray(a0, a1);
    return NO_CODE;
}

static long call_aclDestroyBoolArray(const struct variant *v)
{
    aclBoolArray const * a0;
    SET(v, a0, 0, 0);
    return (long)aclDestroyBoolArray(a0);
}

static long call_aclCreateTensorList(const struct variant *v)
{
    aclTensor const * const * a0;
    SET(v, a0, 0, 0);
    uint64_t a1;
    SET(v, a1, 1, 1);
    (void)aclCreateTensorList(a0, a1);
    return NO_CODE;
}

static long call_aclDestroyTensorList(const struct variant *v)
{
    aclTensorList const * a0;
    SET(v, a0, 0, 0);
    return (long)aclDestroyTensorList(a0);
}

static long call_aclCreateScalarList(const struct variant *v)
{
    aclScalar const * const * a0;
    SET(v, a0, 0, 0);
    uint64_t a1;
    SET(v, a1, 1, 1);
    (void)aclCreateScalarList(a0, a1);
    return NO_CODE;
}

static long call_aclDestroyScalarList(const struct variant *v)
{
    aclScalarList const * a0;
    SET(v, a0, 0, 0);
    return (long)aclDestroyScalarList(a0);
}

static long call_aclGetViewShape(const struct variant *v)
{
    aclTensor const * a0;
    SET(v, a0, 0, 0);
    int64_t * * a1;
    SET(v, a1, 1, 0);
    uint64_t * a2;
    SET(v, a2, 2, 0);
    return (long)aclGetViewShape(a0, a1, a2);
}

static long call_aclGetStorageShape(const struct variant *v)
{
    aclTensor const * a0;
    SET(v, a0, 0, 0);
    int64_t * * a1;
    SET(v, a1, 1, 0);
    uint64_t * a2;
    SET(v, a2, 2, 0);
    return (long)aclGetStorageShape(a0, a1, a2);
}

static long call_aclGetViewStrides(const struct variant *v)
{
    aclTensor const * a0;
    SET(v, a0, 0, 0);
    int64_t * * a1;
    SET(v, a1, 1, 0);
    uint64_t * a2;
    SET(v, a2, 2, 0);
    return (long)aclGetViewStrides(a0, a1, a2);
}

static long call_aclGetViewOffset(const struct variant *v)
{
    aclTensor const * a0;
    SET(v, a0, 0, 0);
    int64_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclGetViewOffset(a0, a1);
}

static long call_aclGetFormat(const struct variant *v)
{
    aclTensor const * a0;
    SET(v, a0, 0, 0);
    aclFormat * a1;
    SET(v, a1, 1, 0);
    return (long)aclGetFormat(a0, a1);
}

static long call_aclGetDataType(const struct variant *v)
{
    aclTensor const * a0;
    SET(v, a0, 0, 0);
    aclDataType * a1;
    SET(v, a1, 1, 0);
    return (long)aclGetDataType(a0, a1);
}

static long call_aclGetIntArraySize(const struct variant *v)
{
    aclIntArray const * a0;
    SET(v, a0, 0, 0);
    uint64_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclGetIntArraySize(a0, a1);
}

static long call_aclGetFloatArraySize(const struct variant *v)
{
    aclFloatArray const * a0;
    SET(v, a0, 0, 0);
    uint64_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclGetFloatArraySize(a0, a1);
}

static long call_aclGetBoolArraySize(const struct variant *v)
{
    aclBoolArray const * a0;
    SET(v, a0, 0, 0);
    uint64_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclGetBoolArraySize(a0, a1);
}

static long call_aclGetTensorListSize(const struct variant *v)
{
    aclTensorList const * a0;
    SET(v, a0, 0, 0);
    uint64_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclGetTensorListSize(a0, a1);
}

static long call_aclGetScalarListSize(const struct variant *v)
{
    aclScalarList const * a0;
    SET(v, a0, 0, 0);
    uint64_t * a1;
    SET(v, a1, 1, 0);
    return (long)aclGetScalarListSize(a0, a1);
}

static long call_aclSetAclOpExecutorRepeatable(const struct variant *v)
{
    aclOpExecutor * a0;
    SET(v, a0, 0, 0);
    return (long)aclSetAclOpExecutorRepeatable(a0);
}

static long call_aclDestroyAclOpExecutor(const struct variant *v)
{
    aclOpExecutor * a0;
    SET(v, a0, 0, 0);
    return (long)aclDestroyAclOpExecutor(a0);
}

static long call_aclSetInputTensorAddr(const struct variant *v)
{
    aclOpExecutor * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    aclTensor * a2;
    SET(v, a2, 2, 0);
    void * a3;
    SET(v, a3, 3, 0);
    return (long)aclSetInputTensorAddr(a0, a1, a2, a3);
}

static long call_aclSetOutputTensorAddr(const struct variant *v)
{
    aclOpExecutor * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    aclTensor * a2;
    SET(v, a2, 2, 0);
    void * a3;
    SET(v, a3, 3, 0);
    return (long)aclSetOutputTensorAddr(a0, a1, a2, a3);
}

static long call_aclSetTensorAddr(const struct variant *v)
{
    aclOpExecutor * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    aclTensor * a2;
    SET(v, a2, 2, 0);
    void * a3;
    SET(v, a3, 3, 0);
    return (long)aclSetTensorAddr(a0, a1, a2, a3);
}

static long call_aclSetDynamicInputTensorAddr(const struct variant *v)
{
    aclOpExecutor * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    size_t a2;
    SET(v, a2, 2, 1);
    aclTensorList * a3;
    SET(v, a3, 3, 0);
    void * a4;
    SET(v, a4, 4, 0);
    return (long)aclSetDynamicInputTensorAddr(a0, a1, a2, a3, a4);
}

static long call_aclSetDynamicOutputTensorAddr(const struct variant *v)
{
    aclOpExecutor * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    size_t a2;
    SET(v, a2, 2, 1);
    aclTensorList * a3;
    SET(v, a3, 3, 0);
    void * a4;
    SET(v, a4, 4, 0);
    return (long)aclSetDynamicOutputTensorAddr(a0, a1, a2, a3, a4);
}

static long call_aclSetDynamicTensorAddr(const struct variant *v)
{
    aclOpExecutor * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    size_t a2;
    SET(v, a2, 2, 1);
    aclTensorList * a3;
    SET(v, a3, 3, 0);
    void * a4;
    SET(v, a4, 4, 0);
    return (long)aclSetDynamicTensorAddr(a0, a1, a2, a3, a4);
}

static long call_aclnnNpuFormatCastCalculateSizeAndFormat(const struct variant *v)
{
    aclTensor const * a0;
    SET(v, a0, 0, 0);
    int a1;
    SET(v, a1, 1, 1);
    int a2;
    SET(v, a2, 2, 1);
    int64_t * * a3;
    SET(v, a3, 3, 0);
    uint64_t * a4;
    SET(v, a4, 4, 0);
    int * a5;
    SET(v, a5, 5, 0);
    return (long)aclnnNpuFormatCastCalculateSizeAndFormat(a0, a1, a2, a3, a4, a5);
}

static long call_aclnnCalculateMatmulWeightSizeV2(const struct variant *v)
{
    aclIntArray const * a0;
    SET(v, a0, 0, 0);
    aclDataType a1;
    SET(v, a1, 1, 1);
    uint64_t * a2;
    SET(v, a2, 2, 0);
    return (long)aclnnCalculateMatmulWeightSizeV2(a0, a1, a2);
}

static long call_aclnnInit(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    return (long)aclnnInit(a0);
}

static long call_aclnnFinalize(const struct variant *v)
{
    (void)v;
    return (long)aclnnFinalize();
}

static long call_drvGetDevNum(const struct variant *v)
{
    uint32_t * a0;
    SET(v, a0, 0, 0);
    (void)drvGetDevNum(a0);
    return NO_CODE;
}

static long call_halGetDeviceInfo(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    int32_t a1;
    SET(v, a1, 1, 1);
    int32_t a2;
    SET(v, a2, 2, 1);
    int64_t * a3;
    SET(v, a3, 3, 0);
    (void)halGetDeviceInfo(a0, a1, a2, a3);
    return NO_CODE;
}

static long call_halGetAPIVersion(const struct variant *v)
{
    int * a0;
    SET(v, a0, 0, 0);
    (void)halGetAPIVersion(a0);
    return NO_CODE;
}

static long call_HcclGetRootInfo(const struct variant *v)
{
    HcclRootInfo * a0;
    SET(v, a0, 0, 0);
    return (long)HcclGetRootInfo(a0);
}

static long call_HcclCommInitRootInfo(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    HcclRootInfo const * a1;
    SET(v, a1, 1, 0);
    uint32_t a2;
    SET(v, a2, 2, 1);
    HcclComm * a3;
    SET(v, a3, 3, 0);
    return (long)HcclCommInitRootInfo(a0, a1, a2, a3);
}

static long call_HcclCommInitRootInfoConfig(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    HcclRootInfo const * a1;
    SET(v, a1, 1, 0);
    uint32_t a2;
    SET(v, a2, 2, 1);
    HcclCommConfig const * a3;
    SET(v, a3, 3, 0);
    HcclComm * a4;
    SET(v, a4, 4, 0);
    return (long)HcclCommInitRootInfoConfig(a0, a1, a2, a3, a4);
}

static long call_HcclCommInitClusterInfo(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    HcclComm * a2;
    SET(v, a2, 2, 0);
    return (long)HcclCommInitClusterInfo(a0, a1, a2);
}

static long call_HcclCommInitClusterInfoConfig(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    HcclCommConfig * a2;
    SET(v, a2, 2, 0);
    HcclComm * a3;
    SET(v, a3, 3, 0);
    return (long)HcclCommInitClusterInfoConfig(a0, a1, a2, a3);
}

static long call_HcclCommInitAll(const struct variant *v)
{
    uint32_t a0;
    SET(v, a0, 0, 1);
    int32_t * a1;
    SET(v, a1, 1, 0);
    HcclComm * a2;
    SET(v, a2, 2, 0);
    return (long)HcclCommInitAll(a0, a1, a2);
}

static long call_HcclCreateSubCommConfig(const struct variant *v)
{
    HcclComm * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    uint32_t * a2;
    SET(v, a2, 2, 0);
    uint64_t a3;
    SET(v, a3, 3, 1);
    uint32_t a4;
    SET(v, a4, 4, 1);
    HcclCommConfig * a5;
    SET(v, a5, 5, 0);
    HcclComm * a6;
    SET(v, a6, 6, 0);
    return (long)HcclCreateSubCommConfig(a0, a1, a2, a3, a4, a5, a6);
}

static long call_HcclCommDestroy(const struct variant *v)
{
    HcclComm a0;
    SET(v, a0, 0, 1);
    return (long)HcclCommDestroy(a0);
}

static long call_HcclCommSuspend(const struct variant *v)
{
    HcclComm a0;
    SET(v, a0, 0, 1);
    return (long)HcclCommSuspend(a0);
}

static long call_HcclCommResume(const struct variant *v)
{
    HcclComm a0;
    SET(v, a0, 0, 1);
    return (long)HcclCommResume(a0);
}

static long call_HcclGetCommName(const struct variant *v)
{
    HcclComm a0;
    SET(v, a0, 0, 1);
    char * a1;
    SET(v, a1, 1, 0);
    return (long)HcclGetCommName(a0, a1);
}

static long call_HcclGetRankId(const struct variant *v)
{
    HcclComm a0;
    SET(v, a0, 0, 1);
    uint32_t * a1;
    SET(v, a1, 1, 0);
    return (long)HcclGetRankId(a0, a1);
}

static long call_HcclGetRankSize(const struct variant *v)
{
    HcclComm a0;
    SET(v, a0, 0, 1);
    uint32_t * a1;
    SET(v, a1, 1, 0);
    return (long)HcclGetRankSize(a0, a1);
}

static long call_HcclGetCommAsyncError(const struct variant *v)
{
    HcclComm a0;
    SET(v, a0, 0, 1);
    HcclResult * a1;
    SET(v, a1, 1, 0);
    return (long)HcclGetCommAsyncError(a0, a1);
}

static long call_HcclGetErrorString(const struct variant *v)
{
    HcclResult a0;
    SET(v, a0, 0, 1);
    (void)HcclGetErrorString(a0);
    return NO_CODE;
}

static long call_HcclGetCommConfigCapability(const struct variant *v)
{
    (void)v;
    (void)HcclGetCommConfigCapability();
    return NO_CODE;
}

static long call_HcclSetConfig(const struct variant *v)
{
    HcclConfig a0;
    SET(v, a0, 0, 1);
    HcclConfigValue a1;
    SET(v, a1, 1, 1);
    return (long)HcclSetConfig(a0, a1);
}

static long call_HcclAllReduce(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    void * a1;
    SET(v, a1, 1, 0);
    uint64_t a2;
    SET(v, a2, 2, 1);
    HcclDataType a3;
    SET(v, a3, 3, 1);
    HcclReduceOp a4;
    SET(v, a4, 4, 1);
    HcclComm a5;
    SET(v, a5, 5, 1);
    aclrtStream a6;
    SET(v, a6, 6, 1);
    return (long)HcclAllReduce(a0, a1, a2, a3, a4, a5, a6);
}

static long call_HcclBroadcast(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    uint64_t a1;
    SET(v, a1, 1, 1);
    HcclDataType a2;
    SET(v, a2, 2, 1);
    uint32_t a3;
    SET(v, a3, 3, 1);
    HcclComm a4;
    SET(v, a4, 4, 1);
    aclrtStream a5;
    SET(v, a5, 5, 1);
    return (long)HcclBroadcast(a0, a1, a2, a3, a4, a5);
}

static long call_HcclAllGather(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    void * a1;
    SET(v, a1, 1, 0);
    uint64_t a2;
    SET(v, a2, 2, 1);
    HcclDataType a3;
    SET(v, a3, 3, 1);
    HcclComm a4;
    SET(v, a4, 4, 1);
    aclrtStream a5;
    SET(v, a5, 5, 1);
    return (long)HcclAllGather(a0, a1, a2, a3, a4, a5);
}

static long call_HcclAllGatherV(const struct variant *v)
{
    void const * a0;
    SET(v, a0, 0, 0);
    uint64_t a1;
    SET(v, a1, 1, 1);
    void const * a2;
    SET(v, a2, 2, 0);
    void const * a3;
    SET(v, a3, 3, 0);
    void const * a4;
    SET(v, a4, 4, 0);
    HcclDataType a5;
    SET(v, a5, 5, 1);
    HcclComm a6;
    SET(v, a6, 6, 1);
    aclrtStream a7;
    SET(v, a7, 7, 1);
    return (long)HcclAllGatherV(a0, a1, a2, a3, a4, a5, a6, a7);
}

static long call_HcclReduceScatter(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    void * a1;
    SET(v, a1, 1, 0);
    uint64_t a2;
    SET(v, a2, 2, 1);
    HcclDataType a3;
    SET(v, a3, 3, 1);
    HcclReduceOp a4;
    SET(v, a4, 4, 1);
    HcclComm a5;
    SET(v, a5, 5, 1);
    aclrtStream a6;
    SET(v, a6, 6, 1);
    return (long)HcclReduceScatter(a0, a1, a2, a3, a4, a5, a6);
}

static long call_HcclReduceScatterV(const struct variant *v)
{
    void const * a0;
    SET(v, a0, 0, 0);
    void const * a1;
    SET(v, a1, 1, 0);
    void const * a2;
    SET(v, a2, 2, 0);
    void const * a3;
    SET(v, a3, 3, 0);
    uint64_t a4;
    SET(v, a4, 4, 1);
    HcclDataType a5;
    SET(v, a5, 5, 1);
    HcclReduceOp a6;
    SET(v, a6, 6, 1);
    HcclComm a7;
    SET(v, a7, 7, 1);
    aclrtStream a8;
    SET(v, a8, 8, 1);
    return (long)HcclReduceScatterV(a0, a1, a2, a3, a4, a5, a6, a7, a8);
}

static long call_HcclReduce(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    void * a1;
    SET(v, a1, 1, 0);
    uint64_t a2;
    SET(v, a2, 2, 1);
    HcclDataType a3;
    SET(v, a3, 3, 1);
    HcclReduceOp a4;
    SET(v, a4, 4, 1);
    uint32_t a5;
    SET(v, a5, 5, 1);
    HcclComm a6;
    SET(v, a6, 6, 1);
    aclrtStream a7;
    SET(v, a7, 7, 1);
    return (long)HcclReduce(a0, a1, a2, a3, a4, a5, a6, a7);
}

static long call_HcclScatter(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    void * a1;
    SET(v, a1, 1, 0);
    uint64_t a2;
    SET(v, a2, 2, 1);
    HcclDataType a3;
    SET(v, a3, 3, 1);
    uint32_t a4;
    SET(v, a4, 4, 1);
    HcclComm a5;
    SET(v, a5, 5, 1);
    aclrtStream a6;
    SET(v, a6, 6, 1);
    return (long)HcclScatter(a0, a1, a2, a3, a4, a5, a6);
}

static long call_HcclAlltoAll(const struct variant *v)
{
    void const * a0;
    SET(v, a0, 0, 0);
    uint64_t a1;
    SET(v, a1, 1, 1);
    HcclDataType a2;
    SET(v, a2, 2, 1);
    void const * a3;
    SET(v, a3, 3, 0);
    uint64_t a4;
    SET(v, a4, 4, 1);
    HcclDataType a5;
    SET(v, a5, 5, 1);
    HcclComm a6;
    SET(v, a6, 6, 1);
    aclrtStream a7;
    SET(v, a7, 7, 1);
    return (long)HcclAlltoAll(a0, a1, a2, a3, a4, a5, a6, a7);
}

static long call_HcclAlltoAllV(const struct variant *v)
{
    void const * a0;
    SET(v, a0, 0, 0);
    void const * a1;
    SET(v, a1, 1, 0);
    void const * a2;
    SET(v, a2, 2, 0);
    HcclDataType a3;
    SET(v, a3, 3, 1);
    void const * a4;
    SET(v, a4, 4, 0);
    void const * a5;
    SET(v, a5, 5, 0);
    void const * a6;
    SET(v, a6, 6, 0);
    HcclDataType a7;
    SET(v, a7, 7, 1);
    HcclComm a8;
    SET(v, a8, 8, 1);
    aclrtStream a9;
    SET(v, a9, 9, 1);
    return (long)HcclAlltoAllV(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9);
}

static long call_HcclAlltoAllVC(const struct variant *v)
{
    void const * a0;
    SET(v, a0, 0, 0);
    void const * a1;
    SET(v, a1, 1, 0);
    HcclDataType a2;
    SET(v, a2, 2, 1);
    void const * a3;
    SET(v, a3, 3, 0);
    HcclDataType a4;
    SET(v, a4, 4, 1);
    HcclComm a5;
    SET(v, a5, 5, 1);
    aclrtStream a6;
    SET(v, a6, 6, 1);
    return (long)HcclAlltoAllVC(a0, a1, a2, a3, a4, a5, a6);
}

static long call_HcclBarrier(const struct variant *v)
{
    HcclComm a0;
    SET(v, a0, 0, 1);
    aclrtStream a1;
    SET(v, a1, 1, 1);
    return (long)HcclBarrier(a0, a1);
}

static long call_HcclSend(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    uint64_t a1;
    SET(v, a1, 1, 1);
    HcclDataType a2;
    SET(v, a2, 2, 1);
    uint32_t a3;
    SET(v, a3, 3, 1);
    HcclComm a4;
    SET(v, a4, 4, 1);
    aclrtStream a5;
    SET(v, a5, 5, 1);
    return (long)HcclSend(a0, a1, a2, a3, a4, a5);
}

static long call_HcclRecv(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    uint64_t a1;
    SET(v, a1, 1, 1);
    HcclDataType a2;
    SET(v, a2, 2, 1);
    uint32_t a3;
    SET(v, a3, 3, 1);
    HcclComm a4;
    SET(v, a4, 4, 1);
    aclrtStream a5;
    SET(v, a5, 5, 1);
    return (long)HcclRecv(a0, a1, a2, a3, a4, a5);
}

static long call_HcclBatchSendRecv(const struct variant *v)
{
    HcclSendRecvItem * a0;
    SET(v, a0, 0, 0);
    uint32_t a1;
    SET(v, a1, 1, 1);
    HcclComm a2;
    SET(v, a2, 2, 1);
    aclrtStream a3;
    SET(v, a3, 3, 1);
    return (long)HcclBatchSendRecv(a0, a1, a2, a3);
}

static long call_HcclGroupStart(const struct variant *v)
{
    (void)v;
    return (long)HcclGroupStart();
}

static long call_HcclGroupEnd(const struct variant *v)
{
    (void)v;
    return (long)HcclGroupEnd();
}

static long call_HcclCommRegister(const struct variant *v)
{
    HcclComm a0;
    SET(v, a0, 0, 1);
    void * a1;
    SET(v, a1, 1, 0);
    uint64_t a2;
    SET(v, a2, 2, 1);
    void * * a3;
    SET(v, a3, 3, 0);
    uint32_t a4;
    SET(v, a4, 4, 1);
    return (long)HcclCommRegister(a0, a1, a2, a3, a4);
}

static long call_HcclCommDeregister(const struct variant *v)
{
    HcclComm a0;
    SET(v, a0, 0, 1);
    void * a1;
    SET(v, a1, 1, 0);
    return (long)HcclCommDeregister(a0, a1);
}

static long call_HcclCommExchangeMem(const struct variant *v)
{
    HcclComm a0;
    SET(v, a0, 0, 1);
    void * a1;
    SET(v, a1, 1, 0);
    uint32_t * a2;
    SET(v, a2, 2, 0);
    uint32_t a3;
    SET(v, a3, 3, 1);
    return (long)HcclCommExchangeMem(a0, a1, a2, a3);
}

static long call_HcclCommSetMemoryRange(const struct variant *v)
{
    HcclComm a0;
    SET(v, a0, 0, 1);
    void * a1;
    SET(v, a1, 1, 0);
    size_t a2;
    SET(v, a2, 2, 1);
    size_t a3;
    SET(v, a3, 3, 1);
    uint64_t a4;
    SET(v, a4, 4, 1);
    return (long)HcclCommSetMemoryRange(a0, a1, a2, a3, a4);
}

static long call_HcclCommUnsetMemoryRange(const struct variant *v)
{
    HcclComm a0;
    SET(v, a0, 0, 1);
    void * a1;
    SET(v, a1, 1, 0);
    return (long)HcclCommUnsetMemoryRange(a0, a1);
}

static long call_HcclCommActivateCommMemory(const struct variant *v)
{
    HcclComm a0;
    SET(v, a0, 0, 1);
    void * a1;
    SET(v, a1, 1, 0);
    size_t a2;
    SET(v, a2, 2, 1);
    size_t a3;
    SET(v, a3, 3, 1);
    aclrtDrvMemHandle a4;
    SET(v, a4, 4, 1);
    uint64_t a5;
    SET(v, a5, 5, 1);
    return (long)HcclCommActivateCommMemory(a0, a1, a2, a3, a4, a5);
}

static long call_HcclCommDeactivateCommMemory(const struct variant *v)
{
    HcclComm a0;
    SET(v, a0, 0, 1);
    void * a1;
    SET(v, a1, 1, 0);
    return (long)HcclCommDeactivateCommMemory(a0, a1);
}

static long call_HcclCommWorkingDevNicSet(const struct variant *v)
{
    HcclComm a0;
    SET(v, a0, 0, 1);
    uint32_t * a1;
    SET(v, a1, 1, 0);
    bool * a2;
    SET(v, a2, 2, 0);
    uint32_t a3;
    SET(v, a3, 3, 1);
    return (long)HcclCommWorkingDevNicSet(a0, a1, a2, a3);
}

static long call_mstxMarkA(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    aclrtStream a1;
    SET(v, a1, 1, 1);
    (void)mstxMarkA(a0, a1);
    return NO_CODE;
}

static long call_mstxRangeStartA(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    aclrtStream a1;
    SET(v, a1, 1, 1);
    (void)mstxRangeStartA(a0, a1);
    return NO_CODE;
}

static long call_mstxRangeEnd(const struct variant *v)
{
    mstxRangeId a0;
    SET(v, a0, 0, 1);
    (void)mstxRangeEnd(a0);
    return NO_CODE;
}

static long call_mstxGetToolId(const struct variant *v)
{
    uint64_t * a0;
    SET(v, a0, 0, 0);
    (void)mstxGetToolId(a0);
    return NO_CODE;
}

static long call_mstxDomainCreateA(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    (void)mstxDomainCreateA(a0);
    return NO_CODE;
}

static long call_mstxDomainDestroy(const struct variant *v)
{
    mstxDomainHandle_t a0;
    SET(v, a0, 0, 1);
    (void)mstxDomainDestroy(a0);
    return NO_CODE;
}

static long call_mstxDomainMarkA(const struct variant *v)
{
    mstxDomainHandle_t a0;
    SET(v, a0, 0, 1);
    char const * a1;
    SET(v, a1, 1, 0);
    aclrtStream a2;
    SET(v, a2, 2, 1);
    (void)mstxDomainMarkA(a0, a1, a2);
    return NO_CODE;
}

static long call_mstxDomainRangeStartA(const struct variant *v)
{
    mstxDomainHandle_t a0;
    SET(v, a0, 0, 1);
    char const * a1;
    SET(v, a1, 1, 0);
    aclrtStream a2;
    SET(v, a2, 2, 1);
    (void)mstxDomainRangeStartA(a0, a1, a2);
    return NO_CODE;
}

static long call_mstxDomainRangeEnd(const struct variant *v)
{
    mstxDomainHandle_t a0;
    SET(v, a0, 0, 1);
    mstxRangeId a1;
    SET(v, a1, 1, 1);
    (void)mstxDomainRangeEnd(a0, a1);
    return NO_CODE;
}

static long call_mstxMemHeapRegister(const struct variant *v)
{
    mstxDomainHandle_t a0;
    SET(v, a0, 0, 1);
    mstxMemHeapDesc_t const * a1;
    SET(v, a1, 1, 0);
    (void)mstxMemHeapRegister(a0, a1);
    return NO_CODE;
}

static long call_mstxMemHeapUnregister(const struct variant *v)
{
    mstxDomainHandle_t a0;
    SET(v, a0, 0, 1);
    mstxMemHeapHandle_t a1;
    SET(v, a1, 1, 1);
    (void)mstxMemHeapUnregister(a0, a1);
    return NO_CODE;
}

static long call_mstxMemRegionsRegister(const struct variant *v)
{
    mstxDomainHandle_t a0;
    SET(v, a0, 0, 1);
    mstxMemRegionsRegisterBatch_t const * a1;
    SET(v, a1, 1, 0);
    (void)mstxMemRegionsRegister(a0, a1);
    return NO_CODE;
}

static long call_mstxMemRegionsUnregister(const struct variant *v)
{
    mstxDomainHandle_t a0;
    SET(v, a0, 0, 1);
    mstxMemRegionsUnregisterBatch_t const * a1;
    SET(v, a1, 1, 0);
    (void)mstxMemRegionsUnregister(a0, a1);
    return NO_CODE;
}

static long call_mstxMemPermissionsAssign(const struct variant *v)
{
    mstxDomainHandle_t a0;
    SET(v, a0, 0, 1);
    mstxMemPermissionsAssignBatch_t const * a1;
    SET(v, a1, 1, 0);
    (void)mstxMemPermissionsAssign(a0, a1);
    return NO_CODE;
}

static long call_InitInjectionMstx(const struct variant *v)
{
    mstxGetModuleFuncTableFunc a0;
    SET(v, a0, 0, 2);
    (void)InitInjectionMstx(a0);
    return NO_CODE;
}

static long call_millpondSetFrameProvider(const struct variant *v)
{
    millpondFrameProvider a0;
    SET(v, a0, 0, 2);
    return (long)millpondSetFrameProvider(a0);
}

static long call_millpondFramesWanted(const struct variant *v)
{
    (void)v;
    (void)millpondFramesWanted();
    return NO_CODE;
}

static long call_millpondSetFaults(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    return (long)millpondSetFaults(a0);
}

static long call_millpondCheckBegin(const struct variant *v)
{
    millpondCheckOptions const * a0;
    SET(v, a0, 0, 0);
    return (long)millpondCheckBegin(a0);
}

static long call_millpondCheckEnd(const struct variant *v)
{
    (void)v;
    return (long)millpondCheckEnd();
}

static long call_millpondCheckCount(const struct variant *v)
{
    millpondCheckSeverity a0;
    SET(v, a0, 0, 1);
    size_t * a1;
    SET(v, a1, 1, 0);
    return (long)millpondCheckCount(a0, a1);
}

static long call_millpondCheckGet(const struct variant *v)
{
    size_t a0;
    SET(v, a0, 0, 1);
    millpondCheckFinding * a1;
    SET(v, a1, 1, 0);
    return (long)millpondCheckGet(a0, a1);
}

static long call_millpondCheckReport(const struct variant *v)
{
    millpondCheckFormat a0;
    SET(v, a0, 0, 1);
    char const * a1;
    SET(v, a1, 1, 0);
    return (long)millpondCheckReport(a0, a1);
}

static long call_millpondCompileModel(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    void const * a1;
    SET(v, a1, 1, 0);
    size_t a2;
    SET(v, a2, 2, 1);
    millpondCompileOption const * a3;
    SET(v, a3, 3, 0);
    size_t a4;
    SET(v, a4, 4, 1);
    void * * a5;
    SET(v, a5, 5, 0);
    size_t * a6;
    SET(v, a6, 6, 0);
    return (long)millpondCompileModel(a0, a1, a2, a3, a4, a5, a6);
}

static long call_millpondSaveModel(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    void const * a1;
    SET(v, a1, 1, 0);
    size_t a2;
    SET(v, a2, 2, 1);
    return (long)millpondSaveModel(a0, a1, a2);
}

static long call_millpondFreeModel(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    return (long)millpondFreeModel(a0);
}

static long call_millpondVersion(const struct variant *v)
{
    (void)v;
    (void)millpondVersion();
    return NO_CODE;
}

static long call_millpondOperatorsGpu(const struct variant *v)
{
    int32_t * a0;
    SET(v, a0, 0, 0);
    return (long)millpondOperatorsGpu(a0);
}

static long call_millpondMemTrim(const struct variant *v)
{
    size_t * a0;
    SET(v, a0, 0, 0);
    return (long)millpondMemTrim(a0);
}

static long call_millpondRecordUse(const struct variant *v)
{
    void * a0;
    SET(v, a0, 0, 0);
    aclrtStream a1;
    SET(v, a1, 1, 1);
    return (long)millpondRecordUse(a0, a1);
}

static long call_millpondMemGetStatistics(const struct variant *v)
{
    aclrtMemPool a0;
    SET(v, a0, 0, 1);
    millpondMemStatistics * a1;
    SET(v, a1, 1, 0);
    return (long)millpondMemGetStatistics(a0, a1);
}

static long call_millpondMemGetStreamStatistics(const struct variant *v)
{
    aclrtMemPool a0;
    SET(v, a0, 0, 1);
    uint64_t a1;
    SET(v, a1, 1, 1);
    millpondStreamStatistics * a2;
    SET(v, a2, 2, 0);
    return (long)millpondMemGetStreamStatistics(a0, a1, a2);
}

static long call_millpondFaultAdd(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    uint64_t * a1;
    SET(v, a1, 1, 0);
    return (long)millpondFaultAdd(a0, a1);
}

static long call_millpondFaultRemove(const struct variant *v)
{
    uint64_t a0;
    SET(v, a0, 0, 1);
    return (long)millpondFaultRemove(a0);
}

static long call_millpondFaultClear(const struct variant *v)
{
    (void)v;
    return (long)millpondFaultClear();
}

static long call_millpondFaultSeen(const struct variant *v)
{
    uint64_t a0;
    SET(v, a0, 0, 1);
    uint64_t * a1;
    SET(v, a1, 1, 0);
    uint64_t * a2;
    SET(v, a2, 2, 0);
    return (long)millpondFaultSeen(a0, a1, a2);
}

static long call_millpondCallsBegin(const struct variant *v)
{
    (void)v;
    return (long)millpondCallsBegin();
}

static long call_millpondCallsEnd(const struct variant *v)
{
    (void)v;
    return (long)millpondCallsEnd();
}

static long call_millpondCallsGet(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    uint64_t * a1;
    SET(v, a1, 1, 0);
    uint64_t * a2;
    SET(v, a2, 2, 0);
    return (long)millpondCallsGet(a0, a1, a2);
}

static long call_millpondCallsWrite(const struct variant *v)
{
    char const * a0;
    SET(v, a0, 0, 0);
    return (long)millpondCallsWrite(a0);
}

static long call_millpondResetReport(const struct variant *v)
{
    char * a0;
    SET(v, a0, 0, 0);
    size_t a1;
    SET(v, a1, 1, 1);
    return (long)millpondResetReport(a0, a1);
}

static long call_millpondTimeSetMode(const struct variant *v)
{
    millpondTimeMode a0;
    SET(v, a0, 0, 1);
    return (long)millpondTimeSetMode(a0);
}

static long call_millpondTimeGetMode(const struct variant *v)
{
    millpondTimeMode * a0;
    SET(v, a0, 0, 0);
    return (long)millpondTimeGetMode(a0);
}

static long call_millpondTimeAdvance(const struct variant *v)
{
    uint64_t a0;
    SET(v, a0, 0, 1);
    return (long)millpondTimeAdvance(a0);
}

static long call_millpondTimeNow(const struct variant *v)
{
    uint64_t * a0;
    SET(v, a0, 0, 0);
    return (long)millpondTimeNow(a0);
}

static const struct function functions[] = {
    {"aclCreateTensorDesc", call_aclCreateTensorDesc, 4, "  ", {"dataType", "numDims", "dims", "format"}},
    {"aclDestroyTensorDesc", call_aclDestroyTensorDesc, 1, "  ", {"desc"}},
    {"aclSetTensorShapeRange", call_aclSetTensorShapeRange, 3, "  ", {"desc", "dimsCount", "dimsRange"}},
    {"aclSetTensorValueRange", call_aclSetTensorValueRange, 3, "  ", {"desc", "valueCount", "valueRange"}},
    {"aclGetTensorDescType", call_aclGetTensorDescType, 1, "  ", {"desc"}},
    {"aclGetTensorDescFormat", call_aclGetTensorDescFormat, 1, "  ", {"desc"}},
    {"aclGetTensorDescSize", call_aclGetTensorDescSize, 1, "  ", {"desc"}},
    {"aclGetTensorDescElementCount", call_aclGetTensorDescElementCount, 1, "  ", {"desc"}},
    {"aclGetTensorDescNumDims", call_aclGetTensorDescNumDims, 1, "  ", {"desc"}},
    {"aclGetTensorDescDim", call_aclGetTensorDescDim, 2, "  ", {"desc", "index"}},
    {"aclGetTensorDescDimV2", call_aclGetTensorDescDimV2, 3, "  ", {"desc", "index", "dimSize"}},
    {"aclGetTensorDescDimRange", call_aclGetTensorDescDimRange, 4, "  ", {"desc", "index", "dimRangeNum", "dimRange"}},
    {"aclSetTensorDescName", call_aclSetTensorDescName, 2, "  ", {"desc", "name"}},
    {"aclGetTensorDescName", call_aclGetTensorDescName, 1, "  ", {"desc"}},
    {"aclTransTensorDescFormat", call_aclTransTensorDescFormat, 3, "  ", {"srcDesc", "dstFormat", "dstDesc"}},
    {"aclSetTensorStorageFormat", call_aclSetTensorStorageFormat, 2, "  ", {"desc", "format"}},
    {"aclSetTensorStorageShape", call_aclSetTensorStorageShape, 3, "  ", {"desc", "numDims", "dims"}},
    {"aclSetTensorFormat", call_aclSetTensorFormat, 2, "  ", {"desc", "format"}},
    {"aclSetTensorShape", call_aclSetTensorShape, 3, "  ", {"desc", "numDims", "dims"}},
    {"aclSetTensorOriginFormat", call_aclSetTensorOriginFormat, 2, "  ", {"desc", "format"}},
    {"aclSetTensorOriginShape", call_aclSetTensorOriginShape, 3, "  ", {"desc", "numDims", "dims"}},
    {"aclGetTensorDescByIndex", call_aclGetTensorDescByIndex, 2, "  ", {"desc", "index"}},
    {"aclGetTensorDescAddress", call_aclGetTensorDescAddress, 1, "  ", {"desc"}},
    {"aclSetTensorDynamicInput", call_aclSetTensorDynamicInput, 2, "  ", {"desc", "dynamicInputName"}},
    {"aclSetTensorConst", call_aclSetTensorConst, 3, "  ", {"desc", "dataBuffer", "length"}},
    {"aclSetTensorPlaceMent", call_aclSetTensorPlaceMent, 2, "  ", {"desc", "memType"}},
    {"aclFloat16ToFloat", call_aclFloat16ToFloat, 1, "  ", {"value"}},
    {"aclFloatToFloat16", call_aclFloatToFloat16, 1, "  ", {"value"}},
    {"aclCreateDataBuffer", call_aclCreateDataBuffer, 2, "  ", {"data", "size"}},
    {"aclDestroyDataBuffer", call_aclDestroyDataBuffer, 1, "  ", {"dataBuffer"}},
    {"aclUpdateDataBuffer", call_aclUpdateDataBuffer, 3, "  ", {"dataBuffer", "data", "size"}},
    {"aclGetDataBufferAddr", call_aclGetDataBufferAddr, 1, "  ", {"dataBuffer"}},
    {"aclGetDataBufferSize", call_aclGetDataBufferSize, 1, "  ", {"dataBuffer"}},
    {"aclGetDataBufferSizeV2", call_aclGetDataBufferSizeV2, 1, "  ", {"dataBuffer"}},
    {"aclDataTypeSize", call_aclDataTypeSize, 1, "  ", {"dataType"}},
    {"aclrtGetSocName", call_aclrtGetSocName, 0, "  ", {NULL}},
    {"aclGetCannAttributeList", call_aclGetCannAttributeList, 2, "  ", {"cannAttrList", "num"}},
    {"aclGetCannAttribute", call_aclGetCannAttribute, 2, "  ", {"cannAttr", "value"}},
    {"aclGetDeviceCapability", call_aclGetDeviceCapability, 3, "  ", {"deviceId", "deviceInfo", "value"}},
    {"aclmdlCreateDesc", call_aclmdlCreateDesc, 0, "  ", {NULL}},
    {"aclmdlDestroyDesc", call_aclmdlDestroyDesc, 1, "  ", {"modelDesc"}},
    {"aclmdlGetDesc", call_aclmdlGetDesc, 2, "  ", {"modelDesc", "modelId"}},
    {"aclmdlGetDescFromFile", call_aclmdlGetDescFromFile, 2, "  ", {"modelDesc", "modelPath"}},
    {"aclmdlGetDescFromMem", call_aclmdlGetDescFromMem, 3, "  ", {"modelDesc", "model", "modelSize"}},
    {"aclmdlGetNumInputs", call_aclmdlGetNumInputs, 1, "  ", {"modelDesc"}},
    {"aclmdlGetNumOutputs", call_aclmdlGetNumOutputs, 1, "  ", {"modelDesc"}},
    {"aclmdlGetInputSizeByIndex", call_aclmdlGetInputSizeByIndex, 2, "  ", {"modelDesc", "index"}},
    {"aclmdlGetOutputSizeByIndex", call_aclmdlGetOutputSizeByIndex, 2, "  ", {"modelDesc", "index"}},
    {"aclmdlGetInputDims", call_aclmdlGetInputDims, 3, "  ", {"modelDesc", "index", "dims"}},
    {"aclmdlGetInputDimsV2", call_aclmdlGetInputDimsV2, 3, "  ", {"modelDesc", "index", "dims"}},
    {"aclmdlGetInputDimsRange", call_aclmdlGetInputDimsRange, 3, "  ", {"modelDesc", "index", "dimsRange"}},
    {"aclmdlGetOutputDims", call_aclmdlGetOutputDims, 3, "  ", {"modelDesc", "index", "dims"}},
    {"aclmdlGetCurOutputDims", call_aclmdlGetCurOutputDims, 3, "  ", {"modelDesc", "index", "dims"}},
    {"aclmdlGetInputNameByIndex", call_aclmdlGetInputNameByIndex, 2, "  ", {"modelDesc", "index"}},
    {"aclmdlGetOutputNameByIndex", call_aclmdlGetOutputNameByIndex, 2, "  ", {"modelDesc", "index"}},
    {"aclmdlGetInputIndexByName", call_aclmdlGetInputIndexByName, 3, "  ", {"modelDesc", "name", "index"}},
    {"aclmdlGetOutputIndexByName", call_aclmdlGetOutputIndexByName, 3, "  ", {"modelDesc", "name", "index"}},
    {"aclmdlGetInputFormat", call_aclmdlGetInputFormat, 2, "  ", {"modelDesc", "index"}},
    {"aclmdlGetOutputFormat", call_aclmdlGetOutputFormat, 2, "  ", {"modelDesc", "index"}},
    {"aclmdlGetInputDataType", call_aclmdlGetInputDataType, 2, "  ", {"modelDesc", "index"}},
    {"aclmdlGetOutputDataType", call_aclmdlGetOutputDataType, 2, "  ", {"modelDesc", "index"}},
    {"aclmdlGetTensorRealName", call_aclmdlGetTensorRealName, 2, "  ", {"modelDesc", "name"}},
    {"aclmdlGetOpAttr", call_aclmdlGetOpAttr, 3, "  ", {"modelDesc", "opName", "attr"}},
    {"aclmdlCreateDataset", call_aclmdlCreateDataset, 0, "  ", {NULL}},
    {"aclmdlDestroyDataset", call_aclmdlDestroyDataset, 1, "  ", {"dataset"}},
    {"aclmdlAddDatasetBuffer", call_aclmdlAddDatasetBuffer, 2, "  ", {"dataset", "dataBuffer"}},
    {"aclmdlGetDatasetNumBuffers", call_aclmdlGetDatasetNumBuffers, 1, "  ", {"dataset"}},
    {"aclmdlGetDatasetBuffer", call_aclmdlGetDatasetBuffer, 2, "  ", {"dataset", "index"}},
    {"aclmdlSetDatasetTensorDesc", call_aclmdlSetDatasetTensorDesc, 3, "  ", {"dataset", "tensorDesc", "index"}},
    {"aclmdlGetDatasetTensorDesc", call_aclmdlGetDatasetTensorDesc, 2, "  ", {"dataset", "index"}},
    {"aclmdlQuerySize", call_aclmdlQuerySize, 3, "  ", {"fileName", "workSize", "weightSize"}},
    {"aclmdlQuerySizeFromMem", call_aclmdlQuerySizeFromMem, 4, "  ", {"model", "modelSize", "workSize", "weightSize"}},
    {"aclmdlQueryExeOMDesc", call_aclmdlQueryExeOMDesc, 2, "  ", {"fileName", "mdlPartitionSize"}},
    {"aclmdlLoadFromFile", call_aclmdlLoadFromFile, 2, "  ", {"modelPath", "modelId"}},
    {"aclmdlLoadFromMem", call_aclmdlLoadFromMem, 3, "  ", {"model", "modelSize", "modelId"}},
    {"aclmdlLoadFromFileWithMem", call_aclmdlLoadFromFileWithMem, 6, "  ", {"modelPath", "modelId", "workPtr", "workSize", "weightPtr", "weightSize"}},
    {"aclmdlLoadFromMemWithMem", call_aclmdlLoadFromMemWithMem, 7, "  ", {"model", "modelSize", "modelId", "workPtr", "workSize", "weightPtr", "weightSize"}},
    {"aclmdlLoadFromFileWithQ", call_aclmdlLoadFromFileWithQ, 6, "  ", {"modelPath", "modelId", "inputQ", "inputQNum", "outputQ", "outputQNum"}},
    {"aclmdlLoadFromMemWithQ", call_aclmdlLoadFromMemWithQ, 7, "  ", {"model", "modelSize", "modelId", "inputQ", "inputQNum", "outputQ", "outputQNum"}},
    {"aclmdlLoadFromModel", call_aclmdlLoadFromModel, 3, "  ", {"model", "handle", "modelId"}},
    {"aclmdlUnload", call_aclmdlUnload, 1, "  ", {"modelId"}},
    {"aclmdlCreateConfigHandle", call_aclmdlCreateConfigHandle, 0, "  ", {NULL}},
    {"aclmdlDestroyConfigHandle", call_aclmdlDestroyConfigHandle, 1, "  ", {"handle"}},
    {"aclmdlSetConfigOpt", call_aclmdlSetConfigOpt, 4, "  ", {"handle", "attr", "attrValue", "valueSize"}},
    {"aclmdlSetExternalWeightAddress", call_aclmdlSetExternalWeightAddress, 4, "  ", {"handle", "weightFileName", "devPtr", "size"}},
    {"aclmdlLoadWithConfig", call_aclmdlLoadWithConfig, 2, "  ", {"handle", "modelId"}},
    {"aclmdlExecute", call_aclmdlExecute, 3, "  ", {"modelId", "input", "output"}},
    {"aclmdlExecuteV2", call_aclmdlExecuteV2, 5, "  ", {"modelId", "input", "output", "stream", "handle"}},
    {"aclmdlExecuteAsync", call_aclmdlExecuteAsync, 4, "  ", {"modelId", "input", "output", "stream"}},
    {"aclmdlExecuteAsyncV2", call_aclmdlExecuteAsyncV2, 5, "  ", {"modelId", "input", "output", "stream", "handle"}},
    {"aclmdlCreateExecConfigHandle", call_aclmdlCreateExecConfigHandle, 0, "  ", {NULL}},
    {"aclmdlDestroyExecConfigHandle", call_aclmdlDestroyExecConfigHandle, 1, "  ", {"handle"}},
    {"aclmdlSetExecConfigOpt", call_aclmdlSetExecConfigOpt, 4, "  ", {"handle", "attr", "attrValue", "valueSize"}},
    {"aclmdlSetAttribute", call_aclmdlSetAttribute, 3, "  ", {"modelId", "attr", "attrValue"}},
    {"aclmdlGetAttribute", call_aclmdlGetAttribute, 3, "  ", {"modelId", "attr", "attrValue"}},
    {"aclmdlCreateAndGetOpDesc", call_aclmdlCreateAndGetOpDesc, 9, "  ", {"deviceId", "streamId", "taskId", "opName", "opNameLen", "inputDesc", "numInputs", "outputDesc", "numOutputs"}},
    {"aclRecoverAllHcclTasks", call_aclRecoverAllHcclTasks, 1, "  ", {"deviceId"}},
    {"aclmdlGetDynamicBatch", call_aclmdlGetDynamicBatch, 2, "  ", {"modelDesc", "batch"}},
    {"aclmdlSetDynamicBatchSize", call_aclmdlSetDynamicBatchSize, 4, "  ", {"modelId", "dataset", "index", "batchSize"}},
    {"aclmdlGetDynamicHW", call_aclmdlGetDynamicHW, 3, "  ", {"modelDesc", "index", "hw"}},
    {"aclmdlSetDynamicHWSize", call_aclmdlSetDynamicHWSize, 5, "  ", {"modelId", "dataset", "index", "height", "width"}},
    {"aclmdlGetInputDynamicGearCount", call_aclmdlGetInputDynamicGearCount, 3, "  ", {"modelDesc", "index", "gearCount"}},
    {"aclmdlGetInputDynamicDims", call_aclmdlGetInputDynamicDims, 4, "  ", {"modelDesc", "index", "dims", "gearCount"}},
    {"aclmdlSetInputDynamicDims", call_aclmdlSetInputDynamicDims, 4, "  ", {"modelId", "dataset", "index", "dims"}},
    {"aclmdlCreateAIPP", call_aclmdlCreateAIPP, 1, "  ", {"batchSize"}},
    {"aclmdlDestroyAIPP", call_aclmdlDestroyAIPP, 1, "  ", {"aippParmsSet"}},
    {"aclmdlGetAippDataSize", call_aclmdlGetAippDataSize, 2, "  ", {"batchSize", "size"}},
    {"aclmdlSetAIPPInputFormat", call_aclmdlSetAIPPInputFormat, 2, "  ", {"aippParmsSet", "inputFormat"}},
    {"aclmdlSetAIPPCscParams", call_aclmdlSetAIPPCscParams, 17, "  ", {"aippParmsSet", "cscSwitch", "cscMatrixR0C0", "cscMatrixR0C1", "cscMatrixR0C2", "cscMatrixR1C0", "cscMatrixR1C1", "cscMatrixR1C2", "cscMatrixR2C0", "cscMatrixR2C1", "cscMatrixR2C2", "cscOutputBiasR0", "cscOutputBiasR1", "cscOutputBiasR2", "cscInputBiasR0", "cscInputBiasR1", "cscInputBiasR2"}},
    {"aclmdlSetAIPPRbuvSwapSwitch", call_aclmdlSetAIPPRbuvSwapSwitch, 2, "  ", {"aippParmsSet", "rbuvSwapSwitch"}},
    {"aclmdlSetAIPPAxSwapSwitch", call_aclmdlSetAIPPAxSwapSwitch, 2, "  ", {"aippParmsSet", "axSwapSwitch"}},
    {"aclmdlSetAIPPSrcImageSize", call_aclmdlSetAIPPSrcImageSize, 3, "  ", {"aippParmsSet", "srcImageSizeW", "srcImageSizeH"}},
    {"aclmdlSetAIPPScfParams", call_aclmdlSetAIPPScfParams, 7, "  ", {"aippParmsSet", "scfSwitch", "scfInputSizeW", "scfInputSizeH", "scfOutputSizeW", "scfOutputSizeH", "batchIndex"}},
    {"aclmdlSetAIPPCropParams", call_aclmdlSetAIPPCropParams, 7, "  ", {"aippParmsSet", "cropSwitch", "cropStartPosW", "cropStartPosH", "cropSizeW", "cropSizeH", "batchIndex"}},
    {"aclmdlSetAIPPPaddingParams", call_aclmdlSetAIPPPaddingParams, 7, "  ", {"aippParmsSet", "paddingSwitch", "paddingSizeTop", "paddingSizeBottom", "paddingSizeLeft", "paddingSizeRight", "batchIndex"}},
    {"aclmdlSetAIPPDtcPixelMean", call_aclmdlSetAIPPDtcPixelMean, 6, "  ", {"aippParmsSet", "dtcPixelMeanChn0", "dtcPixelMeanChn1", "dtcPixelMeanChn2", "dtcPixelMeanChn3", "batchIndex"}},
    {"aclmdlSetAIPPDtcPixelMin", call_aclmdlSetAIPPDtcPixelMin, 6, "  ", {"aippParmsSet", "dtcPixelMinChn0", "dtcPixelMinChn1", "dtcPixelMinChn2", "dtcPixelMinChn3", "batchIndex"}},
    {"aclmdlSetAIPPPixelVarReci", call_aclmdlSetAIPPPixelVarReci, 6, "  ", {"aippParmsSet", "dtcPixelVarReciChn0", "dtcPixelVarReciChn1", "dtcPixelVarReciChn2", "dtcPixelVarReciChn3", "batchIndex"}},
    {"aclmdlSetInputAIPP", call_aclmdlSetInputAIPP, 4, "  ", {"modelId", "dataset", "index", "aippParmsSet"}},
    {"aclmdlSetAIPPByInputIndex", call_aclmdlSetAIPPByInputIndex, 4, "  ", {"modelId", "dataset", "index", "aippParmsSet"}},
    {"aclmdlGetAippType", call_aclmdlGetAippType, 4, "  ", {"modelId", "index", "type", "dynamicAttachedDataIndex"}},
    {"aclmdlGetFirstAippInfo", call_aclmdlGetFirstAippInfo, 3, "  ", {"modelId", "index", "aippInfo"}},
    {"aclmdlBundleLoadFromFile", call_aclmdlBundleLoadFromFile, 2, "  ", {"modelPath", "bundleId"}},
    {"aclmdlBundleLoadFromMem", call_aclmdlBundleLoadFromMem, 3, "  ", {"model", "modelSize", "bundleId"}},
    {"aclmdlBundleUnload", call_aclmdlBundleUnload, 1, "  ", {"bundleId"}},
    {"aclmdlBundleGetModelNum", call_aclmdlBundleGetModelNum, 2, "  ", {"bundleId", "modelNum"}},
    {"aclmdlBundleGetModelId", call_aclmdlBundleGetModelId, 3, "  ", {"bundleId", "index", "modelId"}},
    {"aclmdlBundleCreateQueryInfo", call_aclmdlBundleCreateQueryInfo, 0, "  ", {NULL}},
    {"aclmdlBundleDestroyQueryInfo", call_aclmdlBundleDestroyQueryInfo, 1, "  ", {"queryInfo"}},
    {"aclmdlBundleQueryInfoFromFile", call_aclmdlBundleQueryInfoFromFile, 2, "  ", {"fileName", "queryInfo"}},
    {"aclmdlBundleQueryInfoFromMem", call_aclmdlBundleQueryInfoFromMem, 3, "  ", {"model", "modelSize", "queryInfo"}},
    {"aclmdlBundleGetQueryModelNum", call_aclmdlBundleGetQueryModelNum, 2, "  ", {"queryInfo", "modelNum"}},
    {"aclmdlBundleGetVarWeightSize", call_aclmdlBundleGetVarWeightSize, 2, "  ", {"queryInfo", "variableWeightSize"}},
    {"aclmdlBundleGetSize", call_aclmdlBundleGetSize, 4, "  ", {"queryInfo", "index", "workSize", "constWeightSize"}},
    {"aclmdlBundleInitFromFile", call_aclmdlBundleInitFromFile, 4, "  ", {"modelPath", "varWeightPtr", "varWeightSize", "bundleId"}},
    {"aclmdlBundleInitFromMem", call_aclmdlBundleInitFromMem, 5, "  ", {"model", "modelSize", "varWeightPtr", "varWeightSize", "bundleId"}},
    {"aclmdlBundleLoadModel", call_aclmdlBundleLoadModel, 3, "  ", {"bundleId", "index", "modelId"}},
    {"aclmdlBundleLoadModelWithMem", call_aclmdlBundleLoadModelWithMem, 7, "  ", {"bundleId", "index", "workPtr", "workSize", "weightPtr", "weightSize", "modelId"}},
    {"aclmdlBundleLoadModelWithConfig", call_aclmdlBundleLoadModelWithConfig, 4, "  ", {"bundleId", "index", "handle", "modelId"}},
    {"aclmdlBundleUnloadModel", call_aclmdlBundleUnloadModel, 2, "  ", {"bundleId", "modelId"}},
    {"aclopSetModelDir", call_aclopSetModelDir, 1, "  ", {"modelDir"}},
    {"aclopLoad", call_aclopLoad, 2, "  ", {"model", "modelSize"}},
    {"aclopSetMaxOpQueueNum", call_aclopSetMaxOpQueueNum, 1, "  ", {"maxOpNum"}},
    {"aclopCreateAttr", call_aclopCreateAttr, 0, "  ", {NULL}},
    {"aclopDestroyAttr", call_aclopDestroyAttr, 1, "  ", {"attr"}},
    {"aclopSetAttrBool", call_aclopSetAttrBool, 3, "  ", {"attr", "attrName", "attrValue"}},
    {"aclopSetAttrInt", call_aclopSetAttrInt, 3, "  ", {"attr", "attrName", "attrValue"}},
    {"aclopSetAttrFloat", call_aclopSetAttrFloat, 3, "  ", {"attr", "attrName", "attrValue"}},
    {"aclopSetAttrString", call_aclopSetAttrString, 3, "  ", {"attr", "attrName", "attrValue"}},
    {"aclopSetAttrDataType", call_aclopSetAttrDataType, 3, "  ", {"attr", "attrName", "attrValue"}},
    {"aclopSetAttrListDataType", call_aclopSetAttrListDataType, 4, "  ", {"attr", "attrName", "numValues", "values"}},
    {"aclopSetAttrListBool", call_aclopSetAttrListBool, 4, "  ", {"attr", "attrName", "numValues", "values"}},
    {"aclopSetAttrListInt", call_aclopSetAttrListInt, 4, "  ", {"attr", "attrName", "numValues", "values"}},
    {"aclopSetAttrListFloat", call_aclopSetAttrListFloat, 4, "  ", {"attr", "attrName", "numValues", "values"}},
    {"aclopSetAttrListString", call_aclopSetAttrListString, 4, "  ", {"attr", "attrName", "numValues", "values"}},
    {"aclopSetAttrListListInt", call_aclopSetAttrListListInt, 5, "  ", {"attr", "attrName", "numLists", "numValues", "values"}},
    {"aclopExecute", call_aclopExecute, 9, "  ", {"opType", "numInputs", "inputDesc", "inputs", "numOutputs", "outputDesc", "outputs", "attr", "stream"}},
    {"aclopExecuteV2", call_aclopExecuteV2, 9, "  ", {"opType", "numInputs", "inputDesc", "inputs", "numOutputs", "outputDesc", "outputs", "attr", "stream"}},
    {"aclopInferShape", call_aclopInferShape, 7, "  ", {"opType", "numInputs", "inputDesc", "inputs", "numOutputs", "outputDesc", "attr"}},
    {"aclopCreateHandle", call_aclopCreateHandle, 7, "  ", {"opType", "numInputs", "inputDesc", "numOutputs", "outputDesc", "opAttr", "handle"}},
    {"aclopDestroyHandle", call_aclopDestroyHandle, 1, "  ", {"handle"}},
    {"aclopExecWithHandle", call_aclopExecWithHandle, 6, "  ", {"handle", "numInputs", "inputs", "numOutputs", "outputs", "stream"}},
    {"aclopCast", call_aclopCast, 6, "  ", {"srcDesc", "srcBuffer", "dstDesc", "dstBuffer", "truncate", "stream"}},
    {"aclopCreateHandleForCast", call_aclopCreateHandleForCast, 4, "  ", {"srcDesc", "dstDesc", "truncate", "handle"}},
    {"aclopCreateKernel", call_aclopCreateKernel, 7, "  ", {"opType", "kernelId", "kernelName", "binData", "binSize", "enginetype", "deallocator"}},
    {"aclopRegisterCompileFunc", call_aclopRegisterCompileFunc, 2, "  ", {"opType", "func"}},
    {"aclopUnregisterCompileFunc", call_aclopUnregisterCompileFunc, 1, "  ", {"opType"}},
    {"aclopSetKernelArgs", call_aclopSetKernelArgs, 5, "  ", {"kernelDesc", "kernelId", "blockDim", "args", "argSize"}},
    {"aclopSetKernelWorkspaceSizes", call_aclopSetKernelWorkspaceSizes, 3, "  ", {"kernelDesc", "numWorkspaces", "workspaceSizes"}},
    {"aclopUpdateParams", call_aclopUpdateParams, 6, "  ", {"opType", "numInputs", "inputDesc", "numOutputs", "outputDesc", "attr"}},
    {"aclopCompile", call_aclopCompile, 9, "  ", {"opType", "numInputs", "inputDesc", "numOutputs", "outputDesc", "attr", "engineType", "compileFlag", "opPath"}},
    {"aclopCompileAndExecute", call_aclopCompileAndExecute, 12, "  ", {"opType", "numInputs", "inputDesc", "inputs", "numOutputs", "outputDesc", "outputs", "attr", "engineType", "compileFlag", "opPath", "stream"}},
    {"aclopCompileAndExecuteV2", call_aclopCompileAndExecuteV2, 12, "  ", {"opType", "numInputs", "inputDesc", "inputs", "numOutputs", "outputDesc", "outputs", "attr", "engineType", "compileFlag", "opPath", "stream"}},
    {"aclSetCompileopt", call_aclSetCompileopt, 2, "  ", {"opt", "value"}},
    {"aclGetCompileoptSize", call_aclGetCompileoptSize, 1, "  ", {"opt"}},
    {"aclGetCompileopt", call_aclGetCompileopt, 3, "  ", {"opt", "value", "length"}},
    {"aclopSetCompileFlag", call_aclopSetCompileFlag, 1, "  ", {"flag"}},
    {"aclGenGraphAndDumpForOp", call_aclGenGraphAndDumpForOp, 11, "  ", {"opType", "numInputs", "inputDesc", "inputs", "numOutputs", "outputDesc", "outputs", "attr", "engineType", "graphDumpPath", "graphDumpOpt"}},
    {"aclCreateGraphDumpOpt", call_aclCreateGraphDumpOpt, 0, "  ", {NULL}},
    {"aclDestroyGraphDumpOpt", call_aclDestroyGraphDumpOpt, 1, "  ", {"graphDumpOpt"}},
    {"aclprofInit", call_aclprofInit, 2, "  ", {"profilerResultPath", "length"}},
    {"aclprofFinalize", call_aclprofFinalize, 0, "  ", {NULL}},
    {"aclprofCreateConfig", call_aclprofCreateConfig, 5, "  ", {"deviceIdList", "deviceNums", "aicoreMetrics", "aicoreEvents", "dataTypeConfig"}},
    {"aclprofDestroyConfig", call_aclprofDestroyConfig, 1, "  ", {"profilerConfig"}},
    {"aclprofSetConfig", call_aclprofSetConfig, 3, "  ", {"configType", "config", "configLength"}},
    {"aclprofWarmup", call_aclprofWarmup, 1, "  ", {"profilerConfig"}},
    {"aclprofStart", call_aclprofStart, 1, "  ", {"profilerConfig"}},
    {"aclprofStop", call_aclprofStop, 1, "  ", {"profilerConfig"}},
    {"aclprofCreateStepInfo", call_aclprofCreateStepInfo, 0, "  ", {NULL}},
    {"aclprofDestroyStepInfo", call_aclprofDestroyStepInfo, 1, "  ", {"stepinfo"}},
    {"aclprofGetStepTimestamp", call_aclprofGetStepTimestamp, 3, "  ", {"stepInfo", "tag", "stream"}},
    {"aclprofCreateStamp", call_aclprofCreateStamp, 0, "  ", {NULL}},
    {"aclprofDestroyStamp", call_aclprofDestroyStamp, 1, "  ", {"stamp"}},
    {"aclprofSetStampTraceMessage", call_aclprofSetStampTraceMessage, 3, "  ", {"stamp", "msg", "msgLen"}},
    {"aclprofMark", call_aclprofMark, 1, "  ", {"stamp"}},
    {"aclprofPush", call_aclprofPush, 1, "  ", {"stamp"}},
    {"aclprofPop", call_aclprofPop, 0, "  ", {NULL}},
    {"aclprofRangeStart", call_aclprofRangeStart, 2, "  ", {"stamp", "rangeId"}},
    {"aclprofRangeStop", call_aclprofRangeStop, 1, "  ", {"rangeId"}},
    {"aclprofMarkEx", call_aclprofMarkEx, 3, "  ", {"msg", "msgLen", "stream"}},
    {"aclprofCreateSubscribeConfig", call_aclprofCreateSubscribeConfig, 3, "  ", {"timeInfoSwitch", "aicoreMetrics", "fd"}},
    {"aclprofDestroySubscribeConfig", call_aclprofDestroySubscribeConfig, 1, "  ", {"profSubscribeConfig"}},
    {"aclprofModelSubscribe", call_aclprofModelSubscribe, 2, "  ", {"modelId", "profSubscribeConfig"}},
    {"aclprofModelUnSubscribe", call_aclprofModelUnSubscribe, 1, "  ", {"modelId"}},
    {"aclprofGetOpDescSize", call_aclprofGetOpDescSize, 1, "  ", {"opDescSize"}},
    {"aclprofGetOpNum", call_aclprofGetOpNum, 3, "  ", {"opInfo", "opInfoLen", "opNumber"}},
    {"aclprofGetOpTypeLen", call_aclprofGetOpTypeLen, 4, "  ", {"opInfo", "opInfoLen", "index", "opTypeLen"}},
    {"aclprofGetOpType", call_aclprofGetOpType, 5, "  ", {"opInfo", "opInfoLen", "index", "opType", "opTypeLen"}},
    {"aclprofGetOpNameLen", call_aclprofGetOpNameLen, 4, "  ", {"opInfo", "opInfoLen", "index", "opNameLen"}},
    {"aclprofGetOpName", call_aclprofGetOpName, 5, "  ", {"opInfo", "opInfoLen", "index", "opName", "opNameLen"}},
    {"aclprofGetOpStart", call_aclprofGetOpStart, 3, "  ", {"opInfo", "opInfoLen", "index"}},
    {"aclprofGetOpEnd", call_aclprofGetOpEnd, 3, "  ", {"opInfo", "opInfoLen", "index"}},
    {"aclprofGetOpDuration", call_aclprofGetOpDuration, 3, "  ", {"opInfo", "opInfoLen", "index"}},
    {"aclprofGetModelId", call_aclprofGetModelId, 3, "  ", {"opInfo", "opInfoLen", "index"}},
    {"aclprofGetOpFlag", call_aclprofGetOpFlag, 3, "  ", {"opInfo", "opInfoLen", "index"}},
    {"aclprofGetOpAttriValue", call_aclprofGetOpAttriValue, 4, "  ", {"opInfo", "opInfoLen", "index", "attri"}},
    {"aclrtAllocatorCreateDesc", call_aclrtAllocatorCreateDesc, 0, "  ", {NULL}},
    {"aclrtAllocatorDestroyDesc", call_aclrtAllocatorDestroyDesc, 1, "  ", {"allocatorDesc"}},
    {"aclrtAllocatorSetObjToDesc", call_aclrtAllocatorSetObjToDesc, 2, "  ", {"allocatorDesc", "allocator"}},
    {"aclrtAllocatorSetAllocFuncToDesc", call_aclrtAllocatorSetAllocFuncToDesc, 2, "  ", {"allocatorDesc", "func"}},
    {"aclrtAllocatorSetFreeFuncToDesc", call_aclrtAllocatorSetFreeFuncToDesc, 2, "  ", {"allocatorDesc", "func"}},
    {"aclrtAllocatorSetAllocAdviseFuncToDesc", call_aclrtAllocatorSetAllocAdviseFuncToDesc, 2, "  ", {"allocatorDesc", "func"}},
    {"aclrtAllocatorSetGetAddrFromBlockFuncToDesc", call_aclrtAllocatorSetGetAddrFromBlockFuncToDesc, 2, "  ", {"allocatorDesc", "func"}},
    {"aclrtAllocatorRegister", call_aclrtAllocatorRegister, 2, "  ", {"stream", "allocatorDesc"}},
    {"aclrtAllocatorGetByStream", call_aclrtAllocatorGetByStream, 7, "  ", {"stream", "allocatorDesc", "allocator", "allocFunc", "freeFunc", "allocAdviseFunc", "getAddrFromBlockFunc"}},
    {"aclrtAllocatorUnregister", call_aclrtAllocatorUnregister, 1, " stale ", {"stream"}},
    {"aclrtMemPoolCreate", call_aclrtMemPoolCreate, 2, "  ", {"memPool", "poolProps"}},
    {"aclrtMemPoolDestroy", call_aclrtMemPoolDestroy, 1, "  ", {"memPool"}},
    {"aclrtMemPoolSetAttr", call_aclrtMemPoolSetAttr, 3, "  ", {"memPool", "attr", "value"}},
    {"aclrtMemPoolGetAttr", call_aclrtMemPoolGetAttr, 3, "  ", {"memPool", "attr", "value"}},
    {"aclrtMemPoolMallocAsync", call_aclrtMemPoolMallocAsync, 4, "  ", {"ptr", "size", "memPool", "stream"}},
    {"aclrtMemPoolFreeAsync", call_aclrtMemPoolFreeAsync, 2, "  ", {"ptr", "stream"}},
    {"aclrtMemPoolTrimTo", call_aclrtMemPoolTrimTo, 2, "  ", {"memPool", "minBytesToKeep"}},
    {"acltdtCreateDataItem", call_acltdtCreateDataItem, 6, "  ", {"tdtType", "dims", "dimNum", "dataType", "data", "size"}},
    {"acltdtDestroyDataItem", call_acltdtDestroyDataItem, 1, "  ", {"dataItem"}},
    {"acltdtGetTensorTypeFromItem", call_acltdtGetTensorTypeFromItem, 1, "  ", {"dataItem"}},
    {"acltdtGetDataTypeFromItem", call_acltdtGetDataTypeFromItem, 1, "  ", {"dataItem"}},
    {"acltdtGetDataAddrFromItem", call_acltdtGetDataAddrFromItem, 1, "  ", {"dataItem"}},
    {"acltdtGetDataSizeFromItem", call_acltdtGetDataSizeFromItem, 1, "  ", {"dataItem"}},
    {"acltdtGetDimNumFromItem", call_acltdtGetDimNumFromItem, 1, "  ", {"dataItem"}},
    {"acltdtGetDimsFromItem", call_acltdtGetDimsFromItem, 3, "  ", {"dataItem", "dims", "dimNum"}},
    {"acltdtGetSliceInfoFromItem", call_acltdtGetSliceInfoFromItem, 3, "  ", {"dataItem", "sliceNum", "sliceId"}},
    {"acltdtCreateDataset", call_acltdtCreateDataset, 0, "  ", {NULL}},
    {"acltdtDestroyDataset", call_acltdtDestroyDataset, 1, "  ", {"dataset"}},
    {"acltdtAddDataItem", call_acltdtAddDataItem, 2, "  ", {"dataset", "dataItem"}},
    {"acltdtGetDataItem", call_acltdtGetDataItem, 2, "  ", {"dataset", "index"}},
    {"acltdtGetDatasetSize", call_acltdtGetDatasetSize, 1, "  ", {"dataset"}},
    {"acltdtGetDatasetName", call_acltdtGetDatasetName, 1, "  ", {"dataset"}},
    {"acltdtCreateChannel", call_acltdtCreateChannel, 2, "  ", {"deviceId", "name"}},
    {"acltdtCreateChannelWithCapacity", call_acltdtCreateChannelWithCapacity, 3, "  ", {"deviceId", "name", "capacity"}},
    {"acltdtDestroyChannel", call_acltdtDestroyChannel, 1, "  ", {"handle"}},
    {"acltdtStopChannel", call_acltdtStopChannel, 1, "  ", {"handle"}},
    {"acltdtCleanChannel", call_acltdtCleanChannel, 1, "  ", {"handle"}},
    {"acltdtSendTensor", call_acltdtSendTensor, 3, "  ", {"handle", "dataset", "timeout"}},
    {"acltdtReceiveTensor", call_acltdtReceiveTensor, 3, "  ", {"handle", "dataset", "timeout"}},
    {"acltdtQueryChannelSize", call_acltdtQueryChannelSize, 2, "  ", {"handle", "size"}},
    {"aclblasGemvEx", call_aclblasGemvEx, 16, "  ", {"transA", "m", "n", "alpha", "a", "lda", "dataTypeA", "x", "incx", "dataTypeX", "beta", "y", "incy", "dataTypeY", "type", "stream"}},
    {"aclblasCreateHandleForGemvEx", call_aclblasCreateHandleForGemvEx, 8, "  ", {"transA", "m", "n", "dataTypeA", "dataTypeX", "dataTypeY", "type", "handle"}},
    {"aclblasHgemv", call_aclblasHgemv, 13, "  ", {"transA", "m", "n", "alpha", "a", "lda", "x", "incx", "beta", "y", "incy", "type", "stream"}},
    {"aclblasCreateHandleForHgemv", call_aclblasCreateHandleForHgemv, 5, "  ", {"transA", "m", "n", "type", "handle"}},
    {"aclblasS8gemv", call_aclblasS8gemv, 13, "  ", {"transA", "m", "n", "alpha", "a", "lda", "x", "incx", "beta", "y", "incy", "type", "stream"}},
    {"aclblasCreateHandleForS8gemv", call_aclblasCreateHandleForS8gemv, 5, "  ", {"transA", "m", "n", "type", "handle"}},
    {"aclblasGemmEx", call_aclblasGemmEx, 19, "  ", {"transA", "transB", "transC", "m", "n", "k", "alpha", "matrixA", "lda", "dataTypeA", "matrixB", "ldb", "dataTypeB", "beta", "matrixC", "ldc", "dataTypeC", "type", "stream"}},
    {"aclblasCreateHandleForGemmEx", call_aclblasCreateHandleForGemmEx, 11, "  ", {"transA", "transB", "transC", "m", "n", "k", "dataTypeA", "dataTypeB", "dataTypeC", "type", "handle"}},
    {"aclblasHgemm", call_aclblasHgemm, 16, "  ", {"transA", "transB", "transC", "m", "n", "k", "alpha", "matrixA", "lda", "matrixB", "ldb", "beta", "matrixC", "ldc", "type", "stream"}},
    {"aclblasCreateHandleForHgemm", call_aclblasCreateHandleForHgemm, 8, "  ", {"transA", "transB", "transC", "m", "n", "k", "type", "handle"}},
    {"aclblasS8gemm", call_aclblasS8gemm, 16, "  ", {"transA", "transB", "transC", "m", "n", "k", "alpha", "matrixA", "lda", "matrixB", "ldb", "beta", "matrixC", "ldc", "type", "stream"}},
    {"aclblasCreateHandleForS8gemm", call_aclblasCreateHandleForS8gemm, 8, "  ", {"transA", "transB", "transC", "m", "n", "k", "type", "handle"}},
    {"acldvppMalloc", call_acldvppMalloc, 2, "  ", {"devPtr", "size"}},
    {"acldvppFree", call_acldvppFree, 1, "  ", {"devPtr"}},
    {"acldvppCreatePicDesc", call_acldvppCreatePicDesc, 0, "  ", {NULL}},
    {"acldvppDestroyPicDesc", call_acldvppDestroyPicDesc, 1, "  ", {"picDesc"}},
    {"acldvppSetPicDescData", call_acldvppSetPicDescData, 2, "  ", {"picDesc", "dataDev"}},
    {"acldvppSetPicDescSize", call_acldvppSetPicDescSize, 2, "  ", {"picDesc", "size"}},
    {"acldvppGetPicDescData", call_acldvppGetPicDescData, 1, "  ", {"picDesc"}},
    {"acldvppGetPicDescSize", call_acldvppGetPicDescSize, 1, "  ", {"picDesc"}},
    {"acldvppSetPicDescFormat", call_acldvppSetPicDescFormat, 2, "  ", {"picDesc", "format"}},
    {"acldvppGetPicDescFormat", call_acldvppGetPicDescFormat, 1, "  ", {"picDesc"}},
    {"acldvppSetPicDescWidth", call_acldvppSetPicDescWidth, 2, "  ", {"picDesc", "width"}},
    {"acldvppSetPicDescHeight", call_acldvppSetPicDescHeight, 2, "  ", {"picDesc", "height"}},
    {"acldvppGetPicDescWidth", call_acldvppGetPicDescWidth, 1, "  ", {"picDesc"}},
    {"acldvppGetPicDescHeight", call_acldvppGetPicDescHeight, 1, "  ", {"picDesc"}},
    {"acldvppSetPicDescWidthStride", call_acldvppSetPicDescWidthStride, 2, "  ", {"picDesc", "widthStride"}},
    {"acldvppSetPicDescHeightStride", call_acldvppSetPicDescHeightStride, 2, "  ", {"picDesc", "heightStride"}},
    {"acldvppGetPicDescWidthStride", call_acldvppGetPicDescWidthStride, 1, "  ", {"picDesc"}},
    {"acldvppGetPicDescHeightStride", call_acldvppGetPicDescHeightStride, 1, "  ", {"picDesc"}},
    {"acldvppSetPicDescRetCode", call_acldvppSetPicDescRetCode, 2, "  ", {"picDesc", "retCode"}},
    {"acldvppGetPicDescRetCode", call_acldvppGetPicDescRetCode, 1, "  ", {"picDesc"}},
    {"acldvppCreateBatchPicDesc", call_acldvppCreateBatchPicDesc, 1, "  ", {"batchSize"}},
    {"acldvppGetPicDesc", call_acldvppGetPicDesc, 2, "  ", {"batchPicDesc", "index"}},
    {"acldvppDestroyBatchPicDesc", call_acldvppDestroyBatchPicDesc, 1, "  ", {"batchPicDesc"}},
    {"acldvppCreateRoiConfig", call_acldvppCreateRoiConfig, 4, "  ", {"left", "right", "top", "bottom"}},
    {"acldvppDestroyRoiConfig", call_acldvppDestroyRoiConfig, 1, "  ", {"roiConfig"}},
    {"acldvppSetRoiConfigLeft", call_acldvppSetRoiConfigLeft, 2, "  ", {"config", "left"}},
    {"acldvppSetRoiConfigRight", call_acldvppSetRoiConfigRight, 2, "  ", {"config", "right"}},
    {"acldvppSetRoiConfigTop", call_acldvppSetRoiConfigTop, 2, "  ", {"config", "top"}},
    {"acldvppSetRoiConfigBottom", call_acldvppSetRoiConfigBottom, 2, "  ", {"config", "bottom"}},
    {"acldvppSetRoiConfig", call_acldvppSetRoiConfig, 5, "  ", {"config", "left", "right", "top", "bottom"}},
    {"acldvppCreateResizeConfig", call_acldvppCreateResizeConfig, 0, "  ", {NULL}},
    {"acldvppDestroyResizeConfig", call_acldvppDestroyResizeConfig, 1, "  ", {"resizeConfig"}},
    {"acldvppSetResizeConfigInterpolation", call_acldvppSetResizeConfigInterpolation, 2, "  ", {"resizeConfig", "interpolation"}},
    {"acldvppGetResizeConfigInterpolation", call_acldvppGetResizeConfigInterpolation, 1, "  ", {"resizeConfig"}},
    {"acldvppCreateChannelDesc", call_acldvppCreateChannelDesc, 0, "  ", {NULL}},
    {"acldvppDestroyChannelDesc", call_acldvppDestroyChannelDesc, 1, "  ", {"channelDesc"}},
    {"acldvppGetChannelDescChannelId", call_acldvppGetChannelDescChannelId, 1, "  ", {"channelDesc"}},
    {"acldvppSetChannelDescMode", call_acldvppSetChannelDescMode, 2, "  ", {"channelDesc", "mode"}},
    {"acldvppSetChannelDescParam", call_acldvppSetChannelDescParam, 4, "  ", {"channelDesc", "paramType", "length", "param"}},
    {"acldvppGetChannelDescParam", call_acldvppGetChannelDescParam, 5, "  ", {"channelDesc", "paramType", "length", "paramRetSize", "param"}},
    {"acldvppCreateChannel", call_acldvppCreateChannel, 1, "  ", {"channelDesc"}},
    {"acldvppDestroyChannel", call_acldvppDestroyChannel, 1, "  ", {"channelDesc"}},
    {"acldvppVpcResizeAsync", call_acldvppVpcResizeAsync, 5, "  ", {"channelDesc", "inputDesc", "outputDesc", "resizeConfig", "stream"}},
    {"acldvppVpcCropAsync", call_acldvppVpcCropAsync, 5, "  ", {"channelDesc", "inputDesc", "outputDesc", "cropArea", "stream"}},
    {"acldvppVpcCropResizeAsync", call_acldvppVpcCropResizeAsync, 6, "  ", {"channelDesc", "inputDesc", "outputDesc", "cropArea", "resizeConfig", "stream"}},
    {"acldvppVpcCropAndPasteAsync", call_acldvppVpcCropAndPasteAsync, 6, "  ", {"channelDesc", "inputDesc", "outputDesc", "cropArea", "pasteArea", "stream"}},
    {"acldvppVpcCropResizePasteAsync", call_acldvppVpcCropResizePasteAsync, 7, "  ", {"channelDesc", "inputDesc", "outputDesc", "cropArea", "pasteArea", "resizeConfig", "stream"}},
    {"acldvppVpcConvertColorAsync", call_acldvppVpcConvertColorAsync, 4, "  ", {"channelDesc", "inputDesc", "outputDesc", "stream"}},
    {"acldvppVpcBatchCropAsync", call_acldvppVpcBatchCropAsync, 7, "  ", {"channelDesc", "srcBatchPicDescs", "roiNums", "size", "dstBatchPicDescs", "cropAreas", "stream"}},
    {"acldvppVpcBatchCropResizeAsync", call_acldvppVpcBatchCropResizeAsync, 8, "  ", {"channelDesc", "srcBatchPicDescs", "roiNums", "size", "dstBatchPicDescs", "cropAreas", "resizeConfig", "stream"}},
    {"acldvppVpcBatchCropAndPasteAsync", call_acldvppVpcBatchCropAndPasteAsync, 8, "  ", {"channelDesc", "srcBatchPicDescs", "roiNums", "size", "dstBatchPicDescs", "cropAreas", "pasteAreas", "stream"}},
    {"acldvppVpcBatchCropResizePasteAsync", call_acldvppVpcBatchCropResizePasteAsync, 9, "  ", {"channelDesc", "srcBatchPicDescs", "roiNums", "size", "dstBatchPicDescs", "cropAreas", "pasteAreas", "resizeConfig", "stream"}},
    {"acldvppJpegGetImageInfo", call_acldvppJpegGetImageInfo, 5, "  ", {"data", "size", "width", "height", "components"}},
    {"acldvppJpegGetImageInfoV2", call_acldvppJpegGetImageInfoV2, 6, "  ", {"data", "size", "width", "height", "components", "format"}},
    {"acldvppJpegPredictDecSize", call_acldvppJpegPredictDecSize, 4, "  ", {"data", "dataSize", "outputPixelFormat", "decSize"}},
    {"acldvppJpegDecodeAsync", call_acldvppJpegDecodeAsync, 5, "  ", {"channelDesc", "data", "size", "outputDesc", "stream"}},
    {"acldvppCreateJpegeConfig", call_acldvppCreateJpegeConfig, 0, "  ", {NULL}},
    {"acldvppDestroyJpegeConfig", call_acldvppDestroyJpegeConfig, 1, "  ", {"jpegeConfig"}},
    {"acldvppSetJpegeConfigLevel", call_acldvppSetJpegeConfigLevel, 2, "  ", {"jpegeConfig", "level"}},
    {"acldvppGetJpegeConfigLevel", call_acldvppGetJpegeConfigLevel, 1, "  ", {"jpegeConfig"}},
    {"acldvppJpegPredictEncSize", call_acldvppJpegPredictEncSize, 3, "  ", {"inputDesc", "config", "size"}},
    {"acldvppJpegEncodeAsync", call_acldvppJpegEncodeAsync, 6, "  ", {"channelDesc", "inputDesc", "data", "size", "config", "stream"}},
    {"acldvppPngGetImageInfo", call_acldvppPngGetImageInfo, 5, "  ", {"data", "dataSize", "width", "height", "components"}},
    {"acldvppPngPredictDecSize", call_acldvppPngPredictDecSize, 4, "  ", {"data", "dataSize", "outputPixelFormat", "decSize"}},
    {"acldvppPngDecodeAsync", call_acldvppPngDecodeAsync, 5, "  ", {"channelDesc", "data", "size", "outputDesc", "stream"}},
    {"acldvppCreateStreamDesc", call_acldvppCreateStreamDesc, 0, "  ", {NULL}},
    {"acldvppDestroyStreamDesc", call_acldvppDestroyStreamDesc, 1, "  ", {"streamDesc"}},
    {"acldvppSetStreamDescData", call_acldvppSetStreamDescData, 2, "  ", {"streamDesc", "dataDev"}},
    {"acldvppSetStreamDescSize", call_acldvppSetStreamDescSize, 2, "  ", {"streamDesc", "size"}},
    {"acldvppSetStreamDescFormat", call_acldvppSetStreamDescFormat, 2, "  ", {"streamDesc", "format"}},
    {"acldvppSetStreamDescTimestamp", call_acldvppSetStreamDescTimestamp, 2, "  ", {"streamDesc", "timestamp"}},
    {"acldvppSetStreamDescRetCode", call_acldvppSetStreamDescRetCode, 2, "  ", {"streamDesc", "retCode"}},
    {"acldvppSetStreamDescEos", call_acldvppSetStreamDescEos, 2, "  ", {"streamDesc", "eos"}},
    {"aclvdecCreateChannelDesc", call_aclvdecCreateChannelDesc, 0, "  ", {NULL}},
    {"aclvdecDestroyChannelDesc", call_aclvdecDestroyChannelDesc, 1, "  ", {"channelDesc"}},
    {"aclvdecSetChannelDescChannelId", call_aclvdecSetChannelDescChannelId, 2, "  ", {"channelDesc", "channelId"}},
    {"aclvdecSetChannelDescThreadId", call_aclvdecSetChannelDescThreadId, 2, "  ", {"channelDesc", "threadId"}},
    {"aclvdecSetChannelDescCallback", call_aclvdecSetChannelDescCallback, 2, "  ", {"channelDesc", "callback"}},
    {"aclvdecSetChannelDescEnType", call_aclvdecSetChannelDescEnType, 2, "  ", {"channelDesc", "enType"}},
    {"aclvdecSetChannelDescOutPicFormat", call_aclvdecSetChannelDescOutPicFormat, 2, "  ", {"channelDesc", "outPicFormat"}},
    {"aclvdecSetChannelDescOutPicWidth", call_aclvdecSetChannelDescOutPicWidth, 2, "  ", {"channelDesc", "outPicWidth"}},
    {"aclvdecSetChannelDescOutPicHeight", call_aclvdecSetChannelDescOutPicHeight, 2, "  ", {"channelDesc", "outPicHeight"}},
    {"aclvdecSetChannelDescRefFrameNum", call_aclvdecSetChannelDescRefFrameNum, 2, "  ", {"channelDesc", "refFrameNum"}},
    {"aclvdecSetChannelDescOutMode", call_aclvdecSetChannelDescOutMode, 2, "  ", {"channelDesc", "outMode"}},
    {"aclvdecCreateFrameConfig", call_aclvdecCreateFrameConfig, 0, "  ", {NULL}},
    {"aclvdecDestroyFrameConfig", call_aclvdecDestroyFrameConfig, 1, "  ", {"vdecFrameConfig"}},
    {"aclvdecCreateChannel", call_aclvdecCreateChannel, 1, "  ", {"channelDesc"}},
    {"aclvdecDestroyChannel", call_aclvdecDestroyChannel, 1, "  ", {"channelDesc"}},
    {"aclvdecSendFrame", call_aclvdecSendFrame, 5, "  ", {"channelDesc", "input", "output", "config", "userData"}},
    {"aclvdecSendSkippedFrame", call_aclvdecSendSkippedFrame, 4, "  ", {"channelDesc", "input", "config", "userData"}},
    {"aclvencCreateChannelDesc", call_aclvencCreateChannelDesc, 0, "  ", {NULL}},
    {"aclvencDestroyChannelDesc", call_aclvencDestroyChannelDesc, 1, "  ", {"channelDesc"}},
    {"aclvencSetChannelDescThreadId", call_aclvencSetChannelDescThreadId, 2, "  ", {"channelDesc", "threadId"}},
    {"aclvencSetChannelDescCallback", call_aclvencSetChannelDescCallback, 2, "  ", {"channelDesc", "callback"}},
    {"aclvencSetChannelDescEnType", call_aclvencSetChannelDescEnType, 2, "  ", {"channelDesc", "enType"}},
    {"aclvencSetChannelDescPicFormat", call_aclvencSetChannelDescPicFormat, 2, "  ", {"channelDesc", "picFormat"}},
    {"aclvencSetChannelDescPicWidth", call_aclvencSetChannelDescPicWidth, 2, "  ", {"channelDesc", "picWidth"}},
    {"aclvencSetChannelDescPicHeight", call_aclvencSetChannelDescPicHeight, 2, "  ", {"channelDesc", "picHeight"}},
    {"aclvencSetChannelDescKeyFrameInterval", call_aclvencSetChannelDescKeyFrameInterval, 2, "  ", {"channelDesc", "keyFrameInterval"}},
    {"aclvencCreateFrameConfig", call_aclvencCreateFrameConfig, 0, "  ", {NULL}},
    {"aclvencDestroyFrameConfig", call_aclvencDestroyFrameConfig, 1, "  ", {"config"}},
    {"aclvencSetFrameConfigForceIFrame", call_aclvencSetFrameConfigForceIFrame, 2, "  ", {"config", "forceIFrame"}},
    {"aclvencSetFrameConfigEos", call_aclvencSetFrameConfigEos, 2, "  ", {"config", "eos"}},
    {"aclvencCreateChannel", call_aclvencCreateChannel, 1, "  ", {"channelDesc"}},
    {"aclvencDestroyChannel", call_aclvencDestroyChannel, 1, "  ", {"channelDesc"}},
    {"aclvencSendFrame", call_aclvencSendFrame, 5, "  ", {"channelDesc", "input", "reserve", "config", "userdata"}},
    {"aclrtCmoAsync", call_aclrtCmoAsync, 4, "  ", {"src", "size", "cmoType", "stream"}},
    {"aclrtCmoGetDescSize", call_aclrtCmoGetDescSize, 1, "  ", {"size"}},
    {"aclrtCmoSetDesc", call_aclrtCmoSetDesc, 3, "  ", {"cmoDesc", "src", "size"}},
    {"aclrtCmoAsyncWithDesc", call_aclrtCmoAsyncWithDesc, 4, "  ", {"cmoDesc", "cmoType", "stream", "reserve"}},
    {"aclrtCmoAsyncWithBarrier", call_aclrtCmoAsyncWithBarrier, 5, "  ", {"src", "size", "cmoType", "barrierId", "stream"}},
    {"aclrtCmoWaitBarrier", call_aclrtCmoWaitBarrier, 3, "  ", {"taskInfo", "stream", "flag"}},
    {"aclrtLaunchCallback", call_aclrtLaunchCallback, 4, "  ", {"fn", "userData", "blockType", "stream"}},
    {"aclrtLaunchHostFunc", call_aclrtLaunchHostFunc, 3, " stream ", {"stream", "fn", "args"}},
    {"aclrtSubscribeReport", call_aclrtSubscribeReport, 2, "  ", {"threadId", "stream"}},
    {"aclrtProcessReport", call_aclrtProcessReport, 1, "  ", {"timeout"}},
    {"aclrtUnSubscribeReport", call_aclrtUnSubscribeReport, 2, "  ", {"threadId", "stream"}},
    {"aclrtSubscribeHostFunc", call_aclrtSubscribeHostFunc, 2, "  ", {"hostFuncThreadId", "exeStream"}},
    {"aclrtProcessHostFunc", call_aclrtProcessHostFunc, 1, "  ", {"timeout"}},
    {"aclrtUnSubscribeHostFunc", call_aclrtUnSubscribeHostFunc, 2, "  ", {"hostFuncThreadId", "exeStream"}},
    {"aclrtRegStreamStateCallback", call_aclrtRegStreamStateCallback, 3, " callback args ", {"regName", "callback", "args"}},
    {"aclrtRegDeviceStateCallback", call_aclrtRegDeviceStateCallback, 3, " callback args ", {"regName", "callback", "args"}},
    {"aclrtSetDeviceTaskAbortCallback", call_aclrtSetDeviceTaskAbortCallback, 3, " callback args ", {"regName", "callback", "args"}},
    {"aclInitCallbackRegister", call_aclInitCallbackRegister, 3, " userData ", {"type", "cbFunc", "userData"}},
    {"aclInitCallbackUnRegister", call_aclInitCallbackUnRegister, 2, "  ", {"type", "cbFunc"}},
    {"aclFinalizeCallbackRegister", call_aclFinalizeCallbackRegister, 3, " userData ", {"type", "cbFunc", "userData"}},
    {"aclFinalizeCallbackUnRegister", call_aclFinalizeCallbackUnRegister, 2, "  ", {"type", "cbFunc"}},
    {"aclrtSetExceptionInfoCallback", call_aclrtSetExceptionInfoCallback, 1, " zero callback ", {"callback"}},
    {"aclrtExceptionInfoCallbackRegister", call_aclrtExceptionInfoCallbackRegister, 1, "  ", {"callback"}},
    {"aclrtExceptionInfoCallbackUnregister", call_aclrtExceptionInfoCallbackUnregister, 1, "  ", {"callback"}},
    {"aclrtGetTaskIdFromExceptionInfo", call_aclrtGetTaskIdFromExceptionInfo, 1, "  ", {"info"}},
    {"aclrtGetStreamIdFromExceptionInfo", call_aclrtGetStreamIdFromExceptionInfo, 1, "  ", {"info"}},
    {"aclrtGetThreadIdFromExceptionInfo", call_aclrtGetThreadIdFromExceptionInfo, 1, "  ", {"info"}},
    {"aclrtGetDeviceIdFromExceptionInfo", call_aclrtGetDeviceIdFromExceptionInfo, 1, "  ", {"info"}},
    {"aclrtGetErrorCodeFromExceptionInfo", call_aclrtGetErrorCodeFromExceptionInfo, 1, "  ", {"info"}},
    {"aclrtCreateContext", call_aclrtCreateContext, 2, "  ", {"context", "deviceId"}},
    {"aclrtDestroyContext", call_aclrtDestroyContext, 1, "  ", {"context"}},
    {"aclrtSetCurrentContext", call_aclrtSetCurrentContext, 1, "  ", {"context"}},
    {"aclrtGetCurrentContext", call_aclrtGetCurrentContext, 1, "  ", {"context"}},
    {"aclrtCtxGetCurrentDefaultStream", call_aclrtCtxGetCurrentDefaultStream, 1, "  ", {"stream"}},
    {"aclrtGetPrimaryCtxState", call_aclrtGetPrimaryCtxState, 3, "  ", {"deviceId", "flags", "active"}},
    {"aclrtMemcpy", call_aclrtMemcpy, 5, " zero ", {"dst", "destMax", "src", "count", "kind"}},
    {"aclrtMemcpyAsync", call_aclrtMemcpyAsync, 6, " zero ", {"dst", "destMax", "src", "count", "kind", "stream"}},
    {"aclrtMemcpyAsyncWithCondition", call_aclrtMemcpyAsyncWithCondition, 6, " zero ", {"dst", "destMax", "src", "count", "kind", "stream"}},
    {"aclrtMemcpy2d", call_aclrtMemcpy2d, 7, " zero ", {"dst", "dpitch", "src", "spitch", "width", "height", "kind"}},
    {"aclrtMemcpy2dAsync", call_aclrtMemcpy2dAsync, 8, " zero ", {"dst", "dpitch", "src", "spitch", "width", "height", "kind", "stream"}},
    {"aclrtMemcpyBatch", call_aclrtMemcpyBatch, 9, " attrs attrsIndexes ", {"dsts", "destMaxs", "srcs", "sizes", "numBatches", "attrs", "attrsIndexes", "numAttrs", "failIndex"}},
    {"aclrtMemcpyBatchV2", call_aclrtMemcpyBatchV2, 8, " attrs attrsIndexes ", {"dsts", "destMaxs", "srcs", "sizes", "numBatches", "attrs", "attrsIndexes", "numAttrs"}},
    {"aclrtMemcpyBatchAsync", call_aclrtMemcpyBatchAsync, 10, " stream ", {"dsts", "destMaxs", "srcs", "sizes", "numBatches", "attrs", "attrsIndexes", "numAttrs", "failIndex", "stream"}},
    {"aclrtMemcpyBatchAsyncV2", call_aclrtMemcpyBatchAsyncV2, 9, " stream ", {"dsts", "destMaxs", "srcs", "sizes", "numBatches", "attrs", "attrsIndexes", "numAttrs", "stream"}},
    {"aclrtGetMemcpyDescSize", call_aclrtGetMemcpyDescSize, 2, "  ", {"kind", "descSize"}},
    {"aclrtSetMemcpyDesc", call_aclrtSetMemcpyDesc, 6, "  ", {"desc", "kind", "srcAddr", "dstAddr", "count", "config"}},
    {"aclrtMemcpyAsyncWithDesc", call_aclrtMemcpyAsyncWithDesc, 3, "  ", {"desc", "kind", "stream"}},
    {"aclrtMemcpyAsyncWithOffset", call_aclrtMemcpyAsyncWithOffset, 8, " zero ", {"dst", "destMax", "dstDataOffset", "src", "count", "srcDataOffset", "kind", "stream"}},
    {"aclrtMemset", call_aclrtMemset, 4, " huge zero ", {"devPtr", "maxCount", "value", "count"}},
    {"aclrtMemsetAsync", call_aclrtMemsetAsync, 5, " zero stream ", {"devPtr", "maxCount", "value", "count", "stream"}},
    {"aclrtMemsetD32", call_aclrtMemsetD32, 4, " zero ", {"ptr", "memSize", "value", "N"}},
    {"aclrtMemsetD32Async", call_aclrtMemsetD32Async, 5, " zero ", {"ptr", "memSize", "value", "N", "stream"}},
    {"aclrtValueWrite", call_aclrtValueWrite, 4, "  ", {"devAddr", "value", "flag", "stream"}},
    {"aclrtValueWait", call_aclrtValueWait, 4, "  ", {"devAddr", "value", "flag", "stream"}},
    {"aclrtReduceAsync", call_aclrtReduceAsync, 7, "  ", {"dst", "src", "count", "kind", "type", "stream", "reserve"}},
    {"aclrtSetDevice", call_aclrtSetDevice, 1, "  ", {"deviceId"}},
    {"aclrtGetDevice", call_aclrtGetDevice, 1, "  ", {"deviceId"}},
    {"aclrtGetDeviceCount", call_aclrtGetDeviceCount, 1, "  ", {"count"}},
    {"aclrtGetRunMode", call_aclrtGetRunMode, 1, "  ", {"runMode"}},
    {"aclrtSetTsDevice", call_aclrtSetTsDevice, 1, "  ", {"tsId"}},
    {"aclrtSynchronizeDevice", call_aclrtSynchronizeDevice, 0, "  ", {NULL}},
    {"aclrtSynchronizeDeviceWithTimeout", call_aclrtSynchronizeDeviceWithTimeout, 1, "  ", {"timeout"}},
    {"aclrtDeviceTaskAbort", call_aclrtDeviceTaskAbort, 2, "  ", {"deviceId", "timeout"}},
    {"aclrtDeviceCanAccessPeer", call_aclrtDeviceCanAccessPeer, 3, "  ", {"canAccessPeer", "deviceId", "peerDeviceId"}},
    {"aclrtDeviceEnablePeerAccess", call_aclrtDeviceEnablePeerAccess, 2, "  ", {"peerDeviceId", "flags"}},
    {"aclrtDeviceDisablePeerAccess", call_aclrtDeviceDisablePeerAccess, 1, "  ", {"peerDeviceId"}},
    {"aclrtDevicePeerAccessStatus", call_aclrtDevicePeerAccessStatus, 3, "  ", {"deviceId", "peerDeviceId", "status"}},
    {"aclrtCtxGetSysParamOpt", call_aclrtCtxGetSysParamOpt, 2, "  ", {"opt", "value"}},
    {"aclrtCtxSetSysParamOpt", call_aclrtCtxSetSysParamOpt, 2, "  ", {"opt", "value"}},
    {"aclrtGetSysParamOpt", call_aclrtGetSysParamOpt, 2, "  ", {"opt", "value"}},
    {"aclrtSetSysParamOpt", call_aclrtSetSysParamOpt, 2, "  ", {"opt", "value"}},
    {"aclrtSetOpWaitTimeout", call_aclrtSetOpWaitTimeout, 1, "  ", {"timeout"}},
    {"aclrtSetOpExecuteTimeOut", call_aclrtSetOpExecuteTimeOut, 1, "  ", {"timeout"}},
    {"aclrtSetOpExecuteTimeOutWithMs", call_aclrtSetOpExecuteTimeOutWithMs, 1, "  ", {"timeout"}},
    {"aclrtSetOpExecuteTimeOutV2", call_aclrtSetOpExecuteTimeOutV2, 2, "  ", {"timeout", "actualTimeout"}},
    {"aclrtGetOpExecuteTimeout", call_aclrtGetOpExecuteTimeout, 1, "  ", {"timeoutMs"}},
    {"aclrtGetOpTimeOutInterval", call_aclrtGetOpTimeOutInterval, 1, "  ", {"interval"}},
    {"aclrtSetDeviceSatMode", call_aclrtSetDeviceSatMode, 1, "  ", {"mode"}},
    {"aclrtGetDeviceSatMode", call_aclrtGetDeviceSatMode, 1, "  ", {"mode"}},
    {"aclrtGetOverflowStatus", call_aclrtGetOverflowStatus, 3, "  ", {"outputAddr", "outputSize", "stream"}},
    {"aclrtResetOverflowStatus", call_aclrtResetOverflowStatus, 1, " zero stream ", {"stream"}},
    {"aclrtGetDeviceInfo", call_aclrtGetDeviceInfo, 3, "  ", {"deviceId", "attr", "value"}},
    {"aclrtGetDeviceCapability", call_aclrtGetDeviceCapability, 3, "  ", {"deviceId", "devFeatureType", "value"}},
    {"aclrtQueryDeviceStatus", call_aclrtQueryDeviceStatus, 2, "  ", {"deviceId", "deviceStatus"}},
    {"aclrtGetDeviceUtilizationRate", call_aclrtGetDeviceUtilizationRate, 2, "  ", {"deviceId", "utilizationInfo"}},
    {"aclrtDeviceGetUuid", call_aclrtDeviceGetUuid, 2, "  ", {"deviceId", "uuid"}},
    {"aclrtDeviceSetLimit", call_aclrtDeviceSetLimit, 2, "  ", {"limit", "value"}},
    {"aclrtDeviceGetLimit", call_aclrtDeviceGetLimit, 2, "  ", {"limit", "value"}},
    {"aclrtDeviceGetPCIBusId", call_aclrtDeviceGetPCIBusId, 3, "  ", {"deviceId", "pciBusId", "len"}},
    {"aclrtDeviceGetByPCIBusId", call_aclrtDeviceGetByPCIBusId, 2, "  ", {"pciBusId", "deviceId"}},
    {"aclrtGetDevicesTopo", call_aclrtGetDevicesTopo, 3, "  ", {"deviceId", "otherDeviceId", "value"}},
    {"aclrtGetLogicDevIdByUserDevId", call_aclrtGetLogicDevIdByUserDevId, 2, "  ", {"userDevid", "logicDevId"}},
    {"aclrtGetUserDevIdByLogicDevId", call_aclrtGetUserDevIdByLogicDevId, 2, "  ", {"logicDevId", "userDevid"}},
    {"aclrtGetLogicDevIdByPhyDevId", call_aclrtGetLogicDevIdByPhyDevId, 2, "  ", {"phyDevId", "logicDevId"}},
    {"aclrtGetPhyDevIdByLogicDevId", call_aclrtGetPhyDevIdByLogicDevId, 2, "  ", {"logicDevId", "phyDevId"}},
    {"aclrtGetUserDevIdByPhyDevId", call_aclrtGetUserDevIdByPhyDevId, 2, "  ", {"phyDevId", "userDevId"}},
    {"aclrtGetPhyDevIdByUserDevId", call_aclrtGetPhyDevIdByUserDevId, 2, "  ", {"userDevId", "phyDevId"}},
    {"aclrtGetErrorVerbose", call_aclrtGetErrorVerbose, 2, "  ", {"deviceId", "errorInfo"}},
    {"aclrtRepairError", call_aclrtRepairError, 2, "  ", {"deviceId", "errorInfo"}},
    {"aclrtGetMemUceInfo", call_aclrtGetMemUceInfo, 4, "  ", {"deviceId", "memUceInfoArray", "arraySize", "retSize"}},
    {"aclrtMemUceRepair", call_aclrtMemUceRepair, 3, "  ", {"deviceId", "memUceInfoArray", "arraySize"}},
    {"aclrtCreateEvent", call_aclrtCreateEvent, 1, "  ", {"event"}},
    {"aclrtCreateEventWithFlag", call_aclrtCreateEventWithFlag, 2, "  ", {"event", "flag"}},
    {"aclrtCreateEventExWithFlag", call_aclrtCreateEventExWithFlag, 2, "  ", {"event", "flag"}},
    {"aclrtDestroyEvent", call_aclrtDestroyEvent, 1, "  ", {"event"}},
    {"aclrtRecordEvent", call_aclrtRecordEvent, 2, "  ", {"event", "stream"}},
    {"aclrtRecordEventWithFlag", call_aclrtRecordEventWithFlag, 3, "  ", {"event", "stream", "flag"}},
    {"aclrtResetEvent", call_aclrtResetEvent, 2, "  ", {"event", "stream"}},
    {"aclrtQueryEvent", call_aclrtQueryEvent, 2, "  ", {"event", "status"}},
    {"aclrtQueryEventStatus", call_aclrtQueryEventStatus, 2, "  ", {"event", "status"}},
    {"aclrtQueryEventWaitStatus", call_aclrtQueryEventWaitStatus, 2, "  ", {"event", "status"}},
    {"aclrtSynchronizeEvent", call_aclrtSynchronizeEvent, 1, "  ", {"event"}},
    {"aclrtSynchronizeEventWithTimeout", call_aclrtSynchronizeEventWithTimeout, 2, "  ", {"event", "timeout"}},
    {"aclrtEventElapsedTime", call_aclrtEventElapsedTime, 3, "  ", {"ms", "startEvent", "endEvent"}},
    {"aclrtEventGetTimestamp", call_aclrtEventGetTimestamp, 2, "  ", {"event", "timestamp"}},
    {"aclrtGetEventId", call_aclrtGetEventId, 2, "  ", {"event", "eventId"}},
    {"aclrtGetEventAvailNum", call_aclrtGetEventAvailNum, 1, "  ", {"eventCount"}},
    {"aclmdlRICaptureBegin", call_aclmdlRICaptureBegin, 2, "  ", {"stream", "mode"}},
    {"aclmdlRICaptureGetInfo", call_aclmdlRICaptureGetInfo, 3, " stream ", {"stream", "status", "modelRI"}},
    {"aclmdlRICaptureEnd", call_aclmdlRICaptureEnd, 2, "  ", {"stream", "modelRI"}},
    {"aclmdlRICaptureThreadExchangeMode", call_aclmdlRICaptureThreadExchangeMode, 1, "  ", {"mode"}},
    {"aclmdlRIExecuteAsync", call_aclmdlRIExecuteAsync, 2, "  ", {"modelRI", "stream"}},
    {"aclmdlRIExecute", call_aclmdlRIExecute, 2, "  ", {"modelRI", "timeout"}},
    {"aclmdlRIDestroy", call_aclmdlRIDestroy, 1, "  ", {"modelRI"}},
    {"aclmdlRIGetId", call_aclmdlRIGetId, 2, "  ", {"modelRI", "modelRIId"}},
    {"aclmdlRICaptureTaskGrpBegin", call_aclmdlRICaptureTaskGrpBegin, 1, "  ", {"stream"}},
    {"aclmdlRICaptureTaskGrpEnd", call_aclmdlRICaptureTaskGrpEnd, 2, "  ", {"stream", "handle"}},
    {"aclmdlRICaptureTaskUpdateBegin", call_aclmdlRICaptureTaskUpdateBegin, 2, "  ", {"stream", "handle"}},
    {"aclmdlRICaptureTaskUpdateEnd", call_aclmdlRICaptureTaskUpdateEnd, 1, "  ", {"stream"}},
    {"aclmdlRICondHandleCreate", call_aclmdlRICondHandleCreate, 4, "  ", {"modelRI", "defaultLaunchValue", "flag", "handle"}},
    {"aclmdlRICondHandleGetCondPtr", call_aclmdlRICondHandleGetCondPtr, 2, "  ", {"handle", "devPtr"}},
    {"aclmdlRIAddCondTask", call_aclmdlRIAddCondTask, 3, "  ", {"params", "stream", "flags"}},
    {"aclmdlRICaptureToModelRIBegin", call_aclmdlRICaptureToModelRIBegin, 3, "  ", {"stream", "modelRI", "mode"}},
    {"aclmdlRIDebugPrint", call_aclmdlRIDebugPrint, 1, "  ", {"modelRI"}},
    {"aclmdlRIDebugJsonPrint", call_aclmdlRIDebugJsonPrint, 3, "  ", {"modelRI", "path", "flags"}},
    {"aclrtHostRegister", call_aclrtHostRegister, 4, "  ", {"ptr", "size", "type", "devPtr"}},
    {"aclrtHostRegisterV2", call_aclrtHostRegisterV2, 3, "  ", {"ptr", "size", "flag"}},
    {"aclrtHostGetDevicePointer", call_aclrtHostGetDevicePointer, 3, "  ", {"pHost", "pDevice", "flag"}},
    {"aclrtHostUnregister", call_aclrtHostUnregister, 1, "  ", {"ptr"}},
    {"aclrtHostMemMapCapabilities", call_aclrtHostMemMapCapabilities, 3, "  ", {"deviceId", "hacType", "capabilities"}},
    {"aclrtMemAllocManaged", call_aclrtMemAllocManaged, 3, "  ", {"ptr", "size", "flag"}},
    {"aclrtMemManagedAdvise", call_aclrtMemManagedAdvise, 4, "  ", {"ptr", "size", "advise", "location"}},
    {"aclrtMemManagedGetAttr", call_aclrtMemManagedGetAttr, 5, "  ", {"attribute", "ptr", "size", "data", "dataSize"}},
    {"aclrtMemManagedGetAttrs", call_aclrtMemManagedGetAttrs, 6, "  ", {"attributes", "numAttributes", "ptr", "size", "data", "dataSizes"}},
    {"aclrtMemManagedPrefetchAsync", call_aclrtMemManagedPrefetchAsync, 5, "  ", {"ptr", "size", "location", "flags", "stream"}},
    {"aclrtMemManagedPrefetchBatchAsync", call_aclrtMemManagedPrefetchBatchAsync, 8, "  ", {"ptrs", "sizes", "count", "prefetchLocs", "prefetchLocIdxs", "numPrefetchLocs", "flags", "stream"}},
    {"aclInit", call_aclInit, 1, "  ", {"configPath"}},
    {"aclGetRecentErrMsg", call_aclGetRecentErrMsg, 0, "  ", {NULL}},
    {"aclrtPeekAtLastError", call_aclrtPeekAtLastError, 1, "  ", {"level"}},
    {"aclrtGetLastError", call_aclrtGetLastError, 1, "  ", {"level"}},
    {"aclsysGetCANNVersion", call_aclsysGetCANNVersion, 2, "  ", {"name", "version"}},
    {"aclsysGetVersionStr", call_aclsysGetVersionStr, 2, "  ", {"pkgName", "versionStr"}},
    {"aclsysGetVersionNum", call_aclsysGetVersionNum, 2, "  ", {"pkgName", "versionNum"}},
    {"aclrtGetVersion", call_aclrtGetVersion, 3, "  ", {"majorVersion", "minorVersion", "patchVersion"}},
    {"aclrtIpcMemGetExportKey", call_aclrtIpcMemGetExportKey, 5, "  ", {"devPtr", "size", "key", "len", "flags"}},
    {"aclrtIpcMemImportByKey", call_aclrtIpcMemImportByKey, 3, "  ", {"devPtr", "key", "flags"}},
    {"aclrtIpcMemClose", call_aclrtIpcMemClose, 1, "  ", {"key"}},
    {"aclrtIpcMemSetImportPid", call_aclrtIpcMemSetImportPid, 3, "  ", {"key", "pid", "num"}},
    {"aclrtIpcMemImportPidInterServer", call_aclrtIpcMemImportPidInterServer, 3, "  ", {"key", "serverPids", "num"}},
    {"aclrtIpcMemSetAttr", call_aclrtIpcMemSetAttr, 3, "  ", {"key", "type", "attr"}},
    {"aclrtIpcGetEventHandle", call_aclrtIpcGetEventHandle, 2, "  ", {"event", "handle"}},
    {"aclrtIpcOpenEventHandle", call_aclrtIpcOpenEventHandle, 2, "  ", {"handle", "event"}},
    {"aclrtCreateBinary", call_aclrtCreateBinary, 2, "  ", {"data", "dataLen"}},
    {"aclrtDestroyBinary", call_aclrtDestroyBinary, 1, "  ", {"binary"}},
    {"aclrtBinaryLoad", call_aclrtBinaryLoad, 2, "  ", {"binary", "binHandle"}},
    {"aclrtBinaryLoadFromFile", call_aclrtBinaryLoadFromFile, 3, "  ", {"binPath", "options", "binHandle"}},
    {"aclrtBinaryLoadFromData", call_aclrtBinaryLoadFromData, 4, "  ", {"data", "length", "options", "binHandle"}},
    {"aclrtBinaryUnLoad", call_aclrtBinaryUnLoad, 1, "  ", {"binHandle"}},
    {"aclrtBinaryGetDevAddress", call_aclrtBinaryGetDevAddress, 3, "  ", {"binHandle", "binAddr", "binSize"}},
    {"aclrtBinaryGetFunction", call_aclrtBinaryGetFunction, 3, "  ", {"binHandle", "kernelName", "funcHandle"}},
    {"aclrtBinaryGetFunctionByEntry", call_aclrtBinaryGetFunctionByEntry, 3, "  ", {"binHandle", "funcEntry", "funcHandle"}},
    {"aclrtGetFunctionAddr", call_aclrtGetFunctionAddr, 3, "  ", {"funcHandle", "aicAddr", "aivAddr"}},
    {"aclrtGetFunctionName", call_aclrtGetFunctionName, 3, "  ", {"funcHandle", "maxLen", "name"}},
    {"aclrtRegisterCpuFunc", call_aclrtRegisterCpuFunc, 4, "  ", {"handle", "funcName", "kernelName", "funcHandle"}},
    {"aclrtKernelArgsInit", call_aclrtKernelArgsInit, 2, "  ", {"funcHandle", "argsHandle"}},
    {"aclrtKernelArgsGetHandleMemSize", call_aclrtKernelArgsGetHandleMemSize, 2, "  ", {"funcHandle", "memSize"}},
    {"aclrtKernelArgsGetMemSize", call_aclrtKernelArgsGetMemSize, 3, "  ", {"funcHandle", "userArgsSize", "actualArgsSize"}},
    {"aclrtKernelArgsInitByUserMem", call_aclrtKernelArgsInitByUserMem, 4, "  ", {"funcHandle", "argsHandle", "userHostMem", "actualArgsSize"}},
    {"aclrtKernelArgsAppend", call_aclrtKernelArgsAppend, 4, "  ", {"argsHandle", "param", "paramSize", "paramHandle"}},
    {"aclrtKernelArgsAppendPlaceHolder", call_aclrtKernelArgsAppendPlaceHolder, 2, "  ", {"argsHandle", "paramHandle"}},
    {"aclrtKernelArgsGetPlaceHolderBuffer", call_aclrtKernelArgsGetPlaceHolderBuffer, 4, "  ", {"argsHandle", "paramHandle", "dataSize", "bufferAddr"}},
    {"aclrtKernelArgsParaUpdate", call_aclrtKernelArgsParaUpdate, 4, "  ", {"argsHandle", "paramHandle", "param", "paramSize"}},
    {"aclrtKernelArgsFinalize", call_aclrtKernelArgsFinalize, 1, "  ", {"argsHandle"}},
    {"aclrtLaunchKernel", call_aclrtLaunchKernel, 5, "  ", {"funcHandle", "numBlocks", "argsData", "argsSize", "stream"}},
    {"aclrtLaunchKernelV2", call_aclrtLaunchKernelV2, 6, "  ", {"funcHandle", "numBlocks", "argsData", "argsSize", "cfg", "stream"}},
    {"aclrtLaunchKernelWithConfig", call_aclrtLaunchKernelWithConfig, 6, "  ", {"funcHandle", "numBlocks", "stream", "cfg", "argsHandle", "reserve"}},
    {"aclrtLaunchKernelWithHostArgs", call_aclrtLaunchKernelWithHostArgs, 8, "  ", {"funcHandle", "numBlocks", "stream", "cfg", "hostArgs", "argsSize", "placeHolderArray", "placeHolderNum"}},
    {"aclrtCreateLabel", call_aclrtCreateLabel, 1, "  ", {"label"}},
    {"aclrtSetLabel", call_aclrtSetLabel, 2, "  ", {"label", "stream"}},
    {"aclrtDestroyLabel", call_aclrtDestroyLabel, 1, "  ", {"label"}},
    {"aclrtCreateLabelList", call_aclrtCreateLabelList, 3, "  ", {"labels", "num", "labelList"}},
    {"aclrtDestroyLabelList", call_aclrtDestroyLabelList, 1, "  ", {"labelList"}},
    {"aclrtSwitchLabelByIndex", call_aclrtSwitchLabelByIndex, 4, "  ", {"ptr", "maxValue", "labelList", "stream"}},
    {"aclrtSetGroup", call_aclrtSetGroup, 1, "  ", {"groupId"}},
    {"aclrtGetGroupCount", call_aclrtGetGroupCount, 1, "  ", {"count"}},
    {"aclrtCreateGroupInfo", call_aclrtCreateGroupInfo, 0, "  ", {NULL}},
    {"aclrtDestroyGroupInfo", call_aclrtDestroyGroupInfo, 1, "  ", {"groupInfo"}},
    {"aclrtGetAllGroupInfo", call_aclrtGetAllGroupInfo, 1, "  ", {"groupInfo"}},
    {"aclrtGetGroupInfoDetail", call_aclrtGetGroupInfoDetail, 6, "  ", {"groupInfo", "groupIndex", "attr", "attrValue", "valueLen", "paramRetSize"}},
    {"aclrtMalloc", call_aclrtMalloc, 3, "  ", {"devPtr", "size", "policy"}},
    {"aclrtMallocAlign32", call_aclrtMallocAlign32, 3, "  ", {"devPtr", "size", "policy"}},
    {"aclrtMallocCached", call_aclrtMallocCached, 3, "  ", {"devPtr", "size", "policy"}},
    {"aclrtMallocWithCfg", call_aclrtMallocWithCfg, 4, " cfg ", {"devPtr", "size", "policy", "cfg"}},
    {"aclrtMallocForTaskScheduler", call_aclrtMallocForTaskScheduler, 4, " cfg ", {"devPtr", "size", "policy", "cfg"}},
    {"aclrtFree", call_aclrtFree, 1, "  ", {"devPtr"}},
    {"aclrtFreeWithDevSync", call_aclrtFreeWithDevSync, 1, "  ", {"devPtr"}},
    {"aclrtMallocHost", call_aclrtMallocHost, 2, "  ", {"hostPtr", "size"}},
    {"aclrtMallocHostWithCfg", call_aclrtMallocHostWithCfg, 3, " cfg ", {"ptr", "size", "cfg"}},
    {"aclrtFreeHost", call_aclrtFreeHost, 1, "  ", {"hostPtr"}},
    {"aclrtFreeHostWithDevSync", call_aclrtFreeHostWithDevSync, 1, "  ", {"hostPtr"}},
    {"aclrtMemFlush", call_aclrtMemFlush, 2, "  ", {"devPtr", "size"}},
    {"aclrtMemInvalidate", call_aclrtMemInvalidate, 2, "  ", {"devPtr", "size"}},
    {"aclrtDeviceL2CacheFlush", call_aclrtDeviceL2CacheFlush, 1, " zero rsv ", {"rsv"}},
    {"aclrtGetMemInfo", call_aclrtGetMemInfo, 3, "  ", {"attr", "free", "total"}},
    {"aclrtGetMemUsageInfo", call_aclrtGetMemUsageInfo, 4, "  ", {"deviceId", "memUsageInfo", "inputNum", "outputNum"}},
    {"aclrtPointerGetAttributes", call_aclrtPointerGetAttributes, 2, "  ", {"ptr", "attributes"}},
    {"aclrtCheckMemType", call_aclrtCheckMemType, 5, "  ", {"addrList", "size", "memType", "checkResult", "reserve"}},
    {"aclrtCreateNotify", call_aclrtCreateNotify, 2, "  ", {"notify", "flag"}},
    {"aclrtDestroyNotify", call_aclrtDestroyNotify, 1, "  ", {"notify"}},
    {"aclrtRecordNotify", call_aclrtRecordNotify, 2, "  ", {"notify", "stream"}},
    {"aclrtWaitAndResetNotify", call_aclrtWaitAndResetNotify, 3, "  ", {"notify", "stream", "timeout"}},
    {"aclrtGetNotifyId", call_aclrtGetNotifyId, 2, "  ", {"notify", "notifyId"}},
    {"aclrtNotifyBatchReset", call_aclrtNotifyBatchReset, 2, "  ", {"notifies", "num"}},
    {"aclrtNotifyGetExportKey", call_aclrtNotifyGetExportKey, 4, "  ", {"notify", "key", "len", "flags"}},
    {"aclrtNotifyImportByKey", call_aclrtNotifyImportByKey, 3, "  ", {"notify", "key", "flags"}},
    {"aclrtNotifySetImportPid", call_aclrtNotifySetImportPid, 3, "  ", {"notify", "pid", "num"}},
    {"aclrtNotifySetImportPidInterServer", call_aclrtNotifySetImportPidInterServer, 3, "  ", {"notify", "serverPids", "num"}},
    {"aclrtCntNotifyCreate", call_aclrtCntNotifyCreate, 2, "  ", {"cntNotify", "flag"}},
    {"aclrtCntNotifyDestroy", call_aclrtCntNotifyDestroy, 1, "  ", {"cntNotify"}},
    {"aclrtCntNotifyRecord", call_aclrtCntNotifyRecord, 3, "  ", {"cntNotify", "stream", "info"}},
    {"aclrtCntNotifyWaitWithTimeout", call_aclrtCntNotifyWaitWithTimeout, 3, "  ", {"cntNotify", "stream", "info"}},
    {"aclrtCntNotifyReset", call_aclrtCntNotifyReset, 2, "  ", {"cntNotify", "stream"}},
    {"aclrtCntNotifyGetId", call_aclrtCntNotifyGetId, 2, "  ", {"cntNotify", "notifyId"}},
    {"aclrtGetDeviceResLimit", call_aclrtGetDeviceResLimit, 3, "  ", {"deviceId", "type", "value"}},
    {"aclrtSetDeviceResLimit", call_aclrtSetDeviceResLimit, 3, "  ", {"deviceId", "type", "value"}},
    {"aclrtResetDeviceResLimit", call_aclrtResetDeviceResLimit, 1, "  ", {"deviceId"}},
    {"aclrtGetStreamResLimit", call_aclrtGetStreamResLimit, 3, " stream ", {"stream", "type", "value"}},
    {"aclrtSetStreamResLimit", call_aclrtSetStreamResLimit, 3, " stream ", {"stream", "type", "value"}},
    {"aclrtResetStreamResLimit", call_aclrtResetStreamResLimit, 1, " zero stream ", {"stream"}},
    {"aclrtUseStreamResInCurrentThread", call_aclrtUseStreamResInCurrentThread, 1, " zero stream ", {"stream"}},
    {"aclrtUnuseStreamResInCurrentThread", call_aclrtUnuseStreamResInCurrentThread, 1, " zero stream ", {"stream"}},
    {"aclrtGetResInCurrentThread", call_aclrtGetResInCurrentThread, 2, "  ", {"type", "value"}},
    {"aclrtCreateStream", call_aclrtCreateStream, 1, "  ", {"stream"}},
    {"aclrtCreateStreamWithConfig", call_aclrtCreateStreamWithConfig, 3, "  ", {"stream", "priority", "flag"}},
    {"aclrtDestroyStream", call_aclrtDestroyStream, 1, "  ", {"stream"}},
    {"aclrtDestroyStreamForce", call_aclrtDestroyStreamForce, 1, "  ", {"stream"}},
    {"aclrtSynchronizeStream", call_aclrtSynchronizeStream, 1, " zero stream ", {"stream"}},
    {"aclrtSynchronizeStreamWithTimeout", call_aclrtSynchronizeStreamWithTimeout, 2, " zero stream ", {"stream", "timeout"}},
    {"aclrtStreamQuery", call_aclrtStreamQuery, 2, " stream ", {"stream", "status"}},
    {"aclrtStreamGetId", call_aclrtStreamGetId, 2, " stream ", {"stream", "streamId"}},
    {"aclrtStreamGetPriority", call_aclrtStreamGetPriority, 2, " stream ", {"stream", "priority"}},
    {"aclrtStreamGetFlags", call_aclrtStreamGetFlags, 2, " stream ", {"stream", "flags"}},
    {"aclrtGetStreamAvailableNum", call_aclrtGetStreamAvailableNum, 1, "  ", {"streamCount"}},
    {"aclrtDeviceGetStreamPriorityRange", call_aclrtDeviceGetStreamPriorityRange, 2, "  ", {"leastPriority", "greatestPriority"}},
    {"aclrtStreamWaitEvent", call_aclrtStreamWaitEvent, 2, "  ", {"stream", "event"}},
    {"aclrtStreamWaitEventWithTimeout", call_aclrtStreamWaitEventWithTimeout, 3, "  ", {"stream", "event", "timeout"}},
    {"aclrtStreamWaitEventWithFlag", call_aclrtStreamWaitEventWithFlag, 4, "  ", {"stream", "event", "timeout", "flag"}},
    {"aclrtSetStreamFailureMode", call_aclrtSetStreamFailureMode, 2, "  ", {"stream", "mode"}},
    {"aclrtStreamAbort", call_aclrtStreamAbort, 1, "  ", {"stream"}},
    {"aclrtStreamStop", call_aclrtStreamStop, 1, "  ", {"stream"}},
    {"aclrtSetStreamAttribute", call_aclrtSetStreamAttribute, 3, "  ", {"stream", "stmAttrType", "value"}},
    {"aclrtGetStreamAttribute", call_aclrtGetStreamAttribute, 3, " stream ", {"stream", "stmAttrType", "value"}},
    {"aclrtCreateStreamConfigHandle", call_aclrtCreateStreamConfigHandle, 0, "  ", {NULL}},
    {"aclrtDestroyStreamConfigHandle", call_aclrtDestroyStreamConfigHandle, 1, "  ", {"handle"}},
    {"aclrtSetStreamConfigOpt", call_aclrtSetStreamConfigOpt, 4, "  ", {"handle", "attr", "attrValue", "valueSize"}},
    {"aclrtCreateStreamV2", call_aclrtCreateStreamV2, 2, "  ", {"stream", "handle"}},
    {"aclrtActiveStream", call_aclrtActiveStream, 2, "  ", {"activeStream", "stream"}},
    {"aclrtSwitchStream", call_aclrtSwitchStream, 7, "  ", {"leftValue", "cond", "rightValue", "dataType", "trueStream", "falseStream", "stream"}},
    {"aclrtGetThreadLastTaskId", call_aclrtGetThreadLastTaskId, 1, "  ", {"taskId"}},
    {"aclrtSetStreamOverflowSwitch", call_aclrtSetStreamOverflowSwitch, 2, " zero stream ", {"stream", "flag"}},
    {"aclrtGetStreamOverflowSwitch", call_aclrtGetStreamOverflowSwitch, 2, " stream ", {"stream", "flag"}},
    {"aclrtPersistentTaskClean", call_aclrtPersistentTaskClean, 1, "  ", {"stream"}},
    {"aclrtReserveMemAddress", call_aclrtReserveMemAddress, 5, "  ", {"virPtr", "size", "alignment", "expectPtr", "flags"}},
    {"aclrtReserveMemAddressNoUCMemory", call_aclrtReserveMemAddressNoUCMemory, 5, "  ", {"virPtr", "size", "alignment", "expectPtr", "flags"}},
    {"aclrtReleaseMemAddress", call_aclrtReleaseMemAddress, 1, "  ", {"virPtr"}},
    {"aclrtMallocPhysical", call_aclrtMallocPhysical, 4, "  ", {"handle", "size", "prop", "flags"}},
    {"aclrtFreePhysical", call_aclrtFreePhysical, 1, "  ", {"handle"}},
    {"aclrtMemGetAllocationGranularity", call_aclrtMemGetAllocationGranularity, 3, "  ", {"prop", "option", "granularity"}},
    {"aclrtMemRetainAllocationHandle", call_aclrtMemRetainAllocationHandle, 2, "  ", {"virPtr", "handle"}},
    {"aclrtMemGetAllocationPropertiesFromHandle", call_aclrtMemGetAllocationPropertiesFromHandle, 2, "  ", {"handle", "prop"}},
    {"aclrtMapMem", call_aclrtMapMem, 5, "  ", {"virPtr", "size", "offset", "handle", "flags"}},
    {"aclrtMemMapNoAccess", call_aclrtMemMapNoAccess, 5, "  ", {"virPtr", "size", "offset", "handle", "flags"}},
    {"aclrtUnmapMem", call_aclrtUnmapMem, 1, "  ", {"virPtr"}},
    {"aclrtMemSetAccess", call_aclrtMemSetAccess, 4, "  ", {"virPtr", "size", "desc", "count"}},
    {"aclrtMemGetAccess", call_aclrtMemGetAccess, 3, "  ", {"virPtr", "location", "flag"}},
    {"aclrtMemGetAddressRange", call_aclrtMemGetAddressRange, 3, "  ", {"ptr", "pbase", "psize"}},
    {"aclrtMemExportToShareableHandle", call_aclrtMemExportToShareableHandle, 4, "  ", {"handle", "handleType", "flags", "shareableHandle"}},
    {"aclrtMemExportToShareableHandleV2", call_aclrtMemExportToShareableHandleV2, 4, "  ", {"handle", "flags", "shareType", "shareableHandle"}},
    {"aclrtMemImportFromShareableHandle", call_aclrtMemImportFromShareableHandle, 3, "  ", {"shareableHandle", "deviceId", "handle"}},
    {"aclrtMemImportFromShareableHandleV2", call_aclrtMemImportFromShareableHandleV2, 4, "  ", {"shareableHandle", "shareType", "flags", "handle"}},
    {"aclrtMemSetPidToShareableHandle", call_aclrtMemSetPidToShareableHandle, 3, "  ", {"shareableHandle", "pid", "pidNum"}},
    {"aclrtMemSetPidToShareableHandleV2", call_aclrtMemSetPidToShareableHandleV2, 4, "  ", {"shareableHandle", "shareType", "pid", "pidNum"}},
    {"aclrtDeviceGetBareTgid", call_aclrtDeviceGetBareTgid, 1, "  ", {"pid"}},
    {"aclrtMemP2PMap", call_aclrtMemP2PMap, 4, "  ", {"devPtr", "size", "dstDevId", "flags"}},
    {"aclrtMemMapSelectedLink", call_aclrtMemMapSelectedLink, 4, "  ", {"virPtrDst", "size", "virPtrSrc", "linkIdx"}},
    {"aclrtMemMapSetLink", call_aclrtMemMapSetLink, 2, "  ", {"handle", "adviceLink"}},
    {"aclCreateTensor", call_aclCreateTensor, 9, "  ", {"viewDims", "viewDimsNum", "dataType", "stride", "offset", "format", "storageDims", "storageDimsNum", "tensorData"}},
    {"aclInitTensor", call_aclInitTensor, 10, "  ", {"tensor", "viewDims", "viewDimsNum", "dataType", "stride", "offset", "format", "storageDims", "storageDimsNum", "tensorData"}},
    {"aclDestroyTensor", call_aclDestroyTensor, 1, " zero tensor ", {"tensor"}},
    {"aclCreateScalar", call_aclCreateScalar, 2, "  ", {"value", "dataType"}},
    {"aclDestroyScalar", call_aclDestroyScalar, 1, " zero scalar ", {"scalar"}},
    {"aclCreateIntArray", call_aclCreateIntArray, 2, "  ", {"value", "size"}},
    {"aclDestroyIntArray", call_aclDestroyIntArray, 1, " zero array ", {"array"}},
    {"aclCreateFloatArray", call_aclCreateFloatArray, 2, "  ", {"value", "size"}},
    {"aclDestroyFloatArray", call_aclDestroyFloatArray, 1, " zero array ", {"array"}},
    {"aclCreateBoolArray", call_aclCreateBoolArray, 2, "  ", {"value", "size"}},
    {"aclDestroyBoolArray", call_aclDestroyBoolArray, 1, " zero array ", {"array"}},
    {"aclCreateTensorList", call_aclCreateTensorList, 2, "  ", {"value", "size"}},
    {"aclDestroyTensorList", call_aclDestroyTensorList, 1, " zero array ", {"array"}},
    {"aclCreateScalarList", call_aclCreateScalarList, 2, "  ", {"value", "size"}},
    {"aclDestroyScalarList", call_aclDestroyScalarList, 1, " zero array ", {"array"}},
    {"aclGetViewShape", call_aclGetViewShape, 3, "  ", {"tensor", "viewDims", "viewDimsNum"}},
    {"aclGetStorageShape", call_aclGetStorageShape, 3, "  ", {"tensor", "storageDims", "storageDimsNum"}},
    {"aclGetViewStrides", call_aclGetViewStrides, 3, "  ", {"tensor", "stridesValue", "stridesNum"}},
    {"aclGetViewOffset", call_aclGetViewOffset, 2, "  ", {"tensor", "offset"}},
    {"aclGetFormat", call_aclGetFormat, 2, "  ", {"tensor", "format"}},
    {"aclGetDataType", call_aclGetDataType, 2, "  ", {"tensor", "dataType"}},
    {"aclGetIntArraySize", call_aclGetIntArraySize, 2, "  ", {"array", "size"}},
    {"aclGetFloatArraySize", call_aclGetFloatArraySize, 2, "  ", {"array", "size"}},
    {"aclGetBoolArraySize", call_aclGetBoolArraySize, 2, "  ", {"array", "size"}},
    {"aclGetTensorListSize", call_aclGetTensorListSize, 2, "  ", {"tensorList", "size"}},
    {"aclGetScalarListSize", call_aclGetScalarListSize, 2, "  ", {"scalarList", "size"}},
    {"aclSetAclOpExecutorRepeatable", call_aclSetAclOpExecutorRepeatable, 1, "  ", {"executor"}},
    {"aclDestroyAclOpExecutor", call_aclDestroyAclOpExecutor, 1, "  ", {"executor"}},
    {"aclSetInputTensorAddr", call_aclSetInputTensorAddr, 4, "  ", {"executor", "index", "tensor", "addr"}},
    {"aclSetOutputTensorAddr", call_aclSetOutputTensorAddr, 4, "  ", {"executor", "index", "tensor", "addr"}},
    {"aclSetTensorAddr", call_aclSetTensorAddr, 4, "  ", {"executor", "index", "tensor", "addr"}},
    {"aclSetDynamicInputTensorAddr", call_aclSetDynamicInputTensorAddr, 5, "  ", {"executor", "irIndex", "relativeIndex", "tensors", "addr"}},
    {"aclSetDynamicOutputTensorAddr", call_aclSetDynamicOutputTensorAddr, 5, "  ", {"executor", "irIndex", "relativeIndex", "tensors", "addr"}},
    {"aclSetDynamicTensorAddr", call_aclSetDynamicTensorAddr, 5, "  ", {"executor", "irIndex", "relativeIndex", "tensors", "addr"}},
    {"aclnnNpuFormatCastCalculateSizeAndFormat", call_aclnnNpuFormatCastCalculateSizeAndFormat, 6, "  ", {"srcTensor", "dstFormat", "additionalDtype", "dstShape", "dstShapeSize", "actualFormat"}},
    {"aclnnCalculateMatmulWeightSizeV2", call_aclnnCalculateMatmulWeightSizeV2, 3, "  ", {"tensorShape", "dataType", "weightTensorSize"}},
    {"aclnnInit", call_aclnnInit, 1, " zero configPath ", {"configPath"}},
    {"aclnnFinalize", call_aclnnFinalize, 0, "  ", {NULL}},
    {"drvGetDevNum", call_drvGetDevNum, 1, "  ", {"num_dev"}},
    {"halGetDeviceInfo", call_halGetDeviceInfo, 4, "  ", {"devId", "moduleType", "infoType", "value"}},
    {"halGetAPIVersion", call_halGetAPIVersion, 1, "  ", {"halAPIVersion"}},
    {"HcclGetRootInfo", call_HcclGetRootInfo, 1, "  ", {"rootInfo"}},
    {"HcclCommInitRootInfo", call_HcclCommInitRootInfo, 4, "  ", {"nRanks", "rootInfo", "rank", "comm"}},
    {"HcclCommInitRootInfoConfig", call_HcclCommInitRootInfoConfig, 5, "  ", {"nRanks", "rootInfo", "rank", "config", "comm"}},
    {"HcclCommInitClusterInfo", call_HcclCommInitClusterInfo, 3, "  ", {"clusterInfo", "rank", "comm"}},
    {"HcclCommInitClusterInfoConfig", call_HcclCommInitClusterInfoConfig, 4, "  ", {"clusterInfo", "rank", "config", "comm"}},
    {"HcclCommInitAll", call_HcclCommInitAll, 3, "  ", {"ndev", "devices", "comms"}},
    {"HcclCreateSubCommConfig", call_HcclCreateSubCommConfig, 7, "  ", {"comm", "rankNum", "rankIds", "subCommId", "subCommRankId", "config", "subComm"}},
    {"HcclCommDestroy", call_HcclCommDestroy, 1, "  ", {"comm"}},
    {"HcclCommSuspend", call_HcclCommSuspend, 1, "  ", {"comm"}},
    {"HcclCommResume", call_HcclCommResume, 1, "  ", {"comm"}},
    {"HcclGetCommName", call_HcclGetCommName, 2, "  ", {"comm", "commName"}},
    {"HcclGetRankId", call_HcclGetRankId, 2, "  ", {"comm", "rank"}},
    {"HcclGetRankSize", call_HcclGetRankSize, 2, "  ", {"comm", "rankSize"}},
    {"HcclGetCommAsyncError", call_HcclGetCommAsyncError, 2, "  ", {"comm", "asyncError"}},
    {"HcclGetErrorString", call_HcclGetErrorString, 1, "  ", {"code"}},
    {"HcclGetCommConfigCapability", call_HcclGetCommConfigCapability, 0, "  ", {NULL}},
    {"HcclSetConfig", call_HcclSetConfig, 2, "  ", {"config", "configValue"}},
    {"HcclAllReduce", call_HcclAllReduce, 7, "  ", {"sendBuf", "recvBuf", "count", "dataType", "op", "comm", "stream"}},
    {"HcclBroadcast", call_HcclBroadcast, 6, "  ", {"buf", "count", "dataType", "root", "comm", "stream"}},
    {"HcclAllGather", call_HcclAllGather, 6, "  ", {"sendBuf", "recvBuf", "sendCount", "dataType", "comm", "stream"}},
    {"HcclAllGatherV", call_HcclAllGatherV, 8, "  ", {"sendBuf", "sendCount", "recvBuf", "recvCounts", "recvDispls", "dataType", "comm", "stream"}},
    {"HcclReduceScatter", call_HcclReduceScatter, 7, "  ", {"sendBuf", "recvBuf", "recvCount", "dataType", "op", "comm", "stream"}},
    {"HcclReduceScatterV", call_HcclReduceScatterV, 9, "  ", {"sendBuf", "sendCounts", "sendDispls", "recvBuf", "recvCount", "dataType", "op", "comm", "stream"}},
    {"HcclReduce", call_HcclReduce, 8, "  ", {"sendBuf", "recvBuf", "count", "dataType", "op", "root", "comm", "stream"}},
    {"HcclScatter", call_HcclScatter, 7, "  ", {"sendBuf", "recvBuf", "recvCount", "dataType", "root", "comm", "stream"}},
    {"HcclAlltoAll", call_HcclAlltoAll, 8, "  ", {"sendBuf", "sendCount", "sendType", "recvBuf", "recvCount", "recvType", "comm", "stream"}},
    {"HcclAlltoAllV", call_HcclAlltoAllV, 10, "  ", {"sendBuf", "sendCounts", "sdispls", "sendType", "recvBuf", "recvCounts", "rdispls", "recvType", "comm", "stream"}},
    {"HcclAlltoAllVC", call_HcclAlltoAllVC, 7, "  ", {"sendBuf", "sendCountMatrix", "sendType", "recvBuf", "recvType", "comm", "stream"}},
    {"HcclBarrier", call_HcclBarrier, 2, "  ", {"comm", "stream"}},
    {"HcclSend", call_HcclSend, 6, "  ", {"sendBuf", "count", "dataType", "destRank", "comm", "stream"}},
    {"HcclRecv", call_HcclRecv, 6, "  ", {"recvBuf", "count", "dataType", "srcRank", "comm", "stream"}},
    {"HcclBatchSendRecv", call_HcclBatchSendRecv, 4, "  ", {"sendRecvInfo", "itemNum", "comm", "stream"}},
    {"HcclGroupStart", call_HcclGroupStart, 0, "  ", {NULL}},
    {"HcclGroupEnd", call_HcclGroupEnd, 0, "  ", {NULL}},
    {"HcclCommRegister", call_HcclCommRegister, 5, "  ", {"comm", "addr", "size", "handle", "flag"}},
    {"HcclCommDeregister", call_HcclCommDeregister, 2, "  ", {"comm", "handle"}},
    {"HcclCommExchangeMem", call_HcclCommExchangeMem, 4, "  ", {"comm", "handle", "peerRanks", "peerRankNum"}},
    {"HcclCommSetMemoryRange", call_HcclCommSetMemoryRange, 5, "  ", {"comm", "baseVirPtr", "size", "alignment", "flags"}},
    {"HcclCommUnsetMemoryRange", call_HcclCommUnsetMemoryRange, 2, "  ", {"comm", "baseVirPtr"}},
    {"HcclCommActivateCommMemory", call_HcclCommActivateCommMemory, 6, "  ", {"comm", "virPtr", "size", "offset", "handle", "flags"}},
    {"HcclCommDeactivateCommMemory", call_HcclCommDeactivateCommMemory, 2, "  ", {"comm", "virPtr"}},
    {"HcclCommWorkingDevNicSet", call_HcclCommWorkingDevNicSet, 4, "  ", {"comm", "ranks", "useBackup", "nRanks"}},
    {"mstxMarkA", call_mstxMarkA, 2, "  ", {"message", "stream"}},
    {"mstxRangeStartA", call_mstxRangeStartA, 2, "  ", {"message", "stream"}},
    {"mstxRangeEnd", call_mstxRangeEnd, 1, "  ", {"id"}},
    {"mstxGetToolId", call_mstxGetToolId, 1, "  ", {"id"}},
    {"mstxDomainCreateA", call_mstxDomainCreateA, 1, "  ", {"name"}},
    {"mstxDomainDestroy", call_mstxDomainDestroy, 1, "  ", {"domain"}},
    {"mstxDomainMarkA", call_mstxDomainMarkA, 3, "  ", {"domain", "message", "stream"}},
    {"mstxDomainRangeStartA", call_mstxDomainRangeStartA, 3, "  ", {"domain", "message", "stream"}},
    {"mstxDomainRangeEnd", call_mstxDomainRangeEnd, 2, "  ", {"domain", "id"}},
    {"mstxMemHeapRegister", call_mstxMemHeapRegister, 2, "  ", {"domain", "desc"}},
    {"mstxMemHeapUnregister", call_mstxMemHeapUnregister, 2, "  ", {"domain", "heap"}},
    {"mstxMemRegionsRegister", call_mstxMemRegionsRegister, 2, "  ", {"domain", "desc"}},
    {"mstxMemRegionsUnregister", call_mstxMemRegionsUnregister, 2, "  ", {"domain", "desc"}},
    {"mstxMemPermissionsAssign", call_mstxMemPermissionsAssign, 2, "  ", {"domain", "desc"}},
    {"InitInjectionMstx", call_InitInjectionMstx, 1, "  ", {"getFuncTable"}},
    {"millpondSetFrameProvider", call_millpondSetFrameProvider, 1, " zero provider ", {"provider"}},
    {"millpondFramesWanted", call_millpondFramesWanted, 0, "  ", {NULL}},
    {"millpondSetFaults", call_millpondSetFaults, 1, " zero plans ", {"plans"}},
    {"millpondCheckBegin", call_millpondCheckBegin, 1, " zero ", {"options"}},
    {"millpondCheckEnd", call_millpondCheckEnd, 0, "  ", {NULL}},
    {"millpondCheckCount", call_millpondCheckCount, 2, "  ", {"least", "count"}},
    {"millpondCheckGet", call_millpondCheckGet, 2, "  ", {"index", "finding"}},
    {"millpondCheckReport", call_millpondCheckReport, 2, " zero path ", {"format", "path"}},
    {"millpondCompileModel", call_millpondCompileModel, 7, "  ", {"name", "onnx", "onnxSize", "options", "optionCount", "model", "modelSize"}},
    {"millpondSaveModel", call_millpondSaveModel, 3, "  ", {"path", "model", "modelSize"}},
    {"millpondFreeModel", call_millpondFreeModel, 1, " zero model ", {"model"}},
    {"millpondVersion", call_millpondVersion, 0, "  ", {NULL}},
    {"millpondOperatorsGpu", call_millpondOperatorsGpu, 1, "  ", {"gpu"}},
    {"millpondMemTrim", call_millpondMemTrim, 1, " zero bytesReturned ", {"bytesReturned"}},
    {"millpondRecordUse", call_millpondRecordUse, 2, "  ", {"ptr", "stream"}},
    {"millpondMemGetStatistics", call_millpondMemGetStatistics, 2, " pool ", {"pool", "statistics"}},
    {"millpondMemGetStreamStatistics", call_millpondMemGetStreamStatistics, 3, "  ", {"pool", "part", "statistics"}},
    {"millpondFaultAdd", call_millpondFaultAdd, 2, "  ", {"rule", "id"}},
    {"millpondFaultRemove", call_millpondFaultRemove, 1, "  ", {"id"}},
    {"millpondFaultClear", call_millpondFaultClear, 0, "  ", {NULL}},
    {"millpondFaultSeen", call_millpondFaultSeen, 3, "  ", {"id", "calls", "hits"}},
    {"millpondCallsBegin", call_millpondCallsBegin, 0, "  ", {NULL}},
    {"millpondCallsEnd", call_millpondCallsEnd, 0, "  ", {NULL}},
    {"millpondCallsGet", call_millpondCallsGet, 3, "  ", {"function", "calls", "failures"}},
    {"millpondCallsWrite", call_millpondCallsWrite, 1, " zero path ", {"path"}},
    {"millpondResetReport", call_millpondResetReport, 2, "  ", {"text", "size"}},
    {"millpondTimeSetMode", call_millpondTimeSetMode, 1, "  ", {"mode"}},
    {"millpondTimeGetMode", call_millpondTimeGetMode, 1, "  ", {"mode"}},
    {"millpondTimeAdvance", call_millpondTimeAdvance, 1, "  ", {"microseconds"}},
    {"millpondTimeNow", call_millpondTimeNow, 1, "  ", {"microseconds"}},
};
