/*
 * libfmk_onnx_parser.so: what onnxruntime-cann binds in C++ when a session runs whole graphs on the device.
 *
 * The provider passes the ONNX bytes of a graph, asks for a model with the current shapes, and loads
 * it with aclmdlLoadFromMem. So a graph is its ONNX bytes and its name, and building it is one call of
 * millpondCompileModel; if that fails, aclGetRecentErrMsg has the reason. Graphs cannot be built node by node.
 *
 * The client allocates the objects on its stack and destroys them with its own code, so their layout is part
 * of the interface: a string and a graph are one shared pointer each, a model is a shared pointer and a length. Only the names
 * in onnx_parser.map are exported. Only the constructors throw, and only if memory runs out.
 */
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "millpond/compile.h"

namespace ge {

using graphStatus = std::uint32_t;
constexpr graphStatus GRAPH_SUCCESS = 0;
constexpr graphStatus GRAPH_FAILED = 0xFFFFFFFF;

class AscendString {
public:
    AscendString(const char *text);
    bool operator<(const AscendString &other) const;
    const char *text() const { return text_ == nullptr ? "" : text_->c_str(); }

private:
    std::shared_ptr<std::string> text_;
};

struct Content {
    std::string name;
    std::string onnx;
};

class Graph {
public:
    Graph(const char *name);
    Content *content() const { return content_.get(); }

private:
    std::shared_ptr<Content> content_;
};

struct ModelBufferData {
    std::shared_ptr<std::uint8_t> data;
    std::uint64_t length;
};

using Options = std::map<AscendString, AscendString>;

static_assert(sizeof(AscendString) == 16 && sizeof(Graph) == 16, "one shared pointer each");
static_assert(sizeof(ModelBufferData) == 24, "a shared pointer and a length");

/* Constructors have no other way to say that there is no memory than to throw std::bad_alloc. */
AscendString::AscendString(const char *text)
    : text_(std::make_shared<std::string>(text == nullptr ? "" : text))
{
}

bool AscendString::operator<(const AscendString &other) const
{
    return std::strcmp(text(), other.text()) < 0;
}

Graph::Graph(const char *name) : content_(std::make_shared<Content>())
{
    content_->name = name == nullptr ? "" : name;
}

namespace {

/* What holds for every model from aclgrphBuildInitialize to aclgrphBuildFinalize. */
std::mutex g_lock;
std::map<std::string, std::string> g_options;

void copy(const Options &from, std::map<std::string, std::string> &to)
{
    for (const auto &option : from) {
        to[option.first.text()] = option.second.text();
    }
}

/* Nothing of ours fails but for want of memory, and that has no sentence. */
template <typename Work>
graphStatus guarded(Work work) noexcept
{
    try {
        return work() ? GRAPH_SUCCESS : GRAPH_FAILED;
    } catch (...) {
        return GRAPH_FAILED;
    }
}

} // namespace

graphStatus aclgrphBuildInitialize(Options &options)
{
    return guarded([&options] {
        std::map<std::string, std::string> given;
        copy(options, given);
        const std::lock_guard<std::mutex> guard(g_lock);
        g_options.swap(given);
        return true;
    });
}

void aclgrphBuildFinalize()
{
    const std::lock_guard<std::mutex> guard(g_lock);
    g_options.clear();
}

graphStatus aclgrphParseONNXFromMem(
    const char *buffer, std::size_t size, const Options &options, Graph &graph)
{
    return guarded([&] {
        /* They choose outputs, or plugins for operators that ONNX does not have. The provider gives none. */
        (void)options;
        if (buffer == nullptr || size == 0) {
            void *model = nullptr;
            std::size_t length = 0;
            /* Says what is wrong with them. */
            return millpondCompileModel(nullptr, buffer, size, nullptr, 0, &model, &length) == ACL_SUCCESS;
        }
        Content *content = graph.content();
        if (content == nullptr) {
            return false;
        }
        content->onnx.assign(buffer, size);
        return true;
    });
}

graphStatus aclgrphBuildModel(const Graph &graph, const Options &options, ModelBufferData &model)
{
    return guarded([&] {
        std::map<std::string, std::string> given;
        {
            const std::lock_guard<std::mutex> guard(g_lock);
            given = g_options;
        }
        copy(options, given);
        std::vector<millpondCompileOption> list;
        for (const auto &option : given) {
            list.push_back({option.first.c_str(), option.second.c_str()});
        }
        const Content *content = graph.content();
        const Content empty;
        const Content &source = content == nullptr ? empty : *content;
        void *bytes = nullptr;
        std::size_t length = 0;
        const aclError code = millpondCompileModel(source.name.c_str(), source.onnx.data(),
            source.onnx.size(), list.data(), list.size(), &bytes, &length);
        if (code != ACL_SUCCESS) {
            return false;
        }
        model.data = std::shared_ptr<std::uint8_t>(
            static_cast<std::uint8_t *>(bytes), [](std::uint8_t *made) { millpondFreeModel(made); });
        model.length = length;
        return true;
    });
}

graphStatus aclgrphSaveModel(const char *file, const ModelBufferData &model)
{
    return guarded([&] {
        std::string path;
        if (file != nullptr) {
            const std::string suffix = ".om";
            path = file;
            if (path.size() < suffix.size() ||
                path.compare(path.size() - suffix.size(), suffix.size(), suffix) != 0) {
                path += suffix;
            }
        }
        const char *target = file == nullptr ? nullptr : path.c_str();
        return millpondSaveModel(target, model.data.get(), model.length) == ACL_SUCCESS;
    });
}

} // namespace ge
