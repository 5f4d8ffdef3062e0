/* Models: the files that the harness writes, and datasets.
 *
 * add.onnx: z = x + y, each two rows of three. mlp.om: rows of four, 1 to 16 of them, become rows of two; each number is the sum of the
 * row. fixed.om: the same for three rows. batch.om: doubles rows of three, in batches of 1, 2 or 4. */
#ifndef MILLPOND_CORPUS_MODELS_H
#define MILLPOND_CORPUS_MODELS_H

#include "corpus.h"

static inline const char *model_path(const char *name)
{
    static __thread char path[4096];
    const char *folder = getenv("CORPUS_MODELS");
    snprintf(path, sizeof path, "%s/%s", folder ? folder : ".", name);
    return path;
}

static inline uint32_t load_model(const char *name)
{
    uint32_t model = 0;
    ACL(aclmdlLoadFromFile(model_path(name), &model));
    return model;
}

/* A dataset of one buffer over memory that somebody else owns. */
static inline aclmdlDataset *dataset_of(void *memory, size_t size)
{
    aclmdlDataset *dataset = aclmdlCreateDataset();
    ACL(aclmdlAddDatasetBuffer(dataset, aclCreateDataBuffer(memory, size)));
    return dataset;
}

static inline void add_buffer(aclmdlDataset *dataset, void *memory, size_t size)
{
    ACL(aclmdlAddDatasetBuffer(dataset, aclCreateDataBuffer(memory, size)));
}

/* The first buffer gets this shape. */
static inline void set_rows(aclmdlDataset *dataset, int64_t rows, int64_t columns)
{
    const int64_t dims[] = {rows, columns};
    aclTensorDesc *desc = aclCreateTensorDesc(ACL_FLOAT, 2, dims, ACL_FORMAT_ND);
    ACL(aclmdlSetDatasetTensorDesc(dataset, desc, 0));
    aclDestroyTensorDesc(desc);
}

/* Ends a dataset and its buffers, not their memory. */
static inline void drop_dataset(aclmdlDataset *dataset)
{
    for (size_t i = 0; i < aclmdlGetDatasetNumBuffers(dataset); i++) {
        ACL(aclDestroyDataBuffer(aclmdlGetDatasetBuffer(dataset, i)));
    }
    ACL(aclmdlDestroyDataset(dataset));
}

#endif
