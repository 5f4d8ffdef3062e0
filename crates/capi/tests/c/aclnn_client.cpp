// Does a program work that is written as inference engines are? One header per function, owners that destroy tensors
// right after the call, one template for all functions, a workspace that goes back to a pool before the work has run.
#include "check.h"

#include <aclnnop/aclnn_add.h>
#include <aclnnop/aclnn_add_rms_norm.h>
#include <aclnnop/aclnn_arange.h>
#include <aclnnop/aclnn_argmax.h>
#include <aclnnop/aclnn_argsort.h>
#include <aclnnop/aclnn_avgpool2d.h>
#include <aclnnop/aclnn_batch_matmul.h>
#include <aclnnop/aclnn_cast.h>
#include <aclnnop/aclnn_cat.h>
#include <aclnnop/aclnn_clamp.h>
#include <aclnnop/aclnn_constant_pad_nd.h>
#include <aclnnop/aclnn_convolution.h>
#include <aclnnop/aclnn_copy.h>
#include <aclnnop/aclnn_cos.h>
#include <aclnnop/aclnn_cumsum.h>
#include <aclnnop/aclnn_div.h>
#include <aclnnop/aclnn_embedding.h>
#include <aclnnop/aclnn_fill_scalar.h>
#include <aclnnop/aclnn_gather_v2.h>
#include <aclnnop/aclnn_gt_scalar.h>
#include <aclnnop/aclnn_index_copy.h>
#include <aclnnop/aclnn_index_select.h>
#include <aclnnop/aclnn_layer_norm.h>
#include <aclnnop/aclnn_logsoftmax.h>
#include <aclnnop/aclnn_masked_fill_scalar.h>
#include <aclnnop/aclnn_matmul.h>
#include <aclnnop/aclnn_mean.h>
#include <aclnnop/aclnn_mm.h>
#include <aclnnop/aclnn_mul.h>
#include <aclnnop/aclnn_permute.h>
#include <aclnnop/aclnn_pow.h>
#include <aclnnop/aclnn_reduce_sum.h>
#include <aclnnop/aclnn_repeat.h>
#include <aclnnop/aclnn_repeat_interleave.h>
#include <aclnnop/aclnn_rms_norm.h>
#include <aclnnop/aclnn_roll.h>
#include <aclnnop/aclnn_s_where.h>
#include <aclnnop/aclnn_silu.h>
#include <aclnnop/aclnn_slice.h>
#include <aclnnop/aclnn_softmax.h>
#include <aclnnop/aclnn_swi_glu.h>
#include <aclnnop/aclnn_topk.h>
#include <aclnnop/aclnn_triu.h>
#include <aclnnop/aclnn_upsample_nearest_2d.h>
#include <aclnnop/aclnn_zero.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using Dims = std::vector<int64_t>;
using Floats = std::vector<float>;

// Owners of what the functions take.
template <typename T, aclnnStatus (*destroy)(const T *)>
struct Deleter {
    void operator()(T *handle) const { OK(destroy(handle)); }
};
using Tensor = std::unique_ptr<aclTensor, Deleter<aclTensor, aclDestroyTensor>>;
using Scalar = std::unique_ptr<aclScalar, Deleter<aclScalar, aclDestroyScalar>>;
using Ints = std::unique_ptr<aclIntArray, Deleter<aclIntArray, aclDestroyIntArray>>;
using Tensors = std::unique_ptr<aclTensorList, Deleter<aclTensorList, aclDestroyTensorList>>;

// Device memory that is kept for the next request of its size. Everything runs on one stream, so a block may be handed
// out again while the work that used it before is still queued.
class Pool {
public:
    Pool() = default;
    Pool(const Pool &) = delete;
    Pool &operator=(const Pool &) = delete;
    ~Pool()
    {
        for (const auto &block : free_) {
            OK(aclrtFree(block.second));
        }
    }
    void *take(size_t size)
    {
        auto found = free_.lower_bound(size);
        if (found != free_.end() && found->first <= 2 * size) {
            void *block = found->second;
            sizes_[block] = found->first;
            free_.erase(found);
            reused_++;
            return block;
        }
        void *block = nullptr;
        OK(aclrtMalloc(&block, size, ACL_MEM_MALLOC_HUGE_FIRST));
        sizes_[block] = size;
        return block;
    }
    void give_back(void *block)
    {
        free_.emplace(sizes_.at(block), block);
        sizes_.erase(block);
    }
    int reused() const { return reused_; }
    size_t in_use() const { return sizes_.size(); }

private:
    std::multimap<size_t, void *> free_;
    std::map<void *, size_t> sizes_;
    int reused_ = 0;
};

