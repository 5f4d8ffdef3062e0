// Bytes between two processes on different machines, with Gloo. Built where Gloo's headers are installed, loaded by
// crates/collective/src/machines/engine.rs when ranks of several machines meet.
//
// A device is this process's address. A pair is one connection between two processes: each side makes its half, passes the
// half's address to the other side, and connects. Messages of one pair and slot arrive in the order in which they were sent.
// Calls block their thread; `abort` ends them from another one. Errors are texts: no exception leaves this file.
//
// Gloo only moves bytes here. Reductions, their order and the protocol are on the other side of this interface.

#include <chrono>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <gloo/transport/context.h>
#include <gloo/transport/device.h>
#include <gloo/transport/pair.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/transport/unbound_buffer.h>

namespace {

using gloo::transport::UnboundBuffer;

// An operation may wait as long as a program computes; whoever notices that the peer is gone calls `abort`.
constexpr std::chrono::milliseconds kNoLimit{std::chrono::hours(24 * 365)};

// The first message of a connection: its length, and a slot that no other message uses.
constexpr size_t kFirst = 1 << 20;
constexpr uint64_t kFirstSlot = 1 << 30;

struct Device {
  std::shared_ptr<gloo::transport::Device> device;
};

struct Pair {
  std::shared_ptr<gloo::transport::Device> device;
  std::shared_ptr<gloo::transport::Context> context;
  int peer;

  // The operations that wait, for `abort`.
  std::mutex mutex;
  bool aborted = false;
  UnboundBuffer* sends = nullptr;
  UnboundBuffer* receives = nullptr;

  // The buffers of the last operations that have completed. Destroying one right after its operation spins until Gloo's own thread
  // has let go of it; by the end of the next operation it has. One thread sends and one receives, so each has one of these.
  std::unique_ptr<UnboundBuffer> lastSent;
  std::unique_ptr<UnboundBuffer> lastReceived;
};

void say(char* text, size_t room, const char* what) {
  if (room > 0) {
    std::strncpy(text, what, room - 1);
    text[room - 1] = '\0';
  }
}

// Runs something of Gloo's. Returns 0, or 1 with the reason.
template <typename Body>
int guarded(char* text, size_t room, Body body) noexcept {
  try {
    body();
    return 0;
  } catch (const std::exception& error) {
    say(text, room, error.what());
  } catch (...) {
    say(text, room, "unknown exception");
  }
  return 1;
}

struct Aborted : std::exception {
  const char* what() const noexcept override { return "the connection was closed"; }
};

// Makes an operation known to `abort` while it waits.
class Waiting {
 public:
  Waiting(Pair& pair, UnboundBuffer*& place, UnboundBuffer* buffer) : pair_(pair), place_(place) {
    std::lock_guard<std::mutex> lock(pair_.mutex);
    if (pair_.aborted) {
      throw Aborted();
    }
    place_ = buffer;
  }
  ~Waiting() {
    std::lock_guard<std::mutex> lock(pair_.mutex);
    place_ = nullptr;
  }

 private:
  Pair& pair_;
  UnboundBuffer*& place_;
};

}  // namespace

