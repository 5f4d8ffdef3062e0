/* Without ONNX Runtime: what needs no engine works, and what needs one says what to do. */
#include "ops.h"

int main(void)
{
    const float one[4] = {1, 2, 3, 4};
    aclmdlDesc *desc = aclmdlCreateDesc();
    aclopAttr *attr = aclopCreateAttr();
    uint32_t model = 77;
    Tensor a, out;

    start();
    a = vector(4, one);
    out = vector(4, NULL);
    OK(aclmdlGetDescFromFile(desc, model_path("mlp.om")));
    EQ(aclmdlGetNumInputs(desc), 1);
    OK(aclopSetAttrInt(attr, "axis", 1));

    CODE(aclmdlLoadFromFile(model_path("mlp.om"), &model), ACL_ERROR_API_NOT_SUPPORT);
    MENTIONS("pip install onnxruntime");
    MENTIONS("MILLPOND_ONNXRUNTIME");
    EQ(model, 77);
    CODE(binary("Add", a, a, out, NULL, NULL), ACL_ERROR_API_NOT_SUPPORT);
    MENTIONS("pip install onnxruntime");
    /* A name that nobody knows is still that. */
    CODE(binary("Addd", a, a, out, NULL, NULL), ACL_ERROR_OP_NOT_FOUND);

    OK(aclmdlDestroyDesc(desc));
    aclopDestroyAttr(attr);
    drop_tensor(a);
    drop_tensor(out);
    stop();
    return 0;
}