class Engine {
public:
    Engine() { OK(aclrtCreateStream(&stream_)); }
    Engine(const Engine &) = delete;
    Engine &operator=(const Engine &) = delete;
    ~Engine() { OK(aclrtDestroyStream(stream_)); }

    // Both functions of an operator. The pointers have the types that the header gives them, so arguments that do not
    // fit are errors of the compiler.
    template <typename Prepare, typename Run, typename... Arguments>
    void call(const char *name, Prepare prepare, Run run, Arguments... arguments)
    {
        uint64_t size = 0;
        aclOpExecutor *executor = nullptr;
        const aclnnStatus prepared = prepare(arguments..., &size, &executor);
        if (prepared != ACLNN_SUCCESS) {
            fprintf(stderr, "aclnn%sGetWorkspaceSize: %d\n", name, prepared);
            EQ(prepared, ACLNN_SUCCESS);
        }
        CHECK(executor != nullptr);
        std::unique_ptr<void, std::function<void(void *)>> workspace(
            size > 0 ? pool_.take(size) : nullptr, [this](void *block) { pool_.give_back(block); });
        const aclnnStatus queued = run(workspace.get(), size, executor, stream_);
        if (queued != ACLNN_SUCCESS) {
            fprintf(stderr, "aclnn%s: %d\n", name, queued);
            EQ(queued, ACLNN_SUCCESS);
        }
        calls_++;
    }

    Pool &pool() { return pool_; }
    aclrtStream stream() const { return stream_; }
    int calls() const { return calls_; }

private:
    aclrtStream stream_ = nullptr;
    // Destroyed first: nothing may be queued then.
    Pool pool_;
    int calls_ = 0;
};