extern "C" {

// Changes when a function below changes.
int millpond_gloo_version() { return 1; }

// This process's address, as text. NULL with the reason if it cannot be used.
void* millpond_gloo_device(const char* host, char* text, size_t room) {
  std::unique_ptr<Device> made;
  const int failed = guarded(text, room, [&] {
    gloo::transport::tcp::attr attributes(host);
    made.reset(new Device{gloo::transport::tcp::CreateDevice(attributes)});
  });
  return failed ? nullptr : made.release();
}

// One half of a connection; `is_second` differs between the two. `address` receives `*bytes` bytes for the other side.
void* millpond_gloo_pair(
    void* device,
    int is_second,
    int64_t milliseconds,
    unsigned char* address,
    size_t* bytes,
    char* text,
    size_t room) {
  std::unique_ptr<Pair> made;
  const int failed = guarded(text, room, [&] {
    made.reset(new Pair());
    made->device = static_cast<Device*>(device)->device;
    made->peer = is_second ? 0 : 1;
    made->context = made->device->createContext(1 - made->peer, 2);
    // Gloo waits five times as long for a connection.
    made->context->setTimeout(std::chrono::milliseconds(milliseconds / 5 + 1));
    auto& pair = made->context->createPair(made->peer);
    const std::vector<char> own = pair->address().bytes();
    if (own.size() > *bytes) {
      throw std::runtime_error("the address is too long");
    }
    std::memcpy(address, own.data(), own.size());
    *bytes = own.size();
  });
  return failed ? nullptr : made.release();
}

// Connects to the other half. The other side calls the same.
int millpond_gloo_connect(void* pair, const unsigned char* address, size_t bytes, char* text, size_t room) {
  return guarded(text, room, [&] {
    auto* own = static_cast<Pair*>(pair);
    const auto* start = reinterpret_cast<const char*>(address);
    own->context->getPair(own->peer)->connect(std::vector<char>(start, start + bytes));
    // Gloo makes the socket's buffer as long as the longest message so far. With a short one, small messages wait for
    // acknowledgements, which the other kernel delays: 40 ms each. So the first message is a long one.
    std::vector<char> out(kFirst), in(kFirst);
    auto sends = own->context->createUnboundBuffer(out.data(), out.size());
    auto receives = own->context->createUnboundBuffer(in.data(), in.size());
    receives->recv(own->peer, kFirstSlot, 0, in.size());
    sends->send(own->peer, kFirstSlot, 0, out.size());
    const std::chrono::milliseconds limit = own->context->getTimeout() * 5;
    sends->waitSend(nullptr, limit);
    receives->waitRecv(nullptr, limit);
  });
}

// Sends bytes, and returns when they may be written again.
int millpond_gloo_send(void* pair, uint64_t slot, const void* data, size_t bytes, char* text, size_t room) {
  return guarded(text, room, [&] {
    auto* own = static_cast<Pair*>(pair);
    auto buffer = own->context->createUnboundBuffer(const_cast<void*>(data), bytes);
    Waiting waiting(*own, own->sends, buffer.get());
    buffer->send(own->peer, slot, 0, bytes);
    if (!buffer->waitSend(nullptr, kNoLimit)) {
      throw Aborted();
    }
    own->lastSent = std::move(buffer);
  });
}

// Receives a message of at most so many bytes.
int millpond_gloo_receive(void* pair, uint64_t slot, void* data, size_t bytes, char* text, size_t room) {
  return guarded(text, room, [&] {
    auto* own = static_cast<Pair*>(pair);
    auto buffer = own->context->createUnboundBuffer(data, bytes);
    Waiting waiting(*own, own->receives, buffer.get());
    buffer->recv(own->peer, slot, 0, bytes);
    if (!buffer->waitRecv(nullptr, kNoLimit)) {
      throw Aborted();
    }
    own->lastReceived = std::move(buffer);
  });
}

// Ends what waits, and everything that comes after it.
void millpond_gloo_abort(void* pair) {
  char text[1];
  guarded(text, sizeof(text), [&] {
    auto* own = static_cast<Pair*>(pair);
    std::lock_guard<std::mutex> lock(own->mutex);
    own->aborted = true;
    if (own->sends != nullptr) {
      own->sends->abortWaitSend();
    }
    if (own->receives != nullptr) {
      own->receives->abortWaitRecv();
    }
  });
}

// Closes a connection that nobody uses any more.
void millpond_gloo_close(void* pair) {
  char text[1];
  std::unique_ptr<Pair> own(static_cast<Pair*>(pair));
  guarded(text, sizeof(text), [&] { own->context->getPair(own->peer)->close(); });
  own->lastSent.reset();
  own->lastReceived.reset();
}

}  // extern "C"
