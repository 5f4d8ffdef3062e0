// rule: handle.leak
// severity: warning
// wrong: the description of a model is created to ask for a size and never destroyed
#include "models.h"

static size_t output_size(uint32_t model)
{
    aclmdlDesc *desc = aclmdlCreateDesc();
    ACL(aclmdlGetDesc(desc, model));
    size_t size = aclmdlGetOutputSizeByIndex(desc, 0);
#ifndef WRONG
    ACL(aclmdlDestroyDesc(desc));
#endif
    return size;
}

int main(void)
{
    start();
    uint32_t model = load_model("add.onnx");
    EXPECT(output_size(model) == 24);
    ACL(aclmdlUnload(model));
    return finish();
}