#define CALL(engine, Name, ...)                                                                                       \
    (engine).call(#Name, static_cast<decltype(&aclnn##Name##GetWorkspaceSize)>(&aclnn##Name##GetWorkspaceSize),         \
                  static_cast<decltype(&aclnn##Name)>(&aclnn##Name), __VA_ARGS__)

int64_t count(const Dims &dims)
{
    return std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<int64_t>());
}

template <typename T>
struct TypeOf;
template <>
struct TypeOf<float> {
    static constexpr aclDataType value = ACL_FLOAT;
};
template <>
struct TypeOf<int64_t> {
    static constexpr aclDataType value = ACL_INT64;
};
template <>
struct TypeOf<int32_t> {
    static constexpr aclDataType value = ACL_INT32;
};
template <>
struct TypeOf<uint8_t> {
    static constexpr aclDataType value = ACL_BOOL;
};

// Numbers on the device, in memory of the engine's pool.
template <typename T>
class Array {
public:
    Array(Engine &engine, Dims dims) : engine_(&engine), dims_(std::move(dims))
    {
        memory_ = engine.pool().take(bytes());
    }
    Array(Engine &engine, Dims dims, const std::vector<T> &values) : Array(engine, std::move(dims))
    {
        EQ(values.size(), count(dims_));
        // The block may still be used by queued work.
        OK(aclrtSynchronizeStream(engine.stream()));
        OK(aclrtMemcpy(memory_, bytes(), values.data(), bytes(), ACL_MEMCPY_HOST_TO_DEVICE));
    }
    Array(const Array &) = delete;
    Array &operator=(const Array &) = delete;
    ~Array() { engine_->pool().give_back(memory_); }

    Tensor get() const { return view(dims_, contiguous(dims_), 0); }
    // The same memory in another shape.
    Tensor as(const Dims &dims) const { return view(dims, contiguous(dims), 0); }
    Tensor view(const Dims &dims, const Dims &strides, int64_t offset) const
    {
        Tensor made(aclCreateTensor(dims.data(), dims.size(), TypeOf<T>::value, strides.data(), offset, ACL_FORMAT_ND,
                                    dims_.data(), dims_.size(), memory_));
        CHECK(made != nullptr);
        return made;
    }
    std::vector<T> read() const
    {
        std::vector<T> values(count(dims_));
        OK(aclrtSynchronizeStream(engine_->stream()));
        OK(aclrtMemcpy(values.data(), bytes(), memory_, bytes(), ACL_MEMCPY_DEVICE_TO_HOST));
        return values;
    }
    const Dims &dims() const { return dims_; }

private:
    static Dims contiguous(const Dims &dims)
    {
        Dims strides(dims.size(), 1);
        for (size_t axis = dims.size(); axis-- > 1;) {
            strides[axis - 1] = strides[axis] * dims[axis];
        }
        return strides;
    }
    size_t bytes() const { return count(dims_) * sizeof(T); }

    Engine *engine_;
    Dims dims_;
    void *memory_ = nullptr;
};

Scalar number(float value) { return Scalar(aclCreateScalar(&value, ACL_FLOAT)); }
Ints ints(const Dims &values) { return Ints(aclCreateIntArray(values.data(), values.size())); }

template <typename T>
void same(const Array<T> &array, const std::vector<T> &expected, const char *file, int line)
{
    const std::vector<T> values = array.read();
    check_equal(values.size(), expected.size(), file, line, "the number of elements");
    for (size_t index = 0; index < values.size(); index++) {
        const double difference = std::fabs(double(values[index]) - double(expected[index]));
        if (!(difference <= 1e-5 + 1e-5 * std::fabs(double(expected[index])))) {
            fprintf(stderr, "element %zu is %g, expected %g\n", index, double(values[index]), double(expected[index]));
            check_true(0, file, line, "the elements are as expected");
        }
    }
}
#define SAME(array, ...) same(array, __VA_ARGS__, __FILE__, __LINE__)

// Numbers that repeat rarely and are small.
Floats some(int64_t count, int seed)
{
    Floats values(count);
    for (int64_t index = 0; index < count; index++) {
        values[index] = float((index * 37 + seed * 101) % 89) / 44.0F - 1.0F;
    }
    return values;
}

// [m, k] times [k, n], or times the transposed [n, k].
Floats product(const Floats &a, const Floats &b, int64_t m, int64_t k, int64_t n, bool transposed = false)
{
    Floats result(m * n);
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;
            for (int64_t s = 0; s < k; s++) {
                sum += double(a[i * k + s]) * double(transposed ? b[j * k + s] : b[s * n + j]);
            }
            result[i * n + j] = float(sum);
        }
    }
    return result;
}

Floats rms_norm(const Floats &x, const Floats &gamma)
{
    Floats result(x.size());
    const size_t width = gamma.size();
    for (size_t row = 0; row < x.size() / width; row++) {
        double sum = 0;
        for (size_t i = 0; i < width; i++) {
            sum += double(x[row * width + i]) * x[row * width + i];
        }
        const double scale = 1 / std::sqrt(sum / double(width) + 1e-6);
        for (size_t i = 0; i < width; i++) {
            result[row * width + i] = float(x[row * width + i] * scale * gamma[i]);
        }
    }
    return result;
}

double silu(double x) { return x / (1 + std::exp(-x)); }

constexpr int64_t TOKENS = 5, WIDTH = 8, HEADS = 2, HEAD = WIDTH / HEADS, WORDS = 11;

