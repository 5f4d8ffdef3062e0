/* Copies by name between a plain tensor and one that is stored in blocks, FRACTAL_NZ; and results that would have to be stored so. */
#include "ops.h"

#define ROWS 17
#define COLUMNS 20
#define STORED (2 * 2 * 16 * 16)

static aclError run(const char *type, int count, const Tensor *inputs, Tensor out, aclrtStream stream)
{
    const aclTensorDesc *descs[2] = {inputs[0].desc, count > 1 ? inputs[1].desc : NULL}, *results[1] = {out.desc};
    const aclDataBuffer *buffers[2] = {inputs[0].buffer, count > 1 ? inputs[1].buffer : NULL};
    aclDataBuffer *outputs[1] = {out.buffer};
    return aclopCompileAndExecute(type, count, descs, buffers, 1, results, outputs, NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL,
                                  stream);
}

int main(void)
{
    static const int64_t DIMS[2] = {ROWS, COLUMNS}, STORAGE[4] = {2, 2, 16, 16}, ALL = STORED;
    static const char *const KINDS[2] = {"Identity", "TransData"};
    uint16_t values[ROWS][COLUMNS], got[ROWS][COLUMNS], stored[2][2][16][16];
    aclrtStream stream;
    Tensor plain, blocks, back;
    int row, column, way;

    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    for (row = 0; row < ROWS; row++) {
        for (column = 0; column < COLUMNS; column++) {
            values[row][column] = (uint16_t)(row * COLUMNS + column + 1);
        }
    }
    for (way = 0; way < 2; way++) {
        plain = tensor(ACL_FLOAT16, 2, DIMS, values);
        back = tensor(ACL_FLOAT16, 2, DIMS, NULL);
        /* Memory for the whole storage, described as the matrix that is in it. */
        blocks = tensor(ACL_FLOAT16, 1, &ALL, NULL);
        aclDestroyTensorDesc(blocks.desc);
        blocks.desc = aclCreateTensorDesc(ACL_FLOAT16, 2, DIMS, ACL_FORMAT_ND);
        OK(aclSetTensorFormat(blocks.desc, ACL_FORMAT_FRACTAL_NZ));
        /* Nobody has said how the storage is shaped. */
        EQ(run(KINDS[way], 1, &plain, blocks, stream), ACL_ERROR_FORMAT_NOT_MATCH);
        OK(aclSetTensorShape(blocks.desc, 4, STORAGE));
        OK(run(KINDS[way], 1, &plain, blocks, stream));
        OK(run(KINDS[way], 1, &blocks, back, stream));
        OK(aclrtSynchronizeStream(stream));
        OK(aclrtMemcpy(stored, sizeof stored, blocks.memory, sizeof stored, ACL_MEMCPY_DEVICE_TO_HOST));
        OK(aclrtMemcpy(got, sizeof got, back.memory, sizeof got, ACL_MEMCPY_DEVICE_TO_HOST));
        for (row = 0; row < 32; row++) {
            for (column = 0; column < 32; column++) {
                int inside = row < ROWS && column < COLUMNS;
                EQ(stored[column / 16][row / 16][row % 16][column % 16], inside ? values[row][column] : 0);
                if (inside) {
                    EQ(got[row][column], values[row][column]);
                }
            }
        }
        /* Other operators neither read blocks nor write them. */
        {
            Tensor both[2] = {plain, plain};
            EQ(run("Add", 2, both, blocks, stream), ACL_ERROR_FORMAT_NOT_MATCH);
            both[1] = blocks;
            EQ(run("Add", 2, both, back, stream), ACL_ERROR_FORMAT_NOT_MATCH);
        }
        drop_tensor(plain);
        drop_tensor(blocks);
        drop_tensor(back);
    }
    OK(aclrtDestroyStream(stream));
    OK(aclFinalize());
    return 0;
}
