// The server with short limits, as a client of TCP sees it; tests/serve_test.py asks the whole program.
#include "cli/serve/local_server.h"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>

#include "tests/cli/serve/tcp_client.h"

namespace {

using namespace std::chrono_literals;

/// A server that answers with what it was asked, while it lives.
class EchoServer {
 public:
  explicit EchoServer(cli::ServerLimits limits = {}) : server_(0, limits) {
    REQUIRE(server_.why() == "");
    const std::string& address = server_.address();  // http://127.0.0.1:PORT/TOKEN/
    host = address.substr(7, address.find('/', 7) - 7);
    path = address.substr(7 + host.size());
    thread_ = std::thread([this] {
      server_.run([](const cli::PageRequest& r) {
        if (r.path == "throw") throw std::bad_alloc();
        return cli::PageReply{.text = r.path + "|" + r.body};
      });
    });
  }
  ~EchoServer() {
    server_.stop();
    thread_.join();
  }

  uint16_t port() const { return static_cast<uint16_t>(std::stoi(host.substr(host.find(':') + 1))); }
  /// A request with this path and body, and more lines of header.
  std::string post(const std::string& target, const std::string& body, const std::string& header = "") const {
    return "POST " + target + " HTTP/1.1\r\nHost: " + host + "\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\n" + header + "\r\n" + body;
  }

  std::string host, path;

 private:
  cli::LocalServer server_;
  std::thread thread_;
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a request reaches the answer with its path behind the token and its body") {
  const EchoServer server;
  TcpClient client(server.port());
  for (const char* body : {"", "{}", "several\nlines"}) {
    client.send(server.post(server.path + "plan?format=html", body));
    const std::string reply = client.reply();
    CHECK(has(reply, "HTTP/1.1 200 OK\r\n"));
    CHECK(has(reply, "Content-Security-Policy: default-src 'none'"));
    CHECK(reply.ends_with(std::string("\r\n\r\nplan|") + body));
  }
}

TEST_CASE("what is refused: token, host, origin, method, size, and what is no request") {
  cli::ServerLimits limits;
  limits.body_bytes = 100;
  limits.header_bytes = 1000;
  const EchoServer server(limits);
  const std::string good = server.post(server.path, "x");
  std::string other_token = good, other_host = good, other_method = good;
  other_token[good.find(server.path) + 1] ^= 1;
  other_host.replace(good.find(server.host), server.host.size(), "evil.example");
  other_method.replace(0, 4, "PUT");
  struct Row {
    std::string request;
    const char* status;
  };
  const Row rows[] = {
      {other_token, " 403 "},
      {server.post(server.path.substr(0, server.path.size() - 1), "x"), " 403 "},
      {server.post("/", "x"), " 403 "},
      {other_host, " 421 "},
      {server.post(server.path, "x", "Origin: http://evil.example\r\n"), " 403 "},
      {server.post(server.path, "x", "Origin: http://" + server.host + ".evil.example\r\n"), " 403 "},
      {other_method, " 405 "},
      {server.post(server.path, std::string(101, 'x')), " 413 "},
      {server.post(server.path, "x", "A: " + std::string(2000, 'a') + "\r\n"), " 431 "},
      {"hello\r\n\r\n", " 400 "},
  };
  for (const Row& row : rows) {
    CAPTURE(row.request);
    TcpClient client(server.port());
    client.send(row.request);
    CHECK(has(client.all().substr(0, 14), row.status));
  }
  for (const std::string& request : {good, server.post(server.path, std::string(100, 'x')),
                                     server.post(server.path, "x", "Origin: http://" + server.host + "\r\n")}) {
    TcpClient client(server.port());
    client.send(request);
    CHECK(has(client.reply(), " 200 OK"));
  }
}

TEST_CASE("a slow request is refused, and an idle connection is closed without a word") {
  cli::ServerLimits limits;
  limits.request_time = 100ms;
  const EchoServer server(limits);
  TcpClient slow(server.port()), idle(server.port());
  slow.send("POST " + server.path + " HTTP/1.1\r\nHost: ");
  const std::string reply = slow.all();
  CHECK(has(reply, " 408 "));
  CHECK(has(reply, "more than 100 ms"));
  CHECK(idle.all() == "");
}

TEST_CASE("an answer that throws is an error of its request alone") {
  const EchoServer server;
  TcpClient client(server.port());
  client.send(server.post(server.path + "throw", "no memory"));
  const std::string reply = client.reply();
  CHECK(has(reply, " 500 "));
  CHECK(has(reply, "out of memory"));
  client.send(server.post(server.path, "x"));
  CHECK(has(client.reply(), " 200 "));
}

TEST_CASE("connections beyond the limit are refused, and their number falls again") {
  cli::ServerLimits limits;
  limits.connections = 2;
  const EchoServer server(limits);
  {
    TcpClient a(server.port()), b(server.port()), c(server.port());
    for (TcpClient* client : {&a, &b}) {
      client->send(server.post(server.path, "x"));
      CHECK(has(client->reply(), " 200 "));
    }
    CHECK(has(c.all(), " 503 "));
  }
  std::string reply;
  for (int i = 0; i < 100 && !has(reply, " 200 "); ++i) {
    TcpClient again(server.port());
    again.send(server.post(server.path, "x"));
    reply = again.reply();
    std::this_thread::sleep_for(10ms);
  }
  CHECK(has(reply, " 200 "));
}

TEST_CASE("two servers: another token, and one port is of one alone") {
  const EchoServer first, second;
  CHECK(first.path != second.path);
  CHECK(first.path.size() == 34);  // 128 bits, and a slash on either side
  const cli::LocalServer third(first.port());
  CHECK(third.why() == "Address already in use");
}