// A layer of a decoder: embedding, attention with a causal mask over views of one product, a gated layer, a choice.
void decoder(Engine &engine)
{
    const std::vector<int64_t> words = {3, 1, 10, 3, 7};
    const Floats table = some(WORDS * WIDTH, 1), gamma = some(WIDTH, 2), weights = some(WIDTH * 3 * WIDTH, 3),
                 gates = some(WIDTH * 2 * WIDTH, 4);

    // What is expected.
    Floats embedded;
    for (const int64_t word : words) {
        embedded.insert(embedded.end(), &table[word * WIDTH], &table[word * WIDTH] + WIDTH);
    }
    const Floats normal = rms_norm(embedded, gamma);
    const Floats all = product(normal, weights, TOKENS, WIDTH, 3 * WIDTH);
    const auto part = [&](int64_t token, int64_t which, int64_t head, int64_t at) {
        return double(all[token * 3 * WIDTH + which * WIDTH + head * HEAD + at]);
    };
    Floats shares(HEADS * TOKENS * TOKENS), mixed(TOKENS * WIDTH);
    for (int64_t head = 0; head < HEADS; head++) {
        for (int64_t query = 0; query < TOKENS; query++) {
            double total = 0, scores[TOKENS] = {};
            for (int64_t key = 0; key <= query; key++) {
                double sum = 0;
                for (int64_t at = 0; at < HEAD; at++) {
                    sum += part(query, 0, head, at) * part(key, 1, head, at);
                }
                total += scores[key] = std::exp(sum / std::sqrt(double(HEAD)));
            }
            for (int64_t key = 0; key < TOKENS; key++) {
                shares[(head * TOKENS + query) * TOKENS + key] = float(scores[key] / total);
            }
            for (int64_t at = 0; at < HEAD; at++) {
                double sum = 0;
                for (int64_t key = 0; key <= query; key++) {
                    sum += scores[key] / total * part(key, 2, head, at);
                }
                mixed[query * WIDTH + head * HEAD + at] = float(sum);
            }
        }
    }
    Floats residual(TOKENS * WIDTH);
    std::transform(mixed.begin(), mixed.end(), embedded.begin(), residual.begin(), std::plus<float>());
    const Floats second = rms_norm(residual, gamma);
    const Floats both = product(second, gates, TOKENS, WIDTH, 2 * WIDTH);
    Floats gated(TOKENS * WIDTH);
    for (int64_t token = 0; token < TOKENS; token++) {
        for (int64_t at = 0; at < WIDTH; at++) {
            gated[token * WIDTH + at] = float(silu(both[token * 2 * WIDTH + at]) * both[token * 2 * WIDTH + WIDTH + at]);
        }
    }
    const Floats logits = product(gated, table, TOKENS, WIDTH, WORDS, true);

    // The same on the device. Nothing waits before the results are read.
    Array<int64_t> d_words(engine, {TOKENS}, words);
    Array<float> d_table(engine, {WORDS, WIDTH}, table), d_gamma(engine, {WIDTH}, gamma),
        d_weights(engine, {WIDTH, 3 * WIDTH}, weights), d_gates(engine, {WIDTH, 2 * WIDTH}, gates);
    Array<float> x(engine, {TOKENS, WIDTH}), y(engine, {TOKENS, WIDTH}), scale(engine, {TOKENS, 1});
    CALL(engine, Embedding, d_table.get().get(), d_words.get().get(), x.get().get());
    CALL(engine, RmsNorm, x.get().get(), d_gamma.get().get(), 1e-6, y.get().get(), scale.get().get());
    Array<float> joined(engine, {TOKENS, 3 * WIDTH});
    CALL(engine, Mm, y.get().get(), d_weights.get().get(), joined.get().get(), int8_t{0});

    // Queries, transposed keys and values are views into the product.
    const int64_t row = 3 * WIDTH;
    const Dims heads = {HEADS, TOKENS, HEAD}, turned = {HEADS, HEAD, TOKENS};
    Array<float> scores(engine, {HEADS, TOKENS, TOKENS});
    CALL(engine, BatchMatMul, joined.view(heads, {HEAD, row, 1}, 0).get(), joined.view(turned, {HEAD, 1, row}, WIDTH).get(),
         scores.get().get(), int8_t{0});
    CALL(engine, InplaceMuls, scores.get().get(), number(1.0F / std::sqrt(float(HEAD))).get());
    Array<float> ones(engine, {TOKENS, TOKENS}), later(engine, {TOKENS, TOKENS});
    Array<uint8_t> mask(engine, {TOKENS, TOKENS});
    CALL(engine, InplaceFillScalar, ones.get().get(), number(1).get());
    CALL(engine, Triu, ones.get().get(), int64_t{1}, later.get().get());
    CALL(engine, GtScalar, later.get().get(), number(0.5F).get(), mask.get().get());
    CALL(engine, InplaceMaskedFillScalar, scores.get().get(), mask.get().get(), number(-INFINITY).get());
    Array<float> softened(engine, {HEADS, TOKENS, TOKENS}), apart(engine, {HEADS, TOKENS, HEAD}), together(engine, {TOKENS, WIDTH});
    CALL(engine, Softmax, scores.get().get(), int64_t{-1}, softened.get().get());
    CALL(engine, BatchMatMul, softened.get().get(), joined.view(heads, {HEAD, row, 1}, 2 * WIDTH).get(), apart.get().get(),
         int8_t{0});
    CALL(engine, Permute, apart.get().get(), ints({1, 0, 2}).get(), together.as({TOKENS, HEADS, HEAD}).get());
    Array<float> d_second(engine, {TOKENS, WIDTH}), d_residual(engine, {TOKENS, WIDTH});
    CALL(engine, AddRmsNorm, together.get().get(), x.get().get(), d_gamma.get().get(), 1e-6, d_second.get().get(),
         scale.get().get(), d_residual.get().get());
    Array<float> d_both(engine, {TOKENS, 2 * WIDTH}), d_gated(engine, {TOKENS, WIDTH}), d_logits(engine, {TOKENS, WORDS});
    CALL(engine, Matmul, d_second.get().get(), d_gates.get().get(), d_both.get().get(), int8_t{0});
    CALL(engine, SwiGlu, d_both.get().get(), int64_t{-1}, d_gated.get().get());
    CALL(engine, Matmul, d_gated.get().get(), d_table.view({WIDTH, WORDS}, {1, WIDTH}, 0).get(), d_logits.get().get(), int8_t{0});
    Array<int64_t> chosen(engine, {TOKENS});
    CALL(engine, ArgMax, d_logits.get().get(), int64_t{-1}, false, chosen.get().get());

    std::vector<int64_t> best;
    for (int64_t token = 0; token < TOKENS; token++) {
        const auto begin = logits.begin() + token * WORDS;
        best.push_back(std::max_element(begin, begin + WORDS) - begin);
    }
    SAME(softened, shares);
    SAME(d_residual, residual);
    SAME(d_logits, logits);
    SAME(chosen, best);
}

