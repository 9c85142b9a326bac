#include "data/get/download.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <functional>
#include <memory>
#include <string_view>
#include <thread>

#include <curl/curl.h>
#include <fmt/format.h>
#include <espalier/base/error.h>
#include <espalier/base/version.h>

#include "data/get/response.h"
#include "interrupt.h"
#include "printable.h"
#include "say.h"

namespace espalier::app {
namespace {

using Clock = std::chrono::steady_clock;

constexpr long most_redirects = 10;
constexpr int poll_ms = 50;  // between two looks at the interrupt and the stall

template <auto free>
struct Free {
  template <class T>
  void operator()(T* pointer) const {
    free(pointer);
  }
};

// One request. Exceptions of callbacks, which C code cannot pass on, are kept.
class Request {
 public:
  Request(const Address& address, Part& part, const GetOptions& options)
      : options_(options), response_(part, label(address.url), options.quiet), last_byte_(Clock::now()) {
    static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
    easy_.reset(curl_easy_init());
    multi_.reset(curl_multi_init());
    if (ready != CURLE_OK || !easy_ || !multi_) throw Error("curl cannot be started");
    set(CURLOPT_URL, address.url.c_str());
    set(CURLOPT_PROTOCOLS_STR, address.may_be_local ? "http,https,file" : "http,https");
    set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    set(CURLOPT_FOLLOWLOCATION, 1L);
    set(CURLOPT_MAXREDIRS, most_redirects);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_USERAGENT, ("espalier/" + espalier::version()).c_str());
    set(CURLOPT_ERRORBUFFER, reason_);
    set(CURLOPT_HEADERFUNCTION, &on_header);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_WRITEFUNCTION, &on_body);
    set(CURLOPT_WRITEDATA, this);
    if (part.size() > 0) {
      set(CURLOPT_RANGE, fmt::format("{}-", part.size()).c_str());
      headers_.reset(curl_slist_append(nullptr, ("If-Range: " + part.version()).c_str()));
      set(CURLOPT_HTTPHEADER, headers_.get());
    }
  }
  ~Request() { curl_multi_remove_handle(multi_.get(), easy_.get()); }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  // CURLE_OPERATION_TIMEDOUT: no byte arrived for the given time. Interrupted: the user has asked for an end.
  CURLcode run() {
    curl_multi_add_handle(multi_.get(), easy_.get());
    for (int running = 1; running > 0;) {
      if (curl_multi_perform(multi_.get(), &running) != CURLM_OK) throw Error("curl cannot be started");
      if (failed_) std::rethrow_exception(failed_);
      if (interrupt_asked()) throw Interrupted{};
      if (running == 0) break;
      if (std::chrono::duration<double>(Clock::now() - last_byte_).count() > options_.timeout)
        return CURLE_OPERATION_TIMEDOUT;
      curl_multi_poll(multi_.get(), nullptr, 0, poll_ms, nullptr);
    }
    int left = 0;
    const CURLMsg* message = curl_multi_info_read(multi_.get(), &left);
    const CURLcode result = message == nullptr ? CURLE_FAILED_INIT : message->data.result;
    if (result == CURLE_OK) response_.finish();
    return result;
  }

  const Response& response() const { return response_; }
  std::string reason(CURLcode code) const { return reason_[0] == '\0' ? curl_easy_strerror(code) : reason_; }

 private:
  template <class T>
  void set(CURLoption option, T value) {
    if (curl_easy_setopt(easy_.get(), option, value) != CURLE_OK) throw Error("this version of curl is too old");
  }

  static std::string label(const std::string& url) { return url.substr(url.rfind('/') + 1); }

  size_t guarded(const std::function<void()>& action, size_t size) {
    last_byte_ = Clock::now();
    try {
      action();
      return size;
    } catch (...) {
      failed_ = std::current_exception();
      return 0;  // a number other than `size` ends the transfer
    }
  }
  static size_t on_header(char* bytes, size_t, size_t n, void* self) {
    auto& request = *static_cast<Request*>(self);
    return request.guarded([&] { request.response_.add_header({bytes, n}); }, n);
  }
  static size_t on_body(char* bytes, size_t, size_t n, void* self) {
    auto& request = *static_cast<Request*>(self);
    return request.guarded([&] { request.response_.add_body({bytes, n}); }, n);
  }

  const GetOptions& options_;
  Response response_;
  Clock::time_point last_byte_;
  std::exception_ptr failed_;
  char reason_[CURL_ERROR_SIZE] = "";
  std::unique_ptr<curl_slist, Free<curl_slist_free_all>> headers_;
  std::unique_ptr<CURL, Free<curl_easy_cleanup>> easy_;
  std::unique_ptr<CURLM, Free<curl_multi_cleanup>> multi_;
};

struct Outcome {
  std::string problem{};  // empty: complete
  bool may_retry = false;
};

bool is_passing(int status) { return status == 408 || status == 416 || status == 429 || status >= 500; }

bool is_passing(CURLcode code) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
    case CURLE_OPERATION_TIMEDOUT:
      return true;
    default:
      return false;
  }
}

Outcome attempt(const Address& address, Part& part, const GetOptions& options) {
  if (part.size() > 0 && part.version().empty()) part.restart("");
  Request request(address, part, options);
  const CURLcode code = request.run();
  const Response& response = request.response();
  if (code == CURLE_OPERATION_TIMEDOUT) return {fmt::format("no data for {} s (--timeout)", options.timeout), true};
  if (code == CURLE_TOO_MANY_REDIRECTS) return {fmt::format("more than {} redirects", most_redirects)};
  if (code == CURLE_UNSUPPORTED_PROTOCOL) return {"the address, or one it redirects to, is neither http nor https"};
  if (code == CURLE_PARTIAL_FILE || (code != CURLE_OK && is_passing(code) && part.size() > 0)) {
    const std::string of = response.total() ? fmt::format(" of {}", *response.total()) : "";
    return {fmt::format("the connection broke off after {}{} bytes", part.size(), of), true};
  }
  if (code != CURLE_OK) return {request.reason(code), is_passing(code)};
  if (response.is_complete()) return {};
  if (response.status() == 416 || response.misplaced()) {
    part.restart("");
    return {"the server refused to continue the download", true};
  }
  if (response.is_ok()) return {fmt::format("{} of {} bytes arrived", part.size(), *response.total()), true};
  return {fmt::format("the server answered with HTTP status {}", response.status()), is_passing(response.status())};
}

// Waits 0, 1, 2, 4, … seconds before a retry, at most the timeout.
void wait(int retry, double timeout) {
  const double seconds = retry == 1 ? 0 : std::min(timeout, std::ldexp(1.0, std::min(retry - 2, 10)));
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end) {
    if (interrupt_asked()) throw Interrupted{};
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace

void download(const Address& address, Part& part, const GetOptions& options) {
  for (int retry = 0;; ++retry) {
    const Outcome outcome = attempt(address, part, options);
    if (outcome.problem.empty()) return;
    if (!outcome.may_retry || retry == options.retries)
      throw DataError(fmt::format("{}: {}{}", address.url, outcome.problem,
                                  retry == 0 ? "" : fmt::format("; tried {} times", retry + 1)) +
                      (address.may_be_local ? "" : "; --from takes the file from another address"));
    if (!options.quiet)
      say("{}: {}; retry {} of {}", printable(address.url), printable(outcome.problem), retry + 1, options.retries);
    wait(retry + 1, options.timeout);
  }
}

}  // namespace espalier::app
