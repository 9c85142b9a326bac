// HttpServer: a server on 127.0.0.1 whose answers a test decides, including wrong ones.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace espalier::golden {

struct HttpRequest {
  std::string path;
  std::string range, if_range;  // empty: not given
};

struct HttpAnswer {
  std::string body;
  int status = 200;
  std::vector<std::string> headers{};  // besides Content-Length
  size_t sent = std::string::npos;     // bytes of the body that are sent
  bool hangs = false;                  // the connection then stays open
};

class HttpServer {
 public:
  using Handler = std::function<HttpAnswer(const HttpRequest&)>;

  explicit HttpServer(Handler handler) : handler_(std::move(handler)), socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    if (socket_ < 0 || bind(socket_, generic, size) != 0 || listen(socket_, 16) != 0 ||
        getsockname(socket_, generic, &size) != 0)
      throw std::runtime_error("no server socket");
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~HttpServer() {
    shutdown(socket_, SHUT_RDWR);  // wakes accept()
    thread_.join();
    close(socket_);
    for (const int connection : open_) close(connection);
  }
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::string url(const std::string& path = "") const {
    return "http://127.0.0.1:" + std::to_string(port_) + "/" + path;
  }
  std::vector<HttpRequest> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void serve() {
    for (int connection; (connection = accept(socket_, nullptr, nullptr)) >= 0;)
      if (answer(connection))
        open_.push_back(connection);
      else
        close(connection);
  }

  bool answer(int connection) {  // whether the connection stays open
    std::string head;
    for (char buffer[4096]; head.find("\r\n\r\n") == std::string::npos;) {
      const ssize_t n = recv(connection, buffer, sizeof buffer, 0);
      if (n <= 0) return false;
      head.append(buffer, static_cast<size_t>(n));
    }
    const size_t begin = head.find(' ') + 1;
    const HttpRequest request{head.substr(begin, head.find(' ', begin) - begin), value(head, "\r\nRange: "),
                              value(head, "\r\nIf-Range: ")};
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
    }
    const HttpAnswer given = handler_(request);
    std::string all = "HTTP/1.1 " + std::to_string(given.status) +
                      " Status\r\nConnection: close\r\nContent-Length: " + std::to_string(given.body.size()) + "\r\n";
    for (const std::string& header : given.headers) all += header + "\r\n";
    all += "\r\n" + given.body.substr(0, std::min(given.sent, given.body.size()));
    for (size_t at = 0; at < all.size();) {
      const ssize_t n = send(connection, all.data() + at, all.size() - at, MSG_NOSIGNAL);
      if (n <= 0) return false;
      at += static_cast<size_t>(n);
    }
    return given.hangs;
  }

  static std::string value(const std::string& head, const std::string& name) {
    const size_t at = head.find(name);
    if (at == std::string::npos) return "";
    return head.substr(at + name.size(), head.find("\r\n", at + 2) - at - name.size());
  }

  Handler handler_;
  int socket_;
  uint16_t port_ = 0;
  mutable std::mutex mutex_;
  std::vector<HttpRequest> requests_;
  std::vector<int> open_;
  std::thread thread_;
};

// A server that supports ranges and has one version of the file.
inline HttpAnswer ranged(const HttpRequest& request, const std::string& body, const std::string& etag) {
  if (request.range.empty() || request.if_range != etag) return {.body = body, .headers = {"ETag: " + etag}};
  const size_t from = std::stoull(request.range.substr(6));  // bytes=N-
  const std::string size = std::to_string(body.size());
  if (from >= body.size()) return {.body = "", .status = 416, .headers = {"Content-Range: bytes */" + size}};
  return {.body = body.substr(from),
          .status = 206,
          .headers = {"ETag: " + etag, "Content-Range: bytes " + std::to_string(from) + "-" +
                                           std::to_string(body.size() - 1) + "/" + size}};
}

}  // namespace espalier::golden