// A cache of keys that grows, and angles for positions.
void cache(Engine &engine)
{
    Array<float> kept(engine, {6, 3}), fresh(engine, {2, 3}, {1, 2, 3, 4, 5, 6});
    Array<int64_t> at(engine, {2}, {4, 1});
    CALL(engine, InplaceZero, kept.get().get());
    CALL(engine, InplaceIndexCopy, kept.get().get(), int64_t{0}, at.get().get(), fresh.get().get());
    SAME(kept, {0, 0, 0, 4, 5, 6, 0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0});
    Array<float> picked(engine, {2, 3}), gathered(engine, {2, 2}), cut(engine, {6, 2});
    CALL(engine, IndexSelect, kept.get().get(), int64_t{0}, at.get().get(), picked.get().get());
    SAME(picked, {1, 2, 3, 4, 5, 6});
    Array<int64_t> columns(engine, {2}, {2, 0});
    CALL(engine, GatherV2, picked.get().get(), int64_t{1}, columns.get().get(), gathered.get().get());
    SAME(gathered, {3, 1, 6, 4});
    CALL(engine, Slice, kept.get().get(), int64_t{1}, int64_t{1}, int64_t{3}, int64_t{1}, cut.get().get());
    SAME(cut, {0, 0, 5, 6, 0, 0, 0, 0, 2, 3, 0, 0});

    Array<float> positions(engine, {4}), powers(engine, {4}), angles(engine, {4}), repeated(engine, {8}), twice(engine, {2, 4});
    CALL(engine, Arange, number(0).get(), number(4).get(), number(1).get(), positions.get().get());
    CALL(engine, PowTensorScalar, positions.get().get(), number(2).get(), powers.get().get());
    CALL(engine, Cos, powers.get().get(), angles.get().get());
    SAME(angles, {1, std::cos(1.0F), std::cos(4.0F), std::cos(9.0F)});
    CALL(engine, RepeatInterleaveIntWithDim, positions.get().get(), int64_t{2}, int64_t{0}, int64_t{8}, repeated.get().get());
    SAME(repeated, {0, 0, 1, 1, 2, 2, 3, 3});
    CALL(engine, Repeat, positions.get().get(), ints({2, 1}).get(), twice.get().get());
    SAME(twice, {0, 1, 2, 3, 0, 1, 2, 3});
    Array<float> rolled(engine, {4}), sums(engine, {4}), bounded(engine, {4}), quotients(engine, {4});
    CALL(engine, Roll, positions.get().get(), ints({1}).get(), ints({0}).get(), rolled.get().get());
    SAME(rolled, {3, 0, 1, 2});
    CALL(engine, Cumsum, rolled.get().get(), int64_t{0}, ACL_FLOAT, sums.get().get());
    SAME(sums, {3, 3, 4, 6});
    CALL(engine, Clamp, rolled.get().get(), number(0.5F).get(), number(2.5F).get(), bounded.get().get());
    SAME(bounded, {2.5F, 0.5F, 1, 2});
    CALL(engine, Div, sums.get().get(), bounded.get().get(), quotients.get().get());
    SAME(quotients, {1.2F, 6, 4, 3});
    Array<int32_t> whole(engine, {4});
    CALL(engine, Cast, quotients.get().get(), ACL_INT32, whole.get().get());
    SAME(whole, {1, 6, 4, 3});
}

