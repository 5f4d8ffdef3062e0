/* Operators by name that need no graph: copies between a plain tensor and one that is stored in blocks, FRACTAL_NZ, and results that would have to be
 * stored so; singular values, and orthogonal factors. */
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

static void try_blocks(aclrtStream stream)
{
    static const int64_t DIMS[2] = {ROWS, COLUMNS}, STORAGE[4] = {2, 2, 16, 16}, ALL = STORED;
    static const char *const KINDS[2] = {"Identity", "TransData"};
    uint16_t values[ROWS][COLUMNS], got[ROWS][COLUMNS], stored[2][2][16][16];
    Tensor plain, blocks, back;
    int row, column, way;

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
}

static void fetch(Tensor t, float *values)
{
    OK(aclrtMemcpy(values, t.size, t.memory, t.size, ACL_MEMCPY_DEVICE_TO_HOST));
}

/* Whether a product of matrices with `depth` between them gives the input. */
static void gives(const float *left, const float *right, int depth, int turned, const float *x, int rows, int columns)
{
    int i, j, k;
    for (i = 0; i < rows; i++) {
        for (j = 0; j < columns; j++) {
            float sum = 0;
            for (k = 0; k < depth; k++) {
                sum += left[i * depth + k] * (turned ? right[j * depth + k] : right[k * columns + j]);
            }
            CHECK(sum - x[i * columns + j] < 1e-4f && x[i * columns + j] - sum < 1e-4f);
        }
    }
}

static void try_factors(aclrtStream stream)
{
    static const float VALUES[6] = {1, 2, 3, 4, 5, 7}, OTHERS[3] = {9, 9, 9};
    static const int64_t X[2] = {3, 2}, SQUARE[2] = {2, 2}, TWO = 2, ONE = 1;
    float sigma[2], again[2], u[6], v[4], q[6], r[4], scaled[6];
    aclopAttr *attr = aclopCreateAttr();
    Tensor x = tensor(ACL_FLOAT, 2, X, VALUES), s = tensor(ACL_FLOAT, 1, &TWO, NULL), tu = tensor(ACL_FLOAT, 2, X, NULL);
    Tensor tv = tensor(ACL_FLOAT, 2, SQUARE, NULL), tq = tensor(ACL_FLOAT, 2, X, NULL), tr = tensor(ACL_FLOAT, 2, SQUARE, NULL);
    Tensor small = tensor(ACL_FLOAT, 1, &ONE, OTHERS);
    const aclTensorDesc *in[1] = {x.desc}, *parts[3] = {s.desc, tu.desc, tv.desc}, *pair[2] = {tq.desc, tr.desc}, *wrong[2] = {tq.desc, small.desc};
    const aclDataBuffer *given[1] = {x.buffer};
    aclDataBuffer *three[3] = {s.buffer, tu.buffer, tv.buffer}, *two[2] = {tq.buffer, tr.buffer}, *bad[2] = {tq.buffer, small.buffer};
    int i;

    /* Not compiled yet. */
    EQ(aclopExecute("Svd", 1, in, given, 3, parts, three, attr, stream), ACL_ERROR_OP_NOT_FOUND);
    OK(aclopCompile("Svd", 1, in, 3, parts, attr, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL));
    OK(aclopExecute("Svd", 1, in, given, 3, parts, three, attr, stream));
    OK(aclopCompileAndExecute("Qr", 1, in, given, 2, pair, two, attr, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream));
    OK(aclrtSynchronizeStream(stream));
    fetch(s, sigma);
    fetch(tu, u);
    fetch(tv, v);
    fetch(tq, q);
    fetch(tr, r);
    CHECK(sigma[0] >= sigma[1] && sigma[1] > 0);
    for (i = 0; i < 6; i++) {
        scaled[i] = u[i] * sigma[i % 2];
    }
    gives(scaled, v, 2, 1, VALUES, 3, 2);
    gives(q, r, 2, 0, VALUES, 3, 2);
    CHECK(r[2] == 0);
    /* Values alone. */
    OK(aclopSetAttrBool(attr, "compute_uv", 0));
    OK(aclopCompileAndExecute("Svd", 1, in, given, 3, parts, three, attr, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream));
    OK(aclrtSynchronizeStream(stream));
    fetch(s, again);
    CHECK(again[0] - sigma[0] < 1e-5f && sigma[0] - again[0] < 1e-5f);
    EQ(aclopCompileAndExecute("Qr", 1, in, given, 2, wrong, bad, NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream), ACL_ERROR_INVALID_PARAM);
    EQ(aclopCompileAndExecute("Svd", 1, in, given, 2, pair, two, NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream), ACL_ERROR_INVALID_PARAM);
    aclopDestroyAttr(attr);
    drop_tensor(x);
    drop_tensor(s);
    drop_tensor(tu);
    drop_tensor(tv);
    drop_tensor(tq);
    drop_tensor(tr);
    drop_tensor(small);
}

int main(void)
{
    aclrtStream stream;
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    try_blocks(stream);
    try_factors(stream);
    OK(aclrtDestroyStream(stream));
    OK(aclFinalize());
    return 0;
}
