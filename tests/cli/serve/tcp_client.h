// A client of TCP that writes and reads texts.
#pragma once

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <string>

class TcpClient {
 public:
  explicit TcpClient(uint16_t port) : file_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(connect(file_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0);
  }
  ~TcpClient() { close(file_); }
  TcpClient(const TcpClient&) = delete;
  TcpClient& operator=(const TcpClient&) = delete;

  void send(const std::string& text) { CHECK(::send(file_, text.data(), text.size(), MSG_NOSIGNAL) > 0); }

  /// One reply of HTTP, with its body.
  std::string reply() {
    std::string text;
    size_t size = std::string::npos;
    while (text.size() < size && more(text))
      if (const size_t end = text.find("\r\n\r\n"); size == std::string::npos && end != std::string::npos)
        size = end + 4 + length(text);
    return text;
  }

  /// All until the server closes.
  std::string all() {
    std::string text;
    while (more(text)) continue;
    return text;
  }

 private:
  bool more(std::string& text) {
    char part[4096];
    const ssize_t got = recv(file_, part, sizeof part, 0);
    if (got > 0) text.append(part, static_cast<size_t>(got));
    return got > 0;
  }

  static size_t length(const std::string& text) {
    constexpr std::string_view kLength = "Content-Length: ";
    size_t size = 0;
    if (const size_t at = text.find(kLength); at != std::string::npos)
      std::from_chars(text.data() + at + kLength.size(), text.data() + text.size(), size);
    return size;
  }

  int file_;
};