// Choosing the next word.
void sampling(Engine &engine)
{
    Array<float> logits(engine, {2, 4}, {1, 4, 2, 3, -1, -3, 0.5F, -2});
    Array<float> values(engine, {2, 2}), logs(engine, {2, 4}), sums(engine, {2}), means(engine, {4});
    Array<int64_t> indices(engine, {2, 2}), order(engine, {2, 4});
    CALL(engine, Topk, logits.get().get(), int64_t{2}, int64_t{-1}, true, true, values.get().get(), indices.get().get());
    SAME(values, {4, 3, 0.5F, -1});
    SAME(indices, {1, 3, 2, 0});
    CALL(engine, Argsort, logits.get().get(), int64_t{-1}, true, order.get().get());
    SAME(order, {1, 3, 2, 0, 2, 0, 3, 1});
    CALL(engine, LogSoftmax, logits.get().get(), int64_t{1}, logs.get().get());
    const float total = std::log(std::exp(1.0F) + std::exp(4.0F) + std::exp(2.0F) + std::exp(3.0F));
    const Floats first = logs.read();
    CHECK(std::fabs(first[0] - (1 - total)) < 1e-5F && std::fabs(first[1] - (4 - total)) < 1e-5F);
    CALL(engine, ReduceSum, logits.get().get(), ints({1}).get(), false, ACL_FLOAT, sums.get().get());
    SAME(sums, {10, -5.5F});
    CALL(engine, Mean, logits.get().get(), ints({0}).get(), false, ACL_FLOAT, means.get().get());
    SAME(means, {0, 0.5F, 1.25F, 0.5F});
    Array<uint8_t> high(engine, {2, 4});
    Array<float> low(engine, {2, 4}), cut(engine, {2, 4});
    CALL(engine, InplaceFillScalar, low.get().get(), number(-9).get());
    CALL(engine, GtScalar, logits.get().get(), number(0).get(), high.get().get());
    CALL(engine, SWhere, high.get().get(), logits.get().get(), low.get().get(), cut.get().get());
    SAME(cut, {1, 4, 2, 3, -9, -9, 0.5F, -9});
    Array<float> added(engine, {2, 4}), activated(engine, {2, 4});
    CALL(engine, Add, logits.get().get(), cut.get().get(), number(2).get(), added.get().get());
    SAME(added, {3, 12, 6, 9, -19, -21, 1.5F, -20});
    CALL(engine, Silu, logits.get().get(), activated.get().get());
    CHECK(std::fabs(activated.read()[1] - float(silu(4))) < 1e-5F);
    // A list owns its members.
    aclTensor *members[2] = {logits.get().release(), cut.get().release()};
    Tensors list(aclCreateTensorList(members, 2));
    Array<float> joined(engine, {4, 4});
    CALL(engine, Cat, list.get(), int64_t{0}, joined.get().get());
    SAME(joined, {1, 4, 2, 3, -1, -3, 0.5F, -2, 1, 4, 2, 3, -9, -9, 0.5F, -9});
}

// The picture side of a model with eyes.
void picture(Engine &engine)
{
    Array<float> x(engine, {1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}), weight(engine, {2, 1, 2, 2}, {1, 0, 0, 1, 1, 1, 1, 1}),
        bias(engine, {2}, {0.5F, -0.5F}), y(engine, {1, 2, 2, 2});
    const Ints one = ints({1, 1}), none = ints({0, 0});
    CALL(engine, Convolution, x.get().get(), weight.get().get(), bias.get().get(), one.get(), none.get(), one.get(), false,
         none.get(), int64_t{1}, y.get().get(), int8_t{0});
    SAME(y, {6.5F, 8.5F, 12.5F, 14.5F, 11.5F, 15.5F, 23.5F, 27.5F});
    Array<float> pooled(engine, {1, 1, 2, 2}), larger(engine, {1, 1, 4, 4}), padded(engine, {1, 1, 3, 5});
    CALL(engine, AvgPool2d, x.get().get(), ints({2, 2}).get(), one.get(), none.get(), false, true, int64_t{0}, int8_t{0},
         pooled.get().get());
    SAME(pooled, {3, 4, 6, 7});
    CALL(engine, UpsampleNearest2d, pooled.get().get(), ints({4, 4}).get(), larger.get().get());
    SAME(larger, {3, 3, 4, 4, 3, 3, 4, 4, 6, 6, 7, 7, 6, 6, 7, 7});
    CALL(engine, ConstantPadNd, x.get().get(), ints({1, 1}).get(), number(-1).get(), padded.get().get());
    SAME(padded, {-1, 1, 2, 3, -1, -1, 4, 5, 6, -1, -1, 7, 8, 9, -1});
    Array<float> normal(engine, {3, 3}), mean(engine, {3, 1}), inverse(engine, {3, 1}), gain(engine, {3}, {1, 2, 1}),
        shift(engine, {3}, {0, 1, 0});
    CALL(engine, LayerNorm, x.as({3, 3}).get(), ints({3}).get(), gain.get().get(), shift.get().get(), 0.0, normal.get().get(),
         mean.get().get(), inverse.get().get());
    const float end = std::sqrt(1.5F);
    SAME(normal, {-end, 1, end, -end, 1, end, -end, 1, end});
    SAME(mean, {2, 5, 8});
    // A copy between layouts and types.
    Array<int64_t> turned(engine, {3, 3});
    CALL(engine, InplaceCopy, turned.get().get(), x.view({3, 3}, {1, 3}, 0).get());
    SAME(turned, {1, 4, 7, 2, 5, 8, 3, 6, 9});
}

// What the first function refuses has no executor, and the client's owners clean up behind the exception.
void refused(Engine &engine)
{
    Array<float> two(engine, {2}), three(engine, {3});
    const size_t before = engine.pool().in_use();
    try {
        Array<float> out(engine, {2});
        uint64_t size = 0;
        aclOpExecutor *executor = nullptr;
        const Scalar alpha = number(1);
        const Tensor a = two.get(), b = three.get(), c = out.get();
        const aclnnStatus status = aclnnAddGetWorkspaceSize(a.get(), b.get(), alpha.get(), c.get(), &size, &executor);
        CODE(status, ACLNN_ERR_PARAM_INVALID);
        CHECK(executor == nullptr);
        throw std::runtime_error("refused");
    } catch (const std::runtime_error &) {
        EQ(engine.pool().in_use(), before);
    }
}

} // namespace

int main()
{
    OK(aclInit(nullptr));
    OK(aclrtSetDevice(0));
    {
        Engine engine;
        // Twice, so that the pool hands out blocks that queued work still uses.
        for (int round = 0; round < 2; round++) {
            decoder(engine);
            cache(engine);
            sampling(engine);
            picture(engine);
        }
        refused(engine);
        OK(aclrtSynchronizeStream(engine.stream()));
        EQ(engine.pool().in_use(), 0);
        CHECK(engine.pool().reused() > 50);
        CHECK(engine.calls() > 90);
    }
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    return 0;
}
